"""The bench: rows of parts, each measured in a process of its own."""

import json
from pathlib import Path

import pytest

from evals.bench import command
from tests.evals.calls import evaluated


def test_parts_tell_ratios_and_memory_and_what_cannot_be_measured_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(command.PARTS, "absent", "evals.bench.no_such_part")
    out = tmp_path / "figures.json"
    done = evaluated("bench", "--parts", "startup,absent", "--n", "1", "--json", out)
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text(encoding="utf-8"))
    start, memory = found["rows"]
    assert (start["part"], start["beside"]) == ("startup", "python")
    assert start["ratio"] > 1
    assert 10 < memory["value"] < 10_000
    assert found["left_out"] == {"absent": "the part absent broke; what it said stands above"}
    assert "| startup | citeloom --help |" in done.stdout
