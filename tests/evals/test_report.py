"""`citeloom eval report`: one page of a run's figures, and two runs compared."""

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from typer.testing import Result

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


def call(folder: Path, *given: str | Path) -> Result:
    return evaluated("report", *given, "--out", folder / "report.html")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return written(tmp_path / "run.json", ours=0.75, cases={"a": 1.0, "b": 0.5, "c": 0.9})


def test_page_has_each_table_and_every_case(tmp_path: Path, run: Path) -> None:
    done = call(tmp_path, run)
    assert done.exit_code == 0, done.output
    page: Any = html.parse(str(tmp_path / "report.html"))
    assert [one.text for one in page.xpath("//h2")] == ["group: arms", "Cost and latency by task"]
    (row,) = [
        [cell.text for cell in row] for row in page.xpath("//tr") if row[0].text == "recall at k"
    ]
    assert row == ["recall at k", "0.750 [0.650, 0.850]", "0.500 [0.400, 0.600]"]
    assert [one.text for one in page.xpath("//details[@class='case']/summary")] == ["a", "b", "c"]
    assert not page.xpath("//script | //b | //link | //img")
    told = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| recall at k | 0.750 [0.650, 0.850] | 0.500 [0.400, 0.600] |" in told
    assert "- judge: a model" in told
    assert "| ours | extract_claims | 4 | 0 | 0 | 0 | 0 | 0 | 0.25 | 1.5 |" in told
    assert "extract_claims" in [one.text for one in page.xpath("//td")]


def test_two_runs_are_compared_case_by_case(tmp_path: Path, run: Path) -> None:
    before = written(tmp_path / "before.json", ours=0.6, cases={"a": 0.8, "b": 0.5, "other": 0.0})
    assert call(tmp_path, run, "--against", before).exit_code == 0
    told = (tmp_path / "report.md").read_text(encoding="utf-8")
    # Of the cases that both have, a gained 0.2 and b nothing.
    assert "Minus before.json, paired by case" in told
    assert "| recall at k | 0.100 [0.000, 0.200] |" in told
