"""tools/scholar/arxiv.py and arxiv_records.py: arXiv's feeds, and the source behind them."""

from datetime import date

import pytest

from state.paper import Paper
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work
from tests.scholar.conftest import CallerOf
from tests.scholar.looking import query
from tools.errors import PermanentError
from tools.scholar.arxiv import ArxivSource
from tools.scholar.arxiv_records import read_page

ENTRY = """
  <entry>
    <id>http://arxiv.org/abs/{id}</id>
    <title>Counting apples
      in $N$ orchards</title>
    <updated>2021-02-03T10:00:00Z</updated>
    <link href="https://arxiv.org/abs/{id}" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/{id}" rel="related" type="application/pdf" title="pdf"/>
    <summary>  We count apples &amp; pears.
  Then we stop. </summary>
    <published>{published}</published>
    {extra}
    <author><name>Ann Lee</name></author>
    <author><name/></author>
    <author><name>Bo van der Berg</name></author>
  </entry>
"""


def entry(
    name: str = "2101.00001v3", *, extra: str = "", published: str = "2021-01-01T09:00:00Z"
) -> str:
    return ENTRY.format(id=name, extra=extra, published=published)


def feed(*entries: str, total: int | None = None) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"'
        ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">\n'
        f"<opensearch:totalResults>{len(entries) if total is None else total}"
        f"</opensearch:totalResults>{''.join(entries)}</feed>\n"
    )


def error_feed(said: str) -> str:
    return feed(
        f"<entry><id>https://arxiv.org/api/errors#x</id><title>Error</title>"
        f"<summary>{said}</summary></entry>"
    )


def decoded(**others: str) -> Paper:
    ((paper,), _) = read_page(feed(entry(**others)))
    return paper


def comment(text: str) -> str:
    return f"<arxiv:comment>{text}</arxiv:comment>"


# What an entry becomes


def test_entry_becomes_a_paper_dated_by_its_first_version() -> None:
    paper = decoded()
    assert (paper.id, paper.arxiv, paper.aliases) == ("arxiv:2101.00001", "2101.00001", ())
    assert paper.title == "Counting apples in $N$ orchards"
    assert paper.abstract == "We count apples & pears. Then we stop."
    assert [author.name for author in paper.authors] == ["Ann Lee", "Bo van der Berg"]
    assert (paper.year, paper.published) == (2021, date(2021, 1, 1))
    assert (paper.venue, paper.doi, paper.retracted) == ("arXiv", None, False)
    assert paper.url == "https://arxiv.org/abs/2101.00001"
    assert paper.pdf == "https://arxiv.org/pdf/2101.00001"
    assert set(paper.origin.values()) == {"arxiv"}
    assert "doi" not in paper.origin


def test_doi_and_venue_of_the_published_version_are_taken() -> None:
    extra = "<arxiv:doi>10.1000/A.1 10.1000/b</arxiv:doi><arxiv:journal_ref>J. Apples 3</arxiv:journal_ref>"
    paper = decoded(extra=extra, name="math.GT/0309136v2")
    assert (paper.id, paper.aliases) == ("doi:10.1000/a.1", ("arxiv:math/0309136",))
    assert (paper.doi, paper.venue) == ("10.1000/a.1", "J. Apples 3")
    assert decoded(extra="<arxiv:doi>10.48550/arXiv.2101.00001</arxiv:doi>").doi is None


@pytest.mark.parametrize(
    ("said", "withdrawn"),
    [
        ("This paper has been withdrawn by the authors", True),
        ("Withdrawn.", True),
        ("12 pages; withdrawn due to an error in Lemma 2", True),
        ("This submission is now withdrawn", True),
        ("12 pages, 3 figures", False),
        ("A study of why applicants were withdrawn from trials", False),
    ],
)
def test_withdrawn_papers_are_marked(said: str, withdrawn: bool) -> None:
    assert decoded(extra=comment(said)).retracted is withdrawn


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (feed(entry(), entry("2101.00002v1"))[:-200], "cut off within an entry"),
        (feed(entry())[:-9], "cut off before its end"),
        (feed(total=7), "empty although records match"),
        ("Rate exceeded.", "a sentence"),
        ("<html><body></feed>", "a page"),
        ("<rss></rss></feed>", "another feed"),
        (error_feed("internal server error"), "arXiv's own failure"),
    ],
)
def test_garbled_feed_is_worth_another_try(body: str, why: str) -> None:
    with pytest.raises(ValueError, match="arXiv"):
        read_page(body)


