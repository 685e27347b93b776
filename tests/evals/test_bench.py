"""The bench: what was measured as figures and a table; and the model that stands in for an LLM."""

from pathlib import Path

import pytest

from evals.bench import command
from nodes.judge.judge_prompts import TASK
from tests.evals.calls import measured


def test_runs_tell_ratios_in_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"arm": "write, 3 papers", "figures": {"seconds": 3.0, "times_the_llms": 1.5}}
    monkeypatch.setattr(command, "measure", lambda n: iter([row]))
    found, done = measured(tmp_path, "bench", "--n", "3")
    assert found["arms"]["write, 3 papers"] == row["figures"]
    assert "| times the llms | 1.5 |" in done.stdout


def test_stand_in_gives_the_smallest_answer_of_a_schema() -> None:
    schema = TASK.answer.model_json_schema()
    answer = command._least(schema, schema["$defs"])
    assert TASK.answer.model_validate(answer).model_dump() == {"findings": []}
