"""nodes/write/judge_citation.py: whom the verdict believes, and what stands against a paper itself."""

import pytest

from nodes.write.judge_citation import (
    Finding,
    Hand,
    Judged,
    compare,
    judge,
    notices_on,
    verdict_of,
    verified,
)
from state.paper import Paper
from state.writing import Citation, Sentence
from tests.fakes.made_papers import made_papers
from tools.bibliography.read_record import paper_from
from tools.embed.open import embedder
from tools.evidence.alignment import Evidence
from tools.evidence.claims import claims_of
from tools.evidence.quotes import quote_paper

PAPERS = {f"P{place}": paper_from(item) for place, item in enumerate(made_papers(4), start=1)}
LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain."
UNHARMED = "Without sulphur rain the lichens kept their copper roofs unharmed."
OUTSIDE = "Nothing was learnt of lichens outside tiled chapels."
BARLEY = "Interest rates follow the price of barley in wartime {P1}."
REPHRASED = "Acid weather fades the metal tops on which mosslike growths live {P1}."


@pytest.fixture(scope="module")
def hand() -> Hand:
    return Hand(PAPERS, Evidence(PAPERS, embedder()))


def judged(
    hand: Hand, text: str, verdict: str = "", quote: str = "", written: str = "", key: str = "P1"
) -> Judged:
    citations = (Citation(key=key, quote=quote_paper(written, PAPERS[key])),) if written else ()
    finding = Finding(key=key, verdict=verdict, quote=quote) if verdict else None
    sentence = Sentence(text=text, line=1, citations=citations)
    return judge(hand, sentence, key, claims_of(text, hand.papers), finding)


def test_contradiction_is_believed_with_words_that_have_to_do_with_the_claim(hand: Hand) -> None:
    text = "In tiled chapels the copper roofs of lichens never bleach under sulphur rain {P1}."
    result = judged(hand, text, "contradicted", LICHENS)
    assert (result.verdict, result.cause) == ("contradicted", "mis_cited")
    assert result.quote
    assert result.quote.text == LICHENS


def test_contradiction_shown_by_words_beside_the_point_is_no_contradiction(hand: Hand) -> None:
    result = judged(hand, BARLEY, "contradicted", UNHARMED)
    assert (result.verdict, result.cause) == ("not_in_source", "mis_cited")


def test_contradiction_shown_by_no_words_of_the_paper_is_no_contradiction(hand: Hand) -> None:
    result = judged(hand, BARLEY, "contradicted", "Barley follows nobody.")
    assert (result.verdict, result.cause) == ("not_in_source", "no_verified_quote")


def test_citation_of_which_nothing_was_said_is_not_supported(hand: Hand) -> None:
    result = judged(hand, f"{LICHENS[:-1]} {{P1}}.")
    assert (result.verdict, result.cause) == ("not_in_source", "no_verified_quote")


def test_verdict_of_no_known_name_supports_nothing(hand: Hand) -> None:
    assert judged(hand, f"{LICHENS[:-1]} {{P1}}.", "surely", LICHENS).verdict == "not_in_source"


def test_quote_that_says_less_than_the_paper_s_best_words_gives_way_to_them(hand: Hand) -> None:
    result = judged(hand, f"{LICHENS[:-1]} {{P1}}.", "supported", OUTSIDE)
    assert result.verdict == "partly"
    assert result.quote
    assert result.quote.text == LICHENS


def test_words_it_was_written_from_stand_in_for_a_quote_that_fails(hand: Hand) -> None:
    result = judged(hand, REPHRASED, "supported", "Nobody wrote this.", written=LICHENS)
    assert (result.verdict, result.cause) == ("partly", "")
    assert result.quote
    assert result.quote.text == LICHENS


def test_words_it_was_written_from_must_have_to_do_with_the_claim(hand: Hand) -> None:
    result = judged(hand, BARLEY, "supported", "Nobody wrote this.", written=UNHARMED)
    assert (result.verdict, result.cause) == ("not_in_source", "no_verified_quote")


def test_paper_that_shares_a_claim_is_no_rival_and_one_with_a_part_of_its_own_is(
    hand: Hand,
) -> None:
    shared = judged(hand, f"{LICHENS[:-1]} {{P2}}{{P1}}.", "supported", LICHENS)
    assert shared.verdict == "supported"
    apart = f"{LICHENS[:-1]} {{P2}}, whereas violins dampen spruce plates {{P1}}."
    assert judged(hand, apart, key="P2").better == PAPERS["P1"].id


def test_words_alone_tell_support_opposition_and_nothing() -> None:
    paper = PAPERS["P1"]

    def found(claim: str) -> Finding:
        return compare("P1", claim, paper.title, paper.abstract or "")

    assert found(LICHENS).verdict == "supported"
    assert found(LICHENS.replace("bleach", "never bleach")).verdict == "contradicted"
    assert found("Interest rates follow the price of barley").verdict == "not_in_source"
    half = "Copper roofs of lichens bleach, say cooks, tailors, brewers and painters"
    assert found(half).verdict == "partly"


def test_second_sentence_is_quoted_where_the_first_says_half() -> None:
    abstract = "Moths turn to lamps at dusk. Rivers freeze in early winter months. Owls sleep."
    found = compare("P1", "Moths turn to lamps and rivers freeze in winter", "On dusk", abstract)
    assert found.verdict == "supported"
    assert {found.quote, *found.further} == {
        "Moths turn to lamps at dusk.",
        "Rivers freeze in early winter months.",
    }


def test_only_words_that_stand_in_the_paper_are_verified_each_once() -> None:
    found = verified([LICHENS, "Nobody wrote this.", " ", LICHENS, UNHARMED], PAPERS["P1"])
    assert [item.text for item in found] == [LICHENS, UNHARMED]


def preprint(doi: str | None, title: str = "On moths") -> Paper:
    return Paper(id="arxiv:2001.00001", title=title, doi=doi)


def test_preprint_is_superseded_by_a_published_doi_and_not_by_arxiv_s_own() -> None:
    assert notices_on([preprint("10.1/journal")]) == {"arxiv:2001.00001": "superseded"}
    assert notices_on([preprint("10.48550/arXiv.2001.00001")]) == {}
    assert notices_on([preprint(None)]) == {}
    other = Paper(id="arxiv:2002.00002", title="On moths", doi=None)
    assert notices_on([preprint(None), other]) == {}, "two preprints are no publication"


def test_retraction_is_told_before_anything_else_but_a_fault_of_the_citation(hand: Hand) -> None:
    key = PAPERS["P1"].id

    def cause(result: Judged, notice: str) -> str:
        notices = {key: notice}
        at_hand = Hand(PAPERS, hand.evidence, notices)  # type: ignore[arg-type]
        return verdict_of(result, at_hand, 1, "P1", {}, "x").cause

    bare, wrong = Judged("not_checked", "no_abstract"), Judged("not_in_source", "mis_cited")
    assert cause(Judged("supported"), "superseded") == "superseded"
    assert cause(bare, "retracted") == "retracted"
    assert cause(bare, "superseded") == "no_abstract"
    assert cause(wrong, "retracted") == "mis_cited"
