"""Which passages share keywords with a question, and where those passages stand."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from tools.embed.port import Embedder, Vectors
from tools.retrieve.keyphrases import Candidate
from tools.retrieve.keywords_schema import unpack
from tools.retrieve.keywords_store import KeywordStore

_NEAR = 0.5
"""Cosine from which a phrase is near another. 0.4 found more on one tuning set and less on another."""
_MOST_PHRASES = 50_000
"""Phrases that near ones are looked for among, those of most passages first: 77 MB."""


@dataclass(frozen=True, slots=True)
class Match:
    """One keyword of the question: how well each passage, by its number, has it, 0..1."""

    worth: float
    """Of the keyword: how rare its words are."""
    passages: dict[int, float]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage stands."""

    number: int
    id: str
    run: tuple[str, str, str]
    """Paper, document and first heading: sub-documents do not go beyond it."""
    words: int


class KeywordMatches:
    """Looks things up in a store; remembers the phrases' vectors until the store changes."""

    def __init__(self, store: KeywordStore, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._lock = Lock()
        self._known: tuple[int, NDArray[np.int64], Vectors] | None = None

    def exact(self, stems: Sequence[str], worth: Mapping[str, float]) -> list[Match]:
        """Return, for each stem, the passages with a keyword that has it."""
        sql = (
            "SELECT t.term, u.passage, MAX(u.weight) FROM terms t JOIN uses u ON u.phrase = t.phrase"
            " WHERE t.term IN (SELECT value FROM json_each(?)) GROUP BY t.term, u.passage"
        )
        found: dict[str, dict[int, float]] = defaultdict(dict)
        with self._store.file.reading() as db:
            for term, passage, weight in db.execute(sql, (json.dumps(list(stems)),)):
                found[term][passage] = weight
        return [Match(worth[term], passages) for term, passages in found.items()]

    def whole(self, phrases: Mapping[tuple[str, ...], float]) -> list[Match]:
        """Return, for each phrase of several words, the passages with just this keyword."""
        sql = (
            "SELECT f.stems, u.passage, u.weight FROM phrases f JOIN uses u ON u.phrase = f.number"
            " WHERE f.stems IN (SELECT value FROM json_each(?))"
        )
        by_key = {" ".join(stems): worth for stems, worth in phrases.items() if len(stems) > 1}
        found: dict[str, dict[int, float]] = defaultdict(dict)
        with self._store.file.reading() as db:
            for key, passage, weight in db.execute(sql, (json.dumps(list(by_key)),)):
                found[key][passage] = weight
        return [Match(by_key[key], passages) for key, passages in found.items()]

    def near(self, phrases: Sequence[Candidate], worth: Sequence[float]) -> list[Match]:
        """Return, for each phrase, the passages with a keyword of like meaning and other words."""
        if not phrases:
            return []
        known = self._store.phrase_vectors({stems: text for text, stems in phrases}, self._embedder)
        vectors = np.array([known[stems] for _, stems in phrases])
        with self._store.file.reading() as db:
            numbers, likeness = self._likeness(db, vectors)
            return [
                Match(value, self._uses(db, stems, numbers, column))
                for (_, stems), value, column in zip(phrases, worth, likeness.T, strict=True)
            ]

    def places(self, numbers: Collection[int]) -> list[Place]:
        """Return all passages of the papers of these passages, in reading order."""
        sql = (
            "SELECT number, id, paper, document, section, words FROM passages WHERE paper IN"
            " (SELECT paper FROM passages WHERE number IN (SELECT value FROM json_each(?)))"
            " ORDER BY paper, document, start, number"
        )
        with self._store.file.reading() as db:
            rows = db.execute(sql, (json.dumps(sorted(numbers)),)).fetchall()
        return [
            Place(number, key, (paper, document, section), words)
            for number, key, paper, document, section, words in rows
        ]

    def ids(self, numbers: Collection[int]) -> dict[int, str]:
        """Return the ids of passages by their numbers."""
        sql = "SELECT number, id FROM passages WHERE number IN (SELECT value FROM json_each(?))"
        with self._store.file.reading() as db:
            return dict(db.execute(sql, (json.dumps(sorted(numbers)),)).fetchall())

    def _uses(
        self,
        db: sqlite3.Connection,
        stems: tuple[str, ...],
        numbers: NDArray[np.int64],
        likeness: NDArray[np.float32],
    ) -> dict[int, float]:
        close = np.nonzero(likeness >= _NEAR)[0]
        near = {int(numbers[row]): float(likeness[row]) for row in close}
        sql = (
            "SELECT u.phrase, u.passage, u.weight, f.stems FROM uses u"
            " JOIN phrases f ON f.number = u.phrase"
            " WHERE u.phrase IN (SELECT value FROM json_each(?))"
        )
        own, found = set(stems), dict[int, float]()
        for phrase, passage, weight, others in db.execute(sql, (json.dumps(list(near)),)):
            if own.isdisjoint(others.split()):  # else it counts by its words already
                found[passage] = max(found.get(passage, 0.0), near[phrase] * near[phrase] * weight)
        return found

    def _likeness(
        self, db: sqlite3.Connection, vectors: Vectors
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        numbers, known = self._phrases(db)
        return numbers, known @ vectors.T

    def _phrases(self, db: sqlite3.Connection) -> tuple[NDArray[np.int64], Vectors]:
        with self._lock:
            version = self._store.file.version(db)
            if self._known is None or self._known[0] != version:
                rows = db.execute(
                    "SELECT number, vector FROM phrases JOIN (SELECT phrase, COUNT(*) AS times"
                    " FROM uses GROUP BY phrase) ON phrase = number WHERE embedder = ?"
                    " ORDER BY times DESC, number LIMIT ?",
                    (self._embedder.name, _MOST_PHRASES),
                ).fetchall()
                self._known = (
                    version,
                    np.array([number for number, _ in rows], dtype=np.int64),
                    unpack([blob for _, blob in rows], self._embedder.size),
                )
            return self._known[1], self._known[2]
