"""Both vector indexes keep one contract."""

import http.server
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tools.errors import LibraryError, TransientError
from tools.library.bm25 import document_terms, query_terms
from tools.library.edge import EdgeIndex
from tools.library.port import Filter, Point, Query, VectorIndex, search
from tools.library.server import IN_MEMORY, ServerIndex

ALL = Filter()
TEXTS = {
    1: "protein folding with neural networks",
    2: "drawing large graphs of protein interactions",
    3: "visual analytics of graphs, graphs and more graphs",
    4: "a history of typography",
}


def axis(number: int) -> NDArray[np.float32]:
    vector = np.full(4, 0.1, dtype=np.float32)
    vector[number - 1] = 1.0
    return vector / np.float32(np.linalg.norm(vector))


def points() -> list[Point]:
    return [
        Point(
            number,
            {"paper": f"doi:10.1000/{number}", **({"day": 1000 * number} if number < 4 else {})},
            axis(number),
            document_terms(text),
        )
        for number, text in TEXTS.items()
    ]


def found(
    index: VectorIndex, *, dense: int | None = None, words: str = "", **kw: object
) -> list[int]:
    vector = axis(dense) if dense else None
    terms = query_terms(words) if words else None
    limit = kw.pop("limit", 10)
    assert isinstance(limit, int)
    hits = search(index, Query(vector, terms), limit, Filter(**kw))  # type: ignore[arg-type]
    return [hit.id for hit in hits]


def count(index: VectorIndex) -> int:
    return len(index.scroll(0, 100))


@pytest.fixture(params=["edge", "server"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorIndex]:
    made: VectorIndex = (
        EdgeIndex(tmp_path / "vectors", 4)
        if request.param == "edge"
        else ServerIndex(IN_MEMORY, "test", 4)
    )
    assert made.create()
    yield made
    made.close()


@pytest.fixture
def filled(index: VectorIndex) -> VectorIndex:
    index.upsert(points())
    return index


def test_creating_twice_keeps_what_is_there(filled: VectorIndex) -> None:
    assert not filled.create()
    assert count(filled) == 4


def test_keyword_search_finds_only_what_has_the_words(filled: VectorIndex) -> None:
    assert found(filled, words="graph") == [3, 2]
    assert found(filled, words="zebra") == []


def test_hybrid_search_puts_first_what_both_rank_high(filled: VectorIndex) -> None:
    assert found(filled, dense=2, words="protein graph")[0] == 2


def test_fusion_uses_k_60(filled: VectorIndex) -> None:
    hits = search(filled, Query(axis(4), query_terms("typography")), 1, ALL)
    assert hits[0].id == 4
    assert hits[0].score == pytest.approx(2 / 61, rel=1e-6)


def test_both_engines_give_the_same_scores(tmp_path: Path) -> None:
    edge, server = EdgeIndex(tmp_path / "v", 4), ServerIndex(IN_MEMORY, "test", 4)
    for one in (edge, server):
        one.create()
        one.upsert(points())
    for dense, words in ((axis(1), None), (None, "protein graphs"), (axis(2), "protein graphs")):
        asked = query_terms(words) if words else None
        left, right = (search(one, Query(dense, asked), 10, ALL) for one in (edge, server))
        assert [hit.id for hit in left] == [hit.id for hit in right]
        assert [hit.score for hit in left] == pytest.approx([hit.score for hit in right], rel=1e-4)
    edge.close()
    server.close()


@pytest.mark.parametrize("words", ["", "protein graph"])
def test_cutoff_is_strict_and_hides_undated_points(filled: VectorIndex, words: str) -> None:
    assert sorted(found(filled, dense=1, words=words, before=3000)) == [1, 2]
    assert found(filled, dense=1, words=words, before=1000) == []


def test_vectors_come_back_as_stored(filled: VectorIndex) -> None:
    vectors = filled.vectors([2, 99])
    assert list(vectors) == [2]
    np.testing.assert_allclose(vectors[2], axis(2), atol=1e-6)


def test_upsert_replaces_and_delete_deletes(filled: VectorIndex) -> None:
    one = points()[0]
    filled.upsert([Point(1, {"paper": "p", "day": 1}, axis(4), one.sparse)])
    filled.delete([2, 99])
    assert count(filled) == 3
    assert found(filled, dense=4, before=2)[0] == 1


def test_edge_keeps_its_points_when_closed_and_opened(tmp_path: Path) -> None:
    first = EdgeIndex(tmp_path / "vectors", 4)
    first.create()
    first.upsert(points())
    first.optimize()
    first.close()
    assert count(first) == 4  # a later call opens it again
    first.close()
    second = EdgeIndex(tmp_path / "vectors", 4)
    assert found(second, words="graph") == [3, 2]
    second.close()


HOLD = """
import sys
from pathlib import Path
from tools.library.edge import EdgeIndex
index = EdgeIndex(Path(sys.argv[1]), 4, idle=float(sys.argv[2]))
index.scroll(0, 1)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[Callable[[float], subprocess.Popen[str]]]:
    """Starts a process that uses the index once and then stays."""
    started: list[subprocess.Popen[str]] = []

    def start(idle: float) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLD, str(tmp_path / "vectors"), str(idle)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip
        started.append(process)
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_another_process_that_stays_makes_a_clear_error(
    tmp_path: Path, holder: Callable[[float], subprocess.Popen[str]]
) -> None:
    index = EdgeIndex(tmp_path / "vectors", 4, wait=0.3)
    index.create()
    process = holder(60)
    with pytest.raises(LibraryError, match=r"in use by another process.*CITELOOM_QDRANT_URL"):
        count(index)
    process.kill()
    process.wait()
    assert count(index) == 0
    index.close()


def test_another_process_that_rests_lets_us_in(
    tmp_path: Path, holder: Callable[[float], subprocess.Popen[str]]
) -> None:
    index = EdgeIndex(tmp_path / "vectors", 4, wait=10)
    index.create()
    process = holder(0.5)
    index.upsert(points())
    assert process.poll() is None
    index.close()


def test_damaged_folder_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "mine" / "vectors").mkdir(parents=True)
    index = EdgeIndex(tmp_path / "mine" / "vectors", 4)
    with pytest.raises(LibraryError, match="citeloom library index mine"):
        count(index)


def test_dropped_index_is_empty_when_made_again(index: VectorIndex) -> None:
    index.upsert(points())
    index.drop()
    assert index.create()
    assert count(index) == 0


class Refusing(http.server.BaseHTTPRequestHandler):
    """Answers every request with the status in its path's query."""

    status = 500

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.mark.parametrize(("status", "error"), [(503, TransientError), (401, LibraryError)])
def test_server_that_refuses_is_named_with_its_settings(
    status: int, error: type[Exception]
) -> None:
    handler = type("Handler", (Refusing,), {"status": status})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        index = ServerIndex(f"http://127.0.0.1:{server.server_port}", "test", 4)
        with pytest.raises(error, match="CITELOOM_QDRANT_URL"):
            index.create()
        index.close()
        server.shutdown()


def test_server_that_is_not_there_is_transient() -> None:
    index = ServerIndex("http://127.0.0.1:9", "test", 4)
    with pytest.raises(TransientError, match="does not answer"):
        index.create()
    index.close()
