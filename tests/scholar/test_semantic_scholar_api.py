"""Semantic Scholar's records, its rarer answers, and tools/text/markup.py."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import pytest

from state.paper import Paper
from state.search import SearchQuery
from tools.errors import RequestRejectedError
from tools.http.retrying_client import RetryingClient
from tools.scholar.semantic_scholar import SemanticScholarSource
from tools.scholar.semantic_scholar_api import paper_of_record, vector_of
from tools.text.markup import retracted_title, without_markup

SHA = "0123456789abcdef0123456789abcdef01234567"


def record(**others: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "paperId": SHA,
        "externalIds": {
            "DOI": "10.1234/LOOM.5",
            "ArXiv": "2101.00005",
            "CorpusId": 5,
            "DBLP": ["x"],
        },
        "url": f"https://www.semanticscholar.org/paper/{SHA}",
        "title": "Weaving reviews from threads",
        "abstract": "We weave.  Slowly.",
        "venue": "Loom Letters",
        "publicationVenue": None,
        "journal": {"name": "Loom Lett.", "volume": "5"},
        "year": 2021,
        "publicationDate": "2021-03-04",
        "authors": [
            {"authorId": "7", "name": "Ada Weaver"},
            {"authorId": None, "name": "B. Spinner"},
        ],
        "citationCount": 0,
        "openAccessPdf": {"url": "https://loom.example/5.pdf", "status": "GREEN", "license": None},
    }
    return {**whole, **others}


def read(**others: Any) -> Paper:
    paper = paper_of_record(record(**others))
    assert paper is not None, others
    return paper


def test_whole_record_becomes_a_paper_that_says_where_each_field_is_from() -> None:
    paper = read()
    assert paper.id == "doi:10.1234/loom.5"
    assert paper.aliases == ("arxiv:2101.00005", f"s2:{SHA}")
    assert (paper.doi, paper.arxiv, paper.semantic_scholar) == ("10.1234/loom.5", "2101.00005", SHA)
    assert paper.abstract == "We weave. Slowly."
    assert (paper.year, paper.published) == (2021, date(2021, 3, 4))
    assert [author.name for author in paper.authors] == ["Ada Weaver", "B. Spinner"]
    assert (paper.venue, paper.cited_by) == ("Loom Letters", 0)
    assert (paper.volume, paper.pages, paper.pdf) == ("5", None, "https://loom.example/5.pdf")
    assert set(paper.origin) == {
        "title",
        "abstract",
        "year",
        "published",
        "authors",
        "venue",
        "volume",
        "doi",
        "arxiv",
        "semantic_scholar",
        "url",
        "pdf",
        "cited_by",
    }
    assert set(paper.origin.values()) == {"semantic_scholar"}


@pytest.mark.parametrize("name", [name for name in record() if name != "title"])
def test_odd_field_is_left_out_and_never_costs_the_record(name: str) -> None:
    for odd in (None, 7, "text", [], [None], {}, {"name": None}, True, "", -1, 10**9, float("nan")):
        assert read(**{name: odd}).title == "Weaving reviews from threads", odd


@pytest.mark.parametrize(
    "thing", [None, [], "x", {}, record(title=None), record(title=" <i></i> ")]
)
def test_what_has_no_title_is_no_paper(thing: object) -> None:
    assert paper_of_record(thing) is None


@pytest.mark.parametrize(
    ("fields", "venue"),
    [
        ({"venue": "", "publicationVenue": {"name": "Loom Conference"}}, "Loom Conference"),
        ({"venue": None}, "Loom Lett."),
        ({"venue": "", "journal": {"pages": "5998-6008"}}, None),
    ],
)
def test_venue_is_taken_from_wherever_it_stands(fields: dict[str, Any], venue: str | None) -> None:
    assert read(**fields).venue == venue


@pytest.mark.parametrize(
    ("fields", "year", "day"),
    [
        ({"publicationDate": "2021-01-01"}, 2021, None),
        ({"year": None}, 2021, date(2021, 3, 4)),
        ({"year": 21, "publicationDate": "0021-03-04"}, None, None),
        ({"publicationDate": "March 2021"}, 2021, None),
    ],
    ids=["1 January says only the year", "year of the day", "no year of ours", "no day"],
)
def test_dates_are_only_as_exact_as_they_are_known(
    fields: dict[str, Any], year: int | None, day: date | None
) -> None:
    paper = read(**fields)
    assert (paper.year, paper.published) == (year, day)


@pytest.mark.parametrize(
    "url", ["", "not a link", "javascript:alert(1)", "http://[", "/paper/5.pdf"]
)
def test_pdf_is_a_web_link_or_nothing(url: str) -> None:
    assert read(openAccessPdf={"url": url, "status": None}).pdf is None


def test_title_says_that_a_work_was_retracted() -> None:
    paper = read(title="RETRACTED ARTICLE: Weaving reviews")
    assert paper.retracted
    assert paper.origin["retracted"] == "semantic_scholar"


@pytest.mark.parametrize(
    ("title", "marked"),
    [
        ("RETRACTED: Weaving", True),
        ("Retracted: Weaving", True),
        ("[Retracted] Weaving", True),
        ("[RETRACTED ARTICLE] Weaving", True),
        ("(Retracted) Weaving", True),
        ("Retracted article: Weaving", True),
        ("RETRACTED CHAPTER: Weaving", True),
        ("**RETRACTED** Weaving", True),
        ("WITHDRAWN: Weaving", True),
        ("[Withdrawn] Weaving", True),
        ("RETRACTED – Weaving", True),
        ("RETRACTED：Weaving", True),
        ("Retraction of evidence in weaving", False),
        ("Retracted articles: a study", False),
        ("Retraction: Weaving", False),
        ("Retraction note to: Weaving", False),
        ("Retracted papers in weaving", False),
        ("Withdrawn patients: a study", False),
        ("Why RETRACTED: papers live on", False),
        ("Withdrawn-patient bias", False),
        ("Retractedness", False),
        ("", False),
    ],
)
def test_marks_of_retraction_are_seen_and_works_about_retractions_are_not_marked(
    title: str, marked: bool
) -> None:
    assert bool(retracted_title(title)) is marked


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("H<sub>2</sub>O &amp; <i>bees</i>", "H2O & bees"),
        ("<jats:title>Aim</jats:title><jats:p>To weave.</jats:p>", "Aim To weave."),
        ("&lt;i&gt;Apis&lt;/i&gt; at p &lt; 0.05", "Apis at p < 0.05"),
        ("p<0.05 and q>0.1, if a<b and c>d", "p<0.05 and q>0.1, if a<b and c>d"),
        ("std::vector<int> in practice", "std::vector<int> in practice"),
        ("Kenya&Apos;s  looms\n\u0093now\u0094", "Kenya's looms now"),
        (
            '<inline-formula><tex-math notation="LaTeX">$\\mu$</tex-math><alternatives><mml:math>'
            "<mml:mi>μ</mml:mi></mml:math></alternatives></inline-formula>Loom: a loom",
            "μLoom: a loom",
        ),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
    ],
)
def test_markup_becomes_plain_text(written: str, meant: str) -> None:
    assert without_markup(written) == meant


def test_vector_is_read_whole_or_not_at_all() -> None:
    vector = [0.5] * 768
    assert vector_of({"embedding": {"model": "specter_v2", "vector": vector}}) == vector
    for odd in (
        None,
        {},
        {"embedding": None},
        {"embedding": {"model": "specter_v2", "vector": None}},
        {"embedding": {"model": "specter_v2", "vector": [0.5] * 10}},
        {"embedding": {"model": "specter_v2", "vector": [None, *vector[1:]]}},
        {"embedding": {"model": "specter@v0.1.1", "vector": vector}},
    ):
        assert vector_of(odd) is None


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
