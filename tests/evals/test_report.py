"""`citeloom eval report`: the tables of a run's figures, and two runs compared."""

import json
from pathlib import Path

import pytest

from tests.evals.calls import evaluated


def of(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "n": 2}


def written(path: Path, *, ours: float, cases: dict[str, float]) -> Path:
    figures = {
        "settings": {"data": "<b>rows</b>", "judge": "a model"},
        "group": {
            "arms": {
                "ours": {"recall_at_k": of(ours)},
                "theirs": {"recall_at_k": of(0.5), "runs": 3},
            }
        },
        "cases": [
            {
                "id": name,
                "arms": {"ours": {"recall_at_k": value}},
                "texts": {"ours": "<script>x</script>"},
            }
            for name, value in cases.items()
        ],
        "tasks": {"ours": {"extract_claims": {"calls": 4, "usd": 0.25, "seconds": 6.0}}},
        "complete": True,
    }
    path.write_text(json.dumps(figures), encoding="utf-8")
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return written(tmp_path / "run.json", ours=0.75, cases={"a": 1.0, "b": 0.5, "c": 0.9})


def test_tables_of_a_run_are_printed(run: Path) -> None:
    done = evaluated("report", run)
    assert done.exit_code == 0, done.output
    heads = [line for line in done.stdout.splitlines() if line.startswith("## ")]
    assert heads == ["## group: arms", "## Cost and latency by task"]
    assert "| recall at k | 0.750 [0.650, 0.850] | 0.500 [0.400, 0.600] |" in done.stdout
    assert "| ours | extract_claims | 4 | 0 | 0 | 0 | 0 | 0 | 0.25 | 1.5 |" in done.stdout


def test_two_runs_are_compared_case_by_case(tmp_path: Path, run: Path) -> None:
    before = written(tmp_path / "before.json", ours=0.6, cases={"a": 0.8, "b": 0.5, "other": 0.0})
    told = evaluated("report", run, "--against", before).stdout
    # Of the cases that both have, a gained 0.2 and b nothing.
    assert "Minus before.json, paired by case" in told
    assert "| recall at k | 0.100 [0.000, 0.200] |" in told
