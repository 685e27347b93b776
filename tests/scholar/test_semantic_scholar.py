"""Tests of tools/scholar/semantic_scholar.py, _client.py and _links.py."""

import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from citeloom.settings import Settings
from state.paper import Paper
from state.query import SearchQuery
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, World, make_world
from tests.scholar.conftest import CallerOf
from tools.cache import AnswerCache
from tools.errors import PermanentError, TransientError
from tools.http.engine import HttpCaller
from tools.ledger.ledger import RunLedger
from tools.ledger.limits import Limits
from tools.scholar.port import Recommender, TitleFinder
from tools.scholar.semantic_scholar import SemanticScholarSource, host
from tools.scholar.semantic_scholar_links import EXPECTED, TOGETHER, packed

SHAS = [f"{number:040x}" for number in range(1, 60)]


@pytest.fixture(scope="module")
def field() -> World:
    return make_world(size=400, seed=1)


@pytest.fixture
def server(field: World) -> Iterator[ScholarServer]:
    with ScholarServer(field) as running:
        yield running


@pytest.fixture
def source(caller: CallerOf) -> SemanticScholarSource:
    return SemanticScholarSource(caller("semantic_scholar"))


def words(text: str) -> SearchQuery:
    return SearchQuery(text=text, facet="problem", reason="a test")


def held(server: ScholarServer) -> list[Work]:
    return [work for work in server.world.held("semantic_scholar") if work.title]


def paper(sha: str, **others: Any) -> Paper:
    return Paper(id=f"s2:{sha}", title="A paper", semantic_scholar=sha, **others)


def paper_for(work: Work, **others: Any) -> Paper:
    return paper(work.s2, **others)


def paths(server: ScholarServer) -> list[str]:
    return [request.path.removeprefix("/graph/v1") for request in server.requests]


def test_it_is_a_recommender_and_a_title_finder(source: SemanticScholarSource) -> None:
    assert isinstance(source, Recommender)
    assert isinstance(source, TitleFinder)
    assert (source.offer.meaning, source.offer.links, source.offer.list_usd) == (False, True, 0)


