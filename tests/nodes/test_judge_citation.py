"""nodes/write/judge_citation.py: what is known for certain, whom the verdict believes, and notices."""

from dataclasses import replace
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
from nodes.write.judge_uncited import judge_uncited, rests_on
from state.paper import Paper
from state.writing import Sentence
from tests.fakes.made_papers import made_papers
from tools.bibliography.read_record import paper_from
from tools.embed.open import embedder
from tools.evidence.alignment import Evidence
from tools.evidence.claims import claims_of
from tools.evidence.quotes import quote_input

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


def test_words_of_an_annotation_are_not_taken_as_the_authors(evidence: Evidence) -> None:
    noted = {"P1": PAPERS["P1"].model_copy(update={"abstract_kind": "annotation"})}
    said = f"Abel and Corvin {{P1}} write: “{LICHENS}”"
    for llm in ("", "scripted"):
        result = judged(Hand(noted, evidence, llm=llm), said, quote=LICHENS)
        assert told_of(result) == ("not_in_source", "mis_cited", "code")
        assert "annotation" in result.alarms[0]
        assert [(item.text, item.part) for item in result.quotes] == [(LICHENS, "annotation")]
        told = said.replace(" write:", " (annotation):")
        assert told_of(judged(Hand(noted, evidence, llm=llm), told)) == ("supported", "", "code")


def told_of(result: Judged) -> tuple[str, str, str]:
    return result.verdict, result.cause, result.by


def test_paper_s_own_sentence_is_supported_by_code_whatever_anybody_says(
    hand: Hand, evidence: Evidence
) -> None:
    for at_hand in (hand, Hand(PAPERS, evidence)):
        for text in (f"{LICHENS[:-1]} {{P1}}.", f"Abel and Corvin {{P1}} write: “{LICHENS}”"):
            result = judged(at_hand, text, "contradicted", UNHARMED)
            assert told_of(result) == ("supported", "", "code")
            assert result.quotes[0].text == LICHENS


def test_another_paper_s_own_sentence_is_mis_cited_whatever_anybody_says(
    hand: Hand, evidence: Evidence
) -> None:
    for at_hand in (hand, Hand(PAPERS, evidence)):
        result = judged(at_hand, f"{LICHENS[:-1]} {{P2}}.", quote=OTTERS, key="P2")
        assert told_of(result) == ("not_in_source", "mis_cited", "code")
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
    assert told_of(result)[:2] == expected
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
    assert told_of(result) == ("not_checked", "not_verbatim", "")
    assert any(alarm in item for item in result.alarms) or not alarm


OWN = "We compare thirty reports of such causes. We propose a shared vocabulary for them."


@pytest.mark.parametrize(
    ("text", "verdict", "quotes", "expected"),
    [
        ("All of them bleach roofs or cross weirs.", "supported", [LICHENS, OTTERS], "supported"),
        ("All of them bleach roofs or cross weirs.", "supported", [], "not_in_source"),
        ("All of them bleach roofs or cross weirs.", "supported", ["Nobody wrote this of it."], "not_in_source"),
        ("All of them bleach roofs on 900 days.", "supported", [LICHENS], "not_in_source"),
        ("Interest rates follow the price of barley.", "supported", [LICHENS], "partly"),
        ("None of them weighs an otter.", "supported", [], "partly"),
        ("None of them weighs an otter.", "supported", [OTTERS], "partly"),
        ("None of them has otters cross weirs.", "contradicted", [OTTERS], "contradicted"),
        ("None of them weighs an otter.", "", [], "not_in_source"),
        ("None of them weighs 900 otters.", "supported", [], "not_in_source"),
    ],
)  # fmt: skip
def test_what_several_papers_are_said_to_share_needs_their_words_and_what_they_lack_is_partly_shown(
    hand: Hand, text: str, verdict: str, quotes: list[str], expected: str
) -> None:
    sentence = Sentence(text=text, line=1, rests_on=("P1", "P2"))
    finding = Finding(id="1-all", verdict=verdict, quotes=quotes) if verdict else None
    result = judge_uncited(hand, sentence, finding)
    assert result.verdict == expected
    told = "what 2 papers do not say no words can show"
    assert (told in result.alarms) == (text.startswith("None") and verdict == "supported")
    assert {quote.paper for quote in result.quotes} <= {PAPERS["P1"].id, PAPERS["P2"].id}
    without = judge_uncited(replace(hand, llm=""), sentence, None)
    assert told_of(without) == ("not_checked", "not_verbatim", "")


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        (OWN.split(". ")[0] + ".", "", ("supported", "code")),
        ("Thirty reports of causes are what we compare.", "We compare thirty reports", ("supported", "scripted")),
        ("Thirty reports of causes are what we compare.", "", ("not_in_source", "scripted")),
        ("Rivals count only boats and horses.", "We compare thirty reports", ("not_in_source", "scripted")),
        ("We compare 900 reports of such causes.", "We compare thirty reports", ("not_in_source", "scripted")),
    ],
)  # fmt: skip
def test_sentence_on_own_work_is_held_against_the_input(
    hand: Hand, text: str, quote: str, expected: tuple[str, str]
) -> None:
    sentence = Sentence(text=text, line=1, basis=quote_input(OWN[:25], OWN))
    at_hand = replace(hand, own=OWN)
    assert rests_on(sentence, at_hand) == rests_on(sentence, replace(at_hand, llm="")) == ("input",)
    assert rests_on(sentence, hand) == (), "someone else's text has no input"
    nobody = judge_uncited(replace(at_hand, llm=""), sentence, None)
    assert nobody.verdict == ("supported" if expected[1] == "code" else "not_checked")
    finding = Finding(id="1-all", verdict="supported", quotes=[quote])
    result = judge_uncited(at_hand, sentence, finding)
    assert (result.verdict, result.by) == expected


