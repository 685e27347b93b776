"""Damage is found, said in words, and made good where it can be."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, document, paper
from tools.errors import LibraryError
from tools.library.bm25 import document_terms
from tools.library.library import Library
from tools.library.open import close_libraries, open_library
from tools.library.port import Point
from tools.library.verify import repair, verify

PARTS = (("1 Results", "The first result of all."), ("2 Limits", "The limits of what was done."))
Damage = Callable[[Library], None]


@pytest.fixture
def whole(library: Library) -> Library:
    library.add(map(paper, range(20)))
    for number in range(4):
        library.texts.put(*document(number, *PARTS, tags=("all",)))
    library.index()
    return library


def sql(library: Library, *statements: str) -> None:
    database = sqlite3.connect(library.folder / "catalog.sqlite")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def test_whole_library_has_no_faults(whole: Library) -> None:
    assert verify(whole) == []
    whole.remove(["10.1000/p1"])
    whole.texts.tag("10.1000/p2", ["new"])
    whole.add([paper(3, "Another title"), paper(77)], index=False)
    assert verify(whole) == []


def lose_vectors(library: Library) -> None:
    library.vector_index.serving().engine.delete([1, 2, 23])


def leave_orphans(library: Library) -> None:
    point = Point(999, {"paper": "gone"}, np.eye(64, dtype=np.float32)[0], document_terms("gone"))
    library.vector_index.serving().engine.upsert([point])


def change_words(library: Library) -> None:
    sql(library, "UPDATE texts SET text = 'Quite other words.' WHERE point = 5")


def lose_folder(library: Library) -> None:
    library.close()
    library.vector_index.serving().engine.drop()


def drop_row(library: Library) -> None:
    sql(library, "DELETE FROM papers WHERE point = 4")


def spoil_folder(library: Library) -> None:
    library.close()
    for path in library.folder.glob("vectors-*/**/*"):
        if path.is_file():
            path.write_bytes(b"\xff" * path.stat().st_size)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lose_vectors, "3 texts have no vector (points 1, 2, 23)"),
        (leave_orphans, "1 texts are gone, and their vectors are still here (points 999)"),
        (lose_folder, "all 28 vectors are lost"),
        (drop_row, "belong to no paper"),
        (spoil_folder, "the vectors cannot be read"),
        (change_words, "passages have ids that are not those of their words"),
    ],
)
def test_damage_is_said_and_made_good(whole: Library, damage: Damage, said: str) -> None:
    damage(whole)
    faults = verify(whole)
    assert any(said in fault.what for fault in faults), faults
    assert all("citeloom library verify mine --repair" in f.remedy for f in faults if f.repairable)
    assert [fault for fault in repair(whole) if fault.repairable] == []
    assert len(whole.search("topic1", limit=99)) == whole.stats().papers
    assert len(whole.texts.search("result topic1", limit=99)) == whole.texts.count()


def test_flipped_bytes_of_a_vector_are_found(whole: Library) -> None:
    whole.close()
    vector = whole.vector_index.serving().engine.vectors([1])[1]
    whole.close()
    spoiled = 0
    for path in whole.folder.glob("vectors-*/**/*"):
        if path.is_file() and (at := path.read_bytes().find(vector.tobytes()[:32])) >= 0:
            content = bytearray(path.read_bytes())
            content[at + 3] ^= 0xFF
            path.write_bytes(bytes(content))
            spoiled += 1
    assert spoiled
    faults = verify(whole)
    assert faults
    assert repair(whole) == []


def test_passage_that_is_not_in_its_document_names_the_file(whole: Library) -> None:
    sql(whole, "UPDATE texts SET start = start + 1 WHERE text LIKE 'The limits%' AND paper = 1")
    (fault,) = verify(whole)
    assert "1 passages of 'p0.pdf' are not in its text" in fault.what
    assert fault.remedy == "add the file 'p0.pdf' of doi:10.1000/p0 again"
    assert repair(whole) == [fault]


def test_damaged_text_of_a_document_names_the_file(whole: Library) -> None:
    sql(whole, "UPDATE documents SET text = x'00ff' WHERE number = 2")
    (fault,) = verify(whole)
    assert "is damaged" in fault.what
    assert "p1.pdf" in fault.remedy


def test_flipped_bytes_of_the_catalog_are_found(
    whole: Library, settings: Settings, embedder: WordEmbedder
) -> None:
    path = whole.folder / "catalog.sqlite"
    close_libraries()
    kept = path.read_bytes()
    for at in (0.0, 0.2, 0.4, 0.6, 0.8):
        content = bytearray(kept)
        start = int(at * len(content)) // 4096 * 4096
        content[start : start + 64] = bytes(byte ^ 0xFF for byte in content[start : start + 64])
        path.write_bytes(bytes(content))
        with suppress(LibraryError):  # if it cannot even be opened, that says so
            faults = verify(open_library("mine", settings, embedder))
            assert faults, at
            assert not faults[0].repairable
            assert "restore" in faults[0].remedy
        close_libraries()


def test_missing_catalog_is_no_library(whole: Library, settings: Settings, tmp_path: Path) -> None:
    close_libraries()
    (whole.folder / "catalog.sqlite").unlink()
    with pytest.raises(LibraryError, match="there is no library 'mine'"):
        open_library("mine", settings, WordEmbedder())
