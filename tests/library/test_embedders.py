"""What an embedder makes is stored and used, and another's takes its place."""

import re
from collections.abc import Sequence
from zlib import crc32

import pytest

from tests.library.words import PARTS, OtherEmbedder, WordEmbedder, document, fill, paper
from tools.embed.embedder import Encoded, TermWeights
from tools.errors import LibraryError
from tools.library.embedded_index import EmbeddedIndex
from tools.library.library import Library
from tools.library.library_care import verify
from tools.library.open_library import close_libraries, create_library, open_library
from tools.library.search_types import PassageFilter
from tools.settings import Settings

NEAR = "the red fox runs over the hill"
FAR = "the hill, the hill, the hill and the fox"


class RichEmbedder(WordEmbedder):
    """Words, their weights, and a vector for each."""

    name = "rich"
    multi_size = 61

    def encode(self, texts: Sequence[str]) -> Encoded:
        words = [re.findall(r"\w+", text.lower()) or ["-"] for text in texts]
        tokens = map(WordEmbedder(self.multi_size).embed, words)
        return Encoded(self.embed(texts), tuple(map(weights, words)), tuple(tokens))


def weights(words: list[str]) -> TermWeights:
    terms = sorted({crc32(word.encode()) % 10_000 for word in words})
    return TermWeights(tuple(terms), (1.0,) * len(terms))


def test_another_embedder_reads_but_does_not_search_until_the_library_is_indexed_with_it(
    filled: Library, settings: Settings
) -> None:
    other = OtherEmbedder(96)
    with pytest.raises(LibraryError, match=r"words \(64 numbers\).*citeloom library index mine"):
        open_library("mine", settings, other)
    library = open_library("mine", settings, other, any_embedder=True)
    for refused in (
        lambda: library.search("topic1", limit=1),
        lambda: library.texts.search("topic1", limit=1),
        lambda: library.index(),
    ):
        with pytest.raises(LibraryError, match="citeloom library index mine"):
            refused()
    assert library.texts.count() == 26
    assert library.remove(["10.1000/p1"]) == library.texts.remove(["10.1000/p2"]) == 1
    library.add([paper(99)], index=False)
    assert library.index(reembed=True) == other.texts == 20 + 2
    hit = library.texts.search("limits of what was done", mode="dense", limit=1)[0]
    assert library.texts.get([hit.passage])[hit.passage].text == PARTS[1][1]
    assert (library.stats().embedder, library.stats().size) == ("other", 96)
    assert len([path for path in library.folder.iterdir() if path.is_dir()]) == 1, "the old is gone"
    assert open_library("mine", settings, other) is library


def test_library_that_is_open_elsewhere_notices_each_swap(
    filled: Library, settings: Settings
) -> None:
    for embedder in (OtherEmbedder(96), RichEmbedder(), WordEmbedder()):
        close_libraries()
        other = open_library("mine", settings, embedder, any_embedder=True)
        assert other.index(reembed=True) == 26
        assert len(other.texts.search("first result", limit=99)) == 26
        close_libraries()
        if embedder.name == "words":
            assert len(filled.texts.search("first result", limit=99)) == 26
        else:
            with pytest.raises(LibraryError, match=rf"{embedder.name} \({embedder.size} numbers\)"):
                filled.search("topic1", limit=1)
    filled.close()


def test_search_graph_that_a_stop_left_out_is_built_by_the_next_call(
    filled: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def stop(_: EmbeddedIndex) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(EmbeddedIndex, "optimize", stop)
        with pytest.raises(KeyboardInterrupt):
            filled.add([paper(99)])
    monkeypatch.setattr(EmbeddedIndex, "optimize", lambda _: built.append("graph"))
    assert filled.add([paper(99)]).unchanged == 1
    assert built == ["graph"]
    assert filled.add([paper(99)]).unchanged == 1
    assert built == ["graph"], "once"


@pytest.mark.parametrize("url", [None, ":memory:"])
def test_hybrid_search_orders_by_token_vectors_and_other_modes_as_ever(
    settings: Settings, url: str | None
) -> None:
    given = settings.model_copy(update={"qdrant_url": url})
    rich = create_library("rich", given, RichEmbedder())
    fill(rich, 4, 0)
    parts = [("1 A", NEAR), ("2 B", FAR), *((f"{n} C", f"a filler of fox{n}") for n in range(9))]
    rich.texts.put(*document(1, *parts))
    rich.index()
    near, far = (one.id for one in rich.texts.of_paper("10.1000/p1")[1:3])
    best = rich.texts.search("red fox hill", limit=4)[0]
    assert best.passage == near
    assert best.score == pytest.approx(3.0, abs=1e-3), "each of three words is found as it is"
    wanted = PassageFilter(sections=frozenset({"b"}))
    (only,) = rich.texts.search("red fox hill", limit=4, wanted=wanted)
    assert only.passage == far
    assert rich.texts.search("red fox", mode="dense", limit=4)[0].passage == near
    assert rich.texts.search("red fox", mode="keyword", limit=4)[0].passage == near
    assert verify(rich) == []
