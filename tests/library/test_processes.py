"""Several processes, a killed one, and a full disk: nothing is lost, and it is said; libraries have names."""

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.library.processes import killed_when_stuck, process, until
from tests.library.words import OtherEmbedder, WordEmbedder, document, fill, paper
from tools.errors import InputError, LibraryError
from tools.library.library import Library
from tools.library.library_care import verify
from tools.library.open_library import (
    close_libraries,
    create_library,
    delete_library,
    library_names,
    open_library,
)
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
    assert (one.poll(), two.poll()) == (0, 0)
    assert (shared.texts.count(), shared.texts.waiting(), verify(shared)) == (64, 0, [])


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
        vectors, catalog = crowded.rest().splitlines()
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


BUILD = """
library = open_library("starter", settings, embedder, starter=home.parent / "papers.jsonl")
print(len(library.ids()), library.stats().waiting, embedder.texts)
"""


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    return written(tmp_path / "papers.jsonl", range(5))


def written(path: Path, numbers: range, note: str = "") -> Path:
    papers = [paper(number, abstract=f"About topic{number}{note}.") for number in numbers]
    path.write_text("".join(f"{one.model_dump_json()}\n" for one in papers), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["", "../x", "A", "a\n", ".hidden", "C:"])
def test_name_that_could_be_a_path_is_refused(
    settings: Settings, embedder: WordEmbedder, name: str
) -> None:
    for action in (open_library, create_library, delete_library):
        with pytest.raises(InputError, match="cannot be a library's name"):
            action(name, settings, embedder)
    assert not settings.home.exists()


def test_library_is_made_opened_as_one_object_and_deleted(
    settings: Settings, embedder: WordEmbedder
) -> None:
    made = create_library("mine", settings, embedder)
    assert open_library("mine", settings, embedder) is made
    assert create_library("mine", settings, embedder) is made
    how = r"mine, starter.*citeloom library add`"
    with pytest.raises(LibraryError, match=how):
        open_library("other", settings, embedder)
    made.add([paper(1)])
    delete_library("mine", settings, embedder)
    assert library_names(settings) == ["starter"]
    assert create_library("mine", settings, embedder).search("topic1", limit=3) == []


def test_starter_is_built_from_its_file_and_follows_it(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    library = open_library("starter", settings, embedder, starter=starter)
    assert library.search("topic3", limit=1, mode="keyword")[0].paper == "doi:10.1000/p3"
    assert library.get(["10.1000/p3"])["10.1000/p3"].abstract_kind == "annotation"
    close_libraries()
    library = open_library("starter", settings, embedder, starter=starter)
    assert embedder.texts == 5, "what is built is not built again"
    written(starter, range(3, 8), note=" and zebras")
    assert open_library("starter", settings, embedder, starter=starter) is library
    assert library.ids() == [f"doi:10.1000/p{number}" for number in range(3, 8)]
    assert len(library.search("zebras", limit=9, mode="keyword")) == 5
    starter.write_text('{"title": ""}\n', encoding="utf-8")
    with pytest.raises(LibraryError, match="line 1"):
        open_library("starter", settings, embedder, starter=starter)


def test_library_too_old_to_be_read_is_refused_and_can_be_removed(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    create_library("old", settings, embedder)
    open_library("starter", settings, embedder, starter=starter)
    close_libraries()
    for name in ("old", "starter"):
        with closing(sqlite3.connect(settings.home / "libraries" / name / "catalog.sqlite")) as db:
            db.execute("PRAGMA user_version=2")
        with pytest.raises(LibraryError, match=r"made by an earlier CiteLoom.* remove the library"):
            open_library(name, settings, embedder, starter=starter)
        delete_library(name, settings, embedder)
    assert library_names(settings) == ["starter"]
    assert len(open_library("starter", settings, embedder, starter=starter).ids()) == 5


@pytest.mark.usefixtures("starter")
def test_two_processes_build_the_starter_once(settings: Settings) -> None:
    script = f"embedder = WordEmbedder(pause=0.5){BUILD}"
    with process(settings.home, script) as one, process(settings.home, script) as two:
        answers = [started.rest() for started in (one, two)]
    assert sorted(answers) == ["5 0 0\n", "5 0 5\n"]


def test_build_that_was_killed_is_finished_by_the_next(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    killed_when_stuck(settings.home, f"embedder = stuck(WordEmbedder(), 0){BUILD}")
    library = open_library("starter", settings, embedder, starter=starter)
    assert (len(library.ids()), library.stats().waiting) == (5, 0)
