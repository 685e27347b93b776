"""`find` over the network: OpenAlex, Semantic Scholar and the others, on good and on bad days."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from rapidfuzz import fuzz

from graphs.find import graph
from nodes.find.relevance_scores import READ
from state.paper import Paper
from state.results import RankedPaper
from tests.fakes.scholar.faults import TRANSIENT
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import World, make_world
from tests.graphs.conftest import ABSTRACT, bee_papers, context_for
from tests.library.words import WordEmbedder
from tools.embed.embedder import Vectors
from tools.library.open_library import create_library
from tools.settings import Settings

BOTH = ["openalex", "semantic_scholar"]
KEY = "some-key"
SMALL: dict[str, Any] = {"pool": 12, "results": 30}
TINY: dict[str, Any] = {"pool": 4, "results": 15, "max_hops": 1, "max_depth": 1, "citing": 5}
Find = Callable[..., Any]


@pytest.fixture(scope="module")
def world(request: pytest.FixtureRequest) -> World:
    """A made-up field of which one topic is that of the abstract."""
    return make_world(size=getattr(request, "param", 170), seed=7, about=ABSTRACT, crowd=40)


@pytest.fixture
def server(world: World) -> Iterator[ScholarServer]:
    with ScholarServer(world) as running:
        yield running


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """Texts are near by their words, and failures are followed by short pauses."""
    embedder = WordEmbedder(512)
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): embedder})
    monkeypatch.setattr("tools.http.retrying_client.FIRST_PAUSE", 0.02)
    monkeypatch.setattr("tools.http.retrying_client.LONGEST_PAUSE", 0.2)
    return embedder


def settings_at(server: ScholarServer, home: Path, **others: Any) -> Settings:
    values: dict[str, Any] = {
        "home": home,
        "openalex_url": server.openalex_url,
        "openalex_api_key": SecretStr(KEY),
        "semantic_scholar_url": server.semantic_scholar_url,
        "arxiv_url": server.arxiv_url,
        "crossref_url": server.crossref_url,
        "serpapi_url": server.serpapi_url,
        "openalex_rate": 500.0,
        "semantic_scholar_rate": 500.0,
        "arxiv_rate": 500.0,
        "crossref_rate": 500.0,
        "source_timeout": 5.0,
        "source_patience": 20.0,
    }
    return Settings(_env_file=None, **{**values, **others})  # type: ignore[call-arg]


@pytest.fixture
def find(server: ScholarServer, tmp_path: Path, quick: WordEmbedder) -> Find:
    """Run `find`; `home` names one of several homes, and `options` go to the run's context."""

    async def run(
        *,
        home: str = "home",
        options: dict[str, Any] | None = None,
        settings: dict[str, Any] | None = None,
        **inputs: Any,
    ) -> dict[str, Any]:
        given: dict[str, Any] = {"text": ABSTRACT, "sources": BOTH, **inputs}
        configured = settings_at(server, tmp_path / home, **(settings or {}))
        context = context_for(configured, **{**SMALL, **(options or {})})
        result: dict[str, Any] = await graph.ainvoke(given, context=context)  # type: ignore[call-overload]
        return result

    return run


def ranking(result: dict[str, Any]) -> list[tuple[str, float, bool]]:
    return [(item.paper.id, item.score, item.selected) for item in result["papers"]]


def causes(result: dict[str, Any]) -> str:
    return " | ".join(f"{item.subject}: {item.cause}" for item in result["failures"])


