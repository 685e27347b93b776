"""The keywords of a library's passages, computed once and kept in keywords.sqlite."""

import json
import logging
import math
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np

from state.passage import Passage
from tools.embed.port import Embedder, Vectors
from tools.library.port import Progress
from tools.library.searched import searched_text
from tools.retrieve.keyphrases import (
    EMBEDDED,
    Candidate,
    Keyword,
    key_stems,
    nearest,
    ranked_candidates,
)
from tools.retrieve.keywords_file import KeywordsFile
from tools.retrieve.keywords_schema import (
    add_keywords,
    count_words,
    drop_unused,
    forget,
    headings,
    note_places,
    pack,
    unpack,
    write_keywords,
)

logger = logging.getLogger(f"citeloom.{__name__}")

_METHOD = "keyphrases 1"
_READ = 500
_BATCH = 64  # a second or two of embedding: what a kill costs at most
_ASKED = 16
"""Word groups of a question that are compared in meaning; single words are compared anyway."""
_GIVEN = 0.9
"""Weight of a keyword that somebody else supplies: above most of ours, below a heading's."""
_STALE = 0.1
"""Share of passages removed from which the words are counted anew."""


class PassageSource(Protocol):
    """What is read of tools.library.texts.Texts."""

    def pages(self, size: int) -> Iterable[list[Passage]]:
        """All passages in batches."""
        ...

    def get(self, ids: Collection[str]) -> dict[str, Passage]:
        """Passages by id."""
        ...

    def vectors(self, ids: Collection[str]) -> dict[str, Vectors]:
        """The vectors of those passages that have one, by id."""
        ...


