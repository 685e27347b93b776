"""`citeloom doctor`: what works, what is off, what is wrong, and what to do about it."""

import socket
from pathlib import Path

from tests.cli.commands import run, sources, variables
from tests.fakes.scholar.world import make_world
from tests.library.qdrant_double import QdrantDouble


def test_bare_installation_is_in_order_and_says_how_to_get_more(home: Path) -> None:
    with sources(make_world(size=20, seed=1, crowd=0)):
        told = run("doctor", code=0).stdout
    for part in (
        str(home),
        "small, starter",
        "no LLM is configured, so CiteLoom works in embedded mode",
        "CITELOOM_STRONG_MODEL",
        "CITELOOM_QDRANT_URL",
        "key not set (OPENALEX_API_KEY); answers in",
        "off: set SERPAPI_API_KEY",
    ):
        assert part in told


def test_home_that_cannot_be_written_is_named_with_its_setting(home: Path) -> None:
    (home.parent / "file").write_text("in the way", encoding="utf-8")
    with variables(HOME=str(home.parent / "file")):
        assert "set CITELOOM_HOME to a folder of yours" in run("doctor", code=1).stdout


def test_endpoint_that_nobody_answers_at_is_a_fault(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: a connection is refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with variables(LLM_BASE_URL=f"{url}/v1", STRONG_MODEL="m", QDRANT_URL=url):
            told = run("doctor", code=1).stdout
    assert f"{url} does not answer" in told
    assert "\u2717 llm" in told


def test_qdrant_server_that_answers_is_told(home: Path) -> None:
    with QdrantDouble() as server, variables(QDRANT_URL=server.url):
        assert f"{server.url} answers" in run("doctor").stdout
