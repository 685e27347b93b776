"""One library for all tests that only read."""

from collections.abc import Iterator

import pytest

from tests.retrieve.made import filled
from tools.embed.open import embedder as process_embedder
from tools.embed.port import Embedder
from tools.library.library import Library
from tools.library.open import close_libraries
from tools.retrieve.keywords import name_missing


@pytest.fixture(scope="session")
def model() -> Embedder:
    return process_embedder()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, model: Embedder) -> Iterator[Library]:
    made = filled(tmp_path_factory.mktemp("home"), model)
    name_missing(made)
    yield made
    close_libraries()
