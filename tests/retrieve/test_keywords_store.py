"""Keywords are computed once, kept, and survive whatever interrupts their making."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.library.words import WordEmbedder
from tests.retrieve.made import filled, holding, paper_id, passages_of
from tools.embed.port import Embedder, Vectors
from tools.errors import LibraryError
from tools.library.library import Library
from tools.library.open import close_libraries
from tools.retrieve.keywords_store import KeywordStore

ROOT = Path(__file__).parents[2]


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def library(tmp_path: Path, embedder: Embedder) -> Iterator[Library]:
    yield filled(tmp_path, embedder, index=False)
    close_libraries()


@pytest.fixture
def store(library: Library) -> Iterator[KeywordStore]:
    made = KeywordStore(library.folder)
    yield made
    made.close()


def texts_of(store: KeywordStore, passage: str) -> set[str]:
    return {keyword.text for keyword in store.keywords(passage)}


def test_all_passages_get_keywords_with_their_headings_and_title(
    library: Library, store: KeywordStore, embedder: Embedder
) -> None:
    steps: list[tuple[int, int | None]] = []
    made = store.catch_up(library.texts, embedder, lambda *step: steps.append(step))
    assert made == store.count() == library.texts.count() == 8
    assert steps == [(0, 8), (8, 8)]
    keywords = store.keywords(holding(library, "Grain sizes"))
    assert {"2 Sediment cores", "Harbours of the northern sea"} <= {
        keyword.text for keyword in keywords if keyword.weight == 1
    }
    assert any("radiocarbon" in keyword.text for keyword in keywords)


def test_second_time_costs_nothing_and_a_new_document_only_its_own(
    library: Library, store: KeywordStore, embedder: WordEmbedder
) -> None:
    store.catch_up(library.texts, embedder)
    before = embedder.texts
    assert store.catch_up(library.texts, embedder) == 0
    assert embedder.texts == before
    title = "Bread made with sourdough"
    entry, text, passages = passages_of(title, {"4 Taste": ["The crust tasted of malt and smoke."]})
    library.texts.put(entry.model_copy(update={"name": "more.txt"}), text, passages)
    assert store.catch_up(library.texts, embedder) == 1
    assert "crust tasted" in texts_of(store, passages[0].id)


def test_removed_passages_are_forgotten_with_their_phrases_and_words(
    library: Library, store: KeywordStore, embedder: Embedder
) -> None:
    store.catch_up(library.texts, embedder)
    gone = holding(library, "Grain sizes")
    library.texts.remove([paper_id("Harbours of the northern sea")])
    store.catch_up(library.texts, embedder)
    assert store.keywords(gone) == []
    with store.file.reading() as db:
        assert db.execute("SELECT COUNT(*) FROM words WHERE word = 'radiocarbon'").fetchone() == (
            0,
        )
        assert db.execute("SELECT COUNT(*) FROM terms WHERE term = 'radiocarbon'").fetchone() == (
            0,
        )
        assert db.execute(
            "SELECT COUNT(*) FROM phrases WHERE text = '2 Sediment cores'"
        ).fetchone() == (0,)


def test_given_keywords_stay_and_get_headings_and_vectors(
    library: Library, store: KeywordStore, embedder: Embedder
) -> None:
    passage = holding(library, "Grain sizes")
    store.put(passage, ["flood chronology", "  ", "the"], "small-model")
    store.catch_up(library.texts, embedder)
    assert texts_of(store, passage) == {
        "flood chronology", "2 Sediment cores", "Harbours of the northern sea",
    }  # fmt: skip
    store.put(passage, ["ancient floods"], "small-model")
    assert store.catch_up(library.texts, embedder) == 0
    assert texts_of(store, passage) == {
        "ancient floods", "2 Sediment cores", "Harbours of the northern sea",
    }  # fmt: skip
    with store.file.reading() as db:
        assert db.execute("SELECT COUNT(*) FROM phrases WHERE vector IS NULL").fetchone() == (0,)


def test_another_embedder_makes_all_anew(
    library: Library, store: KeywordStore, embedder: Embedder, model: Embedder
) -> None:
    store.catch_up(library.texts, embedder)
    store.put(holding(library, "Grain sizes"), ["flood chronology"], "small-model")
    assert store.catch_up(library.texts, model) == 7
    with store.file.reading() as db:
        rows = db.execute(
            "SELECT DISTINCT embedder FROM phrases p JOIN uses u ON u.phrase = p.number"
        )
        assert rows.fetchall() == [(model.name,)]


def test_vectors_of_the_librarys_index_are_not_made_again(
    library: Library, store: KeywordStore, embedder: WordEmbedder
) -> None:
    class Recalling:
        pages = staticmethod(library.texts.pages)
        get = staticmethod(library.texts.get)

        def vectors(self, ids: Collection[str]) -> dict[str, Vectors]:
            row = np.ones(embedder.size, dtype=np.float32) / embedder.size**0.5
            return dict.fromkeys(ids, row)

    asked: list[str] = []

    class Noting(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            asked.extend(texts)
            return super().embed(texts)

    store.catch_up(Recalling(), Noting())
    assert asked
    assert not any(len(text) > 100 for text in asked)


def test_keywords_are_the_same_whatever_was_interrupted(
    tmp_path: Path, library: Library, store: KeywordStore, embedder: Embedder
) -> None:
    store.catch_up(library.texts, embedder)
    passages = [passage.id for page in library.texts.pages(50) for passage in page]
    whole = {key: store.keywords(key) for key in passages}
    store.close()
    (library.folder / "keywords.sqlite").unlink()

    def stop(done: int, _: int | None) -> None:
        raise KeyboardInterrupt

    again = KeywordStore(library.folder)
    with pytest.raises(KeyboardInterrupt):
        again.catch_up(library.texts, embedder, stop)
    again.catch_up(library.texts, embedder)
    assert {key: again.keywords(key) for key in passages} == whole
    again.close()


def test_killed_process_loses_nothing_and_doubles_nothing(
    tmp_path: Path, library: Library, store: KeywordStore, embedder: Embedder
) -> None:
    code = f"""
