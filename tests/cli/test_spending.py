"""`citeloom runs spending`: what runs have paid for."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.commands import model, run
from tests.fakes.reviewer import reviewer
from tests.support import SMALL

QUESTION = "How do language models write literature reviews with citations?"


def citeloom(*arguments: str) -> list[str]:
    return run(*arguments, code=0).stdout.splitlines()


def test_spending_is_told_by_day_caller_and_task(home: Path) -> None:
    assert citeloom("runs", "spending") == []
    with model(reviewer(), STRONG_PRICE="[1, 10]") as server:
        citeloom("find", QUESTION, "--library", SMALL, "--set", "pool=6", "--json")
    rows = {
        by: [json.loads(line) for line in citeloom("runs", "spending", "--by", by, "--json")]
        for by in ("day", "caller", "task", "source")
    }
    (day,) = rows["day"]
    assert day["day"] == datetime.now(UTC).date().isoformat()
    assert day["calls"] == len(server.requests)
    (caller,) = rows["caller"]
    assert caller == {"caller": "", **{key: day[key] for key in day if key != "day"}}
    assert {row["task"]: row["calls"] for row in rows["task"]} == {
        task: server.tasks.count(task) for task in server.tasks
    }
    assert sum(row["usd"] for row in rows["task"]) == pytest.approx(day["usd"])
    assert day["usd"] > 0
    assert rows["source"] == []
    (line,) = citeloom("runs", "spending")
    assert line.startswith(day["day"])
    assert line.endswith("USD")
    citeloom("find", QUESTION, "--library", SMALL, "--mind", "extractive", "--json")
    assert citeloom("runs", "spending") == [line], "the embedded engine spends nothing"
