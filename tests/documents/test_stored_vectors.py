"""Tests of vectors that are kept beside the documents."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from tests.library.words import WordEmbedder
from tools.documents.store import DocumentStore
from tools.documents.stored_vectors import StoredEmbedder
from tools.embed.port import Vectors

TEXTS = [f"Owl number {number} hears a vole." for number in range(300)]


class Counting(WordEmbedder):
    """Counts what it embeds."""

    def __init__(self, name: str = "counting") -> None:
        super().__init__()
        self.name = name
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return super().embed(texts)


def test_text_is_embedded_once_for_all_processes(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    made = StoredEmbedder(first, DocumentStore(tmp_path)).embed([*TEXTS, TEXTS[0]])
    again = StoredEmbedder(second, DocumentStore(tmp_path)).embed([*TEXTS[::-1], "A new one."])
    assert first.asked == TEXTS
    assert second.asked == ["A new one."]
    assert np.array_equal(made[:300][::-1], again[:300])
    assert np.array_equal(made, WordEmbedder().embed([*TEXTS, TEXTS[0]]))


def test_vectors_of_another_embedder_are_not_taken(tmp_path: Path) -> None:
    other = Counting("other")
    StoredEmbedder(Counting(), DocumentStore(tmp_path)).embed(TEXTS[:3])
    StoredEmbedder(other, DocumentStore(tmp_path)).embed(TEXTS[:3])
    assert other.asked == TEXTS[:3]


def test_vector_of_the_wrong_length_is_made_anew(tmp_path: Path) -> None:
    again = Counting()
    StoredEmbedder(Counting(), DocumentStore(tmp_path)).embed(TEXTS[:2])
    with closing(sqlite3.connect(tmp_path / "documents.sqlite")) as db, db:
        db.execute("UPDATE kept SET value = x'0000'")
    rows = StoredEmbedder(again, DocumentStore(tmp_path)).embed(TEXTS[:2])
    assert again.asked == TEXTS[:2]
    assert np.array_equal(rows, WordEmbedder().embed(TEXTS[:2]))


def test_nothing_kept_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    embedder = StoredEmbedder(Counting(), DocumentStore(tmp_path / "file"))
    assert embedder.embed(TEXTS[:2]).shape == (2, embedder.size)
    assert embedder.embed([]).shape == (0, embedder.size)


def test_vectors_are_forgotten_when_they_were_not_used(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    StoredEmbedder(Counting(), store).embed(TEXTS[:5])
    assert store.prune(days=-1.0) == 5
    assert StoredEmbedder(embedder := Counting(), store).embed(TEXTS[:1]).shape[0] == 1
    assert embedder.asked == TEXTS[:1]
