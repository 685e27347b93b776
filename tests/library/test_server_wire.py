"""The vector index on a Qdrant server over real HTTP: what goes over the wire, and what faults become."""

import re
from collections.abc import Iterator
from inspect import getsource
from threading import Thread

import numpy as np
import pytest
from pydantic import SecretStr
from qdrant_client import models

from tests.library.qdrant_double import Fault, QdrantDouble
from tests.library.words import WordEmbedder, fill, paper
from tools.errors import LibraryError, TransientError
from tools.library import server_index
from tools.library.library import Library
from tools.library.library_care import verify
from tools.library.open_library import close_libraries, create_library, delete_library, open_library
from tools.library.qdrant_server import Server
from tools.library.search_types import PassageFilter
from tools.library.server_index import ServerIndex
from tools.library.vector_index import (
    DENSE,
    KEYWORDS,
    MULTI,
    NUMBERS,
    SPARSE,
    IndexFilter,
    Point,
    Sparse,
)
from tools.settings import Settings

KEY = "key-that-nobody-may-read"
pytestmark = pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with QdrantDouble(KEY) as own:
        yield own
        close_libraries()


@pytest.fixture
def served(settings: Settings, double: QdrantDouble) -> Settings:
    return settings.model_copy(update={"qdrant_url": double.url, "qdrant_api_key": SecretStr(KEY)})


@pytest.fixture
def index(served: Settings) -> Iterator[ServerIndex]:
    own = ServerIndex(Server.of(served), "own", 8, multi=4)
    own.create()
    yield own
    own.close()


def points(*ids: int, multi: tuple[int, int] = (2, 4)) -> list[Point]:
    rows = np.random.default_rng(0).standard_normal((len(ids), 8)).astype(np.float32)
    tokens = np.full(multi, 0.123456789, dtype=np.float32)
    return [
        Point(key, {"paper": f"p{key}"}, row, Sparse((key,), (1.0,)), None, tokens)
        for key, row in zip(ids, rows, strict=True)
    ]


def test_what_is_asked_of_a_server_and_in_which_order(
    double: QdrantDouble, index: ServerIndex
) -> None:
    rows = points(*range(1, 129))
    double.fail("upsert", Fault.LATE)  # the first is answered when another is there
    sending = Thread(target=index.upsert, args=(rows,))
    before = len(double.requests)
    sending.start()
    double.wait_for(before + 2)
    double.go.set()
    sending.join()
    assert 1 < double.peak["upsert"] <= 4
    one = rows[3]
    wanted = IndexFilter(
        kind="passage",
        before=500,
        after=100,
        papers=("p1",),
        first_year=1900,
        last_year=2100,
        tags=("t",),
        venues=("v",),
        sections=("s",),
        exclude=(101,),
    )
    index.optimize()
    index.nearest([(DENSE, one.dense), (SPARSE, one.sparse)], 5, wanted)
    exact = index.nearest([(DENSE, one.dense), (SPARSE, one.sparse)], 5, IndexFilter(), exact=True)
    assert [hits[0].id for hits in exact] == [4, 4]
    tokens = index.nearest([(MULTI, one.multi)], 1, IndexFilter(), among=[4], exact=True)
    assert [hit.id for hit in tokens[0]] == [4]
    assert np.allclose(index.vectors([4])[4], one.dense / np.linalg.norm(one.dense), atol=1e-5)
    index.set_payload({4: {"paper": "other"}})
    assert [(row.id, row.payload["paper"]) for row in index.scroll(3, 2)] == [
        (4, "other"),
        (5, "p5"),
    ]
    index.delete([4])
    index.drop()
    assert double.collections() == [], "nothing is left behind"
    assert {asked.wait for asked in double.requests} == {True, None}, "changes are waited for"

    made = double.asked("create_collection")[0].request
    assert (made.shard_number, made.replication_factor, made.on_disk_payload) == (None,) * 3
    assert made.optimizers_config.indexing_threshold == 0
    dense, multi, terms = (
        made.vectors["dense"],
        made.vectors["colbert"],
        made.sparse_vectors["bm25"],
    )
    assert (dense.size, dense.distance) == (8, models.Distance.COSINE)
    assert multi.multivector_config.comparator == models.MultiVectorComparator.MAX_SIM
    assert multi.hnsw_config.m == 0
    assert terms.modifier == models.Modifier.IDF

    searches = [
        each for asked in double.asked("query_batch_points") for each in asked.request.searches
    ]
    assert {each.params.hnsw_ef for each in searches} == {1024}
    assert [each.params.exact for each in searches] == [False, False, True, True, True]
    assert {each.key for each in searches[0].filter.must} == {*KEYWORDS, *NUMBERS}
    assert searches[0].filter.must_not[0].has_id == [101]

    fields = [asked.request for asked in double.asked("create_payload_index")]
    kinds = dict.fromkeys(NUMBERS, "integer") | dict.fromkeys(KEYWORDS, "keyword")
    assert {each.field_name: each.field_schema.value for each in fields} == kinds
    calls = list(dict.fromkeys(asked.call for asked in double.requests))
    assert set(calls) == set(re.findall(r"\bclient\.(\w+)\(", getsource(server_index)))
    late = ("upsert", "create_payload_index", "update_collection")
    assert [call for call in calls if call in late] == list(late)
    loaded = double.asked("update_collection")[0].request
    assert loaded.optimizers_config.indexing_threshold == 10_000


