"""Both vector indexes keep one contract, and filters choose the same passages in each."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.library.processes import process, until
from tests.library.qdrant_double import QdrantDouble
from tools.errors import LibraryError
from tools.library.embedded_index import EmbeddedIndex
from tools.library.hybrid_search import document_terms, query_terms, search
from tools.library.qdrant_server import Server
from tools.library.server_index import ServerIndex
from tools.library.vector_index import IndexFilter, Point, Query, ScoredPoint, VectorIndex


def axis(number: int) -> NDArray[np.float32]:
    vector = np.eye(4)[number - 1] + 0.1
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


POINTS = [
    Point(number, {"paper": "p"}, axis(number), document_terms(text))
    for number, text in (
        (1, "protein folding with neural networks"),
        (2, "drawing large graphs of protein interactions"),
        (3, "visual analytics of graphs, graphs and more graphs"),
        (4, "a history of typography"),
    )
]


def hits(index: VectorIndex, dense: int | None = None, words: str = "") -> list[ScoredPoint]:
    query = Query(axis(dense) if dense else None, query_terms(words) if words else None)
    return search(index, query, 10, IndexFilter())


def found(index: VectorIndex, **asked: object) -> list[int]:
    return [hit.id for hit in hits(index, **asked)]  # type: ignore[arg-type]


@pytest.fixture
def engines(tmp_path: Path, double: QdrantDouble) -> Iterator[list[VectorIndex]]:
    """Each engine with an index of the four points."""
    made: list[VectorIndex] = [
        EmbeddedIndex(tmp_path / "mine" / "vectors", 4),
        ServerIndex(Server(url=double.url), "test", 4),
    ]
    (tmp_path / "mine").mkdir()
    for one in made:
        one.create()
        one.upsert(POINTS)
    yield made
    for one in made:
        one.close()


def test_both_engines_find_the_same_with_the_same_scores(engines: list[VectorIndex]) -> None:
    for dense, words in ((1, ""), (None, "protein graphs"), (2, "protein graphs")):
        left, right = (hits(index, dense, words) for index in engines)
        assert [hit.id for hit in left] == [hit.id for hit in right]
        assert [hit.score for hit in left] == pytest.approx([hit.score for hit in right], rel=1e-4)
    for index in engines:
        assert found(index, words="graph") == [3, 2], "only what has the words"
        assert found(index, words="zebra") == []
        assert found(index, dense=2, words="protein graph")[0] == 2, "both rank it high"
        best = hits(index, 4, "typography")[0]
        assert best.id == 4
        assert best.score == pytest.approx(2 / 61, rel=1e-6), "fused with k = 60"


def test_points_are_kept_replaced_deleted_and_dropped(engines: list[VectorIndex]) -> None:
    for index in engines:
        index.create()  # what is there stays
        vectors = index.vectors([2, 99])
        assert list(vectors) == [2]
        np.testing.assert_allclose(vectors[2], axis(2), atol=1e-6)
        index.upsert([Point(1, {"paper": "p"}, axis(4), POINTS[0].sparse)])
        index.delete([2, 99])
        index.optimize()
        assert (len(index.scroll(0, 9)), found(index, dense=4)[0]) == (3, 1)
        index.drop()
        assert not index.exists()
        index.create()
        assert index.exists()
        assert index.scroll(0, 9) == []


def test_another_process_is_named_while_it_uses_the_index_and_gives_way_when_it_rests(
    engines: list[VectorIndex], tmp_path: Path
) -> None:
    engines[0].close()
    folder = tmp_path / "mine" / "vectors"
    script = """
from tools.library.embedded_index import EmbeddedIndex
index = EmbeddedIndex(home, 4)
with index._folder.opened() as shard:
    print("held", flush=True)
    sys.stdin.readline()
print("rests", flush=True)
sys.stdin.read()
"""
    with process(folder, script) as holder:
        until("held", holder)
        with pytest.raises(LibraryError, match=r"in use by another process.*CITELOOM_QDRANT_URL"):
            EmbeddedIndex(folder, 4, wait=0.1).scroll(0, 9)
        print(file=holder.stdin, flush=True)
        until("rests", holder)
        engines[0].upsert(POINTS)
        assert holder.poll() is None
