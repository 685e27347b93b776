"""One test for each fault of the attribution check in LitLLM's published code."""

from pathlib import Path
from typing import Any

import pytest

from nodes.find.rankers.debate import (
    LEFT_OUT,
    UNSUPPORTED,
    PaperDebate,
    best_debate,
    rank_by_debate,
    score_debate,
)
from tests.nodes.rankers.support import (
    INVENTED,
    PAPERS,
    REQUEST,
    by_paper,
    debated,
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
    ranking, asked = await debated([answer], tmp_path, [FIRST])
    failed = "\n".join(asked[1]["faults"])
    debate = ranking.debates[0]
    assert INVENTED in failed
    assert PRO not in failed
    assert debate.arguments_for[0].supported
    assert not debate.arguments_against[0].supported
    assert debate.reductions == (f"no checked quote against it: times {UNSUPPORTED}",)
    assert ranking.scores == {FIRST.id: pytest.approx(90 * UNSUPPORTED)}


async def test_fault_2_failed_again_the_argument_stands_unsupported_and_the_score_is_lowered(
    tmp_path: Path,
) -> None:
    answer = {"debates": [verdict("C1", [INVENTED], [f"And {INVENTED}"], 100)]}
    ranking, asked = await debated([answer], tmp_path, [FIRST])
    assert len(asked) == 2, "asked once more, and no oftener"
    debate = ranking.debates[0]
    for argument in (*debate.arguments_for, *debate.arguments_against):
        assert argument.quote is None
        assert not argument.supported
        assert argument.note
    assert debate.raw_score == 100
    assert ranking.scores == {FIRST.id: pytest.approx(100 * UNSUPPORTED**2)}


async def test_fault_2_right_quote_of_the_second_answer_counts_in_full(tmp_path: Path) -> None:
    answers: list[Any] = [
        {"debates": [verdict("C1", [INVENTED], [CONTRA], 60)]},
        {"debates": [verdict("C1", [PRO], [CONTRA], 60)]},
    ]
    ranking, _ = await debated(answers, tmp_path, [FIRST])
    assert (ranking.scores, ranking.debates[0].reductions) == ({FIRST.id: 60}, ())


@pytest.mark.parametrize("side", ["for", "against"])
async def test_fault_3_later_quotes_of_a_list_are_checked_like_the_first(
    side: str, tmp_path: Path
) -> None:
    long = [PRO, CONTRA, INVENTED]
    sides = (long, [CONTRA]) if side == "for" else ([PRO], long)
    ranking, asked = await debated([{"debates": [verdict("C1", *sides)]}], tmp_path, [FIRST])
    assert any(INVENTED in fault for fault in asked[1]["faults"])
    debate = ranking.debates[0]
    arguments = debate.arguments_for if side == "for" else debate.arguments_against
    assert [argument.supported for argument in arguments] == [True, True, False]


@pytest.mark.parametrize(
    ("pro", "contra", "given", "score"),
    [
        ([PRO], [], 90, 90),
        ([], [CONTRA], 20, 20),
        ([], [CONTRA], 90, 63),
        ([], [], 20, 9.8),
        ([PRO], [INVENTED], 90, 63),
        ([INVENTED], [], 90, 44.1),
    ],
)
async def test_side_without_arguments_costs_nothing_where_the_other_has_one(
    pro: list[str], contra: list[str], given: float, score: float, tmp_path: Path
) -> None:
    ranking, _ = await debated(
        [{"debates": [verdict("C1", pro, contra, given)]}], tmp_path, [FIRST]
    )
    assert ranking.scores == {FIRST.id: pytest.approx(score)}


async def test_only_papers_at_fault_are_debated_again_and_are_told_why(tmp_path: Path) -> None:
    short = "roots grow"
    answers: list[Any] = [
        {"debates": [honest("C1", FIRST, 10), verdict("C2", [INVENTED], [short], 20)]},
        {"debates": [honest("C2", SECOND, 20), honest("C3", THIRD, 30)]},
    ]
    second = SECOND.model_copy(update={"abstract": f"{SECOND.abstract} So {short}."})
    _, asked = await debated(answers, tmp_path, [FIRST, second, THIRD])
    again = asked[1]
    assert [item["id"] for item in again["candidates"]] == ["C2", "C3"]
    assert again["faults"] == [
        f"C2: not in its text: {INVENTED!r}",
        f"C2: shorter than 20 characters: {short!r}",
        f"C3: {LEFT_OUT}",
    ]


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
    ranking, _ = await debated(lambda _: {"debates": debates}, tmp_path, papers)
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


async def test_fault_4_of_two_debates_under_one_id_the_one_about_its_paper_counts(
    tmp_path: Path,
) -> None:
    debates = [honest("C1", SECOND, 99), honest("C1", FIRST, 10), honest("C2", SECOND, 20)]
    ranking, _ = await debated([{"debates": debates}], tmp_path, [FIRST, SECOND])
    assert ranking.scores == {FIRST.id: 10, SECOND.id: 20}


def test_best_of_several_debates_has_most_sides_then_fewest_failed_quotes_then_came_first() -> None:
    given = [
        verdict("C1", [PRO], [INVENTED], 10),
        verdict("C1", [PRO, INVENTED], [CONTRA], 20),
        verdict("C1", [PRO], [CONTRA], 30),
        verdict("C1", [PRO], [CONTRA], 40),
    ]
    debates = [score_debate(FIRST, PaperDebate.model_validate(one), "m") for one in given]
    best = [best_debate(debates[:count]).raw_score for count in (1, 2, 3, 4)]
    assert best == [10, 20, 30, 30]
    assert best_debate(debates[::-1]).raw_score == 40


async def test_fault_5_debates_stay_with_their_papers_whatever_the_order_of_the_scores(
    tmp_path: Path,
) -> None:
    named = ids_of(PAPERS)
    scores = {key: 10.0 * place for place, key in enumerate(named, start=1)}
    debates = [honest(key, paper, scores[key]) for key, paper in reversed(named.items())]
    with served([{"debates": debates}], tmp_path) as bench:
        ranking = await rank_by_debate(bench.services, REQUEST, PAPERS)
        await bench.services.run_store.debates.put(ranking.debates)
        order = sorted(ranking.scores, key=lambda key: -ranking.scores[key])
        kept = await bench.services.run_store.debates.get(order)
    assert order == [paper.id for paper in reversed(PAPERS)]
    for paper in PAPERS:
        assert kept[paper.id].score == ranking.scores[paper.id]
        assert quotes_of(kept[paper.id]) == [quote.strip() for quote in sentences(paper)]


async def test_fault_3_quote_of_five_characters_never_passes(tmp_path: Path) -> None:
    short = (FIRST.abstract or "")[:5]
    assert short in FIRST.text
    ranking, _ = await debated(
        [{"debates": [verdict("C1", [short], [CONTRA], 50)]}], tmp_path, [FIRST]
    )
    assert not ranking.debates[0].arguments_for[0].supported
    assert ranking.scores == {FIRST.id: pytest.approx(50 * UNSUPPORTED)}
