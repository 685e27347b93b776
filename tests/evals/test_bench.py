"""The bench: rows of parts, each measured in a process of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.bench import command
from evals.bench.part import Given, Row
from tests.evals.calls import evaluated, measured


def made_up(given: Given) -> Iterator[Row]:
    """A part that measures nothing."""
    yield Row("made", "a step", 3.0, "s", "the critical path", 1.5)


def test_parts_tell_ratios_and_memory_and_what_cannot_be_measured_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setitem(command.PARTS, "made", f"{__name__}:made_up")
    monkeypatch.setitem(command.PARTS, "absent", "evals.bench.no_such_part:measure")
    found, done = measured(tmp_path, "bench", "--parts", "made,absent", "--n", "1")
    start, memory = found["rows"]
    assert (start["part"], start["beside"], start["ratio"]) == ("made", "the critical path", 1.5)
    assert 10 < memory["value"] < 10_000
    assert found["left_out"] == {"absent": "the part absent broke; what it said stands above"}
    assert "| made | a step |" in done.stdout
    page = tmp_path / "page.html"
    assert evaluated("report", tmp_path / "bench.json", "--out", page).exit_code == 0
    assert "a step" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_llm_path_runs_whole_against_an_endpoint_that_takes_its_time(tmp_path: Path) -> None:
    found, _ = measured(tmp_path, "bench", "--parts", "graphs", "--n", "3")
    by_unit = {
        unit: {row["what"]: row["value"] for row in found["rows"] if row["unit"] == unit}
        for unit in ("s", "calls of the LLM", "HTTP requests", "USD")
    }
    graphs = [
        "find, 20 kept",
        "find again, with another model",
        "write",
        "ask",
        "synthesize, 3 files",
    ]
    assert all(list(values) == graphs for values in by_unit.values())
    asked, sent = by_unit["calls of the LLM"], by_unit["HTTP requests"]
    assert all(count >= 3 for count in asked.values())
    first, again, *others = graphs
    assert sent[first] > asked[first] + 10, "sources are asked"
    assert [sent[name] for name in (again, *others)] == [asked[name] for name in (again, *others)]
    assert 0 < by_unit["USD"][again] < by_unit["USD"][first]
    assert found["tasks"]["write, 3"]["read_papers"]["calls"] == 1
    took = [row for row in found["rows"] if row["unit"] == "s"]
    assert all(row["ratio"] > 1 and row["value"] > 0.3 for row in took)


@pytest.mark.slow
def test_finding_is_measured_over_a_slice_of_made_papers(tmp_path: Path) -> None:
    found, _ = measured(tmp_path, "bench", "--parts", "finding", "--n", "300")
    rows = [row for row in found["rows"] if row["size"]]
    assert {row["what"] for row in rows} == {"kept", "find", "questions", "searches", "checkpoints"}
    assert {row["size"] for row in rows} == {50, 100, 200, 500}
    assert all(row["value"] > 0 for row in rows)