def test_comparison_with_own_work_is_the_inputs_to_support_and_a_restatement_hides_nothing(
    hand: Hand,
) -> None:
    at_hand = replace(hand, own="We bleach 900 steel roofs in sleet.")
    said = f"{LICHENS[:-1]} {{P1}}, whereas we bleach 900 roofs in sleet"
    finding = Finding(id="1-P1", claim=LICHENS, verdict="supported", quotes=[LICHENS])

    def verdict(text: str, mind: Finding, using: Hand = at_hand) -> str:
        return judge_citation(using, text, "P1", claims_of(text, PAPERS), mind).verdict

    assert verdict(f"{said}.", finding) == "supported"
    assert verdict(f"{said}.", finding, hand) == "not_in_source", "900 stands nowhere"
    loud = finding.model_copy(update={"claim": LICHENS.replace("bleach", "never bleach")})
    assert verdict(f"{said}.", loud) == "contradicted"
    assert verdict(NEVER, finding) == "contradicted", "the sentence says what it says"


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
    assert told_of(named) == ("not_checked", "no_abstract", "")
    assert [quote.part for quote in named.quotes] == ["title"]
    assert no_abstract("Abel and Corvin {P1} deny all of it at length.").quotes == ()


def test_marker_of_no_paper_is_fabricated(hand: Hand) -> None:
    result = judged(hand, f"{LICHENS[:-1]} {{P77}}.", quote=LICHENS, key="P77")
    assert told_of(result) == ("not_in_source", "fabricated", "code")


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


def test_restated_claim_dismisses_no_rival_in_other_words_than_the_sentence(hand: Hand) -> None:
    swapped = f"{OTTERS[:-1]} {{P1}}, whereas {LICHENS[0].lower()}{LICHENS[1:-1]} {{P2}}."
    claims = claims_of(swapped, PAPERS)
    finding = Finding(id="1-P1", claim=LICHENS, verdict="supported", quotes=[LICHENS])
    result = judge_citation(hand, swapped, "P1", claims, finding)
    assert (result.verdict, result.better) == ("not_in_source", PAPERS["P2"].id)


@pytest.mark.parametrize(
    ("text", "quotes", "expected"),
    [
        ("Our lichens bleach the copper roofs of tiled chapels.", [LICHENS], "not_in_source"),
        ("The lichens bleach the copper roofs of tiled chapels.", [LICHENS], "supported"),
        ("We compare reports of such causes.", [OWN[:40]], "supported"),
        ("We too ask where lichens bleach copper roofs.", [LICHENS, OWN[:40]], "supported"),
        ("Many studies count boats and horses.", [LICHENS], "not_in_source"),
    ],
)
def test_words_of_a_paper_show_nothing_of_the_own_work(
    hand: Hand, text: str, quotes: list[str], expected: str
) -> None:
    sentence = Sentence(text=text, line=1, rests_on=("P1", "P2", "input"))
    at_hand = replace(hand, own=OWN)
    assert rests_on(sentence, at_hand) == ("P1", "P2", "input")
    finding = Finding(id="1-all", verdict="supported", quotes=quotes)
    assert judge_uncited(at_hand, sentence, finding).verdict == expected
