"""`citeloom doctor`: what works, what is off, what is wrong, and what to do about it."""

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import make_world
from tests.library.qdrant_double import QdrantDouble
from tools.settings import settings


def doctor(*given: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *given])


def test_bare_installation_is_in_order_and_says_how_to_get_more(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScholarServer(make_world(size=20, seed=1, crowd=0)) as server:
        for name, url in {
            "OPENALEX": server.openalex_url,
            "SEMANTIC_SCHOLAR": server.semantic_scholar_url,
            "ARXIV": server.arxiv_url,
            "CROSSREF": server.crossref_url,
        }.items():
            monkeypatch.setenv(f"CITELOOM_{name}_URL", url)
        settings.cache_clear()
        result = doctor()
    assert result.exit_code == 0
    assert str(home) in result.stdout
    assert "small, starter" in result.stdout
    assert "no LLM is configured, so CiteLoom works in embedded mode" in result.stdout
    assert "CITELOOM_STRONG_MODEL" in result.stdout
    assert "CITELOOM_QDRANT_URL" in result.stdout
    assert "key not set (OPENALEX_API_KEY); answers in" in result.stdout
    assert "off: set SERPAPI_API_KEY" in result.stdout


def test_home_that_cannot_be_written_is_named_with_its_setting(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.parent / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("CITELOOM_HOME", str(home.parent / "file"))
    settings.cache_clear()
    result = doctor()
    assert result.exit_code == 1
    assert "set CITELOOM_HOME to a folder of yours" in result.stdout


def test_endpoint_that_nobody_answers_at_is_a_fault(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: a connection is refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("CITELOOM_LLM_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("CITELOOM_STRONG_MODEL", "m")
        monkeypatch.setenv("CITELOOM_QDRANT_URL", url)
        settings.cache_clear()
        result = doctor()
    assert result.exit_code == 1
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert f"{url} does not answer" in result.stdout
    assert "\u2717 llm" in result.stdout


def test_qdrant_server_that_answers_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with QdrantDouble() as server:
        monkeypatch.setenv("CITELOOM_QDRANT_URL", server.url)
        settings.cache_clear()
        assert f"{server.url} answers" in doctor().stdout
