"""citeloom/service/auth.py: how many runs a key's holder starts, counted where a restart forgets nothing."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph_sdk import Auth

from citeloom.service import auth
from tools.callers import ApiKeyLimits, ApiKeys


class Client:
    """A server's own client, which knows of so many busy threads."""

    def __init__(self, busy: int) -> None:
        self.threads = self
        self._busy = busy

    async def search(self, *, limit: int, **_: object) -> list[object]:
        return [None] * min(self._busy, limit)


@pytest.fixture
def home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ApiKeys(home).add("daily", ApiKeyLimits(runs_a_day=2))
    monkeypatch.setattr(auth, "get_client", lambda: Client(0))
    return home


async def started() -> int:
    """Ask to start a run; return the status of the answer."""
    ctx: Any = SimpleNamespace(user=SimpleNamespace(identity="daily"), action="create_run")
    try:
        assert await auth.threads(ctx, {"kwargs": {}}) == {"owner": "daily"}
    except Auth.exceptions.HTTPException as error:
        return error.status_code
    return 200


_IN_ANOTHER_PROCESS = """
import asyncio, json
from tests.service import test_auth
test_auth.auth.get_client = lambda: test_auth.Client(0)
print(json.dumps(asyncio.run(test_auth.started())))
"""


def test_runs_of_a_day_are_counted_over_processes(home: Path) -> None:
    line = [sys.executable, "-c", _IN_ANOTHER_PROCESS]
    assert json.loads(subprocess.check_output(line, cwd=Path(__file__).parents[2])) == 200
    assert [asyncio.run(started()) for _ in range(2)] == [200, 429]


async def test_no_run_starts_where_runs_of_a_day_cannot_be_counted(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (home / "ledger.sqlite").write_bytes(b"no database at all, but long enough to be read" * 20)
    assert await started() == 503
    assert "cannot count runs" in caplog.text


async def test_no_run_starts_where_runs_under_way_cannot_be_counted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise ConnectionError

    monkeypatch.setattr(auth, "get_client", refuse)
    assert await started() == 503
    monkeypatch.setattr(auth, "get_client", lambda: Client(4))
    assert await started() == 429
    monkeypatch.setattr(auth, "get_client", lambda: Client(3))
    assert [await started() for _ in range(3)] == [200, 200, 429]
