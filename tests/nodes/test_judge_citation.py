"""nodes/write/judge_citation.py: what is known for certain, whom the verdict believes, and notices."""

from functools import partial

import pytest

from nodes.write.judge_citation import (
    Finding,
    Hand,
    Judged,
    judge_citation,
    notices_on,
    verdict_of,
)
from state.paper import Paper
from tests.fakes.made_papers import made_papers
from tools.bibliography.read_record import paper_from
from tools.embed.open import embedder
from tools.evidence.alignment import Evidence
from tools.evidence.claims import claims_of

PAPERS = {f"P{place}": paper_from(item) for place, item in enumerate(made_papers(6), start=1)}
LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain."
UNHARMED = "Without sulphur rain the lichens kept their copper roofs unharmed."
OTTERS = "In brackish harbours the estuary weirs of otters cross under tidal locks."
BARLEY = "Interest rates follow the price of barley in wartime {P1}."
NEVER = f"{LICHENS.replace('bleach', 'never bleach')[:-1]} {{P1}}."
REPHRASED = "Acid weather fades the metal tops on which lichens live {P1}."


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return Evidence(PAPERS, embedder())


@pytest.fixture
def hand(evidence: Evidence) -> Hand:
    return Hand(PAPERS, evidence, llm="scripted")


def judged(
    hand: Hand, text: str, verdict: str = "supported", quote: str = "", key: str = "P1"
) -> Judged:
    finding = Finding(id="1", verdict=verdict, quotes=[quote]) if verdict else None
    return judge_citation(hand, text, key, claims_of(text, hand.papers), finding)


def told(result: Judged) -> tuple[str, str, str]:
    return result.verdict, result.cause, result.by


def test_paper_s_own_sentence_is_supported_by_code_whatever_anybody_says(
    hand: Hand, evidence: Evidence
) -> None:
    for at_hand in (hand, Hand(PAPERS, evidence)):
        for text in (f"{LICHENS[:-1]} {{P1}}.", f"Abel and Corvin {{P1}} write: “{LICHENS}”"):
            result = judged(at_hand, text, "contradicted", UNHARMED)
            assert told(result) == ("supported", "", "code")
            assert result.quotes[0].text == LICHENS


def test_another_paper_s_own_sentence_is_mis_cited_whatever_anybody_says(
    hand: Hand, evidence: Evidence
) -> None:
    for at_hand in (hand, Hand(PAPERS, evidence)):
        result = judged(at_hand, f"{LICHENS[:-1]} {{P2}}.", quote=OTTERS, key="P2")
        assert told(result) == ("not_in_source", "mis_cited", "code")
        assert result.better == PAPERS["P1"].id
    swapped = f"{LICHENS[:-1]} {{P2}}, whereas {OTTERS[0].lower()}{OTTERS[1:-1]} {{P1}}."
    for key, better in (("P1", "P2"), ("P2", "P1")):
        result = judged(hand, swapped, quote=PAPERS[key].abstract or "", key=key)
        assert (result.cause, result.better) == ("mis_cited", PAPERS[better].id)


@pytest.mark.parametrize(
    ("text", "verdict", "quote", "expected"),
    [
        (REPHRASED, "supported", LICHENS, ("supported", "")),
        (REPHRASED, "Partly", LICHENS, ("partly", "")),
        (REPHRASED, "contradicted", LICHENS, ("contradicted", "mis_cited")),
        (REPHRASED, "not in source", LICHENS, ("not_in_source", "mis_cited")),
        (REPHRASED, "supported", "Nobody wrote this.", ("not_in_source", "no_verified_quote")),
        (REPHRASED, "", "", ("not_in_source", "no_verified_quote")),
        (BARLEY, "supported", UNHARMED, ("not_in_source", "mis_cited")),
        (BARLEY, "contradicted", UNHARMED, ("not_in_source", "mis_cited")),
        (BARLEY, "contradicted", "Barley follows nobody.", ("not_in_source", "no_verified_quote")),
        (NEVER, "supported", LICHENS, ("contradicted", "mis_cited")),
        ("Brandt et al. {P1} say: roofs of lichens bleach.", "supported", LICHENS, ("not_in_source", "mis_cited")),
    ],
)  # fmt: skip
def test_llm_is_believed_with_a_quote_that_has_to_do_with_the_claim_and_no_alarm(
    hand: Hand, text: str, verdict: str, quote: str, expected: tuple[str, str]
) -> None:
    result = judged(hand, text, verdict, quote)
    assert told(result)[:2] == expected
    assert result.by == "scripted"


