"""A snapshot holds the whole library, and a restore is whole or does nothing."""

import gzip
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, document, paper
from tools.errors import InputError, LibraryError
from tools.library.compact import compact
from tools.library.library import Library
from tools.library.open import close_libraries, create_library, library_names, open_library
from tools.library.snapshot import restore_snapshot, take_snapshot
from tools.library.verify import verify

ROOT = Path(__file__).parents[2]
PARTS = (("1 Results", "The first result of all."), ("2 Limits", "The limits of what was done."))


@pytest.fixture
def filled(library: Library) -> Library:
    library.add(map(paper, range(20)))
    library.texts.put(*document(1, *PARTS, tags=("all",)))
    library.index()
    return library


@pytest.fixture
def taken(filled: Library, tmp_path: Path) -> Path:
    path = tmp_path / "mine.gz"
    assert take_snapshot(filled, path) == path.stat().st_size
    return path


def test_restored_library_is_the_one_that_was_taken(
    filled: Library, taken: Path, settings: Settings, embedder: WordEmbedder
) -> None:
    assert restore_snapshot(taken, settings, name="again") == "again"
    again = open_library("again", settings, embedder)
    with pytest.raises(LibraryError, match="citeloom library index again"):
        again.search("topic1", limit=1)
    assert again.index() == 20 + 2
    assert again.ids() == filled.ids()
    assert [*again.texts.pages(99)] == [*filled.texts.pages(99)]
    assert again.search("topic3", limit=9) == filled.search("topic3", limit=9)
    assert again.texts.search("limits", limit=9) == filled.texts.search("limits", limit=9)
    assert again.texts.tags() == {"all": 1}
    assert verify(again) == []
    assert again.add([paper(99)]).added == 1


def test_snapshot_does_not_replace_a_file(filled: Library, taken: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is a file"):
        take_snapshot(filled, taken)
    with pytest.raises(InputError, match="there is no folder"):
        take_snapshot(filled, tmp_path / "none" / "mine.gz")
    assert [path.name for path in taken.parent.glob("*mine*")] == ["mine.gz"]


def test_library_is_replaced_only_by_force_and_notices_it(
    filled: Library, taken: Path, settings: Settings
) -> None:
    filled.remove(["10.1000/p1", "10.1000/p2"])
    filled.add([paper(50, "Zebras in the wild")])
    with pytest.raises(InputError, match="--force"):
        restore_snapshot(taken, settings)
    assert restore_snapshot(taken, settings, force=True) == "mine"
    assert filled.stats().papers == 20
    filled.index()
    assert filled.texts.search("limits of what was done", limit=1)
    assert filled.search("zebras", limit=1, mode="keyword") == []
    assert len(filled.search("topic1", limit=99)) == 20
    assert len([path for path in filled.folder.iterdir() if path.is_dir()]) == 1
    assert verify(filled) == []


def test_snapshot_of_a_library_on_a_server_fits_anywhere(
    settings: Settings, embedder: WordEmbedder, tmp_path: Path
) -> None:
    memory = settings.model_copy(update={"qdrant_url": ":memory:"})
    create_library("served", memory, embedder).add([paper(1)])
    take_snapshot(open_library("served", memory, embedder), tmp_path / "served.gz")
    assert restore_snapshot(tmp_path / "served.gz", settings, name="here") == "here"
    here = open_library("here", settings, embedder)
    here.index()
    assert here.search("topic1", limit=1)


def test_bad_snapshot_is_refused_before_anything_changes(
    filled: Library, taken: Path, settings: Settings, tmp_path: Path
) -> None:
    filled.close()
    whole = taken.read_bytes()
    half = len(whole) // 2
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE meta (key, value)")
    other.close()
    bad = tmp_path / "bad.gz"
    before = sorted(path.name for path in filled.folder.iterdir())
    for content in (
        whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :],
        whole[:half],
        gzip.compress(b""),
        gzip.compress((tmp_path / "other.sqlite").read_bytes()),
        b"no archive",
    ):
        bad.write_bytes(content)
        for name in ("mine", "other"):
            with pytest.raises(LibraryError, match="is no snapshot of a library, or is damaged"):
                restore_snapshot(bad, settings, name=name, force=True)
    assert sorted(path.name for path in filled.folder.iterdir()) == before
    assert library_names(settings) == ["mine", "starter"]
    assert [path.name for path in filled.folder.parent.iterdir()] == ["mine"]


def test_names_that_cannot_be_are_refused(taken: Path, settings: Settings) -> None:
    for name in ("../x", "starter"):
        with pytest.raises(InputError):
            restore_snapshot(taken, settings, name=name)


READ = """
import sys
from pathlib import Path
from citeloom.settings import Settings
from tests.library.words import WordEmbedder
from tools.library.open import open_library
library = open_library("mine", Settings(home=Path(sys.argv[1]), qdrant_url=None), WordEmbedder())
print("reading", flush=True)
answers = set()
while not Path(sys.argv[1], "enough").exists():
    answers.add((library.stats().papers, len(library.get(["10.1000/p1"]))))
print(sorted(answers))
"""


def test_snapshot_and_restore_while_another_process_reads(
    filled: Library, settings: Settings, tmp_path: Path
) -> None:
    close_libraries()
    command = [sys.executable, "-c", READ, str(settings.home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        assert process.stdout.readline() == "reading\n"
        library = open_library("mine", settings, WordEmbedder())
        take_snapshot(library, tmp_path / "mine.gz")
        library.close()
        restore_snapshot(tmp_path / "mine.gz", settings, force=True)
        (settings.home / "enough").touch()
        assert process.stdout.read() == "[(20, 1)]\n"
        assert process.wait() == 0


def test_compacting_deletes_leftovers_and_keeps_what_serves(filled: Library) -> None:
    (filled.folder / "vectors-0000").mkdir()
    (filled.folder / ".vectors-draft").mkdir()
    (filled.folder / ".catalog-1").write_bytes(b"x" * 100_000)
    (filled.folder / "mine.txt").write_text("not ours")
    filled.remove([f"10.1000/p{number}" for number in range(5, 20)])
    done = compact(filled)
    assert done.leftovers == 3
    assert done.after < done.before
    assert (filled.folder / "mine.txt").exists()
    assert verify(filled) == []
    assert len(filled.search("topic1", limit=99)) == 5
