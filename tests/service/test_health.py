"""Readiness: what fails is named, with what to do, and nothing that only the operator may know."""

import asyncio
import socket
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import monotonic

import httpx
import pytest

from citeloom.service import entry, health
from citeloom.service.app import app
from tools.settings import settings


@pytest.fixture(autouse=True)
def _nothing_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_found", (float("-inf"), ()))
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)


async def _asked(path: str) -> httpx.Response:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.get(path)


async def test_service_without_servers_is_ready_and_says_what_it_does_without(home: Path) -> None:
    assert (await _asked("/citeloom/health")).json() == {"status": "alive"}
    answer = await _asked("/citeloom/ready")
    assert answer.status_code == 200
    states = {part["name"]: part["state"] for part in answer.json()["parts"]}
    assert states == {
        "database": "off",
        "redis": "off",
        "qdrant": "off",
        "llm": "off",
        "libraries": "ready",
        "disk": "ready",
    }
    assert str(home) not in answer.text


async def test_what_fails_is_named_with_what_to_do(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    occupied = tmp_path / "a file"
    occupied.write_text("")
    monkeypatch.setenv("DATABASE_URL", "postgresql://citeloom:secret@127.0.0.1:9/none")
    monkeypatch.setenv("CITELOOM_QDRANT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("CITELOOM_HOME", str(occupied))
    settings.cache_clear()
    answer = await _asked("/citeloom/ready")
    assert answer.status_code == 503
    told = answer.json()["text"]
    for wanted in ("check DATABASE_URL", "check CITELOOM_QDRANT_URL", "check CITELOOM_HOME"):
        assert wanted in told
    assert not any(word in answer.text for word in ("secret", "127.0.0.1", str(tmp_path)))
    settings.cache_clear()
    assert (await _asked("/citeloom/health")).status_code == 200, "alive all the same"


@pytest.fixture
async def _threads_taken() -> AsyncIterator[None]:
    """All threads that asyncio shares are at work for the whole test, as those of many runs are."""
    done = Event()
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    working = loop.run_in_executor(None, done.wait)
    yield
    done.set()
    await working


@pytest.mark.usefixtures("_threads_taken")
async def test_service_tells_of_itself_and_knows_its_callers_while_runs_take_every_thread(
    home: Path,
) -> None:
    async with asyncio.timeout(30):
        assert (await _asked("/citeloom/health")).json() == {"status": "alive"}
        assert (await _asked("/citeloom/ready")).json()["ready"]
        assert await entry.holder_at_once({"host": "127.0.0.1"}) is None


async def test_probe_is_told_the_last_state_while_a_part_does_not_answer(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (await _asked("/citeloom/ready")).json()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("CITELOOM_QDRANT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        settings.cache_clear()
        parts = health._found[1]
        monkeypatch.setattr(health, "_found", (monotonic() - health._KEPT_SECONDS - 1, parts))
        assert (await _asked("/citeloom/ready")).json() == before
        monkeypatch.setattr(health, "_found", (monotonic() - health._OUTDATED - 1, parts))
        silent.close()  # what has waited for an answer gets none
        told = (await _asked("/citeloom/ready")).json()["text"]
    assert "Qdrant does not answer" in told