def test_rejected_query_is_not_worth_another_try() -> None:
    with pytest.raises(PermanentError, match="incorrect id format for abc"):
        read_page(error_feed("incorrect id format for abc"))


# The source


def asked(server: ScholarServer) -> list[dict[str, str]]:
    """The queries that arrived at arXiv."""
    return [dict(request.query) for request in server.requests if request.service == "arxiv"]


def held(server: ScholarServer) -> list[Work]:
    return [work for work in server.world.held("arxiv") if work.title and work.arxiv]


def common_words(server: ScholarServer, count: int) -> list[str]:
    """The words of one title, longest first."""
    title = max((work.title for work in held(server)), key=len)
    return sorted({word for word in title.split() if word.isalpha()}, key=len)[-count:]


async def test_search_is_loosened_once_where_it_finds_little(
    server: ScholarServer, caller: CallerOf
) -> None:
    words = common_words(server, 3)
    source = ArxivSource(caller("arxiv"))
    strict = await source.search(query(" ".join(words[:2])), before=None, limit=2)
    assert strict.sent == (f"all:{words[0]} AND all:{words[1]}",)
    (one,) = asked(server)
    assert (one["search_query"], one["max_results"]) == (strict.sent[0], "2")
    found = await source.search(
        query(" ".join([*words, "zeppelin", "quokka"])), before=None, limit=20
    )
    assert len(found.sent) == len(asked(server)) - 1 == 2
    assert found.sent[1].count(" OR ") == 9
    assert 0 < len(found.papers) <= (found.matches or 0)


async def test_cut_off_is_part_of_the_query_and_operators_are_none(
    server: ScholarServer, caller: CallerOf
) -> None:
    days = sorted(work.date for work in held(server))
    cutoff = days[len(days) // 2]
    source = ArxivSource(caller("arxiv"))
    found = await source.search(query(common_words(server, 1)[0]), before=cutoff, limit=100)
    assert f"TO {date.fromordinal(cutoff.toordinal() - 1):%Y%m%d}2359]" in found.sent[0]
    assert found.papers
    assert all(paper.published and paper.published < cutoff for paper in found.papers)
    word = query(common_words(server, 1)[0])
    found = await source.search(word, before=None, after=cutoff, limit=100)
    assert f"[{cutoff:%Y%m%d}0000 TO 2999" in found.sent[0]
    assert found.papers
    assert all(paper.published and paper.published >= cutoff for paper in found.papers)
    found = await source.search(query('few-shot AND (ti:"query planning" OR'), before=None, limit=1)
    assert found.sent[0] == 'all:"few-shot" AND all:ti AND all:"query planning"'
    assert (await source.search(query("() AND :"), before=None, limit=5)).papers == []


async def test_get_takes_a_hundred_ids_a_call(server: ScholarServer, caller: CallerOf) -> None:
    works = held(server)
    ids = [f"arxiv:{work.arxiv}" for work in works]
    padding = [f"arxiv:2901.{number:05}" for number in range(150 - len(ids))]
    source = ArxivSource(caller("arxiv"))
    papers = await source.get([*ids, *padding, ids[0], "doi:10.1000/a", "arxiv:2013.00001"])
    assert list(papers) == ids
    assert all(paper.arxiv == key.removeprefix("arxiv:") for key, paper in papers.items())
    assert [len(one["id_list"].split(",")) for one in asked(server)] == [
        100,
        max(len(ids), 150) - 100,
    ]


async def test_blank_page_is_asked_for_again(server: ScholarServer, caller: CallerOf) -> None:
    ids = [f"arxiv:{work.arxiv}" for work in held(server)[:5]]
    faults = iter(["blank", "truncated", "503", "html"])
    server.faults.script = lambda _: next(faults, None)
    assert list(await ArxivSource(caller("arxiv", source_patience=4.0)).get(ids)) == ids
    assert len(asked(server)) == 5
