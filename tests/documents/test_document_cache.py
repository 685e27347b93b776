"""tools/documents/document_cache.py: kept once, found again, whatever becomes of the file."""

import logging
import multiprocessing
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from state.document import Block, Document
from tests.library.words import WordEmbedder
from tools.documents import document_cache as module
from tools.documents.document_cache import DocumentStore, StoredEmbedder, summary_key
from tools.embed.embedder import Vectors

A, B = "a" * 64, "b" * 64
TEXTS = [f"Owl number {number} hears a vole." for number in range(300)]


def document(text: str = "Pears wilt.", reader: str = "pdf 1") -> Document:
    return Document(
        title="On pears",
        blocks=(Block(text=text, section=("1 Wilting",), page=2),),
        pages=3,
        confidence={"title": 0.9},
        reader=reader,
    )


@pytest.fixture
def store(tmp_path: Path) -> DocumentStore:
    return DocumentStore(tmp_path / "home")


def test_what_is_put_comes_back_from_another_store_of_the_folder(
    store: DocumentStore, tmp_path: Path
) -> None:
    assert store.latest(A) is None
    assert store.summaries(["key"]) == {}
    assert not store.path.parent.exists()
    store.put(A, document("Old.", reader="grobid 0.8"))
    store.put(A, document())
    store.put(B, document("Another file."))
    again = DocumentStore(tmp_path / "home")
    assert (again.latest(A), again.latest(B)) == (document(), document("Another file."))


def test_summaries_are_kept_by_maker_and_words(store: DocumentStore) -> None:
    one, other = summary_key("mind 1", "Pears  wilt.\n"), summary_key("mind 2", "Pears wilt.")
    assert one == summary_key("mind 1", "Pears wilt.") != other
    store.put_summaries({one: "They wilt."})
    store.put_summaries({})
    assert store.summaries([one, other]) == {one: "They wilt."}
    store.put_summaries({one: "Wilting\0 pears.", other: "梨 \U0001f350"})
    assert store.summaries([one, other]) == {one: "Wilting\0 pears.", other: "梨 \U0001f350"}
    many = {summary_key("mind", str(number)): str(number) for number in range(5000)}
    store.put_summaries(many)
    assert store.summaries(list(many)) == many


@pytest.mark.parametrize("wreck", [b"", b"no database at all, but long enough to be read", None])
def test_damaged_file_is_set_aside_and_said_and_the_store_goes_on(
    wreck: bytes | None, store: DocumentStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.put(A, document())
    store.put_summaries({f"key {number}": "summary " * 50 for number in range(500)})
    if wreck is None:  # the head is whole, what follows is not
        content = store.path.read_bytes()
        wreck = content[:4096] + b"\xff" * (len(content) - 4096)
    store.path.write_bytes(wreck)
    with caplog.at_level(logging.WARNING):
        assert store.latest(A) is None
    store.put(A, document())
    assert store.latest(A) == document()
    aside = store.path.with_name("documents.sqlite.damaged")
    assert aside.exists() == bool(wreck)  # an empty file is a database without tables
    if wreck:
        assert aside.read_bytes() == wreck
        assert f"{store.path} is damaged" in caplog.text


@pytest.mark.parametrize("content", [b"not deflated", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_document_that_cannot_be_understood_is_forgotten(
    content: bytes, store: DocumentStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.put(A, document())
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE kept_4 SET value = ?", (content,))
    with caplog.at_level(logging.WARNING):
        assert store.latest(A) is None
    assert "read anew" in caplog.text


def test_folder_that_cannot_be_written_costs_no_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "home").write_text("a file, no folder")
    store = DocumentStore(tmp_path / "home")
    with caplog.at_level(logging.WARNING):
        store.put(A, document())
    assert store.latest(A) is None
    assert "cannot be written" in caplog.text
    embedder = StoredEmbedder(Counting(), store)
    assert embedder.embed(TEXTS[:2]).shape == (2, embedder.size)
    assert embedder.embed([]).shape == (0, embedder.size)


def test_beyond_its_size_the_store_forgets_what_was_kept_first(
    store: DocumentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 300_000)
    summaries = {f"key {number:04}": f"{number} " * 200 for number in range(2000)}
    for start in range(0, 2000, 100):
        keys = list(summaries)[start : start + 100]
        store.put_summaries({key: summaries[key] for key in keys})
    left = store.summaries(list(summaries))
    assert 100 < len(left) < 600
    assert sorted(left) == list(summaries)[-len(left) :]


def fill(folder: Path, start: int) -> None:
    def put(number: int) -> None:
        DocumentStore(folder).put(f"{number:064}", document(str(number)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, range(start, start + 12)))


def test_threads_and_processes_share_a_file_from_its_beginning(tmp_path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    processes = [context.Process(target=fill, args=(tmp_path, start)) for start in (0, 12)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    store = DocumentStore(tmp_path)
    read = [store.latest(f"{number:064}") for number in range(24)]
    assert read == [document(str(number)) for number in range(24)]


class Counting(WordEmbedder):
    """Counts what it embeds."""

    def __init__(self, name: str = "counting") -> None:
        super().__init__()
        self.name = name
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return super().embed(texts)


def test_text_is_embedded_once_by_each_embedder(tmp_path: Path) -> None:
    first, second, other = Counting(), Counting(), Counting("other")
    made = StoredEmbedder(first, DocumentStore(tmp_path)).embed([*TEXTS, TEXTS[0]])
    again = StoredEmbedder(second, DocumentStore(tmp_path)).embed([*TEXTS[::-1], "A new one."])
    assert first.asked == TEXTS
    assert second.asked == ["A new one."]
    assert np.array_equal(made[:300][::-1], again[:300])
    assert np.array_equal(made, WordEmbedder().embed([*TEXTS, TEXTS[0]]))
    StoredEmbedder(other, DocumentStore(tmp_path)).embed(TEXTS[:3])
    assert other.asked == TEXTS[:3]
