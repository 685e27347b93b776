"""evals/retrieval/trial.py: the debate of LitLLM's ablation beside the product's."""

from pathlib import Path

from evals.retrieval.trial import BARE_DEBATE, debating_without_attribution
from nodes.find.rankers.by_similarity import closeness
from nodes.find.rankers.choose import RANKERS
from tests.nodes.rankers.support import PAPERS, REQUEST, served

FIRST, LEFT_OUT = PAPERS[:2]
ANSWER = {"id": "C1", "arguments_for": ["It fits."], "arguments_against": [], "score": 90}


async def test_scores_stand_without_quotes_and_a_paper_left_out_has_its_similarity(
    tmp_path: Path,
) -> None:
    replies = [{"debates": [ANSWER]}]
    with served(replies, tmp_path) as bench, debating_without_attribution():
        bare = await RANKERS["debate"](bench.services, REQUEST, [FIRST, LEFT_OUT])
        near = await closeness(bench.services, REQUEST, [LEFT_OUT])
        assert len(bench.asked) == 1, "nothing is checked, so nothing is asked again"
    assert bare.scores == {FIRST.id: 90.0, **near}
    assert not bare.debates


async def test_only_the_quotes_are_missing_and_only_while_the_arm_runs(tmp_path: Path) -> None:
    assert "quote" not in BARE_DEBATE.prompt.partition("Where faults")[0]
    assert "Would a related-work section of this work cite it?" in BARE_DEBATE.prompt
    quoteless = {"debates": [{**ANSWER, "arguments_for": []}]}
    with served([quoteless] * 2, tmp_path) as bench:
        with debating_without_attribution():
            bare = await RANKERS["debate"](bench.services, REQUEST, [FIRST])
        checked = await RANKERS["debate"](bench.services, REQUEST, [FIRST])
    assert bare.scores[FIRST.id] > checked.scores[FIRST.id]
