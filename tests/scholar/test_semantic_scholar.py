"""Semantic Scholar: searches, records, links and snippets, over HTTP against the fake."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from state.paper import Paper
from state.search import SearchQuery
from tests.fakes.scholar.semantic_scholar import snippet as made
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import PUBMED, Work, World, make_world
from tests.scholar.conftest import CallerOf
from tests.scholar.looking import query, under_title
from tools.errors import NotInSourceError, TransientError
from tools.evidence.quotes import quote_paper
from tools.scholar.semantic_scholar import SemanticScholarSource
from tools.scholar.semantic_scholar_api import read_snippet


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


def held(server: ScholarServer) -> list[Work]:
    return [work for work in server.world.held("semantic_scholar") if work.title]


def paper(sha: str, **others: Any) -> Paper:
    return Paper(id=f"s2:{sha}", title="A paper", semantic_scholar=sha, **others)


def paper_for(work: Work, **others: Any) -> Paper:
    return paper(work.s2, **others)


def paths(server: ScholarServer) -> list[str]:
    return [request.path.removeprefix("/graph/v1") for request in server.requests]


async def test_search_finds_papers_before_the_cutoff_with_nothing_to_obey(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    found = await source.search(query("honey quality"), before=date(2015, 6, 1), limit=10)
    assert len(found.papers) == 10
    assert (found.matches or 0) >= 10
    assert all(one.published is None or one.published < date(2015, 6, 1) for one in found.papers)
    assert found.sent == ("/paper/search?query=honey quality&publicationDateOrYear=:2015-05-31",)
    since = date(2012, 6, 1)
    found = await source.search(query("honey"), before=None, after=since, limit=10)
    assert found.sent == ("/paper/search?query=honey&publicationDateOrYear=2012-01-01:",)
    assert found.papers
    assert all((one.year or 0) >= since.year for one in found.papers)
    server.requests.clear()
    await source.search(query("honey quality"), before=None, limit=1)
    odd = query('queen-rearing AND "honey quality" -| (*) ~ & fields=year #?')
    found = await source.search(odd, before=None, limit=5)
    assert server.requests[1].query["query"] == "queen rearing honey quality fields year"
    bulk = [one.query["query"] for one in server.requests if one.path.endswith("/bulk")]
    assert all('"honey quality"' in text and '"queen rearing"' in text for text in bulk)
    assert len(found.sent) == len(server.requests) - 1
    assert (await source.search(query("- | ()"), before=None, limit=50)).sent == ()


async def test_search_that_finds_little_is_loosened(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    found = await source.search(query("honey quality harvest limits xyzzy"), before=None, limit=40)
    assert 2 <= len(found.sent) == len(server.requests) <= 3
    assert found.sent[1].startswith(
        "/paper/search/bulk?query=(honey quality harvest limits) | (honey "
    )
    assert len({one.id for one in found.papers}) == len(found.papers) > 0


async def test_get_answers_under_the_id_asked_for(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    works = held(server)
    asked = {f"s2:{work.s2}": work for work in works[:40]}
    asked |= {f"doi:{work.doi.lower()}": work for work in works if work.doi}
    asked |= {f"arxiv:{work.arxiv}": work for work in works if work.arxiv}
    of_pubmed = {f"pmid:{PUBMED + work.number}": work for work in works if not work.number % 10}
    asked |= of_pubmed
    assert of_pubmed
    foreign = ["openalex:W1", "local:x", "title:x-2000-y", "doi:10.9999/none", f"s2:{'f' * 40}"]
    papers = await source.get([*asked, *foreign])
    known = {key for key, work in asked.items() if server.world.by_s2[work.s2] is work}
    assert set(papers) >= {key for key in known if key.startswith("s2:")}
    assert set(papers) <= set(asked)
    for key, found in papers.items():
        assert found.title == asked[key].title, key
        assert key in {found.id, *found.aliases, *of_pubmed}
    assert (len(server.requests), server.repeated()) == (-(-(len(asked) + 2) // 500), [])


async def test_title_is_found_and_another_one_is_not_taken_for_it(
    server: ScholarServer, source: SemanticScholarSource
) -> None:
    titles = [work.title for work in server.world.works]
    work = next(w for w in held(server) if titles.count(w.title) == 1 and not w.bare)
    found = await under_title(source, work.title.upper())
    assert found is not None
    assert found.semantic_scholar == work.s2
    assert await under_title(source, work.title, year=work.year + 1) == found
    assert await under_title(source, f"{work.title} in 2031 and another matter") is None
    assert await under_title(source, "xyzzy plugh") is None
    assert await under_title(source, "?!") is None


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


@pytest.mark.parametrize("fault", ["null", "shape"])
async def test_answer_of_another_shape_is_an_error_and_no_empty_answer(
    server: ScholarServer, caller: CallerOf, fault: str
) -> None:
    server.faults.chances = {fault: 1.0}
    source = SemanticScholarSource(caller("semantic_scholar", source_patience=0.1))
    one = paper_for(held(server)[0], cited_by=900)
    for ask in (
        lambda: source.search(query("honey"), before=None, limit=5),
        lambda: source.get([one.id]),
        lambda: source.citations([one], limit=5),
        lambda: source.recommend([one], limit=5),
    ):
        with pytest.raises(TransientError):
            await ask()


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


def whole(text: str) -> SearchQuery:
    return SearchQuery(text=text, facet="whole", reason="a test")


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
        assert by_id[one.paper.semantic_scholar or ""].number in citing[one.by].references
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
    assert await source.passages(query, [Paper(id="local:x", title="Mine")], limit=2) == []
    assert len(server.requests) == 2
