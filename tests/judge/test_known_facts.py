"""nodes/judge/known_facts.py: what is a matter of fact, whoever judges, and what is told where nobody does."""

import pytest

from nodes.judge.known_facts import decide_from_facts, undecided
from nodes.judge.shelf import Shelf
from state.paper import Paper
from tests.judge.conftest import LICHENS, OTTERS, PAPERS, REPHRASED
from tests.library.words import WordEmbedder

OWN = f"{LICHENS[:-1]} {{P1}}."


def known(text: str, key: str = "P1", papers: dict[str, Paper] = PAPERS) -> tuple[str, str, str]:
    found = decide_from_facts(Shelf(papers), text, key)
    return (found.verdict, found.cause, found.by) if found else ("", "", "")


@pytest.mark.parametrize("text", [OWN, f"Abel and Corvin {{P1}} write: “{LICHENS}”"])
def test_paper_s_own_sentence_is_supported(text: str) -> None:
    found = decide_from_facts(Shelf(PAPERS), text, "P1")
    assert found
    assert (found.verdict, found.by, found.scope) == ("supported", "code", "abstract")
    assert [(quote.text, quote.part) for quote in found.quotes] == [(LICHENS, "abstract")]


@pytest.mark.parametrize(
    "text",
    [
        REPHRASED,
        OWN.replace("bleach", "never bleach"),
        OWN.replace("sulphur", "acid"),
        "It rains {P1}.",
    ],
)
def test_anything_else_is_for_a_judge(text: str) -> None:
    assert decide_from_facts(Shelf(PAPERS), text, "P1") is None


def test_words_of_an_annotation_are_not_the_authors() -> None:
    noted = {"P1": PAPERS["P1"].model_copy(update={"abstract_kind": "annotation"})}
    said = f"Abel and Corvin {{P1}} write: “{LICHENS}”"
    found = decide_from_facts(Shelf(noted), said, "P1")
    assert found
    assert (found.verdict, found.cause) == ("not_in_source", "mis_cited")
    assert [(item.text, item.part) for item in found.quotes] == [(LICHENS, "annotation")]
    assert "annotation" in found.alarms[0]
    assert known(said.replace(" write:", " (annotation):"), papers=noted)[0] == "supported"


def test_another_paper_s_own_sentence_is_mis_cited_and_the_better_one_named() -> None:
    found = decide_from_facts(Shelf(PAPERS), OWN.replace("P1", "P2"), "P2")
    assert found
    assert (found.verdict, found.cause, found.by) == ("not_in_source", "mis_cited", "code")
    assert found.better == PAPERS["P1"].id


def test_other_authors_before_the_marker_are_mis_cited_and_the_paper_s_own_are_not() -> None:
    told = "Brandt and Dalca {P1} saw metal tops fade."
    assert known(told) == ("not_in_source", "mis_cited", "code")
    assert known(told.replace("Brandt and Dalca", "Abel and Corvin")) == ("", "", "")


def test_key_of_no_paper_is_fabricated() -> None:
    assert known(OWN.replace("P1", "P77"), "P77") == ("not_in_source", "fabricated", "code")


def test_title_of_a_paper_without_abstract_shows_nothing_and_is_quoted() -> None:
    bare = {"P1": PAPERS["P1"].model_copy(update={"abstract": None})}
    said = f"Abel and Corvin {{P1}}: “{bare['P1'].title}”."
    found = decide_from_facts(Shelf(bare), said, "P1")
    assert found
    assert (found.verdict, found.cause, found.scope) == ("not_checked", "no_abstract", "none")
    assert [quote.part for quote in found.quotes] == ["title"]


async def test_where_nobody_judges_the_nearest_words_stand_and_what_stands_nowhere_with_what_was_read() -> (
    None
):
    embedder = WordEmbedder(size=512)
    text = "Lichens bleach on 900 days under sulphur rain {P1}."
    found = await undecided(Shelf(PAPERS), text, "P1", embedder)
    assert (found.verdict, found.cause, found.by) == ("not_checked", "not_verbatim", "")
    assert found.alarms == ("the number 900 is not in the abstract (full text not read)",)
    assert len(found.nearest) == 2
    assert all(quote.verified and quote.text in PAPERS["P1"].text for quote in found.nearest)
    bare = {"P1": PAPERS["P1"].model_copy(update={"abstract": None})}
    none = await undecided(Shelf(bare), text, "P1", embedder)
    assert (none.cause, none.scope, none.nearest) == ("no_abstract", "none", ())
    both = f"{text[:-1]} where otters cross {{P2}}."
    assert (await undecided(Shelf(PAPERS), both, "P1", embedder)).alarms == found.alarms
    assert OTTERS in (PAPERS["P2"].abstract or "")
