"""A library of the version before, which had texts twice, is opened as it is; nothing is lost or embedded again."""

import gzip
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from tests.library.processes import killed_when_stuck, process
from tests.library.words import PARTS, WordEmbedder, document
from tools.library.library import Library
from tools.library.library_care import verify
from tools.library.library_snapshot import restore_snapshot
from tools.library.open_library import close_libraries, open_library
from tools.settings import Settings

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
    assert said(library) == before
    assert verify(library) == []
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
    assert said(library) == before
    assert verify(library) == []


@pytest.mark.usefixtures("before")
def test_two_processes_open_it_at_once(settings: Settings) -> None:
    with process(settings.home, OPEN) as one, process(settings.home, OPEN) as two:
        answers = {started.communicate()[0] for started in (one, two)}
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
