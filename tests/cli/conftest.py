"""Commands in a home with libraries, and one whole review that many tests look at."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.cli.commands import Done, call
from tests.library.words import WordEmbedder
from tests.support import ABSTRACT, RememberingEmbedder, at_home, is_setting
from tools.ingest.reader_processes import close_workers
from tools.library.open_library import close_libraries
from tools.settings import settings


class Cite(Protocol):
    """Runs a command; `out` names its output folder below the test's own."""

    def __call__(
        self, *arguments: str | Path, out: str = "out", stdin: str | None = None
    ) -> Done: ...


@pytest.fixture
def cite(home: Path) -> Cite:
    def run(*arguments: str | Path, out: str = "out", stdin: str | None = None) -> Done:
        return call(*arguments, out=home.parent / out, stdin=stdin)

    return run


@pytest.fixture
def bare_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A CITELOOM_HOME without a library, and an embedder that needs no model; the working folder is its parent."""
    for name in filter(is_setting, list(os.environ)):
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("CITELOOM_HOME", str(folder))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): WordEmbedder()})
    yield folder
    close_workers()  # which find files from where they were started
    close_libraries()
    settings.cache_clear()


@pytest.fixture(scope="session")
def reviewed(
    tmp_path_factory: pytest.TempPathFactory, built: Path, embedder_with_memory: RememberingEmbedder
) -> Done:
    """The README's command: the example abstract reviewed on the starter library."""
    folder = tmp_path_factory.mktemp("reviewed")
    with at_home(folder / "home", built, embedder_with_memory):
        return call("review", ABSTRACT, out=folder / "out")
