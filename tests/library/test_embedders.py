"""What an embedder makes is stored, used, moved between the engines or carried by a snapshot, and not made again."""

import re
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import pytest

from tests.library.conftest import Recorded
from tests.library.qdrant_double import QdrantDouble
from tests.library.words import PARTS, OtherEmbedder, WordEmbedder, document, fill, paper
from tools.embed.embedder import Encoded, TermWeights
from tools.errors import InputError, LibraryError
from tools.library.embedded_index import EmbeddedIndex
from tools.library.library import Library
from tools.library.library_care import repair, verify
from tools.library.library_snapshot import restore_snapshot, take_snapshot
from tools.library.open_library import close_libraries, create_library, delete_library, open_library
from tools.library.search_types import PassageFilter
from tools.settings import Settings

NEAR = "the red fox runs over the hill"
FAR = "the hill, the hill, the hill and the fox"


class RichEmbedder(WordEmbedder):
    """Words, their weights, and a vector for each."""

    name = "rich"
    multi_size = 61

    def encode(self, texts: Sequence[str]) -> Encoded:
        words = [re.findall(r"\w+", text.lower()) or ["-"] for text in texts]
        tokens = map(WordEmbedder(self.multi_size).embed, words)
        return Encoded(self.embed(texts), tuple(map(weights, words)), tuple(tokens))


def weights(words: list[str]) -> TermWeights:
    terms = sorted({crc32(word.encode()) % 10_000 for word in words})
    return TermWeights(tuple(terms), (1.0,) * len(terms))


def test_another_embedder_reads_but_does_not_search_until_the_library_is_indexed_with_it(
    filled: Library, settings: Settings
) -> None:
    other = OtherEmbedder(96)
    with pytest.raises(LibraryError, match=r"words \(64 numbers\).*citeloom library index mine"):
        open_library("mine", settings, other)
    library = open_library("mine", settings, other, any_embedder=True)
    for refused in (
        lambda: library.search("topic1", limit=1),
        lambda: library.texts.search("topic1", limit=1),
        lambda: library.index(),
    ):
        with pytest.raises(LibraryError, match="citeloom library index mine"):
            refused()
    assert library.texts.count() == 26
    assert library.remove(["10.1000/p1"]) == library.texts.remove(["10.1000/p2"]) == 1
    library.add([paper(99)], index=False)
    assert library.index(reembed=True) == other.texts == 20 + 2
    hit = library.texts.search("limits of what was done", mode="dense", limit=1)[0]
    assert library.texts.get([hit.passage])[hit.passage].text == PARTS[1][1]
    assert (library.stats().embedder, library.stats().size) == ("other", 96)
    assert len([path for path in library.folder.iterdir() if path.is_dir()]) == 1, "the old is gone"
    assert open_library("mine", settings, other) is library


def test_library_that_is_open_elsewhere_notices_each_swap(
    filled: Library, settings: Settings
) -> None:
    for embedder in (OtherEmbedder(96), RichEmbedder(), WordEmbedder()):
        close_libraries()
        other = open_library("mine", settings, embedder, any_embedder=True)
        assert other.index(reembed=True) == 26
        assert len(other.texts.search("first result", limit=99)) == 26
        close_libraries()
        if embedder.name == "words":
            assert len(filled.texts.search("first result", limit=99)) == 26
        else:
            with pytest.raises(LibraryError, match=rf"{embedder.name} \({embedder.size} numbers\)"):
                filled.search("topic1", limit=1)
    filled.close()


def test_search_graph_that_a_stop_left_out_is_built_by_the_next_call(
    filled: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def stop(_: EmbeddedIndex) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(EmbeddedIndex, "optimize", stop)
        with pytest.raises(KeyboardInterrupt):
            filled.add([paper(99)])
    monkeypatch.setattr(EmbeddedIndex, "optimize", lambda _: built.append("graph"))
    assert filled.add([paper(99)]).unchanged == 1
    assert built == ["graph"]
    assert filled.add([paper(99)]).unchanged == 1
    assert built == ["graph"], "once"


@pytest.mark.parametrize("is_served", [False, True])
def test_hybrid_search_orders_by_token_vectors_and_other_modes_as_ever(
    settings: Settings, double: QdrantDouble, *, is_served: bool
) -> None:
    given = settings.model_copy(update={"qdrant_url": double.url if is_served else None})
    rich = create_library("rich", given, RichEmbedder())
    fill(rich, 4, 0)
    parts = [("1 A", NEAR), ("2 B", FAR), *((f"{n} C", f"a filler of fox{n}") for n in range(9))]
    rich.texts.put(*document(1, *parts))
    rich.index()
    near, far = (one.id for one in rich.texts.of_paper("10.1000/p1")[1:3])
    best = rich.texts.search("red fox hill", limit=4)[0]
    assert best.passage == near
    assert best.score == pytest.approx(3.0, abs=1e-3), "each of three words is found as it is"
    wanted = PassageFilter(sections=frozenset({"b"}))
    (only,) = rich.texts.search("red fox hill", limit=4, wanted=wanted)
    assert only.passage == far
    assert rich.texts.search("red fox", mode="dense", limit=4)[0].passage == near
    assert rich.texts.search("red fox", mode="keyword", limit=4)[0].passage == near
    assert verify(rich) == []


TEXTS = 20 + 6


@pytest.fixture
def served(settings: Settings) -> Settings:
    return settings.model_copy(update={"qdrant_url": "http://qdrant.invalid"})


def collections(recorded: Recorded) -> int:
    return len(recorded.client.get_collections().collections)


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
    assert (repair(library), library.index(reembed=True)) == ([], 0)
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
