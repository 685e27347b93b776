"""evals/retrieval/without_attribution.py: the debate of LitLLM's ablation beside the product's."""

from pathlib import Path
from typing import Any

import pytest

from evals.retrieval.command import ARMS, BARE, DEFAULT, try_arm
from evals.retrieval.corpus import Query, choose_cases, read_corpus
from evals.retrieval.without_attribution import BARE_DEBATE, debating_without_attribution
from evals.retrieval.works import Works, serving
from nodes.find.rankers.by_similarity import closeness
from nodes.find.rankers.choose import RANKERS
from tests.evals.calls import with_judge
from tests.evals.made import topics, write
from tests.fakes.openai_server import OpenAIServer, inputs_of, task_of
from tests.fakes.reviewer import reviewer
from tests.nodes.rankers.support import PAPERS, REQUEST, served

FIRST, LEFT_OUT = PAPERS[:2]
ANSWER = {"id": "C1", "arguments_for": ["It fits."], "arguments_against": [], "score": 90}


async def test_scores_stand_without_quotes_and_a_paper_left_out_has_its_similarity(
    tmp_path: Path,
) -> None:
    with served([{"debates": [ANSWER]}], tmp_path) as bench, debating_without_attribution():
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


def test_arm_debates_without_quotes_and_the_default_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(request: dict[str, Any]) -> Any:
        if task_of(request) != BARE_DEBATE.name:
            return reviewer()(request)
        shown: Any = inputs_of(request)["candidates"]
        return {"debates": [{**ANSWER, "id": one["id"]} for one in shown]}

    corpus = read_corpus(write(tmp_path / "data", topics()))
    (case,) = choose_cases(corpus, [Query(id="10.5555/0.last")], 1).cases
    asked: dict[str, set[str]] = {}
    with (
        serving(Works(corpus)) as url,
        OpenAIServer(script) as server,
        with_judge(monkeypatch, server.url, tmp_path / "home"),
    ):
        for arm in (BARE, DEFAULT):
            row = try_arm(
                (case, arm),
                url=url,
                snapshot=None,
                sources=("openalex",),
                keep=5,
                mind="llm",
                vectors=tmp_path / "vectors.sqlite",
            )
            assert row["kept"], row
            asked[arm] = set(row["tasks"]) & {BARE_DEBATE.name, "debate_papers"}
    assert asked == {BARE: {BARE_DEBATE.name}, DEFAULT: {"debate_papers"}}
    assert ARMS[BARE] == ARMS[DEFAULT], "nothing else differs"
