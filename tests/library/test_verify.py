"""Damage is found, said in words, and made good where it can be."""

import sqlite3
from contextlib import suppress

import numpy as np
import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, fill, paper
from tools.errors import LibraryError
from tools.library.bm25 import document_terms
from tools.library.library import Library
from tools.library.open import close_libraries, open_library
from tools.library.port import Point
from tools.library.verify import repair, verify


@pytest.fixture
def whole(library: Library) -> Library:
    return fill(library)


def sql(library: Library, statement: str) -> None:
    database = sqlite3.connect(library.folder / "catalog.sqlite")
    database.execute(statement)
    database.commit()
    database.close()


def lose_vectors(library: Library) -> None:
    library.vector_index.serving().engine.delete([1, 2, 23])


def leave_orphans(library: Library) -> None:
    point = Point(999, {"paper": "gone"}, np.eye(64, dtype=np.float32)[0], document_terms("gone"))
    library.vector_index.serving().engine.upsert([point])


def lose_folder(library: Library) -> None:
    library.close()
    library.vector_index.serving().engine.drop()


def spoil_folder(library: Library) -> None:
    library.close()
    for path in library.folder.glob("vectors-*/**/*"):
        if path.is_file():
            path.write_bytes(b"\xff" * path.stat().st_size)


def spoil_a_vector(library: Library) -> None:
    library.close()
    vector = library.vector_index.serving().engine.vectors([1])[1]
    library.close()
    for path in library.folder.glob("vectors-*/**/*"):
        if path.is_file() and (at := path.read_bytes().find(vector.tobytes()[:32])) >= 0:
            content = bytearray(path.read_bytes())
            content[at + 3] ^= 0xFF
            path.write_bytes(bytes(content))


def drop_row(library: Library) -> None:
    sql(library, "DELETE FROM papers WHERE point = 4")


def change_words(library: Library) -> None:
    sql(library, "UPDATE texts SET text = 'Quite other words.' WHERE point = 5")


def test_damage_is_said_and_made_good_again_and_again(whole: Library) -> None:
    for damage, said in (
        (lose_vectors, "3 texts have no vector (points 1, 2, 23)"),
        (leave_orphans, "1 texts are gone, and their vectors are still here (points 999)"),
        (lose_folder, "all 26 vectors are lost"),
        (spoil_folder, "the vectors cannot be read"),
        (spoil_a_vector, "vector"),
        (drop_row, "belong to no paper"),
        (change_words, "passages have ids that are not those of their words"),
    ):
        assert verify(whole) == [], "before it"
        damage(whole)
        faults = verify(whole)
        assert any(said in fault.what for fault in faults), (said, faults)
        assert {f.remedy for f in faults} == {"run `citeloom library verify mine --repair`"}
        assert repair(whole) == []
        assert len(whole.search("topic1", limit=99)) == whole.stats().papers
        assert len(whole.texts.search("result topic1", limit=99)) == whole.texts.count()
    whole.remove(["10.1000/p1"])
    whole.texts.tag("10.1000/p2", ["new"])
    whole.add([paper(4, "Another title"), paper(77)], index=False)
    assert verify(whole) == [], "what waits for its vector is no fault"


def test_what_cannot_be_made_again_names_the_file_to_add(whole: Library) -> None:
    sql(whole, "UPDATE texts SET start = start + 1 WHERE text LIKE 'The limits%' AND paper = 1")
    (fault,) = verify(whole)
    assert "1 passages of 'p0.pdf' are not in its text" in fault.what
    assert fault.remedy == "add the file 'p0.pdf' of doi:10.1000/p0 again"
    assert repair(whole) == [fault]
    sql(whole, "UPDATE documents SET text = x'00ff' WHERE number = 1")
    (fault,) = verify(whole)
    assert "is damaged" in fault.what
    assert "p0.pdf" in fault.remedy


def test_flipped_bytes_of_the_catalog_and_its_loss_are_said(
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
    path.unlink()
    with pytest.raises(LibraryError, match="there is no library 'mine'"):
        open_library("mine", settings, embedder)