def test_library_is_moved_changed_and_deleted_over_the_wire(
    filled: Library, served: Settings, double: QdrantDouble
) -> None:
    embedder = WordEmbedder()
    known = filled.vectors(filled.ids())
    asked = ("result topic1", "limits")
    before = [filled.texts.search(words, limit=9) for words in asked]
    library = open_library("mine", served, embedder)
    double.fail("upsert", Fault.UNAVAILABLE)
    with pytest.raises(TransientError):
        library.index(reembed=True)
    assert [library.texts.search(words, limit=9) for words in asked] == before
    embedder.texts = 0
    assert library.index() == embedder.texts == 0, "the same call goes on, and moves what there is"
    assert len(double.collections()) == 1
    assert not [path for path in library.folder.glob("vectors-*") if path.is_dir()]
    moved = library.vectors(library.ids())
    assert moved.keys() == known.keys()
    assert all(np.allclose(moved[key], known[key], atol=1e-6) for key in known)
    assert [library.texts.search(words, limit=9) for words in asked] == before

    library.add([paper(50), paper(4, "Quite another title")], replace=True)
    assert library.search("quite another title", limit=1)[0].paper == "doi:10.1000/p4"
    assert library.texts.tag("doi:10.1000/p1", ["to read"])
    wanted = PassageFilter(tags=frozenset({"to read"}))
    assert len(library.texts.search("result", limit=99, wanted=wanted)) == 3
    assert library.remove(["doi:10.1000/p5", "doi:10.1000/p6"]) == 2
    assert (len(library.search("topic1", limit=99)), verify(library)) == (19, [])
    delete_library("mine", served, embedder)
    assert double.collections() == []


