"""evals/critical_path.py: how long `find` waits for a slow LLM, on the library SMALL."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals import critical_path
from evals.critical_path import Course, main, measure, try_once
from evals.slow_llm import Call, SlowLlm, asking, stages, waves
from evals.source_runs import Table
from tests.support import ABSTRACT, SMALL, RememberingEmbedder


def calls(task: str, count: int, *, again: int = 0, at: float = 0.0) -> list[Call]:
    """Questions of one stage, a second apart, the last ones asked again."""
    return [Call(task, place >= count - again, at + place) for place in range(count)]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([], 0),
        (calls("debate_papers", 16), 1),
        (calls("debate_papers", 17), 2),
        (calls("debate_papers", 4, again=1), 2),
        (calls("debate_papers", 40, again=8), 3),
        ([*calls("plan_queries", 1), *calls("debate_papers", 3), *calls("reflect", 1)], 3),
        ([*calls("debate_papers", 3), *calls("reflect", 1), *calls("debate_papers", 3)], 3),
    ],
    ids=["nothing", "one wave", "one too many", "a chain", "both", "stages", "two hops"],
)
def test_waves_are_the_least_that_must_be_waited_for(asked: list[Call], expected: int) -> None:
    assert waves(asked, 16) == expected


def test_the_time_of_asking_is_that_of_each_stage_alone() -> None:
    asked = [*calls("plan_queries", 2), *calls("debate_papers", 4, at=10.0)]
    assert [len(stage) for stage in stages(asked)] == [2, 4]
    assert asking(asked) == 1.0 + 3.0


@pytest.fixture(scope="module")
def llm() -> Iterator[SlowLlm]:
    with SlowLlm() as started:
        yield started


@pytest.fixture
def course(built: Path, embedder_with_memory: RememberingEmbedder, llm: SlowLlm) -> Course:
    """A search of the library SMALL that keeps eight papers."""
    return Course(
        text=ABSTRACT.read_text(encoding="utf-8"), keep=8, concurrency=2, libraries=built,
        embedder=embedder_with_memory, llm=llm, library=SMALL,
    )  # fmt: skip


def test_every_question_is_counted_where_it_is_answered(course: Course) -> None:
    run = try_once(course, "debate", "exact", 0.02)
    assert run.failures == []
    assert run.judged == 12
    assert run.calls[0].task == "plan_queries"
    assert sum(call.task == "debate_papers" for call in run.calls) >= 2
    assert run.calls[-1].task == "reflect"
    assert 1 <= run.peak <= 2
    assert run.seconds >= 0.02 * waves(run.calls, 2)


def test_a_careless_mind_is_asked_again_and_opens_a_second_hop(course: Course) -> None:
    run = try_once(course, "debate", "careless", 0.0)
    assert [stage[0].task for stage in stages(run.calls)].count("reflect") == 2
    again = {call.task for call in run.calls if call.again}
    assert again == {"plan_queries", "debate_papers"}


def test_a_row_holds_what_the_ratio_is_made_of(course: Course) -> None:
    row = next(iter(measure(course, ["cascade"], 0.02, 1)))
    own, run = row["_own"], row["_run"]
    assert isinstance(own, dict)
    assert isinstance(run, dict)
    assert float(str(row["ratio"])) > 0
    assert row["waves"] == waves([Call(**call) for call in run["calls"]], 2)
    shown = Table("t", [row]).markdown()
    assert "_own" not in shown
    assert json.loads(json.dumps(row))["judged"] == 12


def test_an_llm_that_cannot_start_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.slow_llm.LONGEST_START", 0.0)
    with pytest.raises(TimeoutError, match="not ready"), SlowLlm():
        pass


def test_a_ranker_that_asks_in_a_chain_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--ranker", "permutation"])
    assert "there are: debate, cascade" in capsys.readouterr().err
    assert "permutation" not in critical_path.RANKERS
