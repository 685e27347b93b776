"""An embedder by words, which needs no model, for the nodes that judge and retrieve paragraphs."""

import pytest

from tests.library.words import WordEmbedder
from tools.embed import calibration


@pytest.fixture
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that share words are near each other; the scale is taken as it is."""
    embedder = WordEmbedder(size=512)
    embedder.name = "words 512"
    monkeypatch.setitem(calibration._measured, embedder.name, calibration.MINILM)
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): embedder})
