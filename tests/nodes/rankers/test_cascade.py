"""nodes/find/rankers/debate.py: what is clear, what is contested, and what it costs."""

from pathlib import Path
from typing import Any

import pytest

from nodes.find.rankers.choose import judge_batches
from nodes.find.rankers.debate import rank_by_debate, scores_of_clear_cases
from state.paper import Paper
from tests.fakes.openai_server import Reply
from tests.fakes.reviewer import reviewer
from tests.nodes.rankers.support import INVENTED, REQUEST, served
from tools.run_settings import RunSettings


def evidence(count: int) -> dict[str, float]:
    """Papers of falling prior, given in no order."""
    return {
        f"doi:10.1/{place:03}": 100 - 100 * place / count
        for place in sorted(range(count), key=lambda place: place * 7919 % 211)
    }


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 60, 200])
def test_middle_of_the_order_is_contested_and_the_rest_keeps_its_merit(count: int) -> None:
    known = evidence(count)
    settled = scores_of_clear_cases(known)
    assert settled == {key: known[key] for key in settled}
    contested = known.keys() - settled.keys()
    places = sorted(int(key[-3:]) for key in contested)
    assert places == list(range(places[0], places[-1] + 1)) if places else count == 0
    assert len(contested) <= 0.3 * count + 2
    assert len(contested) >= 0.3 * count


def test_equal_merits_are_settled_the_same_way_each_time() -> None:
    equal = {f"doi:10.1/{place:03}": 50.0 for place in range(20)}
    again = dict(reversed(equal.items()))
    assert scores_of_clear_cases(equal) == scores_of_clear_cases(again)
    assert len(scores_of_clear_cases(equal)) == 14


async def test_two_hundred_papers_cost_a_twelfth_of_a_question_each_when_every_quote_fails(
    tmp_path: Path,
) -> None:
    def invent(answer: Any, inputs: dict[str, Any]) -> Reply:
        for debate in answer["debates"]:
            debate["arguments_for"] = [{"claim": "It fits.", "quote": INVENTED}]
        return dict(answer)

    known = evidence(200)
    settled = scores_of_clear_cases(known)
    contested = [key for key in known if key not in settled]
    judged: dict[str, float] = dict(settled)
    with served(reviewer({"debate_papers": invent}), tmp_path) as bench:
        for group in judge_batches("cascade", contested, RunSettings().debate_batch):
            papers = [Paper(id=key, title=f"A study of pears {key}") for key in group]
            ranking = await rank_by_debate(bench.services, REQUEST, papers)
            judged |= ranking.scores
            assert {debate.paper for debate in ranking.debates} == set(group)
        calls = len(bench.server.requests)
    assert judged.keys() == known.keys()
    assert calls == 16