@pytest.mark.slow
@pytest.mark.parametrize("world", [260], indirect=True)
async def test_papers_come_from_both_sources_each_work_once_and_nothing_is_asked_twice(
    find: Find, server: ScholarServer
) -> None:
    result = await find()
    assert (result["outcome"], result["failures"]) == ("complete", [])
    papers: list[RankedPaper] = result["papers"]
    assert {hit.source for item in papers for hit in item.found_by} >= set(BOTH)
    every = [key for item in papers for key in {item.paper.id, *item.paper.aliases}]
    assert len(every) == len(set(every))
    united = [item.paper for item in papers if item.paper.openalex and item.paper.semantic_scholar]
    assert united
    for paper in united:
        known = server.world.by_openalex[paper.openalex or ""]
        assert known.s2 == paper.semantic_scholar or fuzz.ratio(known.title, paper.title) > 80
        assert set(paper.origin.values()) <= {*BOTH, "crossref"}
    assert {hit.via for item in papers for hit in item.found_by} >= {"query", "citation"}
    whole = {log.source for log in result["search_log"] if log.query == "the input text"}
    assert whole == set(BOTH)  # the other by what its full texts say
    asked = len(server.requests)
    second = await find()
    assert len(server.requests) == asked
    assert ranking(second) == ranking(result)
    assert {row.calls for row in second["source_usage"]} == {0}
    assert all(row.cached for row in second["source_usage"])
    assert server.repeated() == []
    # The input's own paper never comes.
    own = next(
        item.paper
        for item in papers
        if item.paper.abstract and len(item.paper.abstract) > 200 and not item.paper.retracted
    )
    result = await find(text=f"# {own.title}\n\n{own.abstract}", options=TINY)
    assert own.id not in {item.paper.id for item in result["papers"]}
    assert result["papers"]


