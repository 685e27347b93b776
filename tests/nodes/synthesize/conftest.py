"""An embedder by words, which needs no model, for the nodes that judge and retrieve paragraphs."""

import pytest

from tests.library.words import WordEmbedder


@pytest.fixture
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that share words are near each other."""
    embedder = WordEmbedder(size=512)
    embedder.name = "words 512"
    monkeypatch.setattr("tools.embed.open._opened", {("minilm", "", ""): embedder})
