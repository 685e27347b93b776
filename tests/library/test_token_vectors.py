"""An embedder that makes term weights and token vectors has them stored and used."""

import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np
import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, document, paper
from tools.embed.port import Encoded, TermWeights, Vectors
from tools.library.library import Library
from tools.library.open import close_libraries, create_library, open_library
from tools.library.verify import verify
from tools.retrieve.port import PassageFilter

NEAR = "the red fox runs over the hill"
FAR = "the hill, the hill, the hill and the fox"


class RichEmbedder(WordEmbedder):
    """Words, their weights, and a vector for each."""

    name = "rich"
    multi_size = 16

    def encode(self, texts: Sequence[str]) -> Encoded:
        words = [re.findall(r"\w+", text.lower()) or ["-"] for text in texts]
        return Encoded(
            self.embed(texts), tuple(map(weights, words)), tuple(map(self.tokens, words))
        )

    def tokens(self, words: list[str]) -> Vectors:
        rows = [np.random.default_rng(crc32(word.encode())).standard_normal(16) for word in words]
        vectors = np.asarray(rows, dtype=np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def weights(words: list[str]) -> TermWeights:
    terms = sorted({crc32(word.encode()) % 10_000 for word in words})
    return TermWeights(tuple(terms), (1.0,) * len(terms))


@pytest.fixture(params=[None, ":memory:"])
def rich(request: pytest.FixtureRequest, settings: Settings) -> Library:
    given = settings.model_copy(update={"qdrant_url": request.param})
    library = create_library("rich", given, RichEmbedder())
    library.add([paper(number) for number in range(4)])
    parts = [("1 A", NEAR), ("2 B", FAR), *((f"{n} C", f"a filler of fox{n}") for n in range(9))]
    library.texts.put(*document(1, *parts, tags=("all",)))
    library.index()
    return library


def test_hybrid_search_orders_by_token_vectors(rich: Library) -> None:
    hits = rich.texts.search("red fox hill", limit=4)
    assert rich.texts.get([hits[0].passage])[hits[0].passage].text == NEAR
    assert hits[0].score == pytest.approx(3.0, abs=1e-3), "each of three words is found as it is"
    wanted = PassageFilter(sections=frozenset({"b"}))
    (only,) = rich.texts.search("red fox hill", limit=4, wanted=wanted)
    assert rich.texts.get([only.passage])[only.passage].text == FAR


@pytest.mark.parametrize("mode", ["dense", "keyword"])
def test_other_modes_rank_as_ever(rich: Library, mode: str) -> None:
    hits = rich.texts.search("red fox", mode=mode, limit=4)  # type: ignore[arg-type]
    assert rich.texts.get([hits[0].passage])[hits[0].passage].text == NEAR
    assert verify(rich) == []


def test_library_changes_to_token_vectors_and_back(settings: Settings) -> None:
    library = create_library("mine", settings, WordEmbedder())
    library.add([paper(number) for number in range(4)])
    for embedder in (RichEmbedder(), WordEmbedder()):
        library = open_library("mine", settings, embedder, any_embedder=True)
        library.index(reembed=True)
        assert len(library.texts.search("topic1", limit=9)) == 4
        close_libraries()
