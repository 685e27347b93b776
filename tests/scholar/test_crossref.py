"""tools/scholar/crossref.py and its decoders: Crossref's records, and the source behind them."""

import json
from datetime import date, timedelta
from typing import Any

import pytest

from state.merging import merge_papers
from state.paper import Notice, NoticeKind, Paper
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work
from tests.scholar.conftest import CallerOf
from tests.scholar.looking import query, under_title
from tools.scholar.crossref import DOIS_A_CALL, CrossrefSource, read_page, read_single, read_work

ITEM: dict[str, Any] = {
    "DOI": "10.1000/ABC", "title": ["Counting <i>apples</i> &amp; pears"], "type": "journal-article",
    "author": [
        {"given": "Ann", "family": "Lee"}, {"given": "Gabriel", "family": "García Márquez"},
        {"name": "The Orchard Group"}, {"given": None, "family": None}, "nobody",
    ],
    "container-title": ["Journal of Orchards"], "is-referenced-by-count": 7,
    "published": {"date-parts": [[2021, 3, 4]]}, "issued": {"date-parts": [[2021, 3]]},
    "abstract": "<jats:title>Abstract</jats:title>\n <jats:p>We count H<jats:sub>2</jats:sub>O in apples.</jats:p>",
    "reference": [
        {"key": "1", "DOI": "10.1000/X"}, {"key": "2", "DOI": "10.48550/arXiv.2001.00001"},
        {"key": "3", "article-title": "On pears", "year": "1999a", "author": "Lind B.", "journal-title": "Pears"},
        {"key": "4", "unstructured": "Someone. Unknown. 1990."}, {"key": "5"}, None,
        {"key": "6", "unstructured": "A. Oak, Trees. arXiv:1901.00002 (2019)"},
        {"key": "7", "unstructured": "B. Oak, More trees. https://doi.org/10.1000/y."},
        {"key": "8", "DOI": "10.1000/x"}, {"key": "9", "DOI": "10.1000/abc"},
    ],
}  # fmt: skip


def decoded(**others: Any) -> Paper:
    work = read_work({**ITEM, **others})
    assert work is not None
    assert work.paper is not None
    return work.paper


# What a record becomes


def test_record_becomes_a_paper() -> None:
    paper = decoded()
    assert (paper.id, paper.doi, paper.title) == (
        "doi:10.1000/abc",
        "10.1000/abc",
        "Counting apples & pears",
    )
    assert paper.abstract == "We count H2O in apples."
    assert [author.name for author in paper.authors] == [
        "Ann Lee",
        "García Márquez, Gabriel",
        "The Orchard Group",
    ]
    assert (paper.year, paper.published, paper.venue) == (
        2021,
        date(2021, 3, 4),
        "Journal of Orchards",
    )
    assert (paper.cited_by, paper.retracted, paper.pdf) == (7, False, None)
    assert paper.url == "https://doi.org/10.1000/abc"
    assert set(paper.origin.values()) == {"crossref"}
    assert "pdf" not in paper.origin
    # What is cited has a DOI or an arXiv id, its own or printed, each once.
    assert paper.references == (
        "doi:10.1000/x",
        "arxiv:2001.00001",
        "arxiv:1901.00002",
        "doi:10.1000/y",
    )


@pytest.mark.parametrize(
    ("dates", "year", "day"),
    [
        ({"published": {"date-parts": [[2021]]}, "issued": None}, 2021, None),
        (
            {"published": {"date-parts": [[None]]}, "issued": {"date-parts": [[2020, 5, 6]]}},
            2020,
            date(2020, 5, 6),
        ),
        (
            {"published": {"date-parts": [[2020]]}, "issued": {"date-parts": [[2021, 5, 6]]}},
            2020,
            None,
        ),
        ({"published": {"date-parts": [[2021, 2, 31]]}, "issued": None}, 2021, None),
        ({"published": {"date-parts": [[3021]]}, "issued": {"date-parts": "soon"}}, None, None),
        ({"published": "soon", "issued": {"date-parts": []}}, None, None),
    ],
)
def test_only_whole_days_of_the_first_year_are_dates(
    dates: dict[str, Any], year: int | None, day: date | None
) -> None:
    paper = decoded(**dates)
    assert (paper.year, paper.published) == (year, day)


