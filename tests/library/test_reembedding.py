"""Another embedder's vectors take the place of those that are there."""

import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.settings import Settings
from tests.library.words import LetterEmbedder, WordEmbedder, document, paper
from tools.errors import LibraryError
from tools.library.library import Library
from tools.library.open import close_libraries, create_library, open_library
from tools.library.verify import verify

ROOT = Path(__file__).parents[2]
PARTS = (("1 Results", "The first result of all."), ("2 Limits", "The limits of what was done."))


def fill(library: Library, many: int = 30) -> None:
    library.add(map(paper, range(many)))
    for number in range(3):
        library.texts.put(*document(number, *PARTS, tags=("all",)))
    library.index()


def folders(library: Library) -> list[str]:
    return sorted(path.name for path in library.folder.iterdir() if path.is_dir())


def test_search_with_another_embedder_is_refused_until_the_library_is_indexed_with_it(
    settings: Settings, embedder: WordEmbedder
) -> None:
    fill(create_library("mine", settings, embedder))
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
    assert library.index(reembed=True) == 30 + 6
    assert other.texts == 30 + 6
    assert library.search("topic1", limit=1)
    hit = library.texts.search("limits of what was done", mode="dense", limit=1)[0]
    assert library.texts.get([hit.passage])[hit.passage].text == PARTS[1][1]
    assert (library.stats().embedder, library.stats().size) == ("letters", 96)
    assert len(folders(library)) == 1, "the old vectors are gone"
    assert open_library("mine", settings, other) is library


def test_reading_needs_no_embedder(settings: Settings, embedder: WordEmbedder) -> None:
    fill(create_library("mine", settings, embedder))
    library = open_library("mine", settings, LetterEmbedder(), any_embedder=True)
    assert library.texts.count() == 36
    assert library.remove(["10.1000/p1"]) == 1
    assert library.texts.tag("10.1000/p2", ["new"])
    assert library.texts.remove(["10.1000/p2"]) == 1
    library.add([paper(99)], index=False)
    assert library.stats().papers == 30


def test_library_that_is_open_elsewhere_notices_the_swap(
    settings: Settings, embedder: WordEmbedder
) -> None:
    mine = create_library("mine", settings, embedder)
    fill(mine)
    close_libraries()
    assert mine.search("topic1", limit=1)
    other = open_library("mine", settings, LetterEmbedder(), any_embedder=True)
    other.index(reembed=True)
    other.close()
    with pytest.raises(LibraryError, match=r"letters \(96 numbers\)"):
        mine.search("topic1", limit=1)
    with pytest.raises(LibraryError, match=r"letters \(96 numbers\)"):
        mine.texts.search("topic1", limit=1)
    back = open_library("mine", settings, WordEmbedder(), any_embedder=True)
    back.index(reembed=True)
    back.close()
    assert mine.search("topic1", limit=1)
    assert mine.texts.search("first result", limit=1)
    mine.close()


def test_reembedding_on_a_server(settings: Settings, embedder: WordEmbedder) -> None:
    memory = settings.model_copy(update={"qdrant_url": ":memory:"})
    fill(create_library("mine", memory, embedder))
    library = open_library("mine", memory, LetterEmbedder(), any_embedder=True)
    assert library.index(reembed=True) == 36
    assert len(library.texts.search("first result", limit=99)) == 36


REEMBED = """
import sys
from pathlib import Path
from citeloom.settings import Settings
from tests.library.words import LetterEmbedder
from tools.library.open import open_library
settings = Settings(home=Path(sys.argv[1]), qdrant_url=None)
library = open_library("mine", settings, LetterEmbedder(pause=0.3), any_embedder=True)
library.index(reembed=True, progress=lambda done, total: print(done, total, flush=True))
"""


def start(settings: Settings) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", REEMBED, str(settings.home)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


@pytest.fixture
def killed(settings: Settings, embedder: WordEmbedder) -> int:
    """A library of 300 papers whose re-embedding was killed; how many vectors were made."""
    fill(create_library("mine", settings, embedder), 300)
    close_libraries()
    with start(settings) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(3)]
        process.kill()
    assert lines == ["0 306\n", "128 306\n", "256 306\n"]
    return 256


def test_killed_reembedding_goes_on_with_what_was_changed_meanwhile(
    settings: Settings, killed: int
) -> None:
    with pytest.raises(LibraryError, match=r"letters \(96 numbers\)"):
        open_library("mine", settings, WordEmbedder())
    other = LetterEmbedder()
    library = open_library("mine", settings, other)
    assert len(library.search("topic1", limit=400)) == killed, "what has its vector is found"
    other.texts = 0
    library.remove(["10.1000/p0", "10.1000/p1"])
    library.add([paper(2, "Zebras in the wild"), paper(999)], index=False)
    assert library.index() == other.texts == 306 - killed - 4 + 2
    assert len(library.search("topic1", limit=400)) == 299
    assert library.search("zebras wild", limit=1)[0].paper == "doi:10.1000/p2"
    assert len(folders(library)) == 1
    assert verify(library) == []
