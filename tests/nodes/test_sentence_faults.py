"""nodes/write/writers/faults.py: what code finds wrong with a sentence, and with nobody asked."""

import pytest

from nodes.write.writers.answers import NextSentence, Support
from nodes.write.writers.faults import Fault, best_quote, false_quotes, faults_of, rejected
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
    ("citation", "why"),
    [
        ("[31]", "a number"),
        ("[1, 2]", "numbers"),
        ("[31, 32-34]", "numbers and a range"),
        ("[1–3]", "a range with a dash"),
        ("(Smith, 2020)", "a name and a year"),
        ("(Smith & Jones, 2020a)", "two names, and a letter behind the year"),
        ("(Smith et al., 2020; Jones and Lee, 2021)", "two citations in one pair of brackets"),
        ("(Smith 2020; Jones 2021b)", "two without commas"),
    ],
)
def test_citation_that_is_no_marker_is_fabricated_also_beside_one(citation: str, why: str) -> None:
    found = faults(f"{LICHENS} {{P1}} {citation}.")
    assert "fabricated" in {item.cause for item in found}, why
    assert citation in {item.key for item in found}, "the whole citation is told"


def test_marker_that_was_not_given_is_fabricated_and_named() -> None:
    (found,) = faults(f"{LICHENS} {{P1}}{{P9}}.")
    assert (found.cause, found.key) == ("fabricated", "P9")


def test_authors_who_wrote_no_cited_paper_may_not_be_named() -> None:
    (found,) = faults(f"{LICHENS} {{P1}}, unlike what Garcia et al. say.")
    assert (found.cause, found.key) == ("fabricated", "Garcia")
    assert faults(f"{LICHENS} {{P1}}, as Abel et al. say.") == []


def test_authors_of_another_paper_before_a_marker_are_mis_cited() -> None:
    (found,) = faults(f"Brandt and Dalca {{P1}} report it: {LICHENS}.")
    assert (found.cause, found.key) == ("mis_cited", "P1")


def test_paper_of_the_line_that_is_not_cited_is_told_by_its_key() -> None:
    line = PlanLine(number=1, keys=("P1", "P2"))
    (found,) = faults(f"{LICHENS} {{P1}}.", line=line)
    assert (found.cause, found.key) == ("off_plan", "P2")
    assert faults(f"{LICHENS} {{P1}}{{P2}}.", line=line) == []


@pytest.mark.parametrize(
    ("sentence", "basis", "sound", "why"),
    [
        ("We compare thirty reports of such causes.", "We compare thirty reports", True, "its words"),
        ("We compare thirty reports of such causes.", "", False, "it rests on nothing"),
        ("We compare thirty reports of such causes.", "Nobody wrote this.", False, "not the input's"),
        ("Rivals count only boats and horses.", "We compare thirty reports", False, "other words"),
    ],
)  # fmt: skip
def test_sentence_that_cites_nothing_must_say_what_the_input_says(
    sentence: str, basis: str, sound: bool, why: str
) -> None:
    found = faults(sentence, basis=basis)
    assert [item.cause for item in found] == ([] if sound else ["uncited_claim"]), why


def test_sentence_said_before_in_nearly_the_same_words_is_a_repetition() -> None:
    answer = NextSentence(sentence=f"{LICHENS} {{P1}}.")
    (found,) = faults_of(answer, None, PAPERS, OWN, [f"{LICHENS} {{P1}}"])
    assert found.cause == "repeated"
    assert faults_of(answer, None, PAPERS, OWN, ["Otters cross the weirs {P2}."]) == []


def test_quote_that_is_not_the_paper_s_gives_way_to_the_sentence_that_says_it() -> None:
    quote = best_quote(PAPERS["P1"], "Nobody ever wrote these words.", f"{LICHENS} {{P1}}.")
    assert quote
    assert quote.verified
    assert quote.text == f"{LICHENS}."
    assert (PAPERS["P1"].abstract or "")[quote.start : quote.end] == quote.text


def test_quote_that_is_the_paper_s_stays_though_another_says_more() -> None:
    given = "Without sulphur rain the lichens kept their copper roofs unharmed."
    quote = best_quote(PAPERS["P1"], given, f"{LICHENS} {{P1}}.")
    assert quote
    assert quote.text == given


def test_title_is_quoted_where_there_is_no_abstract() -> None:
    bare = PAPERS["P1"].model_copy(update={"abstract": None})
    quote = best_quote(bare, "", f"{LICHENS} {{P1}}.")
    assert quote
    assert (quote.part, quote.text) == ("title", bare.title)


def test_made_up_quotes_are_told_and_true_or_empty_ones_are_not() -> None:
    support = [
        Support(key="P1", quote=f"{LICHENS}."),
        Support(key="P2", quote="All trials agree."),
        Support(key="P3", quote=" "),
        Support(key="P9", quote="All trials agree."),
    ]
    (found,) = false_quotes(NextSentence(sentence="x", support=support), PAPERS)
    assert (found.cause, found.key) == ("fabricated_quote", "P2")
    assert "All trials agree." in found.detail


def test_what_was_kept_out_names_the_paper_behind_the_key() -> None:
    keys = {key: paper.id for key, paper in PAPERS.items()}
    (told,) = rejected(
        [Fault("fabricated_quote", "not in the paper", "P2")], "S.", stage="s", line=4,
        action="replaced", by="mind", keys=keys,
    )  # fmt: skip
    assert (told.paper, told.key, told.line, told.by) == (PAPERS["P2"].id, "P2", 4, "mind")
    assert (told.sentence, told.cause, told.action) == ("S.", "fabricated_quote", "replaced")