import sys, time
from pathlib import Path
from tests.library.words import WordEmbedder
from tools.library.open import open_library
from citeloom.settings import Settings
from tools.retrieve import keywords_store
keywords_store._BATCH = 2
def tell(done, total):
    print(done, flush=True)
    if done == 4:
        time.sleep(60)
library = open_library("small", Settings(home=Path({str(tmp_path)!r}), _env_file=None), WordEmbedder())
keywords_store.KeywordStore(library.folder).catch_up(library.texts, WordEmbedder(), tell)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        while child.stdout.readline().strip() != b"4":
            assert child.poll() is None
        os.kill(child.pid, signal.SIGKILL)
    assert store.count() == 4
    assert store.catch_up(library.texts, embedder) == 4
    with store.file.reading() as db:
        assert db.execute("SELECT count FROM words WHERE word = 'radiocarbon'").fetchone() == (1,)


def test_two_threads_at_once_give_one_set_of_keywords(
    library: Library, store: KeywordStore, embedder: Embedder
) -> None:
    other = KeywordStore(library.folder)
    threads = [
        threading.Thread(target=one.catch_up, args=(library.texts, embedder))
        for one in (store, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert store.count() == 8


def test_damaged_file_is_said_with_the_remedy(library: Library, store: KeywordStore) -> None:
    (library.folder / "keywords.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(LibraryError, match=r"delete that file and run `citeloom library index"):
        store.count()


def test_file_of_a_newer_version_is_left_alone(library: Library, store: KeywordStore) -> None:
    with closing(sqlite3.connect(library.folder / "keywords.sqlite")) as db:
        db.execute("PRAGMA user_version=99")
    with pytest.raises(LibraryError, match="newer CiteLoom"):
        store.count()


def test_deleted_file_is_made_again(
    library: Library, store: KeywordStore, embedder: Embedder
) -> None:
    store.catch_up(library.texts, embedder)
    for path in library.folder.glob("keywords.sqlite*"):
        path.unlink()
    assert store.count() == 0
    assert store.catch_up(library.texts, embedder) == 8
