"""A home with libraries in it."""

from pathlib import Path

import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, fill
from tools.library.library import Library
from tools.library.open import create_library


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
