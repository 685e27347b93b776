"""Snippets of full texts in whole runs: candidates of `find`, evidence of `verify`, passages of `ask`."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from graphs.ask import graph as ask
from graphs.find import graph as find
from graphs.verify import graph as verify
from state.paper import Paper
from tests.fakes.reviewer import reviewer
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, World, make_world
from tests.graphs.conftest import Scripted, context_for
from tools.embed.open_embedder import embedder
from tools.library.open_library import create_library
from tools.settings import Settings

SECTION = "Weaving by lamplight"


@pytest.fixture(scope="module")
def field() -> World:
    return make_world(size=120, seed=4)


@pytest.fixture
def server(field: World) -> Iterator[ScholarServer]:
    with ScholarServer(field) as running:
        yield running


@pytest.fixture
def settings(llm_settings: Settings, server: ScholarServer) -> Settings:
    names = ("openalex", "semantic_scholar", "arxiv", "crossref")
    urls = {f"{name}_url": getattr(server, f"{name}_url") for name in names}
    return llm_settings.model_copy(
        update={**urls, **{f"{name}_rate": 1000.0 for name in names}, "embedder": "minilm"}
    )


@pytest.fixture
def work(field: World) -> Work:
    works = field.held("semantic_scholar")
    return next(one for one in works if one.title and one.open_access and one.arxiv is None)


def record(work: Work) -> Paper:
    return Paper(
        id=f"s2:{work.s2}",
        semantic_scholar=work.s2,
        title=work.title,
        abstract="We weave patiently and describe the looms that we had.",
        year=work.year,
    )


def said_of(work: Work) -> str:
    return f"Under the lamp we saw that {work.title[:60].lower()} took longer than planned."


def searches(server: ScholarServer) -> list[Mapping[str, str]]:
    return [one.query for one in server.requests if one.path.endswith("/snippet/search")]


async def test_found_papers_bring_their_snippets_and_the_works_cited_there(
    settings: Settings, server: ScholarServer
) -> None:
    text = (
        "We study honey quality and the rearing of queens. Bees are compared over three summers, and "
        "colonies that were fed are weighed beside those that were not."
    )
    context = context_for(settings, max_hops=1, expansion="none", mind="extractive", results=30)
    given: Any = {"text": text, "sources": ["semantic_scholar"], "keep": 10}
    result = dict(await find.ainvoke(given, context=context))
    assert len(searches(server)) == 1
    ranked = {item.paper.id: item for item in result["papers"]}
    found = [item for item in ranked.values() if item.paper.snippets]
    assert found
    snippets = [(quote, item.paper.id) for item in found for quote in item.paper.snippets]
    assert {(quote.place, quote.paper == own) for quote, own in snippets} == {(SECTION, True)}
    # A debate quotes them as it does an abstract: word for word, with their section.
    quotes = [
        argument.quote
        for item in found
        if item.debate
        for argument in (*item.debate.arguments_for, *item.debate.arguments_against)
        if argument.quote and argument.quote.part == "passage"
    ]
    assert quotes
    for quote in quotes:
        assert any(quote.text in one.text for one in ranked[quote.paper].paper.snippets)
        assert quote.place == SECTION
    hits = [hit for item in ranked.values() for hit in item.found_by if hit.via == "reference"]
    assert hits
    assert all(hit.sentence.startswith("Threads were counted as before [") for hit in hits)
    # A paper that a keyword query found, too, keeps the words of its text.
    ways = [{hit.source for hit in item.found_by if hit.via == "query"} for item in found]
    assert {"semantic_scholar", "semantic_scholar:full_text"} in ways
    # The works that a snippet cites obey the cut-off.
    years = cited_there(result)
    limit = max(years)
    assert min(years) < limit
    given["before"] = f"{limit}-01-01"
    result = dict(await find.ainvoke(given, context=context))
    assert len(searches(server)) == 2
    assert cited_there(result)
    assert max(cited_there(result)) < limit


def cited_there(result: dict[str, Any]) -> list[int]:
    """Return the years of the works to which a reference led."""
    return [
        item.paper.year or 9999
        for item in result["papers"]
        if any(hit.via == "reference" for hit in item.found_by)
    ]


@pytest.mark.parametrize("sources", [["semantic_scholar"], []])
async def test_claim_that_no_abstract_decides_is_looked_for_in_the_paper_s_own_text(
    settings: Settings, server: ScholarServer, work: Work, sources: list[str]
) -> None:
    def judge(answer: Any, inputs: dict[str, Any]) -> Any:
        shown = said_of(work) in str(inputs["sources"])
        said = {
            "verdict": "supported" if shown else "not_in_source",
            "quotes": [said_of(work)] if shown else [],
        }
        return {"findings": [{**item, **said} for item in answer["findings"]]}

    given: Any = {
        "text": "It took more time than they had thought [1].",
        "papers": [record(work).model_dump(mode="json")],
        "library": "bees",
        "sources": sources,
    }
    with Scripted(reviewer({"judge_claims": judge}), settings, max_copies=0) as llm:
        result = dict(await verify.ainvoke(given, context=llm.context))
    (verdict,) = result["audit"].verdicts
    if not sources:
        assert (verdict.verdict, searches(server)) == ("not_in_abstract", [])
        return
    (asked,) = searches(server)
    assert asked["paperIds"] == work.s2
    assert "more time than they had thought" in asked["query"]
    assert verdict.verdict == "supported"
    assert verdict.quote
    assert (verdict.quote.text, verdict.quote.place) == (said_of(work), SECTION)
    # Only some of the text was read, which tells nothing of the rest.
    assert verdict.evidence_scope == "abstract"


@pytest.mark.parametrize(("snippets", "named"), [(True, True), (True, False), (False, True)])
async def test_question_about_named_papers_is_put_to_their_full_texts_where_that_is_asked_for(
    settings: Settings, server: ScholarServer, work: Work, snippets: bool, named: bool
) -> None:
    library = create_library("looms", settings, embedder())
    library.add([record(work)])
    given: Any = {
        "question": f"What did they see of {work.title[:60].lower()} under the lamp?",
        "library": "looms",
        "papers": [f"s2:{work.s2}"] if named else [],
    }
    context = context_for(settings, mind="extractive", snippets=snippets, max_hops=1)
    result = dict(await ask.ainvoke(given, context=context))
    if not (snippets and named):
        assert searches(server) == []
        return
    assert [one["paperIds"] for one in searches(server)] == [work.s2]
    assert SECTION in {one.place for one in result["passages"]}
    assert any(said_of(work) in claim.quote.text for claim in result["claims"])
