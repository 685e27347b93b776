"""arXiv's feeds and the source behind them; searches of several tries, and the words of a query."""

from datetime import date
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.paper import Paper
from state.search import SearchQuery
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.wire import Request
from tests.fakes.scholar.world import Work
from tests.scholar.conftest import CallerOf
from tests.scholar.looking import query
from tools.errors import PermanentError, TransientError
from tools.scholar.arxiv import ArxivSource, read_page
from tools.scholar.source import loosened_queries, terms

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
@pytest.fixture
def source(caller: CallerOf) -> ArxivSource:
    return ArxivSource(caller("arxiv"))


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
    server: ScholarServer, source: ArxivSource
) -> None:
    words = common_words(server, 3)
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
    server: ScholarServer, source: ArxivSource
) -> None:
    days = sorted(work.date for work in held(server))
    cutoff = days[len(days) // 2]
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


async def test_get_takes_a_hundred_ids_a_call(server: ScholarServer, source: ArxivSource) -> None:
    works = held(server)
    ids = [f"arxiv:{work.arxiv}" for work in works]
    padding = [f"arxiv:2901.{number:05}" for number in range(150 - len(ids))]
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


CLASSES = {
    "openalex": "OpenAlexSource",
    "semantic_scholar": "SemanticScholarSource",
    "arxiv": "ArxivSource",
}


@pytest.mark.parametrize("name", CLASSES)
async def test_what_was_found_before_the_failure_is_kept_and_the_failure_told(
    name: str, caller: CallerOf, server: ScholarServer
) -> None:
    source: Any = getattr(import_module(f"tools.scholar.{name}"), CLASSES[name])(
        caller(name, source_patience=0.2)
    )
    held = server.world.held(name)  # type: ignore[arg-type]
    work = next(work for work in held if len(work.title.split()) > 6 and not work.retracted)
    words = [word for word in work.title.replace(":", " ").split() if word.isalpha()][:5]
    query = SearchQuery(text=" ".join(words), facet="method", reason="")

    def fails_after_the_first(request: Request) -> str | None:
        return "503" if any(done.fault is None for done in server.requests) else None

    server.faults.script = fails_after_the_first
    found = await source.search(query, before=None, limit=200)
    assert found.papers
    assert "HTTP 503" in found.cut
    assert len(found.sent) == 1
    server.faults.script = lambda request: "503"
    other = query.model_copy(update={"text": f"{query.text} unheard"})
    with pytest.raises(TransientError):
        await source.search(other, before=None, limit=200)


WORDS = st.lists(st.text("abcdef", min_size=1, max_size=3), max_size=6)


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        (
            ["a", "b", "c", "d"],
            [
                [["a", "b", "c", "d"]],
                [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "d"], ["b", "c", "d"]],
                [["a", "b"], ["a", "c"], ["a", "d"], ["b", "c"], ["b", "d"], ["c", "d"]],
            ],
        ),
        (["a", "b"], [[["a", "b"]]]),  # one alone would be another question
        (["a"], [[["a"]]]),
        ([], []),
        (["Graph", "graph", "b"], [[["Graph", "b"]]]),  # one word, twice
    ],
)
def test_first_all_words_then_all_but_one_down_to_pairs(
    words: list[str], steps: list[list[list[str]]]
) -> None:
    assert list(loosened_queries(words)) == steps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("citation graph retrieval", ["citation", "graph", "retrieval"]),
        ('"citation graph" retrieval', ["citation graph", "retrieval"]),
        ("“citation graph” retrieval", ["citation graph", "retrieval"]),
        ("retrieval-augmented generation", ["retrieval-augmented", "generation"]),
        ("Parkinson's disease", ["Parkinson's", "disease"]),
        ("cats AND dogs OR NOT (mice)", ["cats", "dogs", "mice"]),
        ("-excluded +wanted wild* fuzzy~2", ["excluded", "wanted", "wild", "fuzzy", "2"]),
        ("title:graph input/output a|b", ["title", "graph", "input", "output", "a", "b"]),
        ('"unclosed phrase', ["unclosed", "phrase"]),
        ('"salt AND pepper"', ["salt AND pepper"]),
        ("Graph graph GRAPH", ["Graph"]),
        ("naïve Bayes 学习", ["naïve", "Bayes", "学习"]),
        ("?! () -- ''", []),
        ("", []),
    ],
)
def test_terms_are_words_and_phrases_with_nothing_to_obey(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(st.text(max_size=80))
def test_no_sign_of_a_query_language_is_left(text: str) -> None:
    for term in terms(text):
        assert term == term.strip()
        assert not set(term) & set('"“”()[]{}:*?~^|+!\\/,&<>=;_')
        assert not term.startswith("-")
