"""A home with libraries in it, and what stands in for a Qdrant server."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from qdrant_client import QdrantClient

from tests.library.qdrant_double import QdrantDouble
from tests.library.words import WordEmbedder, fill
from tools.library.library import Library
from tools.library.open_library import close_libraries, create_library
from tools.library.server_index import ServerIndex
from tools.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", qdrant_url=None)


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def library(settings: Settings, embedder: WordEmbedder) -> Library:
    return create_library("mine", settings, embedder)


@pytest.fixture
def filled(library: Library) -> Library:
    return fill(library)


class Recorded:
    """The client's own engine, and what was asked of it."""

    def __init__(self) -> None:
        self.client = QdrantClient(":memory:")
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.lock = Lock()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self.asked.append((name, named))
            with (
                self.lock,
                warnings.catch_warnings(),
            ):  # it is not made for threads, and says that it has no payload indexes
                warnings.simplefilter("ignore")
                return method(*arguments, **named)

        return call


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    """A Qdrant server without a key."""
    with QdrantDouble() as own:
        yield own
        close_libraries()


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    own = Recorded()
    monkeypatch.setattr(ServerIndex, "_connected", lambda _: own)
    yield own
    own.client.close()