@pytest.mark.parametrize(
    ("printed", "place"),
    [
        ({"volume": "12", "issue": "1-2", "page": "101-119"}, ("12", "1-2", "101-119")),
        ({"volume": "5", "page": "7 – 7", "article-number": "x1"}, ("5", None, "7")),
        ({"article-number": "e1023"}, (None, None, "e1023")),
        ({"volume": 5, "issue": [], "page": None}, (None, None, None)),
    ],
)
def test_place_in_print_is_kept(
    printed: dict[str, Any], place: tuple[str | None, str | None, str | None]
) -> None:
    paper = decoded(**printed)
    assert (paper.volume, paper.issue, paper.pages) == place


@pytest.mark.parametrize("name", sorted(set(ITEM) - {"DOI", "title"}))
def test_field_that_cannot_be_read_is_left_out_and_costs_nothing(name: str) -> None:
    odd: list[Any] = [None, "", [], {}, [None], [[]], 3, "words", [{"DOI": None}]]
    for value in odd:
        assert decoded(**{name: value}).title == "Counting apples & pears"


@pytest.mark.parametrize(
    "others", [{"title": []}, {"title": None}, {"title": [" "]}, {"type": "journal-issue"}]
)
def test_record_that_can_be_no_paper_still_tells_its_notices(others: dict[str, Any]) -> None:
    notice = {"DOI": "10.1000/notice", "type": "retraction"}
    work = read_work({**ITEM, **others, "updated-by": [notice]})
    assert work is not None
    assert work.paper is None
    assert work.notices == {"doi:10.1000/abc": (Notice(kind="retraction", doi="10.1000/notice"),)}


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("retraction", "retraction"),
        ("withdrawal", "retraction"),
        ("Removal", "retraction"),
        ("expression_of_concern", "concern"),
        ("Expression of Concern", "concern"),
        ("correction", "correction"),
        ("corrigendum", "correction"),
        ("erratum", "correction"),
        ("partial-retraction", "partial_retraction"),
        ("new_version", None),
        (None, None),
    ],
)
def test_what_publishers_say_later_is_kept_with_the_notice_and_retracted_works_are_marked(
    kind: str | None, told: NoticeKind | None
) -> None:
    paper = decoded(**{"updated-by": [{"DOI": "10.1000/Notice", "type": kind}]})
    assert paper.notices == ((Notice(kind=told, doi="10.1000/notice"),) if told else ())
    assert paper.retracted is ("retracted" in paper.origin) is (told == "retraction")


def test_notice_speaks_of_the_work_that_it_updates_and_not_of_itself() -> None:
    item = {**ITEM, "update-to": [{"DOI": "10.1000/old", "type": "expression_of_concern"}]}
    work = read_work(item)
    assert work is not None
    assert work.paper is not None
    assert work.paper.notices == ()
    assert work.notices == {"doi:10.1000/old": (Notice(kind="concern", doi="10.1000/abc"),)}


def test_gravest_notice_comes_first_and_none_twice() -> None:
    given = [
        ("erratum", "a"),
        ("retraction", "b"),
        ("correction", "a"),
        ("expression_of_concern", "c"),
    ]
    listed = [{"DOI": f"10.1000/{doi}", "type": kind} for kind, doi in given]
    paper = decoded(**{"updated-by": listed})
    assert [(one.kind, one.doi) for one in paper.notices] == [
        ("retraction", "10.1000/b"),
        ("concern", "10.1000/c"),
        ("correction", "10.1000/a"),
    ]
    again = merge_papers(paper, decoded(title=["Expression of concern: On mosses"]))
    assert again.notices == paper.notices, "one without a DOI says nothing new"


def page_of(*items: Any) -> str:
    return json.dumps({"status": "ok", "message": {"total-results": len(items), "items": items}})


def test_bad_record_does_not_cost_the_good_ones() -> None:
    works, total = read_page(page_of(None, {"DOI": 3}, ITEM))
    assert ([work.id for work in works], total) == (["doi:10.1000/abc"], 3)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "[1]",
        '{"error": "x"}',
        "Resource not found.",
        page_of(ITEM)[:-9],
        '{"status": "failed", "message": []}',
        '{"status": "ok", "message": {"items": null}}',
    ],
)
def test_garbled_answer_is_worth_another_try(body: str) -> None:
    for read in (read_page, read_single):
        with pytest.raises(ValueError, match=r"."):
            read(body)


# The source


@pytest.fixture
def source(caller: CallerOf) -> CrossrefSource:
    return CrossrefSource(caller("crossref"))


def asked(server: ScholarServer) -> list[Any]:
    return [request for request in server.requests if request.service == "crossref"]


def held(server: ScholarServer) -> list[Work]:
    return [work for work in server.world.held("crossref") if work.title and work.doi]


