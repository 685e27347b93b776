"""What was read, summarised or embedded once is kept: documents.sqlite in the home of CiteLoom.

Documents are found by the hash of their file's bytes, that of a paper's open copy by the paper's id,
summaries and vectors by the hash of their text and of who makes them. All of it can be made again, so the
store never costs a run: a damaged file is set aside, and what cannot be read or written is a warning in
the log.
"""

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import ValidationError

from state.document import Document
from tools.embed.embedder import Embedder, Vectors
from tools.errors import loggable_kind, logger_of

logger = logger_of(__name__)

MOST_BYTES = 1_000_000_000
"""Size beyond which what was kept first is forgotten: some 20,000 papers with their summaries."""
_TOGETHER = 128
"""Texts embedded between two times of keeping, so that a run that is stopped has most of them."""
_BUSY = 30.0  # seconds to wait for another writer's transaction
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
# A table of another form gets another name: a file that another version made is read by both.
_SCHEMA = """CREATE TABLE IF NOT EXISTS kept_4 (
    kind TEXT NOT NULL, key TEXT NOT NULL, -- 'document' by SHA-256, 'copy' by paper, others by summary_key
    value BLOB NOT NULL, UNIQUE (kind, key))"""
_SIZE = """SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size"""
_FORGET = """DELETE FROM kept_4
    WHERE rowid <= (SELECT min(rowid) + (max(rowid) - min(rowid)) / 4 FROM kept_4)"""
ResultT = TypeVar("ResultT")


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

    Nothing stays open between two calls.
    """

    def __init__(self, folder: Path, name: str = "documents.sqlite") -> None:
        """Name the store in a folder, which is made when something is kept."""
        self.path = folder / name

    def latest(self, sha256: str) -> Document | None:
        """Return what was last read of the file with this hash, by whatever reader."""
        found = self.get("document", [sha256]).get(sha256)
        try:
            return Document.model_validate_json(zlib.decompress(found)) if found else None
        except (zlib.error, ValidationError) as error:
            logger.warning(
                "a document kept in %s is read anew: %s", self.path, loggable_kind(error)
            )
            return None

    def put(self, sha256: str, document: Document) -> None:
        """Keep a document in place of what was read of that file before."""
        content = zlib.compress(document.model_dump_json(exclude_defaults=True).encode())
        self.keep("document", {sha256: content})

    def copy_of(self, papers: Collection[str]) -> str | None:
        """Return the SHA-256 of the open copy that was read of a paper, by one of its ids; None if none was."""
        return next((value.decode() for value in self.get("copy", papers).values()), None)

    def put_copy(self, paper: str, sha256: str, document: Document) -> None:
        """Keep what was read of a paper's open copy."""
        self.put(sha256, document)
        self.keep("copy", {paper: sha256.encode()})

    def summaries(self, keys: Collection[str]) -> dict[str, str]:
        """Return the summaries that are here, by key (see summary_key)."""
        return {key: value.decode() for key, value in self.get("summary", keys).items()}

    def put_summaries(self, summaries: Mapping[str, str]) -> None:
        """Keep summaries by key."""
        self.keep("summary", {key: value.encode() for key, value in summaries.items()})

    def get(self, kind: str, keys: Collection[str]) -> dict[str, bytes]:
        """Return what is here of a kind, by key: 'document', 'copy', 'summary' or 'vector' (float32, little-endian)."""
        sql = "SELECT key, value FROM kept_4 WHERE kind = ? AND key IN (SELECT value FROM json_each(?))"
        if not keys or not self.path.exists():
            return {}
        asked = (kind, json.dumps(list(keys)))
        return dict(self._do(lambda db: db.execute(sql, asked).fetchall(), "read", []))

    def keep(self, kind: str, values: Mapping[str, bytes]) -> None:
        """Keep values of a kind by key."""
        rows = [(kind, key, value) for key, value in values.items()]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO kept_4 VALUES (?, ?, ?)", rows)
            if db.execute(_SIZE).fetchone()[0] > MOST_BYTES:
                db.execute(_FORGET)

        self._do(write, "written", None)

    def _do(
        self, step: Callable[[sqlite3.Connection], ResultT], verb: str, otherwise: ResultT
    ) -> ResultT:
        """Do one transaction; where it cannot be done, say so and return `otherwise`."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_BUSY)) as db, db:
                db.execute(_SCHEMA)
                return step(db)
        except (sqlite3.Error, OSError) as error:
            aside = self.path.with_suffix(".sqlite.damaged")
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                logger.warning("%s is damaged and was moved to %s", self.path, aside.name)
                with suppress(OSError):  # another process was first
                    os.replace(self.path, aside)
            logger.warning("documents cannot be %s in %s: %s", verb, self.path, error)
            return otherwise


class StoredEmbedder:
    """An embedder that looks in the store first: a second question on the same papers embeds nothing but itself.

    Synchronous; safe to call from several threads.
    """

    def __init__(self, embedder: Embedder, store: DocumentStore) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._store = store

    @property
    def size(self) -> int:
        """The embedder's own."""
        return self._embedder.size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return what the embedder returns; see tools.embed.embedder."""
        keys = [summary_key(self.name, text) for text in texts]
        raw = self._store.get("vector", dict.fromkeys(keys))
        found = {
            key: np.frombuffer(row, dtype="<f4")
            for key, row in raw.items()
            if len(row) == 4 * self.size
        }
        new = [
            (key, text)
            for key, text in dict(zip(keys, texts, strict=True)).items()
            if key not in found
        ]
        for start in range(0, len(new), _TOGETHER):
            group = new[start : start + _TOGETHER]
            rows = self._embedder.embed([text for _, text in group])
            made = {key: row for (key, _), row in zip(group, rows, strict=True)}
            found.update(made)
            self._store.keep(
                "vector", {key: row.astype("<f4").tobytes() for key, row in made.items()}
            )
        return np.array([found[key] for key in keys], dtype=np.float32).reshape(
            len(keys), self.size
        )
