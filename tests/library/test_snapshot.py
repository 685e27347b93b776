"""A snapshot holds the whole library, and a restore is whole or does nothing."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, paper
from tools.errors import InputError, LibraryError
from tools.library.compact import compact
from tools.library.library import Library
from tools.library.open import library_names, open_library
from tools.library.snapshot import restore_snapshot, take_snapshot
from tools.library.verify import verify


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
    assert again.index() == 20 + 6
    assert again.ids() == filled.ids()
    assert [*again.texts.pages(99)] == [*filled.texts.pages(99)]
    assert again.search("topic3", limit=9) == filled.search("topic3", limit=9)
    assert again.texts.tags() == {"all": 3}
    assert verify(again) == []


def test_library_is_replaced_only_by_force_and_notices_it(
    filled: Library, taken: Path, settings: Settings
) -> None:
    filled.add([paper(50, "Zebras in the wild")])
    with pytest.raises(InputError, match="--force"):
        restore_snapshot(taken, settings)
    restore_snapshot(taken, settings, force=True)
    filled.index()
    assert filled.search("zebras", limit=1, mode="keyword") == []
    assert len(filled.search("topic1", limit=99)) == 20
    assert verify(filled) == []


def test_bad_snapshot_name_or_place_is_refused_before_anything_changes(
    filled: Library, taken: Path, settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="there is a file"):
        take_snapshot(filled, taken)
    with pytest.raises(InputError, match="there is no folder"):
        take_snapshot(filled, tmp_path / "none" / "mine.gz")
    for name in ("../x", "starter"):
        with pytest.raises(InputError):
            restore_snapshot(taken, settings, name=name)
    filled.close()
    whole = taken.read_bytes()
    half = len(whole) // 2
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as other:
        other.execute("CREATE TABLE meta (key, value)")
    bad = tmp_path / "bad.gz"
    before = sorted(path.name for path in filled.folder.iterdir())
    for content in (
        whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :],
        whole[:half],
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


def test_compacting_deletes_leftovers_and_keeps_what_serves(filled: Library) -> None:
    (filled.folder / "vectors-0000").mkdir()
    (filled.folder / ".catalog-1").write_bytes(b"x" * 100_000)
    (filled.folder / "mine.txt").write_text("not ours")
    filled.remove([f"10.1000/p{number}" for number in range(5, 20)])
    done = compact(filled)
    assert done.leftovers == 2
    assert done.after < done.before
    assert (filled.folder / "mine.txt").exists()
    assert verify(filled) == []
