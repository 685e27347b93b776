"""Libraries have names, belong to one embedder, and the starter library is always there."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, paper
from tools.errors import InputError, LibraryError
from tools.library.lock import WriteLock
from tools.library.open import (
    close_libraries,
    create_library,
    delete_library,
    library_names,
    open_library,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    path = tmp_path / "papers.jsonl"
    write(path, range(5))
    return path


def write(path: Path, numbers: range, note: str = "") -> None:
    rows = [
        {
            "id": f"10.1000/p{number}",
            "title": f"Paper number {number} of the starter",
            "abstract": f"An annotation about topic{number}{note}.",
            "year": 2000 + number,
            "authors": ["Ann Author"],
            "references": ["10.1000/p0"],
        }
        for number in numbers
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    ["", "..", "../x", "a/b", "A", "-a", "a b", "ä", "x" * 65, "a\n", ".hidden", "a\\b", "C:"],
)
def test_name_that_could_be_a_path_is_refused(
    settings: Settings, embedder: WordEmbedder, name: str
) -> None:
    for action in (open_library, create_library, delete_library):
        with pytest.raises(InputError, match="cannot be a library's name"):
            action(name, settings, embedder)
    assert not settings.home.exists()


def test_unknown_name_lists_the_known_ones_and_how_to_make_one(
    settings: Settings, embedder: WordEmbedder
) -> None:
    create_library("mine", settings, embedder)
    with pytest.raises(
        LibraryError, match=r"mine, starter.*citeloom library add FILE --library other"
    ):
        open_library("other", settings, embedder)
    assert library_names(settings) == ["mine", "starter"]


def test_one_object_serves_the_process(settings: Settings, embedder: WordEmbedder) -> None:
    made = create_library("mine", settings, embedder)
    assert open_library("mine", settings, embedder) is made
    assert create_library("mine", settings, embedder) is made


def test_deleted_library_is_gone(settings: Settings, embedder: WordEmbedder) -> None:
    library = create_library("mine", settings, embedder)
    library.add([paper(1)])
    delete_library("mine", settings, embedder)
    assert not library.folder.exists()
    with pytest.raises(LibraryError, match="there is no library"):
        open_library("mine", settings, embedder)
    again = create_library("mine", settings, embedder)
    assert again.search("topic1", limit=3) == []


def test_starter_is_built_from_its_file_and_marked_as_annotated(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    library = open_library("starter", settings, embedder, starter=starter)
    assert library.search("topic3", limit=1, mode="keyword")[0].paper == "doi:10.1000/p3"
    found = library.get(["10.1000/p3"])["10.1000/p3"]
    assert found.abstract_kind == "annotation"
    texts = embedder.texts
    close_libraries()
    open_library("starter", settings, embedder, starter=starter)
    assert embedder.texts == texts


def test_starter_follows_its_file(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    library = open_library("starter", settings, embedder, starter=starter)
    write(starter, range(3, 8), note=" and zebras")
    assert open_library("starter", settings, embedder, starter=starter) is library
    assert library.ids() == [f"doi:10.1000/p{number}" for number in range(3, 8)]
    assert len(library.search("zebras", limit=9, mode="keyword")) == 5


def test_starter_with_a_bad_line_is_refused(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    starter.write_text('{"title": ""}\n', encoding="utf-8")
    with pytest.raises(LibraryError, match="line 1"):
        open_library("starter", settings, embedder, starter=starter)


BUILD = """
import sys
from pathlib import Path
from citeloom.settings import Settings
from tests.library.words import WordEmbedder
from tools.library.open import open_library
embedder = WordEmbedder(pause=float(sys.argv[3]))
settings = Settings(home=Path(sys.argv[1]), qdrant_url=None)
print("start", flush=True)
library = open_library("starter", settings, embedder, starter=Path(sys.argv[2]))
print(len(library.ids()), library.stats().waiting, embedder.texts)
"""


def build(settings: Settings, starter: Path, pause: float) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", BUILD, str(settings.home), str(starter), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_two_processes_build_the_starter_once(settings: Settings, starter: Path) -> None:
    processes = [build(settings, starter, 0.5) for _ in range(2)]
    answers = [process.communicate()[0].splitlines()[-1] for process in processes]
    assert sorted(answers) == ["5 0 0", "5 0 5"]


def test_build_that_was_killed_is_finished_by_the_next(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    with build(settings, starter, 30) as process:
        catalog = settings.home / "libraries" / "starter" / "catalog.sqlite"
        while not rows(catalog):  # until the records are in and their vectors are being made
            assert process.poll() is None
        process.kill()
    library = open_library("starter", settings, embedder, starter=starter)
    assert (len(library.ids()), library.stats().waiting) == (5, 0)


def rows(catalog: Path) -> int:
    if not catalog.exists():
        return 0
    database = sqlite3.connect(catalog)
    try:
        return int(database.execute("SELECT COUNT(*) FROM papers").fetchone()[0])
    finally:
        database.close()


def test_other_writer_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    lock = WriteLock(path, "library 'mine'")
    with (
        WriteLock(path, "the other").held(),
        pytest.raises(LibraryError, match="library 'mine' is being written by another"),
        lock.held(0.1),
    ):
        pass
    with lock.held(0.1), lock.held(0.1):
        assert path.exists()
