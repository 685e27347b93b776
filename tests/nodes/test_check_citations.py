"""Checking citations: what a mind says is held against the words of the papers."""

from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.write.audit_section import findings_on, make_audit, omissions_of
from nodes.write.check_citations import check_citations
from nodes.write.judge_citation import Finding, Hand, Judged, judge, notices_on, verdict_of
from nodes.write.rewrite_unsupported import take_out
from state.audit import UncitedClaim
from state.paper import Paper
from state.request import Choices, Request
from state.writing import CitationVerdict, Draft, Plan, PlanLine, Sentence
from tests.fakes.made_papers import made_papers
from tools.bibliography.read_record import paper_from
from tools.context import RunContext
from tools.embed.open import embedder
from tools.evidence.alignment import Evidence
from tools.evidence.claims import claims_of
from tools.services import Services

PAPERS = {f"P{place}": paper_from(item) for place, item in enumerate(made_papers(6), start=1)}
LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain."
OTTERS = "In brackish harbours the estuary weirs of otters cross under tidal locks."
BESIDE = "Nothing was learnt of otters outside brackish harbours."


@pytest.fixture(scope="module")
def hand() -> Hand:
    return Hand(PAPERS, Evidence(PAPERS, embedder()))


def judged(hand: Hand, text: str, key: str, verdict: str = "", quote: str = "") -> Judged:
    finding = Finding(key=key, verdict=verdict, quote=quote) if verdict else None
    return judge(hand, Sentence(text=text, line=1), key, claims_of(text, hand.papers), finding)


def test_support_with_the_paper_s_own_words_stands(hand: Hand) -> None:
    result = judged(hand, f"{LICHENS[:-1]} {{P1}}.", "P1", "supported", LICHENS)
    assert (result.verdict, result.cause) == ("supported", "")
    assert result.quote
    assert result.quote.text == LICHENS


def test_paraphrase_with_a_fitting_quote_stands(hand: Hand) -> None:
    text = "Acid weather fades the metal tops on which lichens live {P1}."
    assert judged(hand, text, "P1", "supported", LICHENS).verdict == "supported"


@pytest.mark.parametrize("quote", [OTTERS, BESIDE])
def test_claim_of_another_paper_is_mis_cited_whatever_the_mind_says(hand: Hand, quote: str) -> None:
    result = judged(hand, f"{LICHENS[:-1]} {{P2}}.", "P2", "supported", quote)
    assert (result.verdict, result.cause) == ("not_in_source", "mis_cited")
    assert result.better == PAPERS["P1"].id


def test_verbatim_words_beside_the_point_support_nothing(hand: Hand) -> None:
    text = "Interest rates follow the price of barley in wartime {P2}."
    result = judged(hand, text, "P2", "supported", BESIDE)
    assert (result.verdict, result.cause) == ("not_in_source", "mis_cited")


def test_invented_quote_is_replaced_by_the_words_that_say_it_and_is_partly_at_best(
    hand: Hand,
) -> None:
    result = judged(hand, f"{LICHENS[:-1]} {{P1}}.", "P1", "supported", "Nobody ever wrote this.")
    assert result.verdict == "partly"
    assert result.quote
    assert result.quote.text == LICHENS


def test_invented_quote_for_an_invented_claim_supports_nothing(hand: Hand) -> None:
    text = "Interest rates follow the price of barley in wartime {P2}."
    result = judged(hand, text, "P2", "supported", "Interest rates follow the price of barley.")
    assert (result.verdict, result.cause) == ("not_in_source", "no_verified_quote")


def test_names_of_others_before_a_marker_are_a_mis_citation(hand: Hand) -> None:
    result = judged(hand, f"Brandt et al. {{P1}} say: {LICHENS}", "P1", "supported", LICHENS)
    assert (result.verdict, result.cause) == ("not_in_source", "mis_cited")


def test_swapped_markers_are_both_found(hand: Hand) -> None:
    text = f"{LICHENS[:-1]} {{P2}}, whereas {OTTERS[0].lower()}{OTTERS[1:-1]} {{P1}}."
    for key, better in (("P1", "P2"), ("P2", "P1")):
        result = judged(hand, text, key, "supported", PAPERS[key].abstract or "")
        assert (result.cause, result.better) == ("mis_cited", PAPERS[better].id)


def test_paper_without_abstract_is_not_checked_and_its_title_is_quoted_where_it_is_named() -> None:
    bare = {"P1": PAPERS["P1"].model_copy(update={"abstract": None})}
    hand = Hand(bare, Evidence(bare, embedder()))
    named = judged(hand, f"Abel and Corvin {{P1}} address “{bare['P1'].title}”.", "P1")
    assert (named.verdict, named.cause) == ("not_checked", "no_abstract")
    assert named.quote
    assert named.quote.part == "title"
    assert judged(hand, "Abel and Corvin {P1} deny all of it at length.", "P1").quote is None


def test_marker_of_no_paper_is_fabricated(hand: Hand) -> None:
    result = judged(hand, f"{LICHENS[:-1]} {{P77}}.", "P77", "supported", LICHENS)
    assert (result.verdict, result.cause) == ("not_in_source", "fabricated")


