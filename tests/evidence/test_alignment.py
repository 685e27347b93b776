"""tools/text/alignment.py, opposites.py, uncited.py: claims held against the papers at hand."""

import pytest

from state.paper import Paper
from tests.fakes.made_papers import made_papers
from tools.bibliography.read_record import paper_from
from tools.embed.open import embedder
from tools.evidence.alignment import Evidence
from tools.evidence.support import alarms
from tools.evidence.uncited_claims import cue_of


@pytest.fixture(scope="module")
def papers() -> dict[str, Paper]:
    return {f"P{place}": paper_from(item) for place, item in enumerate(made_papers(8), start=1)}


@pytest.fixture(scope="module")
def evidence(papers: dict[str, Paper]) -> Evidence:
    return Evidence(papers, embedder())


def test_a_claim_is_best_covered_by_the_paper_that_makes_it(
    evidence: Evidence, papers: dict[str, Paper]
) -> None:
    for key, paper in papers.items():
        claim = (paper.abstract or "").split(". ")[0]
        assert evidence.closest(claim, key).words == pytest.approx(1.0)
        assert evidence.better(claim, key) is None
        for other in papers:
            if other != key:
                assert evidence.better(claim, other) == key


def test_a_claim_of_no_paper_has_no_better_one_and_is_borne_out_by_none(evidence: Evidence) -> None:
    claim = "Interest rates follow the price of barley in wartime"
    for key in ("P1", "P2", "P3"):
        assert evidence.better(claim, key) is None
        assert not evidence.closest(claim, key).bears


@pytest.mark.parametrize(
    ("first", "second", "opposite"),
    [
        ("retrieval improves the accuracy of summaries", "Retrieval does not improve the accuracy of summaries.", True),
        ("the model increases recall on long documents", "The model reduces recall on long documents.", True),
        ("early stopping is reliable for small sets", "Early stopping is unreliable for small sets.", True),
        ("retrieval improves accuracy", "Retrieval improves accuracy of summaries but not of plans for texts.", False),
        ("stopping early saves work", "Stopping early saves work.", False),
        ("it does not improve recall of papers", "It does not worsen recall of papers.", False),
        ("the model increases recall on long documents", "Prices fall in winter.", False),
        ("active learning needs less effort than passive learning",
         "Active learning needs less effort than passive learning, which plays no role here.", False),
        ("early stopping finds all papers", "Early stopping fails to find all papers.", True),
        ("", "", False),
    ],
)  # fmt: skip
def test_only_near_copies_that_differ_in_one_turn_are_opposed(
    first: str, second: str, opposite: bool
) -> None:
    for claim, quote in ((first, second), (second, first)):
        told = [item.verdict for item in alarms(claim, [quote], quote)]
        assert ("contradicted" in told) is opposite


@pytest.mark.parametrize(
    ("sentence", "flagged"),
    [
        ("Recent studies show that ranking helps.", True),
        ("Lee et al. propose a ranker.", True),
        ("Existing methods fail on long documents.", True),
        ("It has been shown that graphs help.", True),
        ("Graph search is the most popular approach.", True),
        ("Retrieval has received considerable attention.", True),
        ("We propose a ranker and test it.", False),
        ("Unlike existing methods, we rank once.", False),
        ("We follow Lee et al. in this.", True),
        ("In this section we turn to ranking.", False),
        ("Ranking orders papers.", False),
    ],
)
def test_claims_about_others_are_given_away_by_their_words(sentence: str, flagged: bool) -> None:
    assert (cue_of(sentence) is not None) is flagged
