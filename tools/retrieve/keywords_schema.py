"""The tables of keywords.sqlite, and what is written into them in one go."""

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from state.passage import Passage
from tools.embed.port import Vectors
from tools.retrieve.keyphrases import Keyword, key_stems
from tools.text.words import stem, tokens

VERSION = 1
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS passages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    paper TEXT,              -- NULL until the passage was seen in the library
    document TEXT, start INTEGER, section TEXT, words INTEGER,
    maker TEXT NOT NULL      -- who made its keywords: see KeywordStore; '' for nobody yet
);
CREATE INDEX IF NOT EXISTS passages_by_paper ON passages (paper);
CREATE INDEX IF NOT EXISTS passages_by_maker ON passages (maker);

CREATE TABLE IF NOT EXISTS phrases (
    number INTEGER PRIMARY KEY,
    stems TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    embedder TEXT NOT NULL DEFAULT '',
    vector BLOB              -- norm 1, times 127, a byte for each number
);
CREATE TABLE IF NOT EXISTS terms (
    term TEXT NOT NULL, phrase INTEGER NOT NULL, PRIMARY KEY (term, phrase)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uses (
    phrase INTEGER NOT NULL, passage INTEGER NOT NULL, weight REAL NOT NULL,
    PRIMARY KEY (phrase, passage)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS uses_by_passage ON uses (passage);

-- In how many passages each word stands: for rarity, and for the spelling of questions.
CREATE TABLE IF NOT EXISTS words (
    word TEXT PRIMARY KEY, stem TEXT NOT NULL, count INTEGER NOT NULL
) WITHOUT ROWID;
"""
_LONGEST_WORD = 40
_HEADING_WORDS = 12
"""Stems of a heading that make its keyword; long titles say the rest in their passages."""


def pack(vector: Vectors) -> bytes:
    """Return a vector of norm 1 as bytes; cosines of vectors so stored are off by about 0.01."""
    return bytes(np.rint(vector * 127).astype(np.int8).tobytes())


def unpack(blobs: Sequence[bytes], size: int) -> Vectors:
    """Return stored vectors as rows of norm 1."""
    rows = np.frombuffer(b"".join(blobs), dtype=np.int8).reshape(-1, size).astype(np.float32)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def count_words(db: sqlite3.Connection, passages: Iterable[Passage]) -> None:
    """Count the words of new passages."""
    rows = [
        (word, stem(word))
        for passage in passages
        for word in {*tokens(passage.text), *tokens(passage.title)}
        if len(word) <= _LONGEST_WORD and not word.isdigit()
    ]
    db.executemany(
        "INSERT INTO words VALUES (?, ?, 1) ON CONFLICT (word) DO UPDATE SET count = count + 1",
        rows,
    )


def note_places(db: sqlite3.Connection, passages: Iterable[Passage]) -> None:
    """Write down where passages stand; their keywords stay what they are."""
    db.executemany(
        "INSERT INTO passages (id, paper, document, start, section, words, maker)"
        " VALUES (?, ?, ?, ?, ?, ?, '') ON CONFLICT (id) DO UPDATE SET paper = excluded.paper,"
        " document = excluded.document, start = excluded.start, section = excluded.section,"
        " words = excluded.words",
        [
            (p.id, p.paper, p.document, p.start, p.section[0] if p.section else "", p.words)
            for p in passages
        ],
    )


def headings(passage: Passage) -> list[Keyword]:
    """Return the headings above a passage as keywords, the paper's title among them."""
    found = {}
    for heading in (passage.title, *passage.section):
        stems = key_stems(heading)[:_HEADING_WORDS]
        if stems:
            found[stems] = Keyword(heading, stems, 1.0)
    return list(found.values())


def write_keywords(
    db: sqlite3.Connection, passage: str, keywords: Iterable[Keyword], maker: str
) -> None:
    """Replace the keywords of a passage, but for its headings, which alone weigh 1."""
    db.execute("INSERT OR IGNORE INTO passages (id, maker) VALUES (?, '')", (passage,))
    db.execute("UPDATE passages SET maker = ? WHERE id = ?", (maker, passage))
    number = db.execute("SELECT number FROM passages WHERE id = ?", (passage,)).fetchone()[0]
    db.execute("DELETE FROM uses WHERE passage = ? AND weight < 1", (number,))
    add_keywords(db, number, keywords)


def add_keywords(db: sqlite3.Connection, number: int, keywords: Iterable[Keyword]) -> None:
    """Add keywords to those of the passage of this number; the larger weight stays."""
    for keyword in keywords:
        stems = " ".join(keyword.stems)
        made = db.execute(
            "INSERT OR IGNORE INTO phrases (stems, text) VALUES (?, ?)", (stems, keyword.text)
        )
        phrase = db.execute("SELECT number FROM phrases WHERE stems = ?", (stems,)).fetchone()[0]
        if made.rowcount:
            db.executemany(
                "INSERT OR IGNORE INTO terms VALUES (?, ?)",
                [(term, phrase) for term in keyword.stems],
            )
        db.execute(
            "INSERT INTO uses VALUES (?, ?, ?) ON CONFLICT (phrase, passage)"
            " DO UPDATE SET weight = MAX(weight, excluded.weight)",
            (phrase, number, keyword.weight),
        )


def forget(db: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Forget these passages."""
    rows = [(number,) for number in numbers]
    db.executemany("DELETE FROM uses WHERE passage = ?", rows)
    db.executemany("DELETE FROM passages WHERE number = ?", rows)


def drop_unused(db: sqlite3.Connection) -> None:
    """Forget phrases that no passage has."""
    unused = "SELECT number FROM phrases WHERE number NOT IN (SELECT phrase FROM uses)"
    db.execute(f"DELETE FROM terms WHERE phrase IN ({unused})")
    db.execute(f"DELETE FROM phrases WHERE number IN ({unused})")