def test_retracted_and_superseded_papers_are_told(hand: Hand) -> None:
    gone = PAPERS["P1"].model_copy(update={"retracted": True})
    old = PAPERS["P2"].model_copy(update={"id": "arxiv:2001.00001", "doi": None})
    notices = notices_on([gone, old, PAPERS["P2"]])
    assert notices == {gone.id: "retracted", old.id: "superseded"}
    assert [item.cause for item in findings_on([gone, old, PAPERS["P2"]], {})] == [
        "retracted",
        "superseded",
    ]
    verdict = verdict_of(
        Judged("supported"), Hand({"P1": gone}, hand.evidence, notices), 1, "P1", {}, "x"
    )
    assert (verdict.verdict, verdict.cause) == ("supported", "retracted")
    audit = make_audit([Sentence(text="So {P1}.", line=1)], [verdict])
    assert audit.reasons == ("1 cited paper: it was retracted",)


async def test_node_checks_only_what_was_rewritten(
    services: Services, runtime: Runtime[RunContext]
) -> None:
    await services.run_store.put_papers(PAPERS.values())
    draft = Draft(
        id="d",
        sentences=(
            Sentence(text=f"{LICHENS[:-1]} {{P1}}.", line=1),
            Sentence(text=f"{OTTERS[:-1]} {{P2}}.", line=2),
        ),
    )
    state: Any = {
        "run": "run", "keys": {key: paper.id for key, paper in PAPERS.items()}, "final": draft,
        "checks": 0, "verdicts": [],
    }  # fmt: skip
    first = await check_citations(state, runtime)
    assert [item.verdict for item in first["verdicts"]] == ["supported", "supported"]
    marked = first["verdicts"][0].model_copy(update={"by": "kept"})
    state |= {"checks": 1, "verdicts": [marked]}
    again = await check_citations(state, runtime)
    assert [item.by for item in again["verdicts"]] == ["kept", "extractive"]


def test_sentences_taken_out_are_recorded_and_the_others_renumbered() -> None:
    draft = Draft(
        id="d", sentences=(Sentence(text="A {P1}.", line=1), Sentence(text="B {P2}.", line=2))
    )
    verdicts = [
        CitationVerdict(
            sentence=1, key="P1", paper="p1", verdict="not_in_source", cause="mis_cited"
        ),
        CitationVerdict(sentence=2, key="P2", paper="p2", verdict="supported"),
    ]
    state: Any = {
        "run": "run", "request": Request(text="x"), "keys": {}, "final": draft,
        "verdicts": verdicts, "checks": 2, "removed": [],
    }  # fmt: skip
    update = take_out(state, [1])
    assert [item.sentence for item in update["verdicts"]] == [1]
    assert [(item.sentence, item.cause, item.action) for item in update["rejections"]] == [
        ("A {P1}.", "mis_cited", "removed")
    ]


def test_audit_counts_and_gives_its_reasons() -> None:
    sentences = [Sentence(text="A {P1} and {P2}.", line=1), Sentence(text="Others fail.", line=2)]
    verdicts = [
        CitationVerdict(sentence=1, key="P1", paper="p1", verdict="not_checked"),
        CitationVerdict(
            sentence=1, key="P2", paper="", verdict="not_in_source", cause="fabricated"
        ),
    ]
    claim = UncitedClaim(sentence=2, text="Others fail.", why="it speaks of others")
    audit = make_audit(sentences, verdicts, uncited_claims=[claim])
    assert (audit.citations, audit.not_checked, audit.not_in_source) == (2, 1, 1)
    assert audit.reasons == (
        "1 reference: no such paper was found",
        "1 claim: it is about others' work and cites nobody",
    )
    assert make_audit(sentences[:1], verdicts[:1]).reasons == ("1 citation had no verdict",)
    assert not make_audit(sentences[:1], verdicts[:1], checked=False).passed
    assert not make_audit([], []).passed


def test_each_paper_that_is_not_cited_has_its_reason() -> None:
    ids = ["cited", "taken out", "no line", "said nothing", "bare", "beyond"]
    papers = {
        key: Paper(id=key, title=key, abstract=None if key == "bare" else "A.") for key in ids
    }
    keys = {"P1": "cited", "P2": "taken out", "P3": "no line", "P4": "said nothing"}
    plan = Plan(lines=(PlanLine(number=1, keys=("P1", "P2", "P4")),))
    told: dict[str, Any] = {"keys": keys, "removed": {"taken out"}, "choices": Choices(cite=4)}
    found = omissions_of(ids, papers, {"cited"}, **told, plan=plan, stopped=False)
    assert {item.paper: item.reason for item in found} == {
        "taken out": "removed",
        "no line": "not_in_plan",
        "said nothing": "nothing_to_say",
        "bare": "no_abstract",
        "beyond": "beyond_number",
    }
    stopped = omissions_of(["beyond"], papers, set(), **told, plan=plan, stopped=True)
    assert stopped[0].reason == "stopped"