@pytest.mark.parametrize(
    ("text", "alarm"),
    [
        (REPHRASED, ""),
        (NEVER, "never"),
        ("Brandt et al. {P1} saw roofs of lichens bleach.", "Brandt"),
        ("Lichens bleach on 900 days under sulphur rain {P1}.", "900"),
    ],
)
def test_without_an_llm_nothing_else_is_checked_and_alarms_are_told(
    evidence: Evidence, text: str, alarm: str
) -> None:
    result = judged(Hand(PAPERS, evidence), text, "")
    assert told(result) == ("not_checked", "not_verbatim", "")
    assert any(alarm in item for item in result.alarms) or not alarm


def test_paper_that_shares_a_claim_is_no_rival_and_one_with_a_part_of_its_own_is(
    hand: Hand,
) -> None:
    shared = f"So {LICHENS[0].lower()}{LICHENS[1:-1]} {{P2}}{{P1}}."
    assert judged(hand, shared, quote=LICHENS).verdict == "supported"
    apart = f"So {LICHENS[0].lower()}{LICHENS[1:-1]} {{P2}}, whereas violins dampen plates {{P1}}."
    assert judged(hand, apart, key="P2").better == PAPERS["P1"].id


def test_paper_without_abstract_is_not_checked_and_its_title_is_quoted_where_it_is_all() -> None:
    bare = {"P1": PAPERS["P1"].model_copy(update={"abstract": None})}
    no_abstract = partial(judged, Hand(bare, Evidence(bare, embedder()), llm="scripted"))
    named = no_abstract(f"Abel and Corvin {{P1}}: “{bare['P1'].title}”.")
    assert told(named) == ("not_checked", "no_abstract", "")
    assert [quote.part for quote in named.quotes] == ["title"]
    assert no_abstract("Abel and Corvin {P1} deny all of it at length.").quotes == ()


def test_marker_of_no_paper_is_fabricated(hand: Hand) -> None:
    result = judged(hand, f"{LICHENS[:-1]} {{P77}}.", quote=LICHENS, key="P77")
    assert told(result) == ("not_in_source", "fabricated", "code")


def preprint(doi: str | None, title: str = "On moths") -> Paper:
    return Paper(id="arxiv:2001.00001", title=title, doi=doi)


def test_preprint_is_superseded_by_a_published_doi_and_not_by_arxiv_s_own() -> None:
    assert notices_on([preprint("10.1/journal")]) == {"arxiv:2001.00001": "superseded"}
    assert notices_on([preprint("10.48550/arXiv.2001.00001")]) == {}
    assert notices_on([preprint(None)]) == {}
    other = Paper(id="arxiv:2002.00002", title="On moths", doi=None)
    assert notices_on([preprint(None), other]) == {}, "two preprints are no publication"
    gone = PAPERS["P1"].model_copy(update={"retracted": True})
    assert notices_on([gone, preprint("10.1/journal"), other]) == {
        gone.id: "retracted",
        "arxiv:2001.00001": "superseded",
    }


@pytest.mark.parametrize(
    ("result", "notice", "cause"),
    [
        (Judged("supported"), "superseded", "superseded"),
        (Judged("not_checked", "no_abstract"), "retracted", "retracted"),
        (Judged("not_checked", "no_abstract"), "superseded", "no_abstract"),
        (Judged("not_in_source", "mis_cited"), "retracted", "mis_cited"),
    ],
)
def test_retraction_is_told_before_anything_else_but_a_fault_of_the_citation(
    evidence: Evidence, result: Judged, notice: str, cause: str
) -> None:
    at_hand = Hand(PAPERS, evidence, {PAPERS["P1"].id: notice})  # type: ignore[dict-item]
    assert verdict_of(result, at_hand, 1, "P1", {}).cause == cause
