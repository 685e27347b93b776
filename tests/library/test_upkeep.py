"""Damage is found and made good; a snapshot holds all, and a restore is whole or does nothing."""

import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest

from tests.library.words import WordEmbedder, paper
from tools.errors import InputError, LibraryError
from tools.library.hybrid_search import (
    document_terms,
)
from tools.library.library import Library
from tools.library.library_care import compact, repair, verify
from tools.library.library_snapshot import restore_snapshot, take_snapshot
from tools.library.open_library import close_libraries, library_names, open_library
from tools.library.vector_index import (
    Point,
    VectorIndex,
)
from tools.settings import Settings


def sql(library: Library, statement: str) -> None:
    with closing(sqlite3.connect(library.folder / "catalog.sqlite", isolation_level=None)) as db:
        db.execute(statement)


def engine(library: Library) -> VectorIndex:
    return library.vector_index.indexes.filled().engine


def orphan(library: Library) -> None:
    point = Point(999, {"paper": "gone"}, np.eye(64, dtype=np.float32)[0], document_terms("gone"))
    engine(library).upsert([point])


def spoil(library: Library, vector: bytes = b"", size: int = 4_000_000) -> None:
    """Overwrite `size` bytes of every file of vectors that holds this one."""
    library.close()
    for path in library.folder.glob("vectors-*/**/*"):
        if path.is_file() and (at := path.read_bytes().find(vector)) >= 0:
            content = bytearray(path.read_bytes())
            content[at : at + size] = b"\xff" * len(content[at : at + size])
            path.write_bytes(content)


DAMAGES: list[tuple[Callable[[Library], None], str]] = [
    (
        lambda library: engine(library).delete([1, 2, 23]),
        "3 texts have no vector (points 1, 2, 23)",
    ),
    (orphan, "1 text is gone, and its vector is still here (points 999)"),
    (lambda library: engine(library).drop(), "all 26 vectors are lost"),
    (spoil, "the vectors cannot be read"),
    (lambda library: spoil(library, engine(library).vectors([1])[1].tobytes()[:32], 4), "vector"),
    (lambda library: sql(library, "DELETE FROM papers WHERE point = 4"), "belong to no paper"),
    (
        lambda library: sql(library, "UPDATE texts SET text = 'Quite other.' WHERE point = 5"),
        "1 passage has an id that is not that of its words",
    ),
]


def test_damage_is_said_and_made_good_again_and_again(filled: Library) -> None:
    for damage, said in DAMAGES:
        assert verify(filled) == [], "before it"
        damage(filled)
        faults = verify(filled)
        assert any(said in fault.what for fault in faults), (said, faults)
        assert {f.remedy for f in faults} == {"repair the library"}
        assert repair(filled) == []
        assert len(filled.search("topic1", limit=99)) == filled.stats().papers
        assert len(filled.texts.search("result topic1", limit=99)) == filled.texts.count()
    filled.add([paper(4, "Another title"), paper(77)], index=False)
    assert verify(filled) == [], "what waits for its vector is no fault"


def test_vectors_that_are_lost_are_made_anew_also_by_who_only_looked(filled: Library) -> None:
    engine(filled).drop()
    assert verify(filled)
    assert verify(filled), "looking makes nothing"
    assert filled.index() == 26
    assert len(filled.search("topic1", limit=99)) == filled.stats().papers


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE texts SET start = start + 1 WHERE text LIKE 'The limits%' AND paper = 1",
        "DELETE FROM gaps WHERE document = 1",
        "UPDATE documents SET length = length + 9 WHERE number = 1",
    ],
)
def test_what_cannot_be_made_again_names_the_file_to_add(filled: Library, damage: str) -> None:
    sql(filled, damage)
    (fault,) = verify(filled)
    assert "is damaged" in fault.what
    assert fault.remedy == "add the file 'p0.pdf' of doi:10.1000/p0 again"
    assert repair(filled) == [fault]


def test_flipped_bytes_of_the_catalog_and_its_loss_are_said(
    filled: Library, settings: Settings, embedder: WordEmbedder
) -> None:
    path = filled.folder / "catalog.sqlite"
    close_libraries()
    kept = path.read_bytes()
    for at in (0.0, 0.2, 0.4, 0.6, 0.8):
        content = bytearray(kept)
        start = int(at * len(content)) // 4096 * 4096
        content[start : start + 64] = bytes(byte ^ 0xFF for byte in content[start : start + 64])
        path.write_bytes(bytes(content))
        with suppress(LibraryError):  # if it cannot even be opened, that says so
            fault = verify(open_library("mine", settings, embedder))[0]
            assert not fault.repairable
            assert "restore" in fault.remedy
        close_libraries()
    path.unlink()
    with pytest.raises(LibraryError, match="the library 'mine' has lost its catalog"):
        open_library("mine", settings, embedder)


@pytest.fixture
def taken(filled: Library, tmp_path: Path) -> Path:
    path = tmp_path / "mine.gz"
    assert take_snapshot(filled, path) == path.stat().st_size
    return path


def test_restored_library_is_the_one_that_was_taken_and_replaces_another_only_by_force(
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
    filled.add([paper(50, "Zebras in the wild")])
    with pytest.raises(InputError, match="have it replaced"):
        restore_snapshot(taken, settings)
    restore_snapshot(taken, settings, force=True)
    filled.index()
    assert filled.search("zebras", limit=1, mode="keyword") == [], "it notices being replaced"
    assert verify(filled) == []


def test_bad_snapshot_name_or_place_is_refused_before_anything_changes(
    filled: Library, taken: Path, settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="there is a file"):
        take_snapshot(filled, taken)
    with pytest.raises(InputError, match="there is no folder"):
        take_snapshot(filled, tmp_path / "none" / "mine.gz")
    with pytest.raises(InputError, match="cannot be a library's name"):
        restore_snapshot(taken, settings, name="../x")
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
            with pytest.raises(LibraryError, match="is not a snapshot of a library, or is damaged"):
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
