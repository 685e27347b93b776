"""Fixtures for tests of the whole: a home with libraries in it, built once for all."""

import gc
import multiprocessing
import os
import resource
from collections import OrderedDict
from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from weakref import WeakValueDictionary

import pytest

# LangGraph reads it when it is first imported, by whichever test comes first.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
# No test speaks TLS to a real host, and each client of HTTP, of which there are thousands, would read all
# certificates of the world: that takes longer than most tests.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = os.devnull

from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests.support import ABSTRACT, ROOT, RememberingEmbedder, at_home, build_libraries
from tools.documents.open_document import READERS
from tools.library.open_library import close_libraries

# Nothing of what is collected is ever garbage; to look for it takes a second of each process.
gc.disable()
# One process runs thousands of tests, each with databases of its own home.
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


# A test that is slow on a busy machine is right all the same. The same examples each time: what is green stays
# green until the code changes. `--hypothesis-profile=explore` looks for new ones.
settings.register_profile("same", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("explore", deadline=None)
settings.load_profile("same")


class ByServer(LoadScopeScheduling):  # type: ignore[misc]  # it ships no types
    """Keeps tests that share a server in one process, or each process starts one of its own.

    Three such groups, so that none is still at work when all else is done: what people see, what callers with
    keys may do, and what programs ask. Not xdist's groups, which version 3.8 cannot name under pytest 9.
    """

    @cached_property
    def _groups(self) -> dict[str, str]:
        """The group of each file whose tests ask the one server of their folder."""
        asked = {
            "visitor: Visitor": "page",
            "secured: Server": "keys",
            "server: Server": "",
            "client: LangGraphClient": "",
        }
        return {
            f"tests/server/{path.name}": f"tests/server/{group}"
            for path in (ROOT / "tests" / "server").glob("test_*.py")
            for words, group in reversed(asked.items())
            if words in path.read_text(encoding="utf-8")
        }

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return self._groups.get(path, path)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByServer:
    config.option.loadscopereorder = (
        False  # which would put first what has most tests, quick or not
    )
    return ByServer(config, log)


_LONG = tuple(
    f"tests/{name}/" for name in ("server", "service", "telemetry", "cli", "graphs", "library")
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long, so that no process is left alone with one at the end."""
    items.sort(
        key=lambda item: next(
            (at for at, place in enumerate(_LONG) if item.nodeid.startswith(place)), 9
        )
    )


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def _closed_files() -> Iterator[None]:
    """Close what the tests of a module have left to the collector: databases of their homes."""
    yield
    gc.collect()
    # What is left is there to stay, and need not be looked through each time: that took half a second.
    gc.freeze()


@pytest.fixture(autouse=True)
def _fresh_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds a host's line as another test left it: paused, or given up."""
    monkeypatch.setattr("tools.http.hosts._states", WeakValueDictionary())
    monkeypatch.setattr("tools.http.hosts._recent", OrderedDict())


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """No test waits until another one's library has been idle for long enough."""
    yield
    close_libraries()


@pytest.fixture(scope="session", autouse=True)
def _quick_readers() -> Iterator[None]:
    """Fork the processes that read files, or work on a library, from one that knows the modules.

    Each new one would take a second to import them.

    A program or a server that a test starts has its own, begun anew.
    """
    forked = multiprocessing.get_context("forkserver")
    readers = {place for _, place, _ in READERS.values()}
    known = (
        "tools.ingest.reader_processes",
        "tools.references.read_bibliography",
        "tools.library.open_library",
    )
    forked.set_forkserver_preload([*known, *sorted(readers)])
    with pytest.MonkeyPatch.context() as patch:
        quick = SimpleNamespace(get_context=lambda _: forked)
        patch.setattr("tools.ingest.reader_processes.multiprocessing", quick)
        yield


@pytest.fixture(scope="session")
def common(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all of xdist's processes."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def embedder_with_memory(common: Path) -> RememberingEmbedder:
    """The process's embedder in tests that have a `home`."""
    return RememberingEmbedder(common / "vectors.sqlite")


@pytest.fixture(scope="session")
def built(common: Path, embedder_with_memory: RememberingEmbedder) -> Path:
    """The folder of the libraries 'starter' and 'small' (tests.support.SMALL); only to be read.

    The first of xdist's processes builds them for all.
    """
    place = common / "built"
    place.mkdir(exist_ok=True)
    with (place / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (place / "done").exists():
            build_libraries(place, embedder_with_memory)
            (place / "done").touch()
    return place / "libraries"


@pytest.fixture
def home(tmp_path: Path, built: Path, embedder_with_memory: RememberingEmbedder) -> Iterator[Path]:
    """A CITELOOM_HOME of its own with the built libraries; the working folder is its parent."""
    with at_home(tmp_path / "home", built, embedder_with_memory) as folder:
        yield folder


@pytest.fixture(scope="session")
def abstract() -> str:
    """The example abstract, with its heading."""
    return ABSTRACT.read_text(encoding="utf-8")


@pytest.fixture
def references_are_read_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail whatever reads a list of references in this process; those that read files begin anew and do not."""

    def here(*_: object) -> None:
        raise AssertionError("a list of references is read in the process that serves")

    monkeypatch.setattr("tools.references.read_bibliography._entries", here)
