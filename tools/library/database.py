"""The catalog's SQLite file: its tables, connections for several threads, and one writer over all processes."""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any

from filelock import FileLock, Timeout

from state.paper import known_since
from tools.disk import DAMAGED, log_ahead
from tools.errors import PROGRAM, LibraryError, logger_of
from tools.library.same_paper import entry_is_paper

logger = logger_of(__name__)


class WriteLock:
    """A lock on a file, re-entrant in the thread that holds it."""

    def __init__(self, path: Path, subject: str) -> None:
        self._lock = FileLock(path)
        self._subject = subject

    @contextmanager
    def held(self, wait: float = 20.0) -> Iterator[None]:
        """Hold the lock; `wait` is in seconds.

        Raises:
            LibraryError: Another thread or process kept it for longer.
        """
        try:
            self._lock.acquire(timeout=wait)
        except Timeout as error:
            raise LibraryError(
                f"{self._subject} is in use by another process or thread: wait for it, or stop it "
                "and run your command again (nothing is lost)"
            ) from error
        try:
            yield
        finally:
            self._lock.release()


VERSION = 4
"""A catalog of version 3 becomes one of this when it is opened; any other is not read."""
VECTOR_CARRIED, INDEXED, OLD_PAYLOAD = -1, 1, 2
"""What `indexed` says of a row, besides 0: its vector is to be made."""

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE papers (
    point INTEGER PRIMARY KEY AUTOINCREMENT, -- the paper's number here, never given twice
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,  -- without its abstract, which is the first of its `texts`
    year INTEGER,
    has_abstract INTEGER NOT NULL,
    work TEXT NOT NULL -- the title's and first author's keys: candidates for one work
);
CREATE INDEX papers_by_work ON papers (work);

