"""Several processes, a killed one, and a full disk: nothing is lost, and it is said."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.library.processes import killed_when_stuck, process, until
from tests.library.words import OtherEmbedder, WordEmbedder, document, fill, paper
from tools.errors import LibraryError
from tools.library.library import Library
from tools.library.library_care import verify
from tools.library.open_library import close_libraries, create_library, open_library
from tools.library.search_types import AddReport
from tools.settings import Settings

OPEN = 'library = open_library("mine", settings, WordEmbedder())\n'


@pytest.fixture
def shared(library: Library) -> Iterator[Library]:
    """A library of 40 papers without abstracts, its files released."""
    library.add([paper(number, abstract=None) for number in range(40)])
    close_libraries()
    yield library
    library.close()


def test_two_processes_write_in_turn_and_a_third_reads(shared: Library, settings: Settings) -> None:
    script = f"""{OPEN}
with library.writing():
    print("held", flush=True)
    first = int(sys.stdin.readline())
for number in range(first, 40, 10):
    put(library, [number])
    library.index()
"""
    seen = 0
    with process(settings.home, script) as one:
        until("held", one)
        with (
            pytest.raises(LibraryError, match="library 'mine' is in use by another process"),
            shared.writing(0.1),
        ):
            pass
        with process(settings.home, script) as two:
            for first, writer in enumerate((one, two)):
                print(first, file=writer.stdin, flush=True)
            while any(writer.poll() is None for writer in (one, two)):
                assert len(shared.search("topic1", limit=99)) == 40
                assert shared.texts.count() >= seen
                seen = shared.texts.count()
    assert (one.returncode, two.returncode) == (0, 0)
    assert (shared.texts.count(), shared.texts.waiting()) == (64, 0)
    assert verify(shared) == []


def test_load_that_was_killed_goes_on_loses_nothing_and_doubles_nothing(
    shared: Library, settings: Settings, embedder: WordEmbedder
) -> None:
    script = """
library = open_library("mine", settings, stuck(WordEmbedder(), 2))
put(library, range(40))
library.add(map(paper, range(40, 140)))
"""
    killed_when_stuck(settings.home, script)
    shared.close()
    library = open_library("mine", settings, embedder)
    assert library.add(map(paper, range(40, 140))) == AddReport(unchanged=100)
    before = embedder.texts - (320 + 100 - 2 * 128)
    assert before == 40, "of the papers that were there"
    assert (library.texts.count(), library.texts.waiting()) == (320 + 100, 0)
    assert len(library.vectors(library.ids())) == 140
    found = library.texts.search("words of part3", limit=999)
    assert len({hit.passage for hit in found}) == len(found) == 420
    assert verify(library) == []


def test_killed_reembedding_goes_on_with_what_was_changed_meanwhile(
    settings: Settings, embedder: WordEmbedder
) -> None:
    fill(create_library("mine", settings, embedder), 300)
    close_libraries()
    script = """
library = open_library("mine", settings, stuck(OtherEmbedder(96), 2), any_embedder=True)
library.index(reembed=True)
"""
    killed_when_stuck(settings.home, script)
    before = open_library("mine", settings, WordEmbedder())
    assert len(before.search("topic1", limit=400)) == 300, "the old one serves until it is done"
    with pytest.raises(LibraryError, match=r"made with the embedder other \(96 numbers\)"):
        before.add([paper(998)])
    assert before.remove(["10.1000/p998"]) == 1
    other = OtherEmbedder(96)
    library = open_library("mine", settings, other)
    with pytest.raises(LibraryError, match=r"made with the embedder words \(64 numbers\)"):
        library.search("topic1", limit=1)
    other.texts = 0
    library.remove(["10.1000/p0", "10.1000/p1"])
    library.add([paper(2, "Zebras in the wild"), paper(999)], index=False)
    assert library.index() == other.texts == 306 - 2 * 128 - 4 + 2
    assert len(library.search("topic1", limit=400)) == 299
    assert library.search("zebras wild", limit=1)[0].paper == "doi:10.1000/p2"
    assert verify(library) == []


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="the system has no limit to try")
def test_full_disk_is_said_and_loses_nothing_that_was_kept(
    shared: Library, settings: Settings
) -> None:
    script = f"""{OPEN}
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def room(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
put(library, range(40))
library.vector_index.indexes.filled().engine.drop()
library.close()
room(400_000)
try:
    library.index()
except LibraryError as error:
    print("vectors:", error)
room((library.folder / "catalog.sqlite").stat().st_size + 200_000)
kept = 0
try:
    for number in range(40):
        parts = [(f"{{at}} Part", f"{{at}} {{number}} " + "word " * 2000) for at in range(9)]
        library.texts.put(*document(number, *parts, name="large.pdf"))
        kept += 1
except LibraryError as error:
    print(kept, error)
"""
    with process(settings.home, script) as crowded:
        vectors, catalog = crowded.communicate()[0].splitlines()
    assert vectors.startswith("vectors: ")
    kept, _, message = catalog.partition(" ")
    assert "disk is probably full" in message
    assert 0 < int(kept) < 40
    assert len(shared.texts.documents()) == 40 + int(kept)
    assert shared.texts.put(*document(39, ("1 A", "There is room again."))) == "updated"
    shared.index()
    assert (shared.texts.count(), shared.texts.waiting()) == (320 - 8 + 1 + 9 * int(kept), 0)
    assert verify(shared) == []


def test_processes_that_make_a_library_together_make_one(tmp_path: Path) -> None:
    script = """
import sqlite3
from tools.library.database import Database
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    with Database(home / f"{number}.sqlite").reading() as db:
        assert db.execute("SELECT count(*) FROM papers").fetchone() == (0,)
"""
    with process(tmp_path, script) as one, process(tmp_path, script) as two:
        for each in (one, two):
            until("ready", each)
        for each in (one, two):
            print(file=each.stdin, flush=True)
        assert (one.wait(), two.wait()) == (0, 0)
