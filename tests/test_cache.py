"""tools/cache.py: answers are kept up to a size, and those used last are kept longest."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import ormsgpack
import pytest
from langgraph.cache.sqlite import SqliteCache
from langgraph.checkpoint.serde.jsonplus import EXT_CONSTRUCTOR_SINGLE_ARG

from tools import cache
from tools.cache import AnswerCache

DAY = 24 * 3600
MB = 1_000_000
ANSWER = "Pears wilt. " * 8000
"""Some 100 kB."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


async def kept(answers: AnswerCache, names: list[str]) -> list[str]:
    return [name for name in names if await answers.get(name) is not None]


def rows(path: Path) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT key, used FROM cache ORDER BY rowid").fetchall()


def size(path: Path) -> int:
    """In bytes, without its log of writes."""
    return path.stat().st_size


async def test_beyond_its_size_the_answers_not_used_for_longest_go(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(cache, "time", type("Clock", (), {"time": staticmethod(lambda: now)}))
    answers = AnswerCache(path, megabytes=10)
    first = [f"first {number}" for number in range(60)]
    for name in first:
        await answers.put(name, ANSWER)
    now += DAY
    used = first[:10]
    assert await kept(answers, used) == used
    for number in range(40):
        await answers.put(f"second {number}", ANSWER)
        assert size(path) <= 10 * MB
    left = [name for name, _ in rows(path)]
    assert set(used) <= set(left)
    assert [name for name in left if name.startswith("first")][10:] == first[-(len(left) - 50) :]
    assert await answers.get("second 39") == ANSWER


async def test_answer_past_its_age_goes_before_any_other(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(cache, "time", type("Clock", (), {"time": staticmethod(lambda: now)}))
    answers = AnswerCache(path, megabytes=10)
    lasting = [f"lasting {number}" for number in range(50)]
    for name in lasting:
        await answers.put(name, ANSWER)
        await answers.put(f"{name} for an hour", ANSWER, seconds=3600)
    now += 2 * 3600
    await answers.put("new", ANSWER * 6)
    assert [name for name, _ in rows(path)] == [*lasting, "new"]


async def test_use_is_written_once_a_day(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 20_000.5 * DAY
    monkeypatch.setattr(cache, "time", type("Clock", (), {"time": staticmethod(lambda: now)}))
    answers = AnswerCache(path)
    await answers.put("pears", "They wilt.")
    for days, written in ((0, 0), (0.1, 0), (1, 1), (0.1, 0)):
        now += days * DAY
        before = answers._file.total_changes if answers._file else 0
        assert await answers.get("pears") == "They wilt."
        assert answers._file
        assert answers._file.total_changes - before == written
    assert rows(path) == [("pears", 20_001)]


async def test_answer_that_an_earlier_version_paid_for_is_found(path: Path) -> None:
    engine: SqliteCache[str] = SqliteCache(path=str(path))
    engine.set({(("answers",), "pears"): ("They wilt. 梨", None)})
    del engine
    answers = AnswerCache(path)
    assert await answers.get("pears") == "They wilt. 梨"
    await answers.put("quinces", "They do not.")
    assert await AnswerCache(path).get("quinces") == "They do not."


async def test_value_that_names_code_is_no_answer_and_runs_nothing(path: Path) -> None:
    answers, trace = AnswerCache(path), path.with_name("trace")
    await answers.put("pears", "half a sign: \ud800")
    assert await answers.get("pears") == "half a sign: ?"
    code = ormsgpack.packb(("os", "mkdir", str(trace)))
    value = ormsgpack.packb(ormsgpack.Ext(EXT_CONSTRUCTOR_SINGLE_ARG, code))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE cache SET val = ?", (value,))
    assert await answers.get("pears") is None
    assert not trace.exists()


async def test_answer_larger_than_the_cache_costs_the_others_and_no_run(path: Path) -> None:
    answers = AnswerCache(path, megabytes=1)
    await answers.put("pears", "They wilt.")
    await answers.put("all", "x" * 2 * MB)
    await answers.put("pears", "They wilt.")
    assert await kept(answers, ["pears", "all"]) == ["pears"]
