"""Semantic Scholar's rarer answers, which the fake does not give: a server of one answer at a time."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from citeloom.settings import Settings
from state.paper import Paper
from state.query import SearchQuery
from tools.cache import AnswerCache
from tools.errors import PermanentError
from tools.http.engine import HttpCaller
from tools.ledger.ledger import RunLedger
from tools.ledger.limits import Limits
from tools.scholar.semantic_scholar import SemanticScholarSource, host
from tools.scholar.semantic_scholar_links import EXPECTED, TOGETHER, packed

Reply = Callable[[str, dict[str, str], Any], tuple[int, object]]
SHAS = [f"{number:040x}" for number in range(1, 60)]


def words(text: str) -> SearchQuery:
    return SearchQuery(text=text, facet="problem", reason="a test")


def paper(sha: str, **others: Any) -> Paper:
    return Paper(id=f"s2:{sha}", title="A paper", semantic_scholar=sha, **others)


class Services:
    """Answers on loopback with what a test says."""

    def __init__(self, folder: Path) -> None:
        self.url = ""
        self.folder = folder
        self.reply: Reply = lambda path, query, body: (500, {})
        self.asked: list[tuple[str, dict[str, str], Any]] = []

    def answer(self, method: str, url: str, body: Any) -> tuple[int, object]:
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query))
        self.asked.append((parts.path, query, body))
        return self.reply(parts.path, query, body)

    def source(self) -> SemanticScholarSource:
        values: dict[str, Any] = {"_env_file": None, "semantic_scholar_url": f"{self.url}/"}
        place = host(Settings(**values, semantic_scholar_rate=1000.0))
        ledger = RunLedger("run", Limits(), self.folder)
        return SemanticScholarSource(
            HttpCaller(place, ledger, AnswerCache(self.folder / "r.sqlite"))
        )


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    kept = Services(tmp_path)

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
        kept.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield kept
        server.shutdown()
        thread.join()


def citing(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [
        {"paperId": f"{number + 100_000:040x}", "title": f"Citing work {number}", "year": 2020}
        for number in range(start, start + count)
    ]


async def test_batch_of_which_none_is_known_is_an_empty_answer(services: Services) -> None:
    services.reply = lambda path, query, body: (400, {"error": "No valid paper ids given"})
    source = services.source()
    assert await source.get(["doi:10.9999/none"]) == {}
    services.reply = lambda path, query, body: (
        400,
        {"error": "Unrecognized or unsupported fields: [x]"},
    )
    with pytest.raises(PermanentError, match="Unrecognized"):
        await source.get(["doi:10.9999/other"])


async def test_merged_records_are_told_by_their_place_in_the_answer(services: Services) -> None:
    merged = {"paperId": SHAS[9], "title": "Merged", "externalIds": {"DOI": "10.1/other"}}
    services.reply = lambda path, query, body: (200, [merged, None, merged])
    papers = await services.source().get([f"s2:{SHAS[0]}", f"s2:{SHAS[1]}", "doi:10.1234/x"])
    assert papers.keys() == {f"s2:{SHAS[0]}", "doi:10.1234/x"}
    assert {one.title for one in papers.values()} == {"Merged"}
    assert services.asked[0][2] == {"ids": [SHAS[0], SHAS[1], "DOI:10.1234/x"]}


async def test_odd_record_does_not_cost_the_good_ones(services: Services) -> None:
    odd: dict[str, Any] = {
        "paperId": None, "title": "Odd", "publicationDate": "soon", "authors": [None, 7],
        "journal": "x", "publicationVenue": [], "references": {}, "tldr": 3, "citations": "x",
    }  # fmt: skip
    good = {"paperId": SHAS[1], "title": "Good"}
    services.reply = lambda path, query, body: (200, [odd, good, "x", {"paperId": SHAS[3]}])
    papers = await services.source().get([f"s2:{sha}" for sha in SHAS[:4]])
    assert [one.title for one in papers.values()] == ["Odd", "Good"]
    services.reply = lambda path, query, body: (200, {"total": 3, "data": [odd, None, good]})
    found = await services.source().search(words("looms"), before=None, limit=2)
    assert [one.title for one in found.papers] == ["Odd", "Good"]


async def test_answer_that_would_be_too_large_is_asked_for_in_halves(services: Services) -> None:

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        if len(body["ids"]) > 10:
            return 400, {"error": "Response would exceed maximum size of 10 MB. Ask for less."}
        return 200, [{"paperId": sha, "title": sha[-2:]} for sha in body["ids"]]

    services.reply = reply
    papers = await services.source().get([f"s2:{sha}" for sha in SHAS[:40]])
    assert len(papers) == 40
    assert [len(body["ids"]) for _, _, body in services.asked] == [40, 20, 10, 10, 20, 10, 10]


async def test_more_ids_than_a_call_takes_are_asked_for_in_several(services: Services) -> None:
    services.reply = lambda path, query, body: (
        200, [{"paperId": sha, "title": sha[-4:]} for sha in body["ids"]],
    )  # fmt: skip
    ids = [f"s2:{number:040x}" for number in range(1, 1102)]
    papers = await services.source().get(ids)
    assert list(papers) == ids
    assert [len(body["ids"]) for _, _, body in services.asked] == [500, 500, 101]


async def test_pages_without_a_record_are_not_turned_for_ever(services: Services) -> None:

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        start = int(query["offset"])
        # There is an end to it, so that this test has one.
        more = {"next": start + int(query["limit"])} if len(services.asked) < 9 else {}
        return 200, {"offset": start, **more, "data": [None]}

    services.reply = reply
    linked = await services.source().citations([paper(SHAS[0], cited_by=700)], limit=50)
    assert linked.links == {f"s2:{SHAS[0]}": ()}
    assert len(services.asked) == 1


async def test_examples_are_never_recommended(services: Services) -> None:
    same = {"paperId": SHAS[0], "title": "An example"}
    merged = {"paperId": SHAS[1], "title": "Merged", "externalIds": {"DOI": "10.1234/own"}}
    other = {"paperId": SHAS[2], "title": "Another"}
    services.reply = lambda path, query, body: (200, {"recommendedPapers": [same, merged, other]})
    example = paper(SHAS[0], aliases=("doi:10.1234/own",))
    found = await services.source().recommend([example], limit=5)
    assert [one.title for one in found] == ["Another"]


def test_papers_are_asked_about_together_as_far_as_an_answer_has_room() -> None:
    counts = {f"p{number}": number % 300 for number in range(250)}
    parts = list(packed(counts))
    assert [name for part in parts for name in part] == list(counts)
    assert max(len(part) for part in parts) <= TOGETHER
    assert max(sum(counts[name] for name in part) for part in parts) <= EXPECTED
    assert list(packed({"huge": 9_999, "small": 1})) == [["huge"], ["small"]]


async def test_lists_that_an_answer_had_no_room_for_are_asked_for_again(services: Services) -> None:

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        room, records = 9_999, []
        for sha in body["ids"]:
            items = citing(400)[:room]
            room -= len(items)
            records.append({"paperId": sha, "referenceCount": 400, "references": items})
        return 200, records

    services.reply = reply
    papers = [paper(sha) for sha in SHAS[:40]]
    linked = await services.source().references(papers)
    assert {len(ends) for ends in linked.links.values()} == {400}
    assert [len(body["ids"]) for _, _, body in services.asked] == [40, 8, 8]


async def test_list_that_was_cut_is_read_page_by_page(services: Services) -> None:
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

    services.reply = reply
    linked = await services.source().references([paper(SHAS[0]), paper(SHAS[1])])
    assert [len(linked.links[f"s2:{sha}"]) for sha in SHAS[:2]] == [2_300, 3]
    assert [query.get("offset") for _, query, _ in services.asked] == [None, "0", "1000", "2000"]


async def test_list_that_pages_do_not_complete_keeps_what_there_was(services: Services) -> None:

    def reply(path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        if body:
            return 200, [{"paperId": SHAS[0], "referenceCount": 1_033, "references": citing(1000)}]
        return 200, {"offset": int(query["offset"]), "next": 7, "data": None}

    services.reply = reply
    linked = await services.source().references([paper(SHAS[0])])
    assert len(linked.links[f"s2:{SHAS[0]}"]) == 1000
    assert len(services.asked) == 2


async def test_references_without_an_id_are_known_by_title_and_year(services: Services) -> None:
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
    services.reply = lambda path, query, body: (
        200, [{"paperId": SHAS[0], "referenceCount": 9, "references": ends}],
    )  # fmt: skip
    linked = await services.source().references([paper(SHAS[0])])
    assert linked.links[f"s2:{SHAS[0]}"] == ("title:abookonlooms-1987-loom", "doi:10.1234/d")


async def test_paper_is_never_its_own_reference(services: Services) -> None:
    ends = [
        {"paperId": SHAS[7], "title": "Itself, merged since"},
        {"paperId": SHAS[1], "title": "Itself, elsewhere", "externalIds": {"DOI": "10.1234/own"}},
        {"paperId": SHAS[2], "title": "Another"},
    ]
    services.reply = lambda path, query, body: (
        200, [{"paperId": SHAS[7], "referenceCount": 3, "references": ends}],
    )  # fmt: skip
    linked = await services.source().references([paper(SHAS[0], aliases=("doi:10.1234/own",))])
    assert linked.links == {f"s2:{SHAS[0]}": (f"s2:{SHAS[2]}",)}
    assert set(linked.papers) == {f"s2:{SHAS[2]}"}


async def test_ids_in_paths_are_encoded(services: Services) -> None:
    services.reply = lambda path, query, body: (200, {"offset": 0, "data": []})
    doi = "10.1002/(sici)1097#4571?x=1%2f<9::aid>3.0"
    one = Paper(id=f"doi:{doi}", title="Old", doi=doi, cited_by=700)
    linked = await services.source().citations([one], limit=10)
    assert linked.links == {one.id: ()}
    path = "/graph/v1/paper/DOI:10.1002/(sici)1097%234571%3Fx%3D1%252f%3C9::aid%3E3.0/citations"
    assert services.asked[0][0] == path


async def test_unknown_paper_with_many_citations_is_absent(services: Services) -> None:
    services.reply = lambda path, query, body: (404, {"error": "Paper with id x not found"})
    linked = await services.source().citations([paper(SHAS[0], cited_by=700)], limit=10)
    assert (dict(linked.links), dict(linked.papers)) == ({}, {})


async def test_title_match_without_data_is_no_match(services: Services) -> None:
    services.reply = lambda path, query, body: (200, {"data": []})
    assert await services.source().by_title("A paper on looms") is None
