"""tools/text/trim.py and verbs.py: clauses made shorter, first words made lower, verbs found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text.trim import LONGEST, is_whole, lower_case_words, lowering, shorten
from tools.text.verbs import common_forms, has_verb, to_plural

LOWER = lowering(lower_case_words(["existing tools and large models"]))


def test_long_clause_loses_its_tail_where_grammar_allows() -> None:
    head = "Lee et al. {P1} introduce a tool that reads papers and checks each of their citations"
    tail = (
        ", which is slow for people who have to read every paper in full and to compare it by hand"
    )
    assert shorten(f"{head}{tail}, while machines are quick but often wrong") == head


def test_clause_that_cannot_be_cut_stays_whole() -> None:
    clause = "Lee et al. {P1} introduce " + "very " * 50 + "long names"
    assert shorten(clause) == clause
    assert len(clause.split()) > LONGEST


@pytest.mark.parametrize(
    "tail",
    [
        ", which is fast and small and made of glass, ranks papers of all years and of all fields well",
        " of the year in which they were written and sold ranks papers of all years and fields well",
    ],
)
def test_clause_is_not_cut_before_its_verb_or_behind_a_preposition(tail: str) -> None:
    cut = shorten(f"Lee et al. {{P1}} show that the model of all citations{tail}", 12)
    assert cut.endswith("well")


def test_of_what_a_colon_announces_all_or_nothing_is_kept() -> None:
    head = "Lee et al. {P1} observe three patterns in the ages of all citations"
    assert shorten(f"{head}: old ones are rare; new ones are common; most are neither", 16) == head


@given(st.text(max_size=200), st.integers(1, 40))
def test_shorter_clause_is_a_beginning_of_the_longer(text: str, longest: int) -> None:
    assert text.startswith(shorten(text, longest))


@pytest.mark.parametrize(
    ("clause", "whole"),
    [
        ("Lee {P1} proposes a model of bees", True),
        ("Lee {P1} proposes a model of", False),
        ("Lee {P1} proposes a model (of bees", False),
        ("Lee {P1} shows by using radar", False),
        ("Lee {P1} shows on radar tracks that bees learn", True),
        ("Lee {P1} shows that bees of all kinds", False),
    ],
)
def test_clause_is_whole_with_its_verbs_and_brackets(clause: str, whole: bool) -> None:
    assert is_whole(clause) is whole


def test_first_word_is_lowered_only_where_it_is_known_to_be_no_name() -> None:
    assert LOWER("Existing tools") == "existing tools"
    assert LOWER("BERT models") == "BERT models"
    assert LOWER("Wikipedia articles") == "Wikipedia articles"
    assert LOWER("A tool") == "a tool"
    assert LOWER("") == ""
    assert LOWER("Large models") == "large models"
    assert LOWER("Real-time tools") == "real-time tools"
    assert LOWER("Dynamic Sampling helps") == "Dynamic Sampling helps"
    assert LOWER("Bayesian models") == "Bayesian models"


@pytest.mark.parametrize(
    ("clause", "verb"),
    [
        ("bees find their way", True), ("models often invent papers", True), ("it hums", True),
        ("tracks of bees over large distances", False), ("", False),
    ],
)  # fmt: skip
def test_clause_has_a_verb_or_not(clause: str, verb: bool) -> None:
    assert has_verb(clause) is verb


def test_common_forms_come_in_both_numbers() -> None:
    assert {"introduce", "introduces", "study", "studies"} <= common_forms()
    assert {to_plural(form) for form in common_forms()} <= common_forms()