def key(work: Work) -> str:
    return f"doi:{(work.doi or '').lower()}"


def as_papers(works: list[Work]) -> list[Paper]:
    """The papers as another source would know them."""
    return [
        Paper(
            id=f"openalex:{work.openalex}",
            title=work.title,
            openalex=work.openalex,
            doi=(work.doi or "").lower(),
            aliases=(key(work),),
        )
        for work in works
    ]


async def test_search_asks_once_and_says_what_it_sent(
    server: ScholarServer, source: CrossrefSource
) -> None:
    works = held(server)
    words = " ".join(word for word in works[0].title.split() if word.isalpha())
    found = await source.search(query(words), before=None, limit=5)
    titles = [paper.title.removesuffix(": A preliminary report") for paper in found.papers]
    assert works[0].title in titles
    assert (len(titles), len(asked(server))) == (5, 1)
    assert found.sent == (f"query.bibliographic={words}",)
    assert (found.matches or 0) > 5
    cutoff = sorted(work.date for work in works)[len(works) // 2]
    found = await source.search(query(words), before=cutoff, limit=50)
    assert f"until-pub-date:{cutoff - timedelta(days=1)}" in found.sent[0]
    assert found.papers
    assert all(paper.published < cutoff for paper in found.papers if paper.published)
    found = await source.search(query(words), before=None, after=cutoff, limit=50)
    assert f"from-pub-date:{cutoff}" in found.sent[0]
    assert found.papers
    assert all(paper.published >= cutoff for paper in found.papers if paper.published)


async def test_get_takes_forty_dois_a_call(server: ScholarServer, source: CrossrefSource) -> None:
    ids = [key(work) for work in held(server)[:100]]
    others = [ids[0], "doi:10.1000/unknown", "arxiv:2101.00001", "openalex:W1"]
    assert list(await source.get([*ids, *others])) == ids
    assert len(asked(server)) == -(-101 // DOIS_A_CALL)


async def test_doi_with_a_comma_is_asked_for_alone(
    server: ScholarServer, source: CrossrefSource
) -> None:
    first, second = held(server)[:2]
    first.doi = "10.1000/a,b"
    server.world.by_doi[first.doi] = first
    ids = ["doi:10.1000/a,b", "doi:10.1000/none,such", key(second)]
    assert list(await source.get(ids)) == [ids[0], ids[2]]
    paths = sorted(request.path for request in asked(server))
    assert paths == ["/works", "/works/10.1000%2Fa%2Cb", "/works/10.1000%2Fnone%2Csuch"]


async def test_references_are_those_of_the_records_in_one_call(
    server: ScholarServer, source: CrossrefSource
) -> None:
    works = [work for work in held(server) if "crossref" in work.lists_references][:30]
    papers = as_papers(works)
    linked = await source.references([*papers, Paper(id="title:x", title="Unknown")])
    assert set(linked.links) == {paper.id for paper in papers}
    for work, paper in zip(works, papers, strict=True):
        cited = (server.world.works[n] for n in work.references if isinstance(n, int))
        known = {key(one) for one in cited if one.doi}
        ends = {end for end in linked.links[paper.id] if "99999" not in end}
        assert {end for end in ends if end.startswith("doi:")} <= known
    assert sum(map(len, linked.links.values())) > 100
    await source.get([key(work) for work in works])
    assert len(asked(server)) == 1


async def test_retractions_are_found_with_their_notices(
    server: ScholarServer, source: CrossrefSource
) -> None:
    world = server.world
    notices = {world.works[number].number: notice for number, notice in world.notices.items()}
    retracted = [work for work in held(server) if work.number in notices]
    others = [work for work in held(server) if work.number not in notices][:60]
    assert retracted
    found = await source.notices(as_papers([*others, *retracted]))
    expected = {
        f"openalex:{work.openalex}": (
            Notice(kind="retraction", doi=notices[work.number].doi or ""),
        )
        for work in retracted
    }
    assert found == expected


async def test_known_title_is_found_in_spite_of_small_edits(
    server: ScholarServer, source: CrossrefSource
) -> None:
    titles = [work.title for work in held(server)]
    work = next(
        work for work in held(server) if titles.count(work.title) == 1 and len(work.title) > 60
    )
    for title in (work.title, f"{work.title.upper()}.", work.title.replace("-", " ")):
        paper = await under_title(source, title, year=work.year)
        assert paper is not None
        assert paper.id == key(work)
    assert await under_title(source, f"{work.title} on the dark side of the moon") is None
    assert await under_title(source, "Zeppelins and quokkas of the southern sea") is None