@pytest.mark.parametrize("fault", [Fault.INTERNAL, Fault.HANG_UP])
def test_fault_in_the_middle_of_a_fill_costs_a_batch_and_the_same_call_goes_on(
    double: QdrantDouble, served: Settings, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.library.library_index._BATCH", 64)
    embedder = WordEmbedder()
    library = create_library("mine", served, embedder)
    library.add(map(paper, range(100)), index=False)
    double.fail("upsert", fault, after=2)
    with pytest.raises(TransientError):
        library.index()
    double.wait_for_notice()
    assert library.index() == 36, "what came in the first batch is not made again"
    assert embedder.texts == 100 + 36
    (collection,) = double.collections()
    assert double.engine.count(collection).count == 100
    assert (verify(library), len(library.search("topic1", limit=999))) == ([], 100)


def test_faults_that_pass_are_told_as_such(double: QdrantDouble, index: ServerIndex) -> None:
    for fault in (Fault.TIMEOUT, Fault.LIMITED, Fault.INTERNAL, Fault.UNAVAILABLE, Fault.HANG_UP):
        double.fail("upsert", fault)
        with pytest.raises(
            TransientError, match=f"{double.url} does not answer .*: see that it runs"
        ) as told:
            index.upsert(points(1, 2))
        assert KEY not in str(told.value)
        double.wait_for_notice()
        index.upsert(points(1, 2))
    assert [row.id for row in index.scroll(0, 9)] == [1, 2]


@pytest.mark.parametrize("call", ["create_payload_index", "update_collection"])
def test_fault_when_all_are_in_is_made_good_by_the_next_call(
    double: QdrantDouble, served: Settings, call: str
) -> None:
    embedder = WordEmbedder()
    library = create_library("mine", served, embedder)
    double.fail(call, Fault.UNAVAILABLE)
    with pytest.raises(TransientError):
        fill(library)
    made = embedder.texts
    assert library.index() == 0
    assert embedder.texts == made
    assert double.requests[-1].call == "update_collection"


def test_server_that_is_too_slow_is_given_up(
    double: QdrantDouble, index: ServerIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.library.server_index._TIMEOUT", 1)
    index.close()
    double.fail("upsert", Fault.LATE)
    with pytest.raises(TransientError, match="does not answer"):
        index.upsert(points(1, 2))
    index.upsert(points(1, 2))
    assert [row.id for row in index.scroll(0, 9)] == [1, 2]


def test_wrong_key_is_told_and_never_shown(double: QdrantDouble, served: Settings) -> None:
    wrong = served.model_copy(update={"qdrant_api_key": SecretStr("another-key")})
    with pytest.raises(LibraryError, match=r"401.* see .*CITELOOM_QDRANT_API_KEY") as told:
        fill(create_library("mine", wrong, WordEmbedder()))
    assert "another-key" not in str(told.value)
    assert double.requests == []
    close_libraries()
    library = open_library("mine", served, WordEmbedder())
    assert (library.index(), len(library.search("topic1", limit=99))) == (26, 20)


@pytest.mark.parametrize(
    "key", ["key-that\nnobody", "key-that-nobody-r\u00e9ads", "key-that\0-nobody"]
)
def test_key_that_cannot_be_sent_is_told_and_never_shown(key: str) -> None:
    index = ServerIndex(Server(url="http://127.0.0.1:9", api_key=key), "own", 8)
    why = "CITELOOM_QDRANT_API_KEY has characters that no request can carry"
    with pytest.raises(LibraryError, match=why) as told:
        index.exists()
    assert "nobody" not in str(told.value)


def test_key_from_a_file_with_a_last_line_break_is_taken(
    served: Settings, double: QdrantDouble
) -> None:
    server = Server.of(served.model_copy(update={"qdrant_api_key": SecretStr(f"{KEY}\n")}))
    ServerIndex(server, "own", 8).create()
    assert double.collections() == ["own"]


def test_vanished_collection_is_told_with_its_remedy_which_makes_all_anew(
    double: QdrantDouble, served: Settings
) -> None:
    embedder = WordEmbedder()
    library = fill(create_library("mine", served, embedder))
    (collection,) = double.collections()
    library.search("topic1", limit=1)
    double.engine.delete_collection(collection)
    with pytest.raises(LibraryError, match=r"has lost vectors .*`citeloom library index NAME`"):
        library.search("topic1", limit=1)
    assert (library.index(), len(library.search("topic1", limit=99))) == (26, 20)
    assert verify(library) == []
    assert double.collections() == [collection]


def test_collection_is_filled_that_was_made_although_nobody_heard_of_it(
    double: QdrantDouble, served: Settings
) -> None:
    library = fill(create_library("mine", served, WordEmbedder()))
    double.engine.delete_collection(double.collections()[0])
    double.fail("create_collection", Fault.HANG_UP)
    with pytest.raises(TransientError):
        library.index()
    double.wait_for_notice()
    assert (library.index(), len(library.search("topic1", limit=99))) == (26, 20)


def test_refusal_is_told_in_the_words_of_the_server(
    double: QdrantDouble, index: ServerIndex
) -> None:
    for fault in (Fault.BAD_INPUT, Fault.FORBIDDEN, Fault.EXISTS):
        double.fail("upsert", fault)
        with pytest.raises(LibraryError, match=f"refused: .*{fault.value[1]}; see"):
            index.upsert(points(1))


def test_limited_rate_names_the_seconds_to_wait(double: QdrantDouble, index: ServerIndex) -> None:
    double.retry_after = 7
    double.fail("scroll", Fault.LIMITED)
    with pytest.raises(TransientError, match="Rate limiting exceeded") as told:
        index.scroll(0, 1)
    assert told.value.retry_after == 7


def test_other_program_at_the_address_is_told(double: QdrantDouble, index: ServerIndex) -> None:
    why = f"what answers at {double.url} is no Qdrant server: set CITELOOM_QDRANT_URL"
    for fault in (Fault.PAGE, Fault.OBJECT, Fault.LIST):
        double.fail("collection_exists", fault)
        with pytest.raises(LibraryError, match=why):
            index.exists()


@pytest.mark.parametrize("url", ["ftp://127.0.0.1", "http://[::1", "http://127.0.0.1:port"])
def test_address_that_is_none_is_told(url: str) -> None:
    why = re.escape(f"'{url}' is not the address of a Qdrant server")
    with pytest.raises(LibraryError, match=why):
        ServerIndex(Server(url=url), "own", 8).exists()


def test_password_in_an_address_is_never_shown() -> None:
    for url in ("http://me:secret@127.0.0.1:9", "http://me:secret@127.0.0.1:port"):
        with pytest.raises((LibraryError, TransientError), match=r"127\.0\.0\.1") as told:
            ServerIndex(Server(url=url), "own", 8).exists()
        assert ":port" in url or "does not answer" in str(told.value)
        assert "secret" not in str(told.value)


def test_of_two_that_make_a_collection_at_once_one_made_it(
    double: QdrantDouble, served: Settings
) -> None:
    double.fail("create_collection", Fault.EXISTS)
    ServerIndex(Server.of(served), "own", 8).create()
    assert len(double.asked("create_collection")) == 1


def test_payloads_are_replaced_of_those_points_that_are_there(index: ServerIndex) -> None:
    index.upsert(points(1, 2))
    index.set_payload({9: {"paper": "gone"}, 2: {"paper": "new", "tags": ["t"], "year": 2001}})
    index.delete([7, 1])
    assert {row.id: row.payload for row in index.scroll(0, 9)} == {
        2: {"paper": "new", "tags": ["t"], "year": 2001}
    }


def test_texts_of_many_token_vectors_are_sent_in_requests_that_a_server_takes(
    double: QdrantDouble,
) -> None:
    index = ServerIndex(Server(url=double.url, api_key=KEY), "own", 8, multi=1024)
    index.create()
    index.upsert(points(*range(1, 33), multi=(60, 1024)))
    assert len(double.asked("upsert")) > 2
    assert double.engine.count("own").count == 32


def test_many_vectors_are_read_in_pages(index: ServerIndex, double: QdrantDouble) -> None:
    index.upsert(points(1, 2100))
    assert index.vectors(range(1, 2101)).keys() == {1, 2100}
    assert [len(one.request.ids) for one in double.asked("retrieve")] == [1000, 1000, 100]
    assert index.vectors([]) == {}


def test_answer_under_way_comes_though_the_index_is_closed_meanwhile(
    index: ServerIndex, double: QdrantDouble
) -> None:
    index.upsert(points(1, 2))
    double.fail("scroll", Fault.LATE)
    before = len(double.requests)
    found: list[int] = []
    asking = Thread(target=lambda: found.extend(row.id for row in index.scroll(0, 9)))
    asking.start()
    double.wait_for(before + 1)
    index.close()
    double.go.set()
    asking.join(5)
    assert found == [1, 2]
