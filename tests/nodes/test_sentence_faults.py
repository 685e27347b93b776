"""nodes/write/writers/draft_answers.py: what code finds wrong with a sentence, and with nobody asked."""

import pytest

from nodes.write.writers.draft_answers import (
    Fault,
    NextSentence,
    SentencesAnswer,
    Support,
    WrittenSentence,
    best_quotes,
    false_quotes,
    faults_of,
    sentences_of,
)
from state.writing import PlanLine
from tests.fakes.made_papers import made_papers
from tools.bibliography.read_record import paper_from

PAPERS = {f"P{place}": paper_from(item) for place, item in enumerate(made_papers(3), start=1)}
LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain"
OWN = (
    "We study how small causes change large things. We compare thirty reports of such causes and "
    "propose a shared vocabulary for them."
)


def faults(sentence: str, *, line: PlanLine | None = None, basis: str = "") -> list[Fault]:
    return faults_of(NextSentence(sentence=sentence, basis=basis), line, PAPERS, OWN)


@pytest.mark.parametrize(
    "citation",
    [
        "[31]",
        "[31, 32-34]",
        "[1–3]",
        "(Smith & Jones, 2020a)",
        "(Smith et al., 2020; Jones and Lee, 2021)",
    ],
)
def test_citation_that_is_no_marker_is_fabricated_also_beside_one(citation: str) -> None:
    found = faults(f"{LICHENS} {{P1}} {citation}.")
    assert "fabricated" in {item.cause for item in found}
    assert citation in {item.key for item in found}, "the whole citation is told"


@pytest.mark.parametrize(
    ("sentence", "cause", "key"),
    [
        (f"{LICHENS} {{P1}}{{P9}}.", "fabricated", "P9"),
        ("", "off_plan", ""),
    ],
)
def test_marker_that_leads_nowhere_is_told_and_names_are_for_the_check(
    sentence: str, cause: str, key: str
) -> None:
    (found,) = faults(sentence)
    assert (found.cause, found.key) == (cause, key)
    assert faults(f"{LICHENS} {{P1}}, unlike what Garcia et al. say.") == []


def test_paper_of_the_line_that_is_not_cited_is_told_by_its_key() -> None:
    line = PlanLine(number=1, keys=("P1", "P2"))
    (found,) = faults(f"{LICHENS} {{P1}}.", line=line)
    assert (found.cause, found.key) == ("off_plan", "P2")
    assert faults(f"{LICHENS} {{P1}}{{P2}}.", line=line) == []


@pytest.mark.parametrize(
    ("sentence", "basis", "sound"),
    [
        ("We compare thirty reports of such causes.", "We compare thirty reports", True),
        ("We compare thirty reports of such causes.", "", False),
        ("We compare thirty reports of such causes.", "Nobody wrote this.", False),
    ],
)
def test_sentence_that_cites_nothing_must_quote_the_input(
    sentence: str, basis: str, sound: bool
) -> None:
    found = faults(sentence, basis=basis)
    assert [item.cause for item in found] == ([] if sound else ["uncited_claim"])


def test_sentence_said_before_in_nearly_the_same_words_is_a_repetition() -> None:
    answer = NextSentence(sentence=f"{LICHENS} {{P1}}.")
    (found,) = faults_of(answer, None, PAPERS, OWN, [f"{LICHENS} {{P1}}"])
    assert found.cause == "repeated"
    assert faults_of(answer, None, PAPERS, OWN, ["Otters cross the weirs {P2}."]) == []


def test_quote_is_the_papers_own_words_whatever_was_given() -> None:
    paper = PAPERS["P1"]
    given = "Without sulphur rain the lichens kept their copper roofs unharmed."
    for said, expected in (
        (given, given),
        ("Nobody ever wrote these words.", f"{LICHENS}."),
    ):
        (quote,) = best_quotes(paper, [said], f"{LICHENS} {{P1}}.")
        assert quote.verified
        assert (paper.abstract or "")[quote.start : quote.end] == quote.text == expected
    (bare,) = best_quotes(paper.model_copy(update={"abstract": None}), [], f"{LICHENS} {{P1}}.")
    assert (bare.part, bare.text) == ("title", paper.title)


def test_uncited_sentence_on_papers_together_names_papers_at_hand() -> None:
    together = NextSentence(
        sentence="None of these studies reports a trial.", rests_on=["P1", "P2"]
    )
    assert faults_of(together, None, PAPERS, OWN) == []
    strange = together.model_copy(update={"rests_on": ["P1", "P99"]})
    (fault,) = faults_of(strange, None, PAPERS, OWN)
    assert (fault.cause, "P99" in fault.detail) == ("fabricated", True)


def test_made_up_quotes_are_told_and_true_or_empty_ones_are_not() -> None:
    support = [
        Support(key="P1", quotes=[f"{LICHENS}."]),
        Support(key="P2", quotes=["All trials agree."]),
        Support(key="P3", quotes=[" "]),
        Support(key="P9", quotes=["All trials agree."]),
    ]
    (found,) = false_quotes(NextSentence(sentence="x", support=support), PAPERS)
    assert (found.cause, found.key) == ("fabricated_quote", "P2")
    assert "All trials agree." in found.detail


def test_keys_in_one_pair_of_braces_are_citations_each() -> None:
    written = WrittenSentence(line=4, text=f"{LICHENS} {{P1, P2}}.")
    (found,) = sentences_of(SentencesAnswer(sentences=[written], grounds=[]))
    assert (found.line, found.sentence) == (4, f"{LICHENS} {{P1}}{{P2}}.")
    assert not [one for one in faults(found.sentence) if one.cause == "fabricated"]
