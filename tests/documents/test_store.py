"""tools/documents/store.py: kept once, found again, whatever becomes of the file."""

import logging
import multiprocessing
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.document import Block, Document
from tools.documents.store import DocumentStore, summary_key
from tools.errors import PermanentError

A, B = "a" * 64, "b" * 64


def document(text: str = "Pears wilt.", reader: str = "pdf 1") -> Document:
    return Document(
        title="On pears", blocks=(Block(text=text, section=("1 Wilting",), page=2),), pages=3,
        confidence={"title": 0.9}, reader=reader,
    )  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> DocumentStore:
    return DocumentStore(tmp_path / "home")


def change(store: DocumentStore, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute(sql, values)


def test_reading_makes_no_file_and_what_is_put_comes_back_from_another_store_of_the_folder(
    store: DocumentStore, tmp_path: Path
) -> None:
    assert store.latest(A) is None
    assert store.summaries(["key"]) == {}
    assert store.prune() == 0
    assert not store.path.parent.exists()
    store.put(A, document())
    again = DocumentStore(tmp_path / "home")
    assert again.latest(A) == document()
    assert again.latest(B) is None


def test_new_version_of_a_reader_replaces_what_the_old_one_read_and_no_others(
    store: DocumentStore,
) -> None:
    store.put(A, document("By GROBID.", reader="grobid 0.8"))
    store.put(A, document("Old."))
    assert store.latest(A) == document("Old.")
    store.put(A, document("Again by GROBID.", reader="grobid 0.9"))
    store.put(A, document("New.", reader="pdf 2"))
    store.put(B, document("Another file."))
    assert store.latest(A) == document("New.", reader="pdf 2")
    assert store.latest(B) == document("Another file.")
    with closing(sqlite3.connect(store.path)) as db:
        kept = db.execute("SELECT maker FROM kept WHERE key = ? ORDER BY maker", (A,))
        assert [reader for (reader,) in kept] == ["grobid", "pdf"]


def test_summaries_are_kept_by_maker_and_words(store: DocumentStore) -> None:
    one, other = summary_key("mind 1", "Pears  wilt.\n"), summary_key("mind 2", "Pears wilt.")
    assert one == summary_key("mind 1", "Pears wilt.")
    assert one != other
    store.put_summaries({one: "They wilt."})
    store.put_summaries({})
    assert store.summaries([one, other]) == {one: "They wilt."}
    store.put_summaries({one: "Wilting pears.", other: "Pears."})
    assert store.summaries([one, other]) == {one: "Wilting pears.", other: "Pears."}
    assert store.summaries([]) == {}
    many = {summary_key("mind", str(number)): str(number) for number in range(5000)}
    store.put_summaries(many)
    assert store.summaries(list(many)) == many


@settings(max_examples=40, deadline=None)
@given(
    texts=st.dictionaries(st.text(min_size=1), st.text(st.characters(exclude_categories=["Cs"])))
)
def test_any_text_comes_back(
    texts: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = DocumentStore(tmp_path_factory.mktemp("any"))
    summaries = {summary_key("mind", text): summary for text, summary in texts.items()}
    store.put_summaries(summaries)
    assert store.summaries(list(summaries)) == summaries


@pytest.mark.parametrize("wreck", [b"", b"no database at all, but long enough to be read", None])
def test_damaged_file_is_set_aside_and_said_and_the_store_goes_on(
    wreck: bytes | None, store: DocumentStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.put(A, document())
    store.put_summaries({f"key {number}": "summary " * 50 for number in range(500)})
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if wreck is None:  # the head is whole, what follows is not
        content = store.path.read_bytes()
        wreck = content[:4096] + b"\xff" * (len(content) - 4096)
    store.path.write_bytes(wreck)
    with caplog.at_level(logging.WARNING):
        assert store.latest(A) is None
    store.put(A, document())
    assert store.latest(A) == document()
    aside = store.path.with_name("documents.sqlite.damaged")
    if wreck:
        assert aside.read_bytes() == wreck
        assert "damaged" in caplog.text
        assert str(store.path) in caplog.text
    else:  # an empty file is a database without tables
        assert not aside.exists()


def test_file_of_an_older_version_is_set_aside(
    store: DocumentStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.put(A, document())
    change(store, "PRAGMA user_version=-1")
    with caplog.at_level(logging.WARNING):
        assert store.latest(A) is None
    store.put(A, document())
    assert store.latest(A) == document()
    assert "is old" in caplog.text
    assert store.path.with_name("documents.sqlite.old").exists()


def test_file_of_a_newer_version_is_left_alone(store: DocumentStore) -> None:
    store.put(A, document())
    change(store, "PRAGMA user_version=99")
    content = store.path.read_bytes()
    with pytest.raises(PermanentError, match="newer CiteLoom"):
        store.latest(A)
    with pytest.raises(PermanentError, match="newer CiteLoom"):
        store.put_summaries({"key": "text"})
    assert store.path.read_bytes() == content


@pytest.mark.parametrize("content", [b"not deflated", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_document_that_cannot_be_understood_is_forgotten(
    content: bytes, store: DocumentStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.put(A, document())
    store.put(B, document())
    change(store, "UPDATE kept SET value = ? WHERE key = ?", content, A)
    with caplog.at_level(logging.WARNING):
        assert store.latest(A) is None
    assert "read anew" in caplog.text
    assert store.latest(B) == document()
    store.put(A, document())
    assert store.latest(A) == document()


def test_folder_that_cannot_be_written_costs_no_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "home").write_text("a file, no folder")
    store = DocumentStore(tmp_path / "home")
    with caplog.at_level(logging.WARNING):
        store.put(A, document())
        store.put_summaries({"key": "text"})
    assert store.latest(A) is None
    assert "cannot be written" in caplog.text


def test_what_was_not_used_for_long_is_pruned_and_what_was_is_not(store: DocumentStore) -> None:
    store.put(A, document())
    store.put(B, document())
    store.put_summaries({"old": "text", "new": "text", "read": "text"})
    long_ago = time.time() - 100 * 86_400
    change(store, "UPDATE kept SET used = ? WHERE key = ?", long_ago, A)
    change(store, "UPDATE kept SET used = ? WHERE kind = 'summary' AND key != 'new'", long_ago)
    assert store.summaries(["read"]) == {"read": "text"}  # which is a use
    assert store.prune(days=200) == 0
    assert store.prune(days=50) == 2
    assert store.latest(A) is None
    assert store.latest(B) == document()
    assert store.summaries(["old", "new", "read"]) == {"new": "text", "read": "text"}


def test_beyond_its_size_the_store_forgets_what_was_used_longest_ago(store: DocumentStore) -> None:
    now = time.time()
    summaries = {f"key {number:04}": f"{number} " * 200 for number in range(2000)}
    store.put_summaries(summaries)
    for number, key in enumerate(summaries):
        if number % 100 == 0:
            change(store, "UPDATE kept SET used = ? WHERE key >= ?", now - 3000 + number, key)
    most = store.path.stat().st_size // 2
    assert store.prune(most_bytes=10 * most) == 0
    dropped = store.prune(most_bytes=most)
    left = store.summaries(list(summaries))
    assert 1000 < dropped < 1700
    assert min(int(key.split()[1]) // 100 for key in left) == dropped // 100
    assert len(left) == 2000 - dropped


def test_threads_that_begin_at_once_lose_nothing(tmp_path: Path) -> None:
    names = [f"{number:064}" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: DocumentStore(tmp_path).put(name, document(name)), names))
    store = DocumentStore(tmp_path)
    assert [store.latest(name) for name in names] == [document(name) for name in names]


def fill(folder: Path, start: int) -> None:
    for number in range(start, start + 10):
        DocumentStore(folder).put(f"{number:064}", document(str(number)))
        DocumentStore(folder).put_summaries({str(number): f"summary {number}"})


def test_processes_share_a_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=fill, args=(tmp_path, start)) for start in (0, 10, 20)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    store = DocumentStore(tmp_path)
    assert [store.latest(f"{number:064}") for number in range(30)] == [
        document(str(number)) for number in range(30)
    ]
    assert len(store.summaries([str(number) for number in range(30)])) == 30
