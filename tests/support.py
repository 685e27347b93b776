"""What tests of the whole share: an embedder with a memory, libraries built once, homes."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from threading import Lock

import numpy as np
import pytest
from numpy.typing import NDArray

from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.cache import open_cache
from tools.clients import open_clients
from tools.embed.embedder import Embedder, Vectors
from tools.embed.minilm import MiniLm
from tools.library.open_library import close_libraries, create_library, open_library, starter_papers
from tools.settings import Settings, settings

ROOT = Path(__file__).resolve().parent.parent
ABSTRACT = ROOT / "examples" / "abstract.md"
SMALL = "small"
"""A library of some of the starter's papers, on which a run is quick."""
_EVERY = 5
_SMALL_FROM = 2018


class RememberingEmbedder:
    """MiniLM that makes the vector of a text once in a session, for all processes that remember in one file."""

    name = MiniLm.name
    size = MiniLm.size

    def __init__(self, memory: Path | None = None) -> None:
        self._model = MiniLm()
        self._known: dict[str, NDArray[np.float32]] = {}
        self._lock = Lock()
        self._memory = memory or ":memory:"

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
                self._learn(new)
            rows = [self._known[text] for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.size), dtype=np.float32)

    def _learn(self, new: Sequence[str]) -> None:
        with closing(sqlite3.connect(self._memory, timeout=60)) as file, file:
            file.execute("PRAGMA synchronous = OFF")
            file.execute("CREATE TABLE IF NOT EXISTS made (text BLOB PRIMARY KEY, vector BLOB)")
            keys = {text: text.encode(errors="surrogatepass") for text in new}
            for text, key in keys.items():
                for (kept,) in file.execute("SELECT vector FROM made WHERE text = ?", (key,)):
                    self._known[text] = np.frombuffer(kept, dtype=np.float32)
            if unknown := [text for text in new if text not in self._known]:
                self._known |= zip(unknown, self._model.embed(unknown), strict=True)
                made = [(keys[text], self._known[text].tobytes()) for text in unknown]
                file.executemany("INSERT OR IGNORE INTO made VALUES (?, ?)", made)


@cache
def starter_records() -> tuple[Paper, ...]:
    """The starter library's records as they are packaged."""
    with starter_papers() as path:
        return tuple(record for record in read_records(path) if isinstance(record, Paper))


def small_records() -> list[Paper]:
    """The papers of the library SMALL."""
    recent = [paper for paper in starter_records() if (paper.year or 0) >= _SMALL_FROM]
    return list(islice(recent, 0, None, _EVERY))


def build_libraries(home: Path, embedder: Embedder) -> Path:
    """Build the libraries 'starter' and SMALL in `home`; return the folder that holds them."""
    here = Settings(_env_file=None, home=home, qdrant_url=None)  # type: ignore[call-arg]
    open_library("starter", here, embedder)
    create_library(SMALL, here, embedder).add(small_records())
    close_libraries()
    return home / "libraries"


KEYS = (
    "OPENAI_API_KEY",
    "OPENALEX_API_KEY",
    "SEMANTIC_SCHOLAR_API_KEY",
    "SERPAPI_API_KEY",
    "ZOTERO_API_KEY",
)
_ASKED = (
    "OPENALEX", "SEMANTIC_SCHOLAR", "ARXIV", "CROSSREF", "SERPAPI", "ZOTERO", "ZOTERO_API",
    "ARXIV_HTML", "AR5IV", "ARXIV_PDF", "UNPAYWALL", "EUROPE_PMC",
)  # fmt: skip
NOWHERE = {f"CITELOOM_{name}_URL": "http://127.0.0.1:9" for name in _ASKED} | {
    "CITELOOM_ARXIV_RATE": "50",
    "CITELOOM_SOURCE_PATIENCE": "1",
}
"""No test asks a real source, or the Zotero of who runs it: nothing listens there, and nobody waits for long."""


def link_libraries(built: Path, home: Path) -> None:
    """Let `home` have the libraries that stand in `built`; they must only be read."""
    (home / "libraries").mkdir(parents=True)
    for folder in built.iterdir():
        (home / "libraries" / folder.name).symlink_to(folder, target_is_directory=True)


def clean_environment(home: Path) -> dict[str, str]:
    """An environment for a subprocess: this one without CiteLoom's settings, but with a home."""
    ours = {name: value for name, value in os.environ.items() if not is_setting(name)}
    ours.pop(
        "LANGGRAPH_STRICT_MSGPACK", None
    )  # of the tests' own process: the program sets it itself
    return {**ours, **NOWHERE, "HOME": str(home), "CITELOOM_HOME": str(home)}


def is_setting(name: str) -> bool:
    """Whether an environment variable would change what CiteLoom does."""
    return name.startswith("CITELOOM_") or name in KEYS


@contextmanager
def at_home(folder: Path, built: Path, embedder: Embedder) -> Iterator[Path]:
    """Make `folder` the process's CITELOOM_HOME, with the libraries of `built` and no LLM.

    The working folder is the one that `folder` stands in, which has no file .env.
    """
    link_libraries(built, folder)
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(is_setting, list(os.environ)):
            patch.delenv(name)
        patch.setenv("CITELOOM_HOME", str(folder))
        patch.setenv("HOME", str(folder))  # with no settings of a user's own
        for name, value in NOWHERE.items():
            patch.setenv(name, value)
        patch.chdir(folder.parent)
        patch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): embedder})
        forget_settings()
        try:
            yield folder
        finally:
            close_libraries()
            forget_settings()


def forget_settings() -> None:
    """Let the next call read the settings anew, and open what they name."""
    for cached in (settings, open_clients, open_cache):
        cached.cache_clear()
