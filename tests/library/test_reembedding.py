"""Another embedder's vectors take the place of those that are there."""

import pytest

from citeloom.settings import Settings
from tests.library.words import PARTS, LetterEmbedder, WordEmbedder, fill, paper
from tools.errors import LibraryError
from tools.library.library import Library
from tools.library.open import close_libraries, create_library, open_library


@pytest.fixture
def mine(library: Library) -> Library:
    return fill(library)


def test_another_embedder_reads_but_does_not_search_until_the_library_is_indexed_with_it(
    mine: Library, settings: Settings
) -> None:
    other = LetterEmbedder()
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
    assert library.remove(["10.1000/p1"]) == 1
    assert library.texts.tag("10.1000/p2", ["new"])
    assert library.texts.remove(["10.1000/p2"]) == 1
    library.add([paper(99)], index=False)
    assert library.stats().papers == 20
    assert library.index(reembed=True) == other.texts == 20 + 2
    assert library.search("topic1", limit=1)
    hit = library.texts.search("limits of what was done", mode="dense", limit=1)[0]
    assert library.texts.get([hit.passage])[hit.passage].text == PARTS[1][1]
    assert (library.stats().embedder, library.stats().size) == ("letters", 96)
    assert len([path for path in library.folder.iterdir() if path.is_dir()]) == 1, "the old is gone"
    assert open_library("mine", settings, other) is library


def test_library_that_is_open_elsewhere_notices_the_swap(mine: Library, settings: Settings) -> None:
    close_libraries()
    assert mine.search("topic1", limit=1)
    for embedder in (LetterEmbedder(), WordEmbedder()):
        other = open_library("mine", settings, embedder, any_embedder=True)
        other.index(reembed=True)
        close_libraries()
        if other.stats().embedder == "letters":
            for search in (mine.search, mine.texts.search):
                with pytest.raises(LibraryError, match=r"letters \(96 numbers\)"):
                    search("topic1", limit=1)
    assert mine.search("topic1", limit=1)
    assert mine.texts.search("first result", limit=1)
    mine.close()


def test_reembedding_on_a_server(settings: Settings, embedder: WordEmbedder) -> None:
    memory = settings.model_copy(update={"qdrant_url": ":memory:"})
    fill(create_library("mine", memory, embedder))
    library = open_library("mine", memory, LetterEmbedder(), any_embedder=True)
    assert library.index(reembed=True) == 26
    assert len(library.texts.search("first result", limit=99)) == 26
