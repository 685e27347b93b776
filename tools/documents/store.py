"""What was read, summarised and embedded once is kept: documents.sqlite in the home of CiteLoom.

Documents are found by the hash of their file's bytes, summaries and vectors by the hash of their
paragraph's text and of who makes them. All of it can be made again, so the store never costs a run: a damaged
file is set aside, and what cannot be read or written is a warning in the log.
"""

import json
import logging
import sqlite3
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from state.document import Document
from tools.documents.store_file import StoreFile

logger = logging.getLogger(f"citeloom.{__name__}")

DAYS = 365
"""Days unused after which something is forgotten when the file has grown too large."""
MOST_BYTES = 1_000_000_000
"""Size beyond which the file is pruned: some 20,000 papers with their summaries."""
_ROOM = 0.8
"""Share of MOST_BYTES that is left after pruning."""
_DAY = 86_400.0
_TABLES = ("documents", "summaries", "vectors")
_SHARE = 20
"""One row in so many is forgotten before the size is looked at again."""


def summary_key(maker: str, text: str) -> str:
    """Return the key of a paragraph's summary, or of its vector.

    Args:
        maker: Who makes it and how: a mind's name and a hash of its prompt, or an embedder's name.
        text: The paragraph; white space does not count.
    """
    words = " ".join(text.split())
    return sha256(f"{maker}\n{words}".encode("utf-8", "replace")).hexdigest()


class DocumentStore:
    """Documents and summaries. Synchronous; several threads and processes may use one file.

    Nothing stays open between two calls. Every method raises PermanentError where the file was
    made by a later version of CiteLoom.
    """

    def __init__(self, folder: Path) -> None:
        """Name the store in a folder, which is made when something is kept."""
        self.path = folder / "documents.sqlite"
        self._file = StoreFile(self.path)

    def latest(self, sha256: str) -> Document | None:
        """Return what was last read of the file with this hash, by whatever reader."""
        sql = (
            "SELECT rowid, content, used FROM documents WHERE sha256 = ?"
            " ORDER BY written DESC, rowid DESC LIMIT 1"
        )

        def read(db: sqlite3.Connection) -> Document | None:
            row = db.execute(sql, (sha256,)).fetchone()
            if row is None:
                return None
            _touch(db, "documents", "rowid", [(row[0], row[2])])
            try:
                return Document.model_validate_json(zlib.decompress(row[1]))
            except (zlib.error, ValidationError) as error:
                logger.warning("a document kept in %s is read anew: %s", self.path, error)
                db.execute("DELETE FROM documents WHERE rowid = ?", (row[0],))
                return None

        return self._file.do(read, "read", None) if self.path.exists() else None

    def put(self, sha256: str, document: Document) -> None:
        """Keep a document; what another version of its reader read of that file is forgotten."""
        content = zlib.compress(document.model_dump_json(exclude_defaults=True).encode())
        name, now = _reader(document.reader), time.time()

        def write(db: sqlite3.Connection) -> None:
            sql = "SELECT rowid, reader FROM documents WHERE sha256 = ?"
            rows = db.execute(sql, (sha256,)).fetchall()
            same = [(row,) for row, reader in rows if _reader(reader) == name]
            db.executemany("DELETE FROM documents WHERE rowid = ?", same)
            db.execute(
                "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)",
                (sha256, document.reader, content, now, now),
            )

        self._write(write)

    def summaries(self, keys: Collection[str]) -> dict[str, str]:
        """Return the summaries that are here, by key (see summary_key)."""
        wanted = json.dumps(list(keys))

        def read(db: sqlite3.Connection) -> dict[str, str]:
            rows = db.execute(
                "SELECT key, summary, used FROM summaries"
                " WHERE key IN (SELECT value FROM json_each(?))",
                (wanted,),
            ).fetchall()
            _touch(db, "summaries", "key", ((key, used) for key, _, used in rows))
            return {key: summary for key, summary, _ in rows}

        return self._file.do(read, "read", {}) if keys and self.path.exists() else {}

    def put_summaries(self, summaries: Mapping[str, str]) -> None:
        """Keep summaries by key."""
        now = time.time()
        rows = [(key, summary, now) for key, summary in summaries.items()]
        if rows:
            self._write(
                lambda db: db.executemany("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?)", rows)
            )

    def vectors(self, keys: Collection[str]) -> dict[str, bytes]:
        """Return the vectors that are here, by key (see summary_key)."""
        wanted = json.dumps(list(keys))

        def read(db: sqlite3.Connection) -> dict[str, bytes]:
            rows = db.execute(
                "SELECT key, vector, used FROM vectors"
                " WHERE key IN (SELECT value FROM json_each(?))",
                (wanted,),
            ).fetchall()
            _touch(db, "vectors", "key", ((key, used) for key, _, used in rows))
            return {key: vector for key, vector, _ in rows}

        return self._file.do(read, "read", {}) if keys and self.path.exists() else {}

    def put_vectors(self, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors by key."""
        now = time.time()
        rows = [(key, vector, now) for key, vector in vectors.items()]
        if rows:
            self._write(
                lambda db: db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            )

    def prune(self, days: float = DAYS, most_bytes: int = MOST_BYTES) -> int:
        """Forget what was not used for so many days, then what was used longest ago.

        Args:
            days: Without use.
            most_bytes: Size beyond which more is forgotten, until there is room again.

        Returns:
            How many documents, summaries and vectors were forgotten.
        """

        def forget(db: sqlite3.Connection) -> int:
            before = time.time() - days * _DAY
            count = sum(
                db.execute(f"DELETE FROM {table} WHERE used < ?", (before,)).rowcount
                for table in _TABLES
            )
            over = _size(db) > most_bytes
            while over and _size(db) > _ROOM * most_bytes:
                dropped = _drop_oldest(db)
                count += dropped
                over = dropped > 0
            return count

        return self._file.do(forget, "pruned", 0) if self.path.exists() else 0

    def _write(self, step: Callable[[sqlite3.Connection], object]) -> None:
        def write(db: sqlite3.Connection) -> bool:
            step(db)
            return _size(db) > MOST_BYTES

        if self._file.do(write, "written", False):
            self.prune()


def _reader(label: str) -> str:
    """Return a reader's name without its version."""
    return label.rpartition(" ")[0] or label


def _touch(
    db: sqlite3.Connection, table: str, column: str, found: Iterable[tuple[object, float]]
) -> None:
    """Note that rows were used, where that was noted more than a day ago."""
    now = time.time()
    rows = [(now, key) for key, used in found if now - used > _DAY]
    if rows:
        db.executemany(f"UPDATE {table} SET used = ? WHERE {column} = ?", rows)


def _drop_oldest(db: sqlite3.Connection) -> int:
    """Forget some of what was used longest ago; return how many."""
    every = " UNION ALL ".join(f"SELECT used FROM {table}" for table in _TABLES)
    (count,) = db.execute(f"SELECT COUNT(*) FROM ({every})").fetchone()
    few = 1 + count // _SHARE
    (last,) = db.execute(
        f"SELECT MAX(used) FROM (SELECT used FROM ({every}) ORDER BY used LIMIT ?)", (few,)
    ).fetchone()
    dropped = 0
    for table in _TABLES:
        sql = f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE used <= ?"
        dropped += db.execute(f"{sql} ORDER BY used LIMIT ?)", (last, few)).rowcount
    return dropped


def _size(db: sqlite3.Connection) -> int:
    """Return the bytes that are in use; pages set free are filled again."""
    pages, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size