class KeywordStore:
    """Keywords by passage, and passages by keyword. Synchronous and thread-safe.

    Each passage's keywords have a maker: the method and embedder of `catch_up`, or whoever `put`
    them, such as a language model; what was put is never computed over.
    """

    def __init__(self, folder: Path) -> None:
        """Name the store in a library's folder, which must exist; nothing is opened yet."""
        self.file = KeywordsFile(folder / "keywords.sqlite")
        self._rarity_lock = Lock()
        self._rarity: tuple[int, dict[str, float], float] = (-1, {}, 1.0)

    def put(self, passage_id: str, keywords: Sequence[str], by: str) -> None:
        """Keep keywords that somebody else found, such as a language model; `by` names it.

        They take the place of the passage's keywords, but for its headings.

        Raises:
            LibraryError: The file is damaged, or locked for too long.
        """
        found = [Keyword(" ".join(word.split()), key_stems(word), _GIVEN) for word in keywords]
        with self.file.writing() as db:
            write_keywords(db, passage_id, [item for item in found if item.stems], f"given {by}")

    def keywords(self, passage_id: str) -> list[Keyword]:
        """Return the keywords of a passage, headings among them, the weightiest first."""
        sql = (
            "SELECT text, stems, weight FROM uses u JOIN phrases f ON f.number = u.phrase"
            " JOIN passages p ON p.number = u.passage WHERE p.id = ? ORDER BY weight DESC, text"
        )
        with self.file.reading() as db:
            rows = db.execute(sql, (passage_id,)).fetchall()
        return [Keyword(text, tuple(stems.split()), weight) for text, stems, weight in rows]

    def count(self) -> int:
        """How many passages have keywords."""
        with self.file.reading() as db:
            (count,) = db.execute("SELECT COUNT(*) FROM passages WHERE maker != ''").fetchone()
        return int(count)

    def catch_up(
        self, texts: PassageSource, embedder: Embedder, progress: Progress | None = None
    ) -> int:
        """Make the keywords that are missing and forget those of passages that are gone.

        Killed at any moment it loses a batch at most; the next call goes on there.

        Args:
            texts: The library's passages.
            embedder: Of the library. What another one made is made anew.
            progress: Called with (passages done, of how many).

        Returns:
            For how many passages keywords were made.

        Raises:
            LibraryError: The library or the file is damaged, or locked for too long.
        """
        self.take_stock(texts)
        maker = maker_of(embedder)
        with self.file.reading() as db:
            sql = "SELECT id FROM passages WHERE maker != ? AND maker NOT LIKE 'given %'"
            waiting = [row[0] for row in db.execute(f"{sql} ORDER BY number", (maker,))]
        rarity = self.rarity()
        for start in range(0, len(waiting), _BATCH):
            if progress:
                progress(start, len(waiting))
            passages = list(texts.get(waiting[start : start + _BATCH]).values())
            self._make(passages, texts, embedder, rarity)
        self._embed_given(embedder)
        if progress and waiting:
            progress(len(waiting), len(waiting))
        if waiting:
            logger.info("made keywords for %d passages", len(waiting))
        return len(waiting)

    def rarity(self) -> Callable[[str], float]:
        """Return the inverse document frequency of stems, as of now; read again when words change."""
        with self._rarity_lock:
            with self.file.reading() as db:
                version = self.file.version(db)
                if self._rarity[0] != version:
                    (total,) = db.execute(
                        "SELECT COUNT(*) FROM passages WHERE paper IS NOT NULL"
                    ).fetchone()
                    counts = db.execute("SELECT stem, SUM(count) FROM words GROUP BY stem")
                    weights = {item: _idf(total, count) for item, count in counts}
                    self._rarity = (version, weights, _idf(total, 0))
            _, weights, unknown = self._rarity
        return lambda item: weights.get(item, unknown)

    def close(self) -> None:
        """Close its connections; a later call opens new ones."""
        self.file.close()

    def take_stock(self, texts: PassageSource) -> None:
        """Write down which passages there are, and count the words of new ones; embeds nothing.

        Raises:
            LibraryError: The library or the file is damaged, or locked for too long.
        """
        with self.file.reading() as db:
            known = dict(db.execute("SELECT id, paper IS NOT NULL FROM passages").fetchall())
        present: set[str] = set()
        for page in texts.pages(_READ):
            present.update(passage.id for passage in page)
            new = [passage for passage in page if not known.get(passage.id)]
            if new:
                with self.file.writing() as db:
                    count_words(db, new)
                    note_places(db, new)
                    self._add_headings(db, new)
        gone = [key for key in known if key not in present]
        if gone:
            self._forget(gone, len(known))
            if len(gone) > _STALE * len(known):
                self._recount(texts)

    def _add_headings(self, db: sqlite3.Connection, passages: Sequence[Passage]) -> None:
        for passage in passages:
            row = db.execute("SELECT number FROM passages WHERE id = ?", (passage.id,)).fetchone()
            add_keywords(db, row[0], headings(passage))

    def _forget(self, gone: Sequence[str], known: int) -> None:
        logger.info("forgetting the keywords of %d of %d passages", len(gone), known)
        with self.file.writing() as db:
            numbers = [
                db.execute("SELECT number FROM passages WHERE id = ?", (key,)).fetchone()
                for key in gone
            ]
            forget(db, [row[0] for row in numbers if row])
            drop_unused(db)

    def _recount(self, texts: PassageSource) -> None:
        with self.file.writing() as db:
            db.execute("DELETE FROM words")
            for page in texts.pages(_READ):
                count_words(db, page)

    def _make(
        self,
        passages: Sequence[Passage],
        texts: PassageSource,
        embedder: Embedder,
        rarity: Callable[[str], float],
    ) -> None:
        candidates = [ranked_candidates(item.text, rarity)[:EMBEDDED] for item in passages]
        titles = [(item.text, item.stems) for p in passages for item in headings(p)]
        phrases = {stems: text for text, stems in titles}
        phrases.update({stems: text for found in candidates for text, stems in found})
        vectors = self.phrase_vectors(phrases, embedder)
        whole = _passage_vectors(passages, texts, embedder)
        with self.file.writing() as db:
            for passage, found, vector in zip(passages, candidates, whole, strict=True):
                rows = [vectors[stems] for _, stems in found]
                near = nearest(found, vector, np.array(rows)) if rows else []
                write_keywords(db, passage.id, [*near, *headings(passage)], maker_of(embedder))
            _keep_vectors(db, vectors, embedder.name)

    def phrase_vectors(
        self, phrases: Mapping[tuple[str, ...], str], embedder: Embedder
    ) -> dict[tuple[str, ...], Vectors]:
        """Recall the vectors of phrases, and make those that are missing, all in one call."""
        keys = {" ".join(stems): stems for stems in phrases}
        sql = (
            "SELECT stems, vector FROM phrases WHERE embedder = ?"
            " AND stems IN (SELECT value FROM json_each(?))"
        )
        with self.file.reading() as db:
            rows = db.execute(sql, (embedder.name, json.dumps(list(keys)))).fetchall()
        kept = unpack([blob for _, blob in rows], embedder.size)
        known = {keys[key]: row for (key, _), row in zip(rows, kept, strict=True)}
        missing = [stems for stems in phrases if stems not in known]
        if missing:
            made = embedder.embed([phrases[stems] for stems in missing])
            known.update(zip(missing, made, strict=True))
        return known

    def _embed_given(self, embedder: Embedder) -> None:
        """Make the vectors of phrases that others supplied."""
        while True:
            with self.file.reading() as db:
                rows = db.execute(
                    "SELECT stems, text FROM phrases WHERE embedder != ? LIMIT 500",
                    (embedder.name,),
                ).fetchall()
            if not rows:
                return
            made = embedder.embed([text for _, text in rows])
            pairs = zip([tuple(stems.split()) for stems, _ in rows], made, strict=True)
            with self.file.writing() as db:
                _keep_vectors(db, dict(pairs), embedder.name)


def maker_of(embedder: Embedder) -> str:
    """Return the name under which keywords made with this embedder are kept."""
    return f"{_METHOD} {embedder.name}"


def question_keywords(question: str, rarity: Callable[[str], float]) -> list[Candidate]:
    """Return the keywords of a question: its most telling word groups, or all if it has few."""
    return ranked_candidates(question, rarity)[:_ASKED]


def _passage_vectors(
    passages: Sequence[Passage], texts: PassageSource, embedder: Embedder
) -> Vectors:
    """Recall the vectors of passages from the library's index, or make them."""
    known = texts.vectors([passage.id for passage in passages])
    missing = [passage for passage in passages if passage.id not in known]
    made = embedder.embed([searched_text(passage) for passage in missing]) if missing else ()
    known = {**known, **{p.id: row for p, row in zip(missing, made, strict=True)}}
    rows = [known[passage.id] for passage in passages]
    return np.array(rows) if rows else np.empty((0, embedder.size), dtype=np.float32)


def _keep_vectors(
    db: sqlite3.Connection, vectors: dict[tuple[str, ...], Vectors], embedder: str
) -> None:
    db.executemany(
        "UPDATE phrases SET vector = ?, embedder = ? WHERE stems = ? AND embedder != ?",
        [(pack(row), embedder, " ".join(stems), embedder) for stems, row in vectors.items()],
    )


def _idf(total: int, count: int) -> float:
    return math.log((1 + total) / (1 + min(count, total))) + 1
