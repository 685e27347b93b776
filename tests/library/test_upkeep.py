"""Damage is found and made good; snapshots and libraries of an earlier version lose nothing."""

import gzip
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest

from tests.library.processes import killed_when_stuck, process
from tests.library.words import PARTS, WordEmbedder, document, paper
from tools.errors import InputError, LibraryError
from tools.library.hybrid_search import document_terms
from tools.library.library import Library
from tools.library.library_care import compact, repair, verify
from tools.library.library_snapshot import restore_snapshot, take_snapshot
from tools.library.open_library import close_libraries, library_names, open_library
from tools.library.vector_index import Point, VectorIndex
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
    assert (again.index(), again.ids()) == (20 + 6, filled.ids())
    assert [*again.texts.pages(99)] == [*filled.texts.pages(99)]
    assert again.search("topic3", limit=9) == filled.search("topic3", limit=9)
    assert (again.texts.tags(), verify(again)) == ({"all": 3}, [])
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


OPEN = """
library = open_library("mine", settings, WordEmbedder())
print(len(library.ids()), len(library.texts.text(library.texts.documents()[0].sha256)))
"""
STUCK = f"""
from tools.library import database
keep = database._keep_once
def stay(db, number):
    keep(db, number)
    if number == 2:
        print("stuck", flush=True)
        time.sleep(600)
database._keep_once = stay
{OPEN}
"""


def said(library: Library) -> object:
    """All that a library holds, and what it finds."""
    texts = library.texts
    return (
        [library.get([key])[key] for key in library.ids()],
        [passage for page in texts.pages(99) for passage in page],
        {entry.sha256: texts.text(entry.sha256) for entry in texts.documents()},
        library.search("topic1", limit=99),
        texts.search("result topic1", limit=99),
    )


def as_version_3(catalog: Path, texts: dict[str, str], abstracts: dict[str, str | None]) -> None:
    """Put a catalog into the form that the version before gave it."""
    with closing(sqlite3.connect(catalog)) as db, db:
        db.execute("ALTER TABLE documents ADD COLUMN text BLOB NOT NULL DEFAULT x''")
        packed = [(zlib.compress(text.encode()), key) for key, text in texts.items()]
        db.executemany("UPDATE documents SET text = ? WHERE sha256 = ?", packed)
        db.executemany(
            "UPDATE papers SET record = json_set(record, '$.abstract', ?) WHERE id = ?",
            [(text, key) for key, text in abstracts.items() if text],
        )
        db.execute("DROP TRIGGER document_without_gaps")
        db.execute("DROP TABLE gaps")
        db.execute("DROP TABLE carried")
        db.execute("DROP TRIGGER document_gone")  # as where no reference was kept yet
        db.execute("DROP TABLE cited")
        db.execute("ALTER TABLE documents DROP COLUMN length")
        db.execute("PRAGMA user_version = 3")


@pytest.fixture
def before(filled: Library) -> object:
    """What a library says that is then put into the older form."""
    for number in (5, 6):
        entry, text, passages = document(number, *PARTS)
        filled.texts.put(entry, f"{text}\n\n[1] Ida Rook. 2001. Of pears.", passages)
    filled.index()
    found = said(filled)
    texts = {entry.sha256: filled.texts.text(entry.sha256) for entry in filled.texts.documents()}
    abstracts = {key: filled.get([key])[key].abstract for key in filled.ids()}
    close_libraries()
    as_version_3(filled.folder / "catalog.sqlite", texts, abstracts)
    return found


def test_it_says_and_finds_the_same_and_has_each_text_once(
    before: object, settings: Settings, embedder: WordEmbedder
) -> None:
    embedder.texts = 0
    library = open_library("mine", settings, embedder)
    assert library.index() == embedder.texts == 0
    assert (said(library), verify(library)) == (before, [])
    with library.catalog.database.reading() as db:
        assert (
            db.execute("SELECT record FROM papers WHERE record LIKE '%We study%'").fetchall() == []
        )
        kept = dict(
            db.execute("SELECT document, text FROM gaps ORDER BY document, start").fetchall()
        )
    assert [text for text in kept.values() if "Of pears" in text] == [
        "\n\n[1] Ida Rook. 2001. Of pears."
    ] * 2


@pytest.mark.usefixtures("before")
def test_text_that_was_damaged_before_costs_its_document_only(
    settings: Settings, embedder: WordEmbedder
) -> None:
    catalog = settings.home / "libraries" / "mine" / "catalog.sqlite"
    with closing(sqlite3.connect(catalog)) as db, db:
        db.execute("UPDATE documents SET text = x'00ff' WHERE number = 1")
    library = open_library("mine", settings, embedder)
    (fault,) = verify(library)
    assert fault.remedy == "add the file 'p0.pdf' of doi:10.1000/p0 again"
    library.texts.put(*document(0, *PARTS, tags=("all",)))
    assert verify(library) == []


def test_one_killed_in_between_is_as_it_was_and_opened_by_the_next(
    before: object, settings: Settings, embedder: WordEmbedder
) -> None:
    killed_when_stuck(settings.home, STUCK)
    library = open_library("mine", settings, embedder)
    assert (said(library), verify(library)) == (before, [])


@pytest.mark.usefixtures("before")
def test_two_processes_open_it_at_once(settings: Settings) -> None:
    with process(settings.home, OPEN) as one, process(settings.home, OPEN) as two:
        answers = {started.rest() for started in (one, two)}
    assert len(answers) == 1
    assert answers.pop().startswith("20 ")


def test_snapshot_of_the_version_before_is_restored(
    filled: Library, settings: Settings, embedder: WordEmbedder, tmp_path: Path
) -> None:
    found = said(filled)
    texts = {entry.sha256: filled.texts.text(entry.sha256) for entry in filled.texts.documents()}
    abstracts = {key: filled.get([key])[key].abstract for key in filled.ids()}
    catalog = tmp_path / "old.sqlite"
    filled.catalog.database.copy_to(catalog)
    as_version_3(catalog, texts, abstracts)
    with closing(sqlite3.connect(catalog)) as db, db:
        db.execute("INSERT INTO meta VALUES ('name', 'mine')")
    (tmp_path / "old.gz").write_bytes(gzip.compress(catalog.read_bytes()))
    restore_snapshot(tmp_path / "old.gz", settings, name="again")
    again = open_library("again", settings, embedder)
    again.index()
    assert said(again) == found
