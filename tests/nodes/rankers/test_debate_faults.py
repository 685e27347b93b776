"""One test for each fault of the attribution check in LitLLM's published code.

The fifth goes on in tests/graphs/test_recorded_debates.py, through to what the graph presents.
"""

from pathlib import Path

import pytest

from nodes.find.rankers.debate import UNSUPPORTED, by_debate
from tests.nodes.rankers.support import (
    INVENTED,
    PAPERS,
    REQUEST,
    by_paper,
    honest,
    ids_of,
    quotes_of,
    sentences,
    served,
    verdict,
)

FIRST, SECOND, THIRD = PAPERS[:3]
PRO, CONTRA = sentences(FIRST)


async def test_fault_1_fabricated_quote_against_is_caught_beside_a_right_quote_for(
    tmp_path: Path,
) -> None:
    answer = {"debates": [verdict("C1", [PRO], [INVENTED], 90)]}
    with served([answer], tmp_path) as bench:
        ranking = await by_debate(bench.services, REQUEST, [FIRST])
        failed = "\n".join(bench.asked[1]["faults"])
    debate = ranking.debates[0]
    assert INVENTED in failed
    assert PRO not in failed
    assert debate.arguments_for[0].supported
    assert not debate.arguments_against[0].supported
    assert debate.reductions == (f"no verified quote against it: times {UNSUPPORTED}",)
    assert ranking.scores == {FIRST.id: pytest.approx(90 * UNSUPPORTED)}


async def test_fault_2_failed_again_the_argument_stands_unsupported_and_the_score_is_lowered(
    tmp_path: Path,
) -> None:
    answer = {"debates": [verdict("C1", [INVENTED], [f"And {INVENTED}"], 100)]}
    with served([answer], tmp_path) as bench:
        ranking = await by_debate(bench.services, REQUEST, [FIRST])
        assert len(bench.asked) == 2, "asked once more, and no oftener"
    debate = ranking.debates[0]
    for argument in (*debate.arguments_for, *debate.arguments_against):
        assert argument.quote is None
        assert not argument.supported
        assert argument.note
    assert debate.raw_score == 100
    assert ranking.scores == {FIRST.id: pytest.approx(100 * UNSUPPORTED**2)}


@pytest.mark.parametrize("side", ["for", "against"])
async def test_fault_3_later_quotes_of_a_list_are_checked_like_the_first(
    side: str, tmp_path: Path
) -> None:
    long = [PRO, CONTRA, INVENTED]
    sides = (long, [CONTRA]) if side == "for" else ([PRO], long)
    with served([{"debates": [verdict("C1", *sides)]}], tmp_path) as bench:
        ranking = await by_debate(bench.services, REQUEST, [FIRST])
        assert any(INVENTED in fault for fault in bench.asked[1]["faults"])
    debate = ranking.debates[0]
    arguments = debate.arguments_for if side == "for" else debate.arguments_against
    assert [argument.supported for argument in arguments] == [True, True, False]


SHUFFLED = ["C3", "C1", "C2"]
ANSWERS = {
    "shuffled": SHUFFLED,
    "one missing": ["C3", "C1"],
    "all missing": [],
    "one twice": ["C2", "C1", "C2", "C3"],
    "with a foreign id": ["C9", "C3", "C2", "C1", "doi:10.1/quince"],
    "only foreign ids": ["c1", "1", "C4"],
}


@pytest.mark.parametrize("given", ANSWERS.values(), ids=ANSWERS)
async def test_fault_4_answers_belong_to_papers_by_id_and_nothing_vanishes(
    given: list[str], tmp_path: Path
) -> None:
    papers = [FIRST, SECOND, THIRD]
    named = ids_of(papers)
    scores = {"C1": 11.0, "C2": 22.0, "C3": 33.0}
    debates = [honest(key, named.get(key, FIRST), scores.get(key, 99.0)) for key in given]
    with served(lambda _: {"debates": debates}, tmp_path) as bench:
        ranking = await by_debate(bench.services, REQUEST, papers)
    found = by_paper(ranking.debates)
    assert ranking.scores.keys() == found.keys() == {paper.id for paper in papers}
    for key, paper in named.items():
        debate = found[paper.id]
        assert quotes_of(debate)
        assert all(quote in paper.text for quote in quotes_of(debate))
        if key in given:
            assert (debate.by, debate.score) == ("scripted", scores[key])
        else:
            assert debate.by == "extractive"
    lost = {paper.id for key, paper in named.items() if key not in given}
    assert {failure.subject for failure in ranking.failures} == lost
