"""Readiness: what fails is named, with what to do, and nothing that only the operator may know."""

from pathlib import Path

import httpx
import pytest

from citeloom.service import health
from citeloom.service.app import app
from citeloom.settings import settings


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
        "database": "off", "redis": "off", "qdrant": "off", "llm": "off", "libraries": "ready",
        "disk": "ready",
    }  # fmt: skip
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