async def test_papers_that_another_search_found_are_not_embedded_again(
    find: Find, quick: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        embedded.extend(texts)
        return WordEmbedder.embed(quick, texts)

    monkeypatch.setattr(quick, "embed", embed)
    found = (await find(options=TINY))["papers"]
    heads = {f"{item.paper.title}. {item.paper.abstract}"[:READ] for item in found}
    cut = {head for head in heads if len(head) == READ}  # those who judge embed whole texts
    assert cut & set(embedded)
    embedded.clear()
    await find(text=f"{ABSTRACT} It is asked anew.", options=TINY)
    assert not cut & set(embedded)


@pytest.mark.slow
async def test_one_in_ten_of_every_fault_changes_no_paper_and_repeats_no_answer(
    find: Find, server: ScholarServer
) -> None:
    options = {"pool": 10, "results": 16, "bar": 0.0, "citing": 10, "max_hops": 1}
    calm = await find(keep=10, options=options)
    server.clear()
    server.faults.chances = dict.fromkeys((*TRANSIENT, "cut", "null", "shape", "reset"), 0.1)
    settings = {"source_timeout": 0.25, "source_patience": 60.0}
    stormy = await find(home="stormy", keep=10, options=options, settings=settings)
    assert len(calm["selected"]) == 10
    assert (ranking(stormy), stormy["failures"]) == (ranking(calm), [])
    assert server.repeated() == []
    assert len(server.faults.counts) >= 10
    failed = sum(row.failed for row in stormy["source_usage"])
    assert failed >= sum(request.fault is not None for request in server.requests)


async def test_source_that_always_fails_costs_only_its_own_answers(
    find: Find, server: ScholarServer
) -> None:
    server.faults.only["semantic_scholar"] = {"429": 0.3, "html": 0.5, "hang": 0.3, "reset": 1.0}
    settings = {"source_timeout": 1.5, "source_patience": 0.6}
    result = await find(settings=settings, options=TINY)
    assert result["outcome"] == "complete"
    assert result["selected"]
    failed = [item for item in result["failures"] if "semantic_scholar" in item.subject]
    assert failed
    assert all(not item.fatal for item in failed)
    assert {entry.source for entry in result["search_log"]} == {"openalex"}


async def test_run_without_a_source_left_ends_with_what_it_has_and_says_why(
    find: Find, server: ScholarServer
) -> None:
    server.faults.script = lambda request: "503"
    result = await find(settings={"source_timeout": 2.0, "source_patience": 0.3})
    assert result["outcome"] == "nothing"
    assert result["sufficiency"] == []  # nothing is asked for a second hop
    assert {query.hop for query in result["queries"]} == {1}
    assert "no source gave an answer" in result["stop"].cause
    assert "HTTP 503" in result["stop"].cause


@pytest.mark.parametrize("budget", [{"max_usd": 0.003}, {"max_usd_by_source": {"openalex": 0.003}}])
async def test_budget_is_kept_to_the_cent_and_the_run_goes_on_without(
    budget: dict[str, Any], find: Find, server: ScholarServer
) -> None:
    result = await find(options={**TINY, **budget})
    assert server.charged.usd <= 0.003 + 1e-9
    assert result["selected"]
    spent = sum(row.usd for row in result["source_usage"])
    assert spent == pytest.approx(server.charged.usd)


async def test_cutoff_holds_for_every_source(find: Find, server: ScholarServer) -> None:
    result = await find(before="2012-01-01", sources=[*BOTH, "arxiv", "crossref"], options=TINY)
    papers: list[Paper] = [item.paper for item in result["papers"]]
    assert papers
    assert all(
        paper.published.year < 2012 if paper.published else (paper.year or 9999) < 2012
        for paper in papers
    )
    searches = [one.query for one in server.calls("openalex") if "search" in one.query]
    assert searches
    assert all("to_publication_date:2011-12-31" in query["filter"] for query in searches)


def retracted(world: World) -> set[str]:
    """The DOIs of works that some source knows to be retracted."""
    return {
        work.doi.lower()
        for work in world.works
        if work.doi and work.abstract and "openalex" in work.held_by and work.retraction_in
    }


async def test_what_is_named_is_kept_what_is_excluded_never_comes_and_what_is_retracted_is_marked(
    find: Find, server: ScholarServer
) -> None:
    dois = retracted(server.world)
    # Some only Crossref knows to be retracted: it has the notice.
    only = [work for work in server.world.works if work.retraction_in == {"crossref"}]
    assert dois & {(work.doi or "").lower() for work in only}
    # The last works are of other topics.
    held = [
        work for work in server.world.works if "openalex" in work.held_by and not work.retracted
    ]
    stranger = next(work for work in held[::-1] if work.doi and work.abstract)
    plain = await find(options=TINY, include_retracted=True, must_include=sorted(dois))
    assert dois <= {item.paper.doi for item in plain["papers"] if item.selected}
    kept = [item.paper for item in plain["papers"] if item.selected]
    unwanted = next(
        paper for paper in kept if paper.doi and len(paper.aliases) > 1 and paper.doi not in dois
    )
    other_id = next(key for key in unwanted.aliases if not key.startswith("doi:"))
    named = sorted({*dois, stranger.doi or ""})
    result = await find(options=TINY, must_include=named, exclude=[other_id])
    assert f"doi:{(stranger.doi or '').lower()}" in result["selected"]
    assert unwanted.id not in {item.paper.id for item in result["papers"]}
    marked = {item.paper.doi: item for item in result["papers"] if item.paper.retracted}
    assert set(marked) >= dois
    assert not any(item.selected for item in marked.values())
    assert all(item.paper.origin["retracted"] for item in marked.values())
    assert result["counts"].excluded_as_retracted == len(marked)
    assert "retracted" in causes(result)


async def test_run_that_its_budget_stops_keeps_nothing_retracted(
    find: Find, server: ScholarServer
) -> None:
    dois = retracted(server.world)
    # Little but what must be included is judged, and the budget does not suffice for all of that.
    options = {"max_calls": 3, "debate_batch": 2, "pool": 1}
    result = await find(must_include=sorted(dois), options=options)
    assert result["stop"] is not None
    debated = {item.paper.doi for item in result["papers"] if item.debate is not None}
    assert debated & dois
    assert len(debated) == len(result["papers"]) == 4
    assert not any(item.selected for item in result["papers"] if item.paper.doi in dois)


async def test_library_and_network_are_searched_together(
    find: Find, server: ScholarServer, quick: WordEmbedder, tmp_path: Path
) -> None:
    create_library("bees", settings_at(server, tmp_path / "mixed"), quick).add(bee_papers())
    result = await find(home="mixed", sources=["library", "openalex"], library="bees", options=TINY)
    assert result["outcome"] == "complete"
    sources = {hit.source for item in result["papers"] for hit in item.found_by}
    # Crossref is not searched; it knows references that the others lack.
    assert {"library:bees", "openalex"} <= sources <= {"library:bees", "openalex", "crossref"}
    assert {entry.source for entry in result["search_log"]} == {"library:bees", "openalex"}
