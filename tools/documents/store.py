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
from collections.abc import Collection, Mapping
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
    """Documents, summaries and vectors. Synchronous; several threads and processes may use one file.

    Nothing stays open between two calls. Every method raises PermanentError where the file was
    made by a later version of CiteLoom.
    """

    def __init__(self, folder: Path) -> None:
        """Name the store in a folder, which is made when something is kept."""
        self.path = folder / "documents.sqlite"
        self._file = StoreFile(self.path)

    def latest(self, sha256: str) -> Document | None:
        """Return what was last read of the file with this hash, by whatever reader."""
        found = self._get("document", [sha256]).get(sha256)
        if found is None:
            return None
        try:
            return Document.model_validate_json(zlib.decompress(found))
        except (zlib.error, ValidationError) as error:
            logger.warning("a document kept in %s is read anew: %s", self.path, error)
            return None

    def put(self, sha256: str, document: Document) -> None:
        """Keep a document; what another version of its reader read of that file is forgotten."""
        content = zlib.compress(document.model_dump_json(exclude_defaults=True).encode())
        self._put("document", {sha256: content}, maker=document.reader.rpartition(" ")[0])

    def summaries(self, keys: Collection[str]) -> dict[str, str]:
        """Return the summaries that are here, by key (see summary_key)."""
        return {key: value.decode() for key, value in self._get("summary", keys).items()}

    def put_summaries(self, summaries: Mapping[str, str]) -> None:
        """Keep summaries by key."""
        self._put("summary", {key: value.encode() for key, value in summaries.items()})

    def vectors(self, keys: Collection[str]) -> dict[str, bytes]:
        """Return the vectors that are here, by key: float32, little-endian."""
        return self._get("vector", keys)

    def put_vectors(self, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors by key."""
        self._put("vector", vectors)

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
            count = dropped = db.execute("DELETE FROM kept WHERE used < ?", (before,)).rowcount
            over = _size(db) > most_bytes
            while over and _size(db) > _ROOM * most_bytes:
                dropped = _drop_oldest(db)
                count += dropped
                over = dropped > 0
            return count

        return self._file.do(forget, "pruned", 0) if self.path.exists() else 0

    def _get(self, kind: str, keys: Collection[str]) -> dict[str, bytes]:
        sql = (
            "SELECT rowid, key, value, used FROM kept WHERE kind = ?"
            " AND key IN (SELECT value FROM json_each(?)) ORDER BY rowid"
        )

        def read(db: sqlite3.Connection) -> dict[str, bytes]:
            rows = db.execute(sql, (kind, json.dumps(list(keys)))).fetchall()
            now = time.time()
            old = [(now, row) for row, _, _, used in rows if now - used > _DAY]
            if old:  # when it was used is right to the day
                db.executemany("UPDATE kept SET used = ? WHERE rowid = ?", old)
            return {key: value for _, key, value, _ in rows}

        return self._file.do(read, "read", {}) if keys and self.path.exists() else {}

    def _put(self, kind: str, values: Mapping[str, bytes], maker: str = "") -> None:
        now = time.time()
        rows = [(kind, key, maker, value, now) for key, value in values.items()]

        def write(db: sqlite3.Connection) -> bool:
            sql = "INSERT OR REPLACE INTO kept (kind, key, maker, value, used) VALUES (?,?,?,?,?)"
            db.executemany(sql, rows)
            return _size(db) > MOST_BYTES

        full = bool(rows) and self._file.do(write, "written", False)
        if full:
            self.prune()


def _drop_oldest(db: sqlite3.Connection) -> int:
    """Forget some of what was used longest ago; return how many."""
    (count,) = db.execute("SELECT COUNT(*) FROM kept").fetchone()
    sql = "DELETE FROM kept WHERE rowid IN (SELECT rowid FROM kept ORDER BY used LIMIT ?)"
    return db.execute(sql, (1 + count // _SHARE,)).rowcount


def _size(db: sqlite3.Connection) -> int:
    """Return the bytes that are in use; pages set free are filled again."""
    pages, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size
