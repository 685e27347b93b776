"""The catalog's tables, and how a catalog of an earlier version gets them."""

import sqlite3

from state.paper import Paper
from tools.library.passage_rows import keep_abstract, settle

VERSION = 2

_PAPERS = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS papers (
    point INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a vector may outlive its row
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    year INTEGER,
    has_abstract INTEGER NOT NULL,
    work TEXT NOT NULL,       -- the title's and first author's keys: candidates for one work
    version INTEGER NOT NULL, -- counts changes, so that an old vector is not taken for the new one
    indexed INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS papers_by_work ON papers (work);
CREATE INDEX IF NOT EXISTS papers_waiting ON papers (point) WHERE indexed = 0;

-- Every id under which a paper is known, its canonical one among them.
CREATE TABLE IF NOT EXISTS aliases (alias TEXT PRIMARY KEY, point INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS aliases_by_point ON aliases (point);

-- `cited` is an id in the citing record's words: the paper may come later, or never.
CREATE TABLE IF NOT EXISTS edges (
    citing INTEGER NOT NULL, cited TEXT NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (citing, cited)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS edges_by_cited ON edges (cited);

-- Digests of the records taken in, so that loading them again is quick and changes nothing.
CREATE TABLE IF NOT EXISTS seen (digest BLOB PRIMARY KEY, point INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seen_by_point ON seen (point);

-- Points whose paper is gone and whose vector is still to be deleted.
CREATE TABLE IF NOT EXISTS dropped (point INTEGER PRIMARY KEY);
"""

_TEXTS = """
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 TEXT NOT NULL UNIQUE, -- of the file
    paper INTEGER NOT NULL,
    name TEXT NOT NULL,
    entry TEXT NOT NULL,
    digest BLOB NOT NULL,        -- of entry, text and passages: putting them again changes nothing
    text BLOB NOT NULL           -- zlib
);
CREATE INDEX IF NOT EXISTS documents_by_paper ON documents (paper);

-- The same words may stand in two files of one paper: then one of the rows of an id is active, and
-- only that is found. `document` is 0 for a record's abstract.
CREATE TABLE IF NOT EXISTS passages (
    point INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    paper INTEGER NOT NULL,
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,
    section TEXT NOT NULL,       -- JSON, as printed
    headings TEXT NOT NULL,      -- JSON, as filters compare them
    page INTEGER,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    text TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1,
    indexed INTEGER NOT NULL DEFAULT 0, -- 1: the vector is in; 2: it is, beside an old payload
    UNIQUE (document, id)
);
CREATE INDEX IF NOT EXISTS passages_active ON passages (id) WHERE active = 1;
CREATE INDEX IF NOT EXISTS passages_by_paper ON passages (paper, document, position);
CREATE INDEX IF NOT EXISTS passages_waiting ON passages (point) WHERE active = 1 AND indexed != 1;

CREATE TABLE IF NOT EXISTS tags (
    paper INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (paper, tag)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS dropped_passages (point INTEGER PRIMARY KEY);

-- What is already in the indexes that another embedder's vectors are being made for.
CREATE TABLE IF NOT EXISTS making (
    kind TEXT NOT NULL, point INTEGER NOT NULL, version INTEGER NOT NULL,
    PRIMARY KEY (kind, point)
) WITHOUT ROWID;
"""


def migrate(db: sqlite3.Connection) -> None:
    """Give a catalog of any earlier version, or an empty file, the tables of this version.

    One transaction: killed in between, the catalog is what it was.
    """
    db.execute("PRAGMA journal_mode=WAL")
    # Left open by the script, and closed below; two processes come one after the other.
    db.executescript(f"BEGIN IMMEDIATE;{_PAPERS}{_TEXTS}")
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] == 1:
            rows = db.execute("SELECT point, record FROM papers WHERE has_abstract = 1").fetchall()
            for point, record in rows:
                keep_abstract(db, point, Paper.model_validate_json(record))
                settle(db, point)
        db.execute(f"PRAGMA user_version={VERSION}")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
