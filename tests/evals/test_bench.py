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
