"""The real `langgraph dev` on loopback, as `./run dev` starts it, in a folder of its own."""

import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from playwright.sync_api import Browser, Page

from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import make_world
from tests.server.browser import CHROMIUM, REQUIRED, Visitor, browser
from tests.server.hostile import Caller
from tests.support import ROOT, SMALL, clean_environment, link_libraries
from tools.callers import ApiKeyLimits, ApiKeys

_PATIENCE = 240.0
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LIMITS = {
    "alice": ApiKeyLimits(requests_a_minute=5000),
    "bob": ApiKeyLimits(requests_a_minute=5000),
    "eve": ApiKeyLimits(requests_a_minute=5000, runs_at_once=20),
    "busy": ApiKeyLimits(runs_at_once=1),
    "daily": ApiKeyLimits(runs_a_day=2),
    "quick": ApiKeyLimits(requests_a_minute=5),
}


@dataclass(frozen=True)
class Server:
    """A server that answers."""

    url: str
    log: Path
    pid: int

    @property
    def account(self) -> str:
        """What it has logged."""
        return _COLOUR.sub("", self.log.read_text(encoding="utf-8", errors="replace"))

    async def post(self, path: str, method: str, params: dict[str, Any]) -> Any:
        """Call a method of JSON-RPC and return its result."""
        async with httpx.AsyncClient(timeout=120) as http:
            answer = await http.post(
                f"{self.url}{path}",
                json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
                headers={"Accept": "application/json, text/event-stream"},
            )
        assert "error" not in answer.json(), answer.text
        return answer.json()["result"]


WORLD = make_world(size=60, seed=3, crowd=0)


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Iterator[Server]:
    """A server for which OpenAlex and Crossref answer from WORLD, and no other source does."""
    folder = prepared(tmp_path_factory.mktemp("server"), built)
    with ScholarServer(WORLD) as sources:
        settings = {
            "CITELOOM_OPENALEX_URL": sources.openalex_url,
            "CITELOOM_OPENALEX_RATE": "500",
            "CITELOOM_CROSSREF_URL": sources.crossref_url,
            "CITELOOM_CROSSREF_RATE": "500",
        }
        with serving(folder, **settings) as running:
            yield running


@pytest.fixture(scope="package")
def secured(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Iterator[Server]:
    """A server that asks for keys."""
    folder = prepared(tmp_path_factory.mktemp("secured"), built)
    keys = {name: ApiKeys(folder / "home").add(name, limits) for name, limits in _LIMITS.items()}
    (folder / "keys.json").write_text(json.dumps(keys))
    shared = json.dumps([SMALL])
    with serving(folder, CITELOOM_SHARED_LIBRARIES=shared, CITELOOM_REQUEST_MB="4") as running:
        yield running
        assert httpx.get(f"{running.url}/ok").status_code == 200, "the server lives"


@pytest.fixture(scope="package")
def callers(secured: Server) -> dict[str, Caller]:
    """Who has a key of the server that asks for keys, and nobody."""
    keys = json.loads((secured.log.parent / "keys.json").read_text())
    known = {name: Caller(secured.url, key) for name, key in keys.items()}
    return known | {"nobody": Caller(secured.url)}


def prepared(folder: Path, built: Path) -> Path:
    """Make a folder to serve from: the server keeps its state there, and finds the graphs."""
    folder.mkdir(exist_ok=True)
    link_libraries(built, folder / "home")
    shutil.copy(ROOT / "langgraph.json", folder)
    (folder / "graphs").symlink_to(ROOT / "graphs", target_is_directory=True)
    return folder


@contextmanager
def serving(folder: Path, before: Sequence[str] = (), **settings: str) -> Iterator[Server]:
    port = free_port()
    command = [
        *before,
        sys.executable,
        "-m",
        "langgraph_cli",
        "dev",
        "--no-browser",
        "--no-reload",
        "--n-jobs-per-worker",
        "25",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    environment = {
        **clean_environment(folder / "home"),
        "PYTHONPATH": str(ROOT),
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGSMITH_TRACING": "false",
        "MALLOC_ARENA_MAX": "2",
        "LANGGRAPH_STRICT_MSGPACK": "true",  # as the command line sets it
        **settings,
    }
    log = folder / "server.log"
    with (
        log.open("ab") as sink,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=sink, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            await_answer(f"http://127.0.0.1:{port}/ok", process, log)
            yield Server(f"http://127.0.0.1:{port}", log, process.pid)
        finally:
            process.terminate()
            process.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_answer(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    with httpx.Client(timeout=5) as http:
        while time.monotonic() < deadline:
            assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")
            try:
                if http.get(url).is_success:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
    raise AssertionError(f"{url} never answered: {log.read_text(encoding='utf-8')}")


@pytest.fixture
async def client(server: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url) as opened:
        yield opened


def with_llm(url: str) -> dict[str, str]:
    """Return the settings of a server whose LLM is the fake at this address."""
    return {
        "CITELOOM_LLM_BASE_URL": url,
        "CITELOOM_LLM_API_KEY": "key",
        "CITELOOM_STRONG_MODEL": "m",
        "CITELOOM_FAST_MODEL": "m",
        "CITELOOM_LLM_CONCURRENCY": "100",
    }


_browsing = ExitStack()
_browsers: list[Browser] = []


@pytest.fixture
def chromium() -> Browser:
    """One browser for the tests that follow one another: to start it takes longer than many of them."""
    if not CHROMIUM and not REQUIRED:
        pytest.skip("this machine has no Chromium")
    if not _browsers:
        _browsers.append(_browsing.enter_context(browser()))
        _browsers[0].new_context().new_page()  # see `tab`
    return _browsers[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before a test without one: while it is open, no event loop can run."""
    if "chromium" not in getattr(nextitem, "fixturenames", ()):
        _browsers.clear()
        _browsing.close()


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Page]:
    """A tab beside an empty one that stays open: it begins in that one's process, with the scripts compiled there.

    In a window of its own it would take a second more. It finds nothing that another one has kept.
    """
    page = chromium.contexts[0].new_page()
    yield page
    page.evaluate("localStorage.clear()")
    page.close()


@pytest.fixture
def visitor(tab: Page, server: Server) -> Visitor:
    return Visitor(tab, server.url)