async def test_search_finds_papers_before_the_cutoff(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    found = await source.search(words("honey quality"), before=date(2015, 6, 1), limit=10)
    assert len(found.papers) == 10
    assert found.matches is not None
    assert found.matches >= 10
    assert all(one.year and one.year <= 2015 for one in found.papers)
    assert all(one.published is None or one.published < date(2015, 6, 1) for one in found.papers)
    assert found.sent == ("/paper/search?query=honey quality&publicationDateOrYear=:2015-05-31",)
    assert paths(server) == ["/paper/search"]


async def test_search_neutralises_operators_and_hyphens(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    query = words('queen-rearing AND "honey quality" -| (*) ~ & fields=year #?')
    found = await source.search(query, before=None, limit=5)
    assert server.requests[0].query["query"] == "queen rearing honey quality fields year"
    assert server.requests[0].query["fields"].startswith("paperId,")
    bulk = [one.query["query"] for one in server.requests if one.path.endswith("/bulk")]
    assert all('"honey quality"' in text and '"queen rearing"' in text for text in bulk)
    assert len(found.sent) == len(server.requests)


async def test_search_turns_pages(server: ScholarServer, source: SemanticScholarSource) -> None:
    stems = Counter(stem for work in held(server) for stem in set(server.world.bag(work.number)))
    found = await source.search(words(stems.most_common(1)[0][0]), before=None, limit=130)
    assert len({one.id for one in found.papers}) == len(found.papers) > 100
    assert [request.query["offset"] for request in server.requests] == ["0", "100"]


async def test_search_that_finds_little_is_loosened(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    strict = await source.search(words("honey quality harvest limits xyzzy"), before=None, limit=1)
    found = await source.search(words("honey quality harvest limits xyzzy"), before=None, limit=40)
    assert 2 <= len(found.sent) <= 3
    assert found.sent[1].startswith(
        "/paper/search/bulk?query=(honey quality harvest limits) | (honey "
    )
    assert len(found.papers) > len(strict.papers)
    assert len({one.id for one in found.papers}) == len(found.papers)
    assert len(server.requests) == 1 + len(found.sent)


async def test_search_for_nothing_ends(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    found = await source.search(words("xyzzyplugh"), before=None, limit=50)
    assert (list(found.papers), found.matches) == ([], 0)
    assert paths(server) == ["/paper/search"]
    empty = await source.search(words("- | ()"), before=None, limit=50)
    assert (list(empty.papers), empty.sent) == ([], ())
    assert len(server.requests) == 1


async def test_get_answers_under_the_id_asked_for(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    works = held(server)
    asked = {f"s2:{work.s2}": work for work in works[:40]}
    asked |= {f"doi:{work.doi.lower()}": work for work in works if work.doi}
    asked |= {f"arxiv:{work.arxiv}": work for work in works if work.arxiv}
    foreign = ["openalex:W1", "local:x", "title:x-2000-y", "doi:10.9999/none", f"s2:{'f' * 40}"]
    papers = await source.get([*asked, *foreign])
    known = {key for key, work in asked.items() if server.world.by_s2[work.s2] is work}
    assert set(papers) >= {key for key in known if key.startswith("s2:")}
    assert set(papers) <= set(asked)
    for key, found in papers.items():
        assert found.title == asked[key].title, key
        assert key in {found.id, *found.aliases}
    assert len(server.requests) == -(-(len(asked) + 2) // 500)
    assert server.repeated() == []


async def test_get_of_no_id_that_it_understands_asks_nothing(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    assert await source.get(["openalex:W1", "local:x"]) == {}
    assert server.requests == []


async def test_title_is_found_and_another_one_is_not_taken_for_it(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    titles = [work.title for work in server.world.works]
    work = next(w for w in held(server) if titles.count(w.title) == 1 and not w.bare)
    found = await source.by_title(work.title.upper())
    assert found is not None
    assert found.semantic_scholar == work.s2
    assert await source.by_title(work.title, year=work.year + 1) == found
    assert await source.by_title(work.title, year=work.year + 5) is None
    assert await source.by_title(f"{work.title} in 2031 and another matter") is None
    assert await source.by_title("xyzzy plugh") is None
    assert await source.by_title(" ?! ") is None


async def test_references_of_many_papers_take_one_call_a_hundred(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    works = held(server)[:200]
    linked = await source.references([paper_for(work) for work in works])
    assert paths(server) == ["/paper/batch", "/paper/batch"]
    lists = {w.s2: w for w in works if "semantic_scholar" in w.lists_references}
    withheld = [w for w in works if w.s2 not in lists and w.references]
    assert withheld
    assert all(f"s2:{work.s2}" not in linked.links for work in withheld)
    assert all(f"s2:{sha}" in linked.links for sha in lists)
    for sha, work in lists.items():
        ends = {linked.papers[key].semantic_scholar for key in linked.links[f"s2:{sha}"]}
        meant = (server.world.works[at] for at in work.references if isinstance(at, int))
        own = {one.s2 for one in meant if "semantic_scholar" in one.held_by and one.title}
        assert ends - {None} == own - {sha}
    assert {key for ends in linked.links.values() for key in ends} == set(linked.papers)
    assert all(key == one.id for key, one in linked.papers.items())
    # The abstracts are left to `get`.
    assert linked.partial
    assert not any(one.abstract for one in linked.papers.values())


async def test_papers_with_few_citing_works_are_asked_about_together(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    world = server.world
    crowded = world.works[world.landmark]
    works = [work for work in held(server) if work is not crowded][:90]
    counts = {work.s2: len(world.citing(work.number, "semantic_scholar")) for work in works}
    papers = [paper_for(work, cited_by=counts[work.s2]) for work in works]
    papers.append(paper_for(crowded, cited_by=500))
    linked = await source.citations(papers, limit=60)
    assert paths(server) == ["/paper/batch", f"/paper/{crowded.s2}/citations"]
    assert server.requests[1].query["limit"] == "60"
    assert len(linked.links[f"s2:{crowded.s2}"]) == 60
    for work in works:
        citing = world.citing(work.number, "semantic_scholar")
        named = [n for n in citing if world.works[n].title and n != work.number]
        assert len(linked.links[f"s2:{work.s2}"]) == min(len(named), 60)


async def test_unknown_counts_are_asked_first(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    crowded = server.world.works[server.world.landmark]
    other = next(work for work in held(server) if work is not crowded)
    unknown = Paper(id="doi:10.9999/none", title="Unknown", doi="10.9999/none")
    papers = [paper_for(crowded), paper_for(other), unknown]
    linked = await source.citations(papers, limit=20)
    assert linked.links.keys() == {f"s2:{crowded.s2}", f"s2:{other.s2}"}
    assert paths(server) == ["/paper/batch", "/paper/batch", f"/paper/{crowded.s2}/citations"]
    assert server.requests[0].query["fields"] == "paperId,citationCount"


async def test_at_most_ten_much_cited_papers_are_asked_about(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    papers = [paper_for(work, cited_by=9_000) for work in held(server)[:14]]
    linked = await source.citations(papers, limit=20)
    assert len(server.requests) == 10
    assert set(linked.links) == {one.id for one in papers[:10]}


async def test_recommendations_are_others_than_the_examples(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    examples = [paper_for(work) for work in held(server)[:5]]
    unknown = Paper(id="doi:10.9999/none", title="Unknown", doi="10.9999/none")
    found = await source.recommend([*examples, unknown], limit=12)
    assert len(found) == 12
    assert {one.semantic_scholar for one in found}.isdisjoint(e.semantic_scholar for e in examples)
    assert server.requests[0].body["positivePaperIds"] == [e.semantic_scholar for e in examples]
    assert await source.recommend([unknown], limit=5) == []
    assert await source.recommend([], limit=5) == []


async def test_vectors_are_those_of_the_papers_that_have_one(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    works = held(server)[:60]
    vectors = await source.specter2([paper_for(work) for work in works])
    without = {f"s2:{work.s2}" for work in works if work.number % 23 == 9}
    assert without
    assert vectors.keys() == {f"s2:{work.s2}" for work in works} - without
    assert {vector.shape for vector in vectors.values()} == {(768,)}
    assert {str(vector.dtype) for vector in vectors.values()} == {"float32"}


async def test_key_is_sent_as_a_header_and_a_rejected_one_says_what_to_set(
    server: ScholarServer, caller: CallerOf
) -> None:
    good = caller("semantic_scholar", semantic_scholar_api_key="good-key-1")
    await SemanticScholarSource(good).get([f"s2:{held(server)[0].s2}"])
    assert server.requests[0].headers["x-api-key"] == "good-key-1"
    server.bad_keys.add("bad-key-22")
    bad = caller("semantic_scholar", run="other", semantic_scholar_api_key="bad-key-22")
    with pytest.raises(PermanentError, match="SEMANTIC_SCHOLAR_API_KEY"):
        await SemanticScholarSource(bad).search(words("honey"), before=None, limit=5)


@pytest.mark.parametrize("fault", ["429", "503", "truncated", "shape"])
async def test_fault_that_passes_costs_no_paper(
    server: ScholarServer, source: SemanticScholarSource, fault: str
) -> None:
    works = held(server)[:30]
    server.faults.script = lambda request: fault if len(server.requests) % 2 == 0 else None
    papers = await source.get([f"s2:{work.s2}" for work in works])
    linked = await source.references([paper_for(work) for work in works])
    assert len(papers) == 30
    assert linked.papers
    assert server.repeated() == []


@pytest.mark.parametrize("fault", ["null", "shape"])
async def test_answer_of_another_shape_is_an_error_and_no_empty_answer(
    server: ScholarServer, caller: CallerOf, fault: str
) -> None:
    server.faults.chances = {fault: 1.0}
    source = SemanticScholarSource(caller("semantic_scholar", source_patience=0.1))
    one = paper_for(held(server)[0], cited_by=900)
    with pytest.raises(TransientError):
        await source.search(words("honey"), before=None, limit=5)
    with pytest.raises(TransientError):
        await source.get([one.id])
    with pytest.raises(TransientError):
        await source.citations([one], limit=5)
    with pytest.raises(TransientError):
        await source.recommend([one], limit=5)


async def test_package_leaves_the_logging_of_the_process_alone(
    source: SemanticScholarSource,
    server: ScholarServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])
    await source.get([f"s2:{held(server)[0].s2}", "doi:10.9999/none"])
    assert logging.root.handlers == []
    assert capsys.readouterr().err == ""


# The rest is about limits of the real service that a small field does not reach.

Reply = Callable[[str, dict[str, str], Any], tuple[int, object]]


class Desk:
    """Answers on loopback with what a test says."""

    def __init__(self) -> None:
        self.reply: Reply = lambda path, query, body: (500, {})
        self.asked: list[tuple[str, dict[str, str], Any]] = []

    def answer(self, method: str, url: str, body: Any) -> tuple[int, object]:
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query))
        self.asked.append((parts.path, query, body))
        return self.reply(parts.path, query, body)


@pytest.fixture
def desk() -> Iterator[tuple[Desk, str]]:
    kept = Desk()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            self._serve(json.loads(self.rfile.read(length)))

        def do_GET(self) -> None:
            self._serve(None)

        def _serve(self, body: Any) -> None:
            status, value = kept.answer(self.command, self.path, body)
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield kept, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def source_at(url: str, folder: Path) -> SemanticScholarSource:
    values: dict[str, Any] = {"_env_file": None, "semantic_scholar_url": f"{url}/"}
    place = host(Settings(**values, semantic_scholar_rate=1000.0))
    ledger = RunLedger("run", Limits(), folder)
    return SemanticScholarSource(HttpCaller(place, ledger, AnswerCache(folder / "r.sqlite")))


def citing(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [
        {"paperId": f"{number + 100_000:040x}", "title": f"Citing work {number}", "year": 2020}
        for number in range(start, start + count)
    ]


async def test_batch_of_which_none_is_known_is_an_empty_answer(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk
    kept.reply = lambda path, query, body: (400, {"error": "No valid paper ids given"})
    source = source_at(url, tmp_path)
    assert await source.get(["doi:10.9999/none"]) == {}
    kept.reply = lambda path, query, body: (
        400,
        {"error": "Unrecognized or unsupported fields: [x]"},
    )
    with pytest.raises(PermanentError, match="Unrecognized"):
        await source.get(["doi:10.9999/other"])


async def test_merged_records_are_told_by_their_place_in_the_answer(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk
    merged = {"paperId": SHAS[9], "title": "Merged", "externalIds": {"DOI": "10.1/other"}}
    kept.reply = lambda path, query, body: (200, [merged, None, merged])
    papers = await source_at(url, tmp_path).get([f"s2:{SHAS[0]}", f"s2:{SHAS[1]}", "doi:10.1234/x"])
    assert papers.keys() == {f"s2:{SHAS[0]}", "doi:10.1234/x"}
    assert {one.title for one in papers.values()} == {"Merged"}
    assert kept.asked[0][2] == {"ids": [SHAS[0], SHAS[1], "DOI:10.1234/x"]}


async def test_odd_record_does_not_cost_the_good_ones(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk
    odd: dict[str, Any] = {
        "paperId": None, "title": "Odd", "publicationDate": "soon", "authors": [None, 7],
        "journal": "x", "publicationVenue": [], "references": {}, "tldr": 3, "citations": "x",
    }  # fmt: skip
    good = {"paperId": SHAS[1], "title": "Good"}
    kept.reply = lambda path, query, body: (200, [odd, good, "x", {"paperId": SHAS[3]}])
    papers = await source_at(url, tmp_path).get([f"s2:{sha}" for sha in SHAS[:4]])
    assert [one.title for one in papers.values()] == ["Odd", "Good"]
    kept.reply = lambda path, query, body: (200, {"total": 3, "data": [odd, None, good]})
    found = await source_at(url, tmp_path).search(words("looms"), before=None, limit=2)
    assert [one.title for one in found.papers] == ["Odd", "Good"]


async def test_answer_that_would_be_too_large_is_asked_for_in_halves(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        if len(body["ids"]) > 10:
            return 400, {"error": "Response would exceed maximum size of 10 MB. Ask for less."}
        return 200, [{"paperId": sha, "title": sha[-2:]} for sha in body["ids"]]

    kept.reply = reply
    papers = await source_at(url, tmp_path).get([f"s2:{sha}" for sha in SHAS[:40]])
    assert len(papers) == 40
    assert [len(body["ids"]) for _, _, body in kept.asked] == [40, 20, 10, 10, 20, 10, 10]


async def test_more_ids_than_a_call_takes_are_asked_for_in_several(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk
    kept.reply = lambda path, query, body: (
        200, [{"paperId": sha, "title": sha[-4:]} for sha in body["ids"]],
    )  # fmt: skip
    ids = [f"s2:{number:040x}" for number in range(1, 1102)]
    papers = await source_at(url, tmp_path).get(ids)
    assert list(papers) == ids
    assert [len(body["ids"]) for _, _, body in kept.asked] == [500, 500, 101]


async def test_pages_without_a_record_are_not_turned_for_ever(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        start = int(query["offset"])
        # There is an end to it, so that this test has one.
        more = {"next": start + int(query["limit"])} if len(kept.asked) < 9 else {}
        return 200, {"offset": start, **more, "data": [None]}

    kept.reply = reply
    linked = await source_at(url, tmp_path).citations([paper(SHAS[0], cited_by=700)], limit=50)
    assert linked.links == {f"s2:{SHAS[0]}": ()}
    assert len(kept.asked) == 1


async def test_examples_are_never_recommended(desk: tuple[Desk, str], tmp_path: Path) -> None:
    kept, url = desk
    same = {"paperId": SHAS[0], "title": "An example"}
    merged = {"paperId": SHAS[1], "title": "Merged", "externalIds": {"DOI": "10.1234/own"}}
    other = {"paperId": SHAS[2], "title": "Another"}
    kept.reply = lambda path, query, body: (200, {"recommendedPapers": [same, merged, other]})
    example = paper(SHAS[0], aliases=("doi:10.1234/own",))
    found = await source_at(url, tmp_path).recommend([example], limit=5)
    assert [one.title for one in found] == ["Another"]


def test_papers_are_asked_about_together_as_far_as_an_answer_has_room() -> None:
    counts = {f"p{number}": number % 300 for number in range(250)}
    parts = list(packed(counts))
    assert [name for part in parts for name in part] == list(counts)
    assert max(len(part) for part in parts) <= TOGETHER
    assert max(sum(counts[name] for name in part) for part in parts) <= EXPECTED
    assert list(packed({"huge": 9_999, "small": 1})) == [["huge"], ["small"]]


async def test_lists_that_an_answer_had_no_room_for_are_asked_for_again(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        room, records = 9_999, []
        for sha in body["ids"]:
            items = citing(400)[:room]
            room -= len(items)
            records.append({"paperId": sha, "referenceCount": 400, "references": items})
        return 200, records

    kept.reply = reply
    papers = [paper(sha) for sha in SHAS[:40]]
    linked = await source_at(url, tmp_path).references(papers)
    assert {len(ends) for ends in linked.links.values()} == {400}
    assert [len(body["ids"]) for _, _, body in kept.asked] == [40, 8, 8]


async def test_list_that_was_cut_is_read_page_by_page(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk
    works = citing(2_300)

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        if body:
            few = {"paperId": SHAS[1], "referenceCount": 3, "references": citing(3)}
            cut = {"paperId": SHAS[0], "referenceCount": 2_300, "references": works[:1000]}
            return 200, [cut, few]
        start, size = int(query["offset"]), int(query["limit"])
        data = [{"citedPaper": work} for work in works[start : start + size]]
        more = {"next": start + size} if start + size < len(works) else {}
        return 200, {"offset": start, **more, "data": data}

    kept.reply = reply
    linked = await source_at(url, tmp_path).references([paper(SHAS[0]), paper(SHAS[1])])
    assert [len(linked.links[f"s2:{sha}"]) for sha in SHAS[:2]] == [2_300, 3]
    assert [query.get("offset") for _, query, _ in kept.asked] == [None, "0", "1000", "2000"]


async def test_list_that_pages_do_not_complete_keeps_what_there_was(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        if body:
            return 200, [{"paperId": SHAS[0], "referenceCount": 1_033, "references": citing(1000)}]
        return 200, {"offset": int(query["offset"]), "next": 7, "data": None}

    kept.reply = reply
    linked = await source_at(url, tmp_path).references([paper(SHAS[0])])
    assert len(linked.links[f"s2:{SHAS[0]}"]) == 1000
    assert len(kept.asked) == 2


async def test_references_without_an_id_are_known_by_title_and_year(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk
    ends = [
        {
            "paperId": None,
            "title": "A book on looms",
            "year": 1987,
            "authors": [{"name": "B. Loom"}],
        },
        {"paperId": None, "title": "A talk on looms", "year": None},
        {"paperId": None, "title": None, "year": 1987},
        {"paperId": None, "title": "With a DOI", "externalIds": {"DOI": "10.1234/d"}},
    ]
    kept.reply = lambda path, query, body: (
        200, [{"paperId": SHAS[0], "referenceCount": 9, "references": ends}],
    )  # fmt: skip
    linked = await source_at(url, tmp_path).references([paper(SHAS[0])])
    assert linked.links[f"s2:{SHAS[0]}"] == ("title:abookonlooms-1987-loom", "doi:10.1234/d")


async def test_paper_is_never_its_own_reference(desk: tuple[Desk, str], tmp_path: Path) -> None:
    kept, url = desk
    ends = [
        {"paperId": SHAS[7], "title": "Itself, merged since"},
        {"paperId": SHAS[1], "title": "Itself, elsewhere", "externalIds": {"DOI": "10.1234/own"}},
        {"paperId": SHAS[2], "title": "Another"},
    ]
    kept.reply = lambda path, query, body: (
        200, [{"paperId": SHAS[7], "referenceCount": 3, "references": ends}],
    )  # fmt: skip
    linked = await source_at(url, tmp_path).references(
        [paper(SHAS[0], aliases=("doi:10.1234/own",))]
    )
    assert linked.links == {f"s2:{SHAS[0]}": (f"s2:{SHAS[2]}",)}
    assert set(linked.papers) == {f"s2:{SHAS[2]}"}


async def test_ids_in_paths_are_encoded(desk: tuple[Desk, str], tmp_path: Path) -> None:
    kept, url = desk
    kept.reply = lambda path, query, body: (200, {"offset": 0, "data": []})
    doi = "10.1002/(sici)1097#4571?x=1%2f<9::aid>3.0"
    one = Paper(id=f"doi:{doi}", title="Old", doi=doi, cited_by=700)
    linked = await source_at(url, tmp_path).citations([one], limit=10)
    assert linked.links == {one.id: ()}
    path = "/graph/v1/paper/DOI:10.1002/(sici)1097%234571%3Fx%3D1%252f%3C9::aid%3E3.0/citations"
    assert kept.asked[0][0] == path


async def test_unknown_paper_with_many_citations_is_absent(
    desk: tuple[Desk, str], tmp_path: Path
) -> None:
    kept, url = desk
    kept.reply = lambda path, query, body: (404, {"error": "Paper with id x not found"})
    linked = await source_at(url, tmp_path).citations([paper(SHAS[0], cited_by=700)], limit=10)
    assert (dict(linked.links), dict(linked.papers)) == ({}, {})


async def test_title_match_without_data_is_no_match(desk: tuple[Desk, str], tmp_path: Path) -> None:
    kept, url = desk
    kept.reply = lambda path, query, body: (200, {"data": []})
    assert await source_at(url, tmp_path).by_title("A paper on looms") is None
