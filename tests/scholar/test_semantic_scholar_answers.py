"""Semantic Scholar's rarer answers, which the fake does not give: a caller of one answer at a time."""

import json
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import pytest

from state.paper import Paper
from state.search import SearchQuery
from tools.errors import RequestRejectedError
from tools.http.retrying_client import RetryingClient
from tools.scholar.semantic_scholar import SemanticScholarSource

T = TypeVar("T")
Reply = Callable[[dict[str, str], Any], object]
SHAS = [f"{number:040x}" for number in range(1, 60)]
OWN = f"s2:{SHAS[0]}"


class Answers(RetryingClient):
    """Answers what a test says, without a network; an error is raised as the engine would."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[tuple[str, dict[str, str], Any]] = []

    async def ask(
        self,
        path: str,
        *,
        read: Callable[[str], T],
        age: float,
        usd: float = 0.0,
        payload: object = None,
    ) -> T:
        parts = urlsplit(path)
        query = dict(parse_qsl(parts.query))
        self.asked.append((parts.path, query, payload))
        answer = self.reply(query, payload)
        if isinstance(answer, Exception):
            raise answer
        return read(json.dumps(answer))


def answering(reply: Reply) -> tuple[SemanticScholarSource, Answers]:
    caller = Answers(reply)
    return SemanticScholarSource(caller), caller


def paper(sha: str, **others: Any) -> Paper:
    return Paper(id=f"s2:{sha}", title="A paper", semantic_scholar=sha, **others)


def works(count: int) -> list[dict[str, Any]]:
    return [
        {"paperId": f"{number + 100_000:040x}", "title": f"Work {number}", "year": 2020}
        for number in range(count)
    ]


async def test_batch_of_which_none_is_known_is_an_empty_answer() -> None:
    source, _ = answering(lambda query, body: RequestRejectedError("No valid paper ids given"))
    assert await source.get(["doi:10.9999/none"]) == {}
    source, _ = answering(lambda query, body: RequestRejectedError("Unrecognized fields: [x]"))
    with pytest.raises(RequestRejectedError, match="Unrecognized"):
        await source.get(["doi:10.9999/other"])


async def test_merged_records_are_told_by_their_place_in_the_answer() -> None:
    merged = {"paperId": SHAS[9], "title": "Merged", "externalIds": {"DOI": "10.1/other"}}
    source, caller = answering(lambda query, body: [merged, None, merged])
    papers = await source.get([OWN, f"s2:{SHAS[1]}", "doi:10.1234/x"])
    assert {key: one.title for key, one in papers.items()} == {
        OWN: "Merged",
        "doi:10.1234/x": "Merged",
    }
    assert caller.asked[0][2] == {"ids": [SHAS[0], SHAS[1], "DOI:10.1234/x"]}


async def test_odd_record_does_not_cost_the_good_ones() -> None:
    odd: dict[str, Any] = {
        "paperId": None,
        "title": "Odd",
        "publicationDate": "soon",
        "authors": [None, 7],
        "journal": "x",
        "publicationVenue": [],
        "references": {},
        "tldr": 3,
        "citations": "x",
    }
    good = {"paperId": SHAS[1], "title": "Good"}
    source, caller = answering(lambda query, body: [odd, good, "x", {"paperId": SHAS[3]}])
    papers = await source.get([f"s2:{sha}" for sha in SHAS[:4]])
    assert [one.title for one in papers.values()] == ["Odd", "Good"]
    caller.reply = lambda query, body: {"total": 3, "data": [odd, None, good]}
    looms = SearchQuery(text="looms", facet="problem", reason="a test")
    found = await source.search(looms, before=None, limit=2)
    assert [one.title for one in found.papers] == ["Odd", "Good"]


async def test_batches_are_as_large_as_a_call_and_its_answer_may_be() -> None:

    def reply(query: dict[str, str], body: Any) -> object:
        if len(body["ids"]) > 250:
            return RequestRejectedError(
                "Response would exceed maximum size of 10 MB. Ask for less."
            )
        return [{"paperId": sha, "title": sha[-4:]} for sha in body["ids"]]

    source, caller = answering(reply)
    ids = [f"s2:{number:040x}" for number in range(1, 602)]
    assert list(await source.get(ids)) == ids
    assert [len(body["ids"]) for _, _, body in caller.asked] == [500, 250, 250, 101]


async def test_list_that_was_cut_is_read_page_by_page_and_never_shorter_than_it_was() -> None:
    listed = works(2_300)

    def reply(query: dict[str, str], body: Any) -> object:
        if body:
            few = {"paperId": SHAS[1], "referenceCount": 3, "references": listed[:3]}
            return [{"paperId": SHAS[0], "referenceCount": 2_300, "references": listed[:1000]}, few]
        start, size = int(query["offset"]), int(query["limit"])
        more = {"next": start + size} if start + size < len(listed) else {}
        return {"data": [{"citedPaper": one} for one in listed[start : start + size]], **more}

    source, caller = answering(reply)
    linked = await source.references([paper(SHAS[0]), paper(SHAS[1])])
    assert [len(linked.links[f"s2:{sha}"]) for sha in SHAS[:2]] == [2_300, 3]
    assert [query.get("offset") for _, query, _ in caller.asked] == [None, "0", "1000", "2000"]
    caller.reply = lambda query, body: reply(query, body) if body else {"next": 7, "data": None}
    linked = await source.references([paper(SHAS[0]), paper(SHAS[1])])
    assert len(linked.links[OWN]) == 1000
    # A page without a record is the last one, whatever it says.
    assert len(caller.asked) == 6


async def test_paper_is_never_its_own_reference_nor_recommended() -> None:
    ends = [
        {"paperId": SHAS[7], "title": "Itself, merged since"},
        {"paperId": SHAS[1], "title": "Itself, elsewhere", "externalIds": {"DOI": "10.1234/own"}},
        {"paperId": None, "title": "Anything"},
        {"paperId": SHAS[2], "title": "Another"},
    ]
    record = {"paperId": SHAS[7], "referenceCount": 3, "references": ends}
    source, caller = answering(lambda query, body: [record])
    own = paper(SHAS[0], aliases=("doi:10.1234/own",))
    assert (await source.references([own])).links == {OWN: (f"s2:{SHAS[2]}",)}
    caller.reply = lambda query, body: {"recommendedPapers": ends[1:2] + ends[3:]}
    assert [one.title for one in await source.recommend([own], limit=5)] == ["Another"]


async def test_ids_in_paths_are_encoded() -> None:
    source, caller = answering(lambda query, body: {"offset": 0, "data": []})
    doi = "10.1002/(sici)1097#4571?x=1%2f<9::aid>3.0"
    one = Paper(id=f"doi:{doi}", title="Old", doi=doi, cited_by=700)
    assert (await source.citations([one], limit=10)).links == {one.id: ()}
    path = "/graph/v1/paper/DOI:10.1002/(sici)1097%234571%3Fx%3D1%252f%3C9::aid%3E3.0/citations"
    assert caller.asked[0][0] == path