-- Every id under which a paper is known, its canonical one among them.
CREATE TABLE aliases (alias TEXT PRIMARY KEY, point INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX aliases_by_point ON aliases (point);

-- `cited` is an id in the citing record's words: the paper may come later, or never.
CREATE TABLE edges (
    citing INTEGER NOT NULL, cited TEXT NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (citing, cited)
) WITHOUT ROWID;
CREATE INDEX edges_by_cited ON edges (cited);

-- Digests of the records taken in, so that loading them again is quick and changes nothing.
CREATE TABLE seen (digest BLOB PRIMARY KEY, point INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX seen_by_point ON seen (point);

CREATE TABLE tags (
    paper INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (paper, tag)
) WITHOUT ROWID;

CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 TEXT NOT NULL UNIQUE, -- of the file
    paper INTEGER NOT NULL,
    name TEXT NOT NULL,
    entry TEXT NOT NULL,
    digest BLOB NOT NULL,        -- of entry, text and passages: putting them again changes nothing
    length INTEGER NOT NULL      -- characters of its text
);
CREATE INDEX documents_by_paper ON documents (paper);

-- What is searched, a vector for each row with a role. A record is one row (document 0, position 0)
-- of both roles: the paper's text, and its abstract as a passage. An abstract too long for a passage
-- has rows of its pieces besides. The same words may stand in two documents of a paper: one row is
-- the passage, the other has no role.
CREATE TABLE texts (
    point INTEGER PRIMARY KEY AUTOINCREMENT, -- its number in the index, never given twice
    id TEXT NOT NULL,            -- the passage's; '' for what is no passage
    paper INTEGER NOT NULL,
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,
    section TEXT NOT NULL,       -- JSON, as printed
    headings TEXT NOT NULL,      -- JSON, as filters compare them
    page INTEGER,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    text TEXT NOT NULL,
    role INTEGER NOT NULL DEFAULT 0,    -- 1 the paper's text, 2 a passage, 3 both
    indexed INTEGER NOT NULL DEFAULT 0, -- 1: the vector is in; 2: it is, beside an old payload;
                                        -- -1: it is to be moved here, see tools.library.index_registry
    keywords TEXT,                      -- a line each
    named_by TEXT,                      -- who found the keywords
    UNIQUE (paper, document, id)
);
CREATE INDEX texts_by_id ON texts (id) WHERE role >= 2;
CREATE INDEX texts_by_paper ON texts (paper, document, position);
CREATE INDEX texts_waiting ON texts (point) WHERE role > 0 AND indexed != 1;
CREATE INDEX texts_unnamed ON texts (point) WHERE role >= 2 AND named_by IS NULL;

-- Points whose vector is still to be deleted.
CREATE TABLE dropped (point INTEGER PRIMARY KEY);

-- The passages' words as they are written, for the spelling of questions; their keywords by stems.
CREATE VIRTUAL TABLE words USING fts5 (
    text, content = 'texts', content_rowid = 'point', detail = 'none',
    tokenize = 'unicode61 remove_diacritics 0'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row');
CREATE VIRTUAL TABLE keyword_index USING fts5 (
    keywords, content = 'texts', content_rowid = 'point', tokenize = 'porter unicode61'
);
"""

_GAPS = """
-- What of a document's text is no passage. Together with its passages it is the whole text.
CREATE TABLE IF NOT EXISTS gaps (
    document INTEGER NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (document, start)
) WITHOUT ROWID;
-- Vectors that a snapshot brought, until they are in an index.
CREATE TABLE IF NOT EXISTS carried (point INTEGER PRIMARY KEY, dense BLOB NOT NULL);
CREATE TRIGGER IF NOT EXISTS document_without_gaps AFTER DELETE ON documents BEGIN
    DELETE FROM gaps WHERE document = old.number;
END;
"""

_CITED = """
-- The entries of a document's list of references. Which paper an entry is, is told when it is asked:
-- the paper may come later, and go.
CREATE TABLE IF NOT EXISTS cited (
    document INTEGER NOT NULL, position INTEGER NOT NULL,
    id TEXT,             -- canonical: the DOI, or else the arXiv id
    title TEXT,          -- its key, where it can name a work
    entry TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS cited_by_id ON cited (id) WHERE id IS NOT NULL;
CREATE INDEX IF NOT EXISTS cited_by_title ON cited (title) WHERE title IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS document_gone AFTER DELETE ON documents BEGIN
    DELETE FROM cited WHERE document = old.number;
END;
"""

_TRIGGERS = """
CREATE TRIGGER text_added AFTER INSERT ON texts BEGIN
    INSERT INTO words (rowid, text) VALUES (new.point, new.text);
    INSERT INTO keyword_index (rowid, keywords) VALUES (new.point, new.keywords);
END;
CREATE TRIGGER text_gone AFTER DELETE ON texts BEGIN
    INSERT INTO words (words, rowid, text) VALUES ('delete', old.point, old.text);
    INSERT INTO keyword_index (keyword_index, rowid, keywords)
        VALUES ('delete', old.point, old.keywords);
    INSERT OR IGNORE INTO dropped VALUES (old.point);
END;
CREATE TRIGGER text_reworded AFTER UPDATE OF text, section ON texts
    WHEN old.text IS NOT new.text OR old.section IS NOT new.section
BEGIN
    INSERT INTO words (words, rowid, text) VALUES ('delete', old.point, old.text);
    INSERT INTO words (rowid, text) VALUES (new.point, new.text);
    UPDATE texts SET indexed = 0, keywords = NULL, named_by = NULL WHERE point = new.point;
END;
CREATE TRIGGER text_named AFTER UPDATE OF keywords ON texts
    WHEN old.keywords IS NOT new.keywords
BEGIN
    INSERT INTO keyword_index (keyword_index, rowid, keywords)
        VALUES ('delete', old.point, old.keywords);
    INSERT INTO keyword_index (rowid, keywords) VALUES (new.point, new.keywords);
END;
CREATE TRIGGER text_hidden AFTER UPDATE OF role ON texts WHEN old.role != 0 AND new.role = 0 BEGIN
    UPDATE texts SET indexed = 0 WHERE point = new.point;
    INSERT OR IGNORE INTO dropped VALUES (new.point);
END;
CREATE TRIGGER text_shown AFTER UPDATE OF role ON texts WHEN old.role = 0 AND new.role != 0 BEGIN
    DELETE FROM dropped WHERE point = new.point;
END;
CREATE TRIGGER text_other_role AFTER UPDATE OF role, paper, id ON texts
    WHEN new.role != 0
    AND (old.role, old.paper, old.id) IS NOT (new.role, new.paper, new.id)
BEGIN
    UPDATE texts SET indexed = 2 WHERE point = new.point AND indexed = 1;
END;
CREATE TRIGGER tag_added AFTER INSERT ON tags BEGIN
    UPDATE texts SET indexed = 2 WHERE paper = new.paper AND indexed = 1;
END;
CREATE TRIGGER tag_gone AFTER DELETE ON tags BEGIN
    UPDATE texts SET indexed = 2 WHERE paper = old.paper AND indexed = 1;
END;
CREATE TRIGGER paper_retitled AFTER UPDATE OF record ON papers
    WHEN json_extract(old.record, '$.title') IS NOT json_extract(new.record, '$.title')
BEGIN
    UPDATE texts SET indexed = 0 WHERE paper = new.point;
END;
CREATE TRIGGER paper_changed AFTER UPDATE OF record ON papers
    WHEN old.id IS NOT new.id OR old.year IS NOT new.year
    OR json_extract(old.record, '$.venue') IS NOT json_extract(new.record, '$.venue')
    OR json_extract(old.record, '$.published') IS NOT json_extract(new.record, '$.published')
    OR json_extract(old.record, '$.arxiv') IS NOT json_extract(new.record, '$.arxiv')
BEGIN
    UPDATE texts SET indexed = 2 WHERE paper = new.point AND indexed = 1;
END;
"""


def create_tables(db: sqlite3.Connection) -> None:
    """Give an empty file the tables; killed in between, it is empty."""
    log_ahead(db)
    try:
        db.executescript(
            f"BEGIN IMMEDIATE;{_TABLES}{_GAPS}{_CITED}{_TRIGGERS}PRAGMA user_version={VERSION};COMMIT;"
        )
    except sqlite3.OperationalError:
        db.rollback()
        if _version(db) != VERSION:  # else another process was quicker
            raise


def upgrade(db: sqlite3.Connection) -> None:
    """Make a catalog of version 3, which has texts twice, one that has each once, in one transaction."""
    # Another process may be upgrading it.
    db.execute("PRAGMA busy_timeout = 600000")
    db.executescript(f"BEGIN IMMEDIATE;{_GAPS}{_CITED}")
    try:
        if _version(db) == 3:  # else another process was quicker
            db.execute("ALTER TABLE documents ADD COLUMN length INTEGER NOT NULL DEFAULT 0")
            for (number,) in db.execute("SELECT number FROM documents").fetchall():
                _keep_once(db, number)
            db.execute("ALTER TABLE documents DROP COLUMN text")
            db.execute(
                "UPDATE papers SET record = json_remove(record, '$.abstract') WHERE"
                " json_extract(record, '$.abstract') = (SELECT text FROM texts WHERE"
                " paper = papers.point AND document = 0 AND position = 0)"
            )
            db.execute(f"PRAGMA user_version={VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute(f"PRAGMA busy_timeout = {int(1000 * _BUSY)}")


def _keep_once(db: sqlite3.Connection, number: int) -> None:
    sql = "SELECT text, paper FROM documents WHERE number = ?"
    packed, paper = db.execute(sql, (number,)).fetchone()
    try:
        text = zlib.decompress(packed).decode("utf-8")
    except (zlib.error, UnicodeDecodeError):  # `verify` names its file, which is then read anew
        text = ""
        db.execute(
            "UPDATE documents SET digest = x'', entry = json_remove(entry, '$.references')"
            " WHERE number = ?",
            (number,),
        )
    spans = "SELECT start, end FROM texts WHERE paper = ? AND document = ? ORDER BY start"
    keep_gaps(db, number, text, db.execute(spans, (paper, number)).fetchall())


def keep_gaps(
    db: sqlite3.Connection, document: int, text: str, spans: Iterable[tuple[int, int]]
) -> None:
    """Keep what of a document's text is in none of these spans, which are in order."""
    rows, at = [], 0
    for start, end in (*spans, (len(text), len(text))):
        if start > at:
            rows.append((document, at, text[at:start]))
        at = max(at, end)
    db.execute("UPDATE documents SET length = ? WHERE number = ?", (len(text), document))
    db.execute("DELETE FROM gaps WHERE document = ?", (document,))
    db.executemany("INSERT INTO gaps VALUES (?, ?, ?)", rows)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


_BUSY = 30.0  # seconds to wait for another writer's transaction


class CatalogVersionError(LibraryError):
    """The catalog was made by another version of CiteLoom."""


def is_damage(error: LibraryError) -> bool:
    """Whether an error says that the file is no whole catalog, which no waiting mends."""
    if isinstance(error, CatalogVersionError):
        return True
    return getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def _known_since(published: str | None, year: int | None, arxiv: str | None) -> str | None:
    """state.paper.known_since, for statements."""
    since = known_since(date.fromisoformat(published) if published else None, year, arxiv)
    return since.isoformat() if since else None


class Database:
    """A file with the catalog's tables."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._ready = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for queries; each statement sees what is committed.

        Raises:
            LibraryError: The file is damaged, locked for too long, or of a later version.
        """
        try:
            connection = self._take()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            with self._lock:
                self._idle.append(connection)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in {
                sqlite3.SQLITE_FULL,
                sqlite3.SQLITE_IOERR,
            }:
                raise LibraryError(
                    f"the catalog {self._path} cannot be written ({error}): the disk is probably "
                    "full; make room and run your command again (what was finished is kept)"
                ) from error
            raise LibraryError(
                f"the catalog {self._path} cannot be used ({error}): if it is damaged, restore a "
                f"snapshot (`{PROGRAM} library restore`), or remove the library (`{PROGRAM} library remove "
                f"{self._path.parent.name}`) and add its files again"
            ) from error

    def rows(self, sql: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        """Return all rows of one query; raises as `reading`."""
        with self.reading() as db:
            return db.execute(sql, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is kept, or on an error nothing."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:  # a full disk has rolled it back already
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def copy_to(self, target: Path) -> None:
        """Make another file's contents those of this, in one transaction, while others use both.

        Raises:
            LibraryError: As `reading`; the target is then as it was.
        """
        other = sqlite3.connect(target, timeout=_BUSY)
        try:
            with self.reading() as connection:
                connection.backup(other)
        finally:
            other.close()

    def vacuum(self) -> None:
        """Give back the pages that are free."""
        with self.reading() as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connections that are not in use."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            connection = sqlite3.connect(
                self._path, timeout=_BUSY, isolation_level=None, check_same_thread=False
            )
            try:
                # A killed process loses nothing this way; a power cut at most the last batches,
                # which the next load does again.
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.create_function("cites", 2, entry_is_paper)
                connection.create_function("known_since", 3, _known_since, deterministic=True)
                if not self._ready:
                    self._prepare(connection)
                    self._ready = True
            except BaseException:
                connection.close()
                raise
            return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        empty = not connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
        found = _version(connection)  # read after: whoever makes the tables gives them together
        if empty:
            create_tables(connection)
        elif found == 3:
            logger.warning(
                "library '%s' is being converted to this version's form, once",
                self._path.parent.name,
            )
            upgrade(connection)
        elif found != VERSION:
            age = "a newer" if found > VERSION else "an earlier"
            raise CatalogVersionError(
                f"the catalog {self._path} was made by {age} CiteLoom, and this one does not read it: "
                "use that one, or remove the library and add its files again"
            )
