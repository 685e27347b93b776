"""Vectors are moved between the engines, or carried by a snapshot, and not made again."""

from pathlib import Path

import pytest

from tests.library.conftest import Recorded
from tests.library.test_embedders import RichEmbedder
from tests.library.words import OtherEmbedder, WordEmbedder, fill, paper
from tools.errors import InputError, LibraryError
from tools.library.library import Library
from tools.library.library_care import repair, verify
from tools.library.library_snapshot import restore_snapshot, take_snapshot
from tools.library.open_library import close_libraries, create_library, delete_library, open_library
from tools.settings import Settings

TEXTS = 20 + 6


@pytest.fixture
def served(settings: Settings) -> Settings:
    return settings.model_copy(update={"qdrant_url": "http://qdrant.invalid"})


def collections(recorded: Recorded) -> int:
    return len(recorded.client.get_collections().collections)


def test_library_stays_where_it_is_until_it_is_moved_and_nothing_is_embedded_twice(
    filled: Library, served: Settings, settings: Settings, recorded: Recorded
) -> None:
    embedder = WordEmbedder()
    asked = ("result topic1", "limits")
    before = [filled.texts.search(words, limit=9) for words in asked]
    library = open_library("mine", served, embedder)
    assert [library.texts.search(words, limit=9) for words in asked] == before
    library.add([paper(50)])
    assert collections(recorded) == 0, "what is added goes where the others are"
    embedder.texts = 0
    assert library.index(reembed=True) == embedder.texts == 0
    assert collections(recorded) == 1
    library.add([paper(51)])
    back = open_library("mine", settings, embedder)
    with pytest.raises(LibraryError, match=r"set CITELOOM_QDRANT_URL .* library index"):
        back.search("topic1", limit=1)
    close_libraries()
    library = open_library("mine", served, embedder)
    assert library.index(reembed=True) == 0, "moved once"
    assert len(library.search("topic1", limit=99)) == 22


def test_stopped_move_goes_on_and_makes_only_what_was_changed(
    filled: Library, served: Settings, recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = WordEmbedder()
    library = open_library("mine", served, embedder)

    calls: list[int] = []

    def stop(own: Recorded, *arguments: object, **named: object) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        own.client.upsert(*arguments, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr("tools.library.library_index._BATCH", 10)
        patch.setattr(Recorded, "upsert", stop, raising=False)
        with pytest.raises(KeyboardInterrupt):
            library.index(reembed=True)
    assert len(library.search("topic1", limit=99)) == 20, "what was there is searched"
    assert verify(library) == []
    library.add([paper(4, "Quite another title")], index=False, replace=True)
    library.remove(["doi:10.1000/p5"])
    embedder.texts = 0
    assert library.index() == embedder.texts == 1
    assert len(library.search("topic1", limit=99)) == 19
    assert library.search("quite another title", limit=1)[0].paper == "doi:10.1000/p4"
    assert verify(library) == []


def test_what_cannot_be_moved_is_made_anew(
    served: Settings, settings: Settings, recorded: Recorded
) -> None:
    fill(create_library("mine", served, WordEmbedder()))
    close_libraries()
    embedder = WordEmbedder()
    library = open_library("mine", settings, embedder)
    with pytest.raises(LibraryError, match="set CITELOOM_QDRANT_URL"):
        library.add([paper(50)])
    assert repair(library) == []
    assert library.index(reembed=True) == 0
    assert embedder.texts == TEXTS + 1, "the server is not to be asked"
    assert len(library.search("topic1", limit=99)) == 21
    assert collections(recorded) == 1, "nobody can delete it yet"
    library = open_library("mine", served, WordEmbedder())
    library.index()
    assert collections(recorded) == 0
    fill(create_library("rich", settings, RichEmbedder()))
    assert open_library("rich", served, RichEmbedder()).index(reembed=True) == TEXTS


def test_library_on_a_server_that_is_gone_can_be_deleted(
    served: Settings, settings: Settings, recorded: Recorded, caplog: pytest.LogCaptureFixture
) -> None:
    folder = fill(create_library("mine", served, WordEmbedder())).folder
    close_libraries()
    delete_library("mine", settings, WordEmbedder())
    assert not folder.exists()
    assert "what a server has of library 'mine' stays there: OtherServerError" in caplog.text


@pytest.mark.parametrize("to_server", [False, True])
def test_snapshot_with_vectors_is_restored_without_an_embedder(
    filled: Library,
    settings: Settings,
    served: Settings,
    recorded: Recorded,
    tmp_path: Path,
    *,
    to_server: bool,
) -> None:
    filled.add([paper(4, "Quite another title")], index=False, replace=True)
    plain, carrying = tmp_path / "plain.gz", tmp_path / "vectors.gz"
    assert take_snapshot(filled, plain) < take_snapshot(filled, carrying, vectors=True)
    given = served if to_server else settings
    restore_snapshot(carrying, given, name="again")
    embedder = WordEmbedder()
    again = open_library("again", given, embedder)
    assert again.index() == embedder.texts == 1, "the one that had none"
    assert verify(again) == []
    assert collections(recorded) == to_server
    assert len(again.search("topic1", limit=99)) == 20
    assert take_snapshot(again, tmp_path / "after.gz") < carrying.stat().st_size
    with again.catalog.database.reading() as db:
        assert db.execute("SELECT 1 FROM carried").fetchall() == []


def test_snapshot_with_vectors_serves_other_embedders_and_moves_too(
    filled: Library, settings: Settings, served: Settings, recorded: Recorded, tmp_path: Path
) -> None:
    take_snapshot(filled, tmp_path / "mine.gz", vectors=True)
    restore_snapshot(tmp_path / "mine.gz", settings, name="other")
    library = open_library("other", settings, OtherEmbedder(96), any_embedder=True)
    assert library.index(reembed=True) == TEXTS
    restore_snapshot(tmp_path / "mine.gz", settings, name="again")
    embedder = WordEmbedder()
    library = open_library("again", served, embedder)
    assert library.index(reembed=True) == embedder.texts == 0
    assert collections(recorded) == 1
    take_snapshot(library, tmp_path / "served.gz", vectors=True)
    restore_snapshot(tmp_path / "served.gz", settings, name="third")
    assert open_library("third", settings, embedder).index() == embedder.texts == 0
    rich = fill(create_library("rich", settings, RichEmbedder()))
    with pytest.raises(InputError, match="without vectors"):
        take_snapshot(rich, tmp_path / "rich.gz", vectors=True)
    assert not (tmp_path / "rich.gz").exists()


def test_damaged_index_is_never_the_source_of_a_move(
    filled: Library, embedder: WordEmbedder
) -> None:
    filled.close()
    for path in filled.folder.glob("vectors-*/**/*"):
        if path.is_file():
            path.write_bytes(b"\xff" * path.stat().st_size)
    embedder.texts = 0
    assert repair(filled) == []
    assert embedder.texts == TEXTS
