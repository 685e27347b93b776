"""Rankers are tested with an embedder by words, which needs no model."""

import pytest

from tests.library.words import WordEmbedder


@pytest.fixture(autouse=True)
def _embedder_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): WordEmbedder()})
