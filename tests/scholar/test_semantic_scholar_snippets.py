"""Snippets of full texts: read from records, and searched for over HTTP against the fake."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from state.paper import Paper
from state.search import SearchQuery
from tests.fakes.scholar.semantic_scholar import snippet as made
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, World, make_world
from tests.scholar.conftest import CallerOf
from tools.errors import NotInSourceError
from tools.evidence.quotes import quote_paper
from tools.scholar.semantic_scholar import SemanticScholarSource
from tools.scholar.semantic_scholar_snippets import read_snippet

FIRST, SECOND = "Hives were weighed at dusk.", "Looms were threaded by hand [4]."
THIRD, FOURTH = "Nobody slept.", "Threads broke when the loom was wet [5]."
TEXT = " ".join((FIRST, SECOND, THIRD, FOURTH))


def mention(sentence: str, corpus: object) -> dict[str, object]:
    start = TEXT.index(sentence) + sentence.index("[")
    return {"start": start, "end": start + 3, "matchedPaperCorpusId": corpus}


def record(**others: Any) -> dict[str, Any]:
    ends = [TEXT.index(one) for one in (FIRST, SECOND, THIRD, FOURTH)]
    sentences = [{"start": at, "end": end} for at, end in zip(ends, [*ends[1:], 999], strict=True)]
    sentences[-1]["end"] = len(TEXT)
    own = {
        "text": TEXT,
        "snippetKind": "body",
        "section": "Weaving",
        "snippetOffset": {"start": 100, "end": 100 + len(TEXT)},
        "annotations": {
            "sentences": sentences,
            "refMentions": [mention(SECOND, "41"), mention(FOURTH, "52")],
        },
    }
    paper = {"corpusId": "7", "title": "Looms at night", "authors": ["A. Weaver"]}
    return {"snippet": {**own, **others}, "score": 0.5, "paper": paper}


def test_sentences_nearest_to_the_query_are_a_quote_with_its_section() -> None:
    found = read_snippet(record(), "why do wet looms break threads?")
    assert found is not None
    assert found.quote.text == " ".join((SECOND, THIRD, FOURTH))
    assert (found.quote.place, found.quote.part) == ("Weaving", "passage")
    assert found.quote.start == 100 + TEXT.index(SECOND)
    assert (found.corpus, found.title, found.whole) == ("7", "Looms at night", TEXT)
    assert {key: one.strip() for key, one in found.cited.items()} == {"41": SECOND, "52": FOURTH}


@pytest.mark.parametrize(
    "odd", [None, 7, [], {}, "x", [None], [{"start": -1, "end": "x"}]], ids=repr
)
@pytest.mark.parametrize(
    "name", ["snippetKind", "section", "snippetOffset", "annotations", "sentences", "refMentions"]
)
def test_odd_field_never_costs_the_snippet(name: str, odd: object) -> None:
    given = {name: odd}
    if name in {"sentences", "refMentions"}:
        given = {"annotations": {**record()["snippet"]["annotations"], name: odd}}
    found = read_snippet(record(**given), "wet looms")
    assert found is not None
    assert found.quote.text in TEXT
    assert found.quote.verified


@pytest.mark.parametrize(
    "thing",
    [None, [], {}, record(text=None), record(text=" "), {**record(), "paper": None}]
    + [{**record(), "paper": {"corpusId": one, "title": "T"}} for one in (None, "x", 1.5, "")],
    ids=range(10),
)
def test_what_has_no_text_or_no_paper_is_no_snippet(thing: object) -> None:
    assert read_snippet(thing, "looms") is None


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


def whole(text: str) -> SearchQuery:
    return SearchQuery(text=text, facet="whole", reason="a test")


def paths(server: ScholarServer) -> list[str]:
    return [request.path.removeprefix("/graph/v1") for request in server.requests]


async def test_whole_text_is_searched_for_in_full_texts_with_one_call(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    text = "We study honey quality and how queens are reared.\n\nHives are compared."
    found = await source.search(whole(text), before=date(2015, 6, 1), limit=10)
    assert paths(server) == ["/snippet/search", "/paper/batch"]
    assert server.requests[0].query["limit"] == "20"
    told = "&publicationDateOrYear=:2015-05-31"
    assert found.sent == (f"/snippet/search?query={' '.join(text.split())}{told}",)
    assert len(found.papers) == 10
    assert all(one.published is None or one.published < date(2015, 6, 1) for one in found.papers)
    for paper in found.papers:
        (quote,) = paper.snippets
        assert (quote.paper, quote.place) == (paper.id, "Weaving by lamplight")
        # Its words are quotable, and nothing else is.
        checked = quote_paper("Under the lamp we saw that", paper)
        assert (checked.verified, checked.part, checked.place) == (
            True,
            "passage",
            "Weaving by lamplight",
        )
        assert checked.start == (quote.start or 0) + quote.text.index("Under")
        assert not quote_paper("Under the lamp we saw that nothing", paper).verified


async def test_works_that_snippets_cite_come_with_the_sentence_that_cites_them(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    found = await source.search(whole("honey quality"), before=None, limit=20)
    by_id = {work.s2: work for work in server.world.works}
    citing = {paper.id: by_id[paper.semantic_scholar or ""] for paper in found.papers}
    assert found.cited
    for one in found.cited:
        numbers = citing[one.by].references
        assert by_id[one.paper.semantic_scholar or ""].number in numbers
        assert one.sentence.startswith("Threads were counted as before [")
        assert one.paper.id not in citing
    assert len({one.paper.id for one in found.cited}) == len(found.cited)


async def test_nothing_found_asks_for_no_record(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    found = await source.search(whole("zzz qqq"), before=None, limit=5)
    assert (list(found.papers), list(found.cited)) == ([], [])
    assert paths(server) == ["/snippet/search"]


async def test_place_without_snippets_is_a_failure_and_no_empty_answer(
    server: ScholarServer, caller: CallerOf
) -> None:
    at = f"{server.semantic_scholar_url}/none"
    source = SemanticScholarSource(caller("semantic_scholar", semantic_scholar_url=at))
    with pytest.raises(NotInSourceError):
        await source.search(whole("honey"), before=None, limit=5)


async def test_snippet_that_the_record_has_itself_is_not_kept_twice(
    server: ScholarServer, source: SemanticScholarSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    def abstract(world: World, work: Work) -> dict[str, object]:
        return {**made(world, work), "text": work.abstract or work.title, "annotations": None}

    monkeypatch.setattr("tests.fakes.scholar.semantic_scholar.snippet", abstract)
    found = await source.search(whole("honey quality"), before=None, limit=10)
    assert found.papers
    assert not any(paper.snippets for paper in found.papers if paper.abstract)


async def test_passages_are_of_the_named_papers_alone(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    works = [work for work in server.world.held("semantic_scholar") if work.title][:60]
    works = [work for work in works if work.open_access and work.duplicate_of is None][:3]
    papers = [Paper(id=f"s2:{one.s2}", title=one.title, semantic_scholar=one.s2) for one in works]
    query = f"{works[0].title} and {works[1].title}"
    found = await source.passages(query, papers[:2], limit=5)
    assert [request.query["paperIds"] for request in server.requests] == [
        ",".join(one.s2 for one in works[:2])
    ]
    assert {one.paper for one in found} == {paper.id for paper in papers[:2]}
    for one in found:
        assert one.text.startswith("The loom was threaded anew before each trial. Under the lamp")
        assert (one.place, one.part, one.start) == ("Weaving by lamplight", "passage", 4000)
    # A paper alone need not be called by the title that the service has.
    alone = papers[2].model_copy(update={"title": "Something else"})
    assert {one.paper for one in await source.passages(works[2].title, [alone], limit=2)} == {
        alone.id
    }
    local = Paper(id="local:x", title="Mine")
    assert await source.passages(query, [local], limit=2) == []
    assert len(server.requests) == 2
