"""Each way of following links and of judging, through the whole graph, in fields that are odd."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from citeloom.report.markdown import markdown
from citeloom.report.result_report import ResultReport
from citeloom.report.web_page import web_page
from graphs.find import graph
from nodes.find.reflect_on_sufficiency import NO_GAIN, NO_SEARCH_LEFT
from state.paper import Paper
from state.search import Expansion, RankerName
from tests.graphs.conftest import ABSTRACT, bee_papers, played
from tests.graphs.sources import Asked, Sources
from tests.scholar.table import Table
from tools.errors import TransientError
from tools.run_settings import RunSettings
from tools.settings import Settings

WAYS: list[Expansion] = ["none", "bfs", "best_first"]
FOLLOWING: list[Expansion] = ["bfs", "best_first"]
RANKERS: list[RankerName] = ["cascade", "permutation"]
Search = Callable[..., Any]


async def find(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", **inputs}
    return dict(await graph.ainvoke(given, {"recursion_limit": 500}, context=context))


@pytest.fixture
def search(tmp_path: Path) -> Search:
    """Search these sources for the abstract with the embedded engine."""

    async def run(
        *tables: Table, inputs: dict[str, Any] | None = None, **options: Any
    ) -> dict[str, Any]:
        context = RunSettings(**{"max_hops": 1, **options})
        vars(context)["clients"] = Sources(tmp_path, *tables)
        names = [table.name for table in tables]
        return await find(context, sources=names, **(inputs or {}))

    return run


def on_bees(number: int, **others: Any) -> Paper:
    """A paper near the abstract, unlike the other ones."""
    values: dict[str, Any] = {
        "id": f"local:n{number}",
        "title": f"Bee navigation by landmarks and path integration, part {number}",
        "abstract": f"Displaced honey bees of colony {number} were tracked with harmonic radar. "
        f"Their landmark memory corrects path integration after {number} flights.",
        "year": 1990 + number % 30,
    }
    return Paper(**{**values, **others})


def chain(length: int) -> tuple[list[Paper], dict[str, tuple[str, ...]]]:
    """Papers of which each cites the next two."""
    papers = [on_bees(number) for number in range(length)]
    ids = [paper.id for paper in papers]
    return papers, {key: tuple(ids[at + 1 : at + 3]) for at, key in enumerate(ids)}


def ids_of(result: dict[str, Any]) -> list[str]:
    return [item.paper.id for item in result["papers"]]


def reasons(result: dict[str, Any]) -> list[str]:
    """Why each hop followed no further links."""
    last = {entry.hop: entry.stopped for entry in result["rounds"]}
    return [last[hop] for hop in sorted(last)]


# --- Following links --------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
async def test_each_way_of_following_ends_with_papers_and_a_reason(
    way: Expansion, search: Search
) -> None:
    papers, links = chain(12)
    source = Asked("openalex", papers[:3], records=papers, links=links, citing={})
    result = await search(source, expansion=way, bar=0.0)
    assert (result["outcome"], set(result["selected"])) == ("complete", set(ids_of(result)))
    assert (len(result["papers"]) > 3) is (way != "none")
    assert all(reasons(result))


async def test_nothing_found_by_any_query_ends_with_a_reason(search: Search) -> None:
    result = await search(Asked("openalex"))
    assert result["outcome"] == "nothing"
    assert result["stop"].cause.startswith("CiteLoom found nothing in openalex with any query")
    assert len(result["rounds"]) == 1
    assert all(reasons(result))


async def test_breadth_first_search_follows_as_many_levels_as_it_may(search: Search) -> None:
    papers, links = chain(12)
    source = Asked("openalex", papers[:1], records=papers, links=links)
    result = await search(source, expansion="bfs", max_depth=2, bar=0.0)
    assert set(ids_of(result)) == {paper.id for paper in papers[:5]}
    assert [entry.depth for entry in result["rounds"]] == [0, 1, 2]
    assert reasons(result) == ["it followed links 2 times (max_depth)"]


@pytest.mark.parametrize("way", FOLLOWING)
async def test_papers_that_cite_each_other_and_themselves_are_followed_once(
    way: Expansion, search: Search
) -> None:
    papers = [on_bees(number) for number in range(4)]
    a, b, c, d = (paper.id for paper in papers)
    around = {a: (a, b), b: (c, a), c: (a, b, c), d: (d,)}
    source = Asked("openalex", [papers[0], papers[3]], records=papers, links=around)
    result = await search(source, expansion=way, max_depth=9, bar=0.0)
    assert (result["outcome"], sorted(ids_of(result))) == ("complete", [a, b, c, d])
    followed = Counter(key for _, keys in source.asked for key in keys)
    ways = 1 if way == "bfs" else 2  # references only, or citations as well
    assert followed == dict.fromkeys([a, b, c, d], ways)
    assert all(reasons(result))


class Falling(Asked):
    """A source whose links are there for some questions only."""

    def __init__(self, *given: Any, links_work: int, **table: Any) -> None:
        super().__init__(*given, **table)
        self._left = links_work

    def _linked(self, papers: Sequence[Paper], links: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise TransientError(f"{self.name} fell")
        return super()._linked(papers, links)


@pytest.mark.parametrize("way", FOLLOWING)
async def test_source_that_goes_down_between_two_levels_leaves_what_was_reached(
    way: Expansion, search: Search
) -> None:
    papers, links = chain(9)
    works = 1 if way == "bfs" else 2  # one round
    source = Falling(
        "openalex", papers[:1], records=papers, links=links, citing={}, links_work=works
    )
    result = await search(source, expansion=way, bar=0.0)
    assert result["outcome"] == "complete"
    assert set(ids_of(result)) == {paper.id for paper in papers[:3]}
    assert {(item.stage, item.cause) for item in result["failures"]} >= {
        ("expand_citations", "openalex fell")
    }
    assert all(reasons(result))


# --- Odd papers -------------------------------------------------------------------------------


async def test_candidates_without_abstracts_are_judged_by_their_titles(
    search: Search, llm_settings: Settings
) -> None:
    papers = [paper.model_copy(update={"abstract": None}) for paper in bee_papers()]
    result = await search(Asked("openalex", papers), bar=0.0)
    assert result["outcome"] == "complete"
    assert {*ids_of(result)} == {paper.id for paper in papers}
    assert len({item.score for item in result["papers"]}) > 5
    for item in result["papers"]:
        assert item.debate.score == item.debate.raw_score
        for argument in (*item.debate.arguments_for, *item.debate.arguments_against):
            assert argument.quote.text == item.paper.title


async def test_neither_of_two_records_of_the_input_itself_appears(search: Search) -> None:
    preprint = on_bees(1, title="Where bees are", abstract=ABSTRACT, arxiv="2001.00001")
    printed = on_bees(2, title="The whereabouts of bees", abstract=f"Abstract. {ABSTRACT}")
    others, links = chain(9)
    others = others[3:]
    # One is found, and the other is what a paper that is found cites.
    links |= {others[0].id: (printed.id,), preprint.id: (others[5].id,)}
    source = Asked(
        "openalex", [preprint, *others[:2]], records=[preprint, printed, *others], links=links
    )
    result = await search(source, bar=0.0)
    assert result["outcome"] == "complete"
    assert result["selected"]
    assert not {preprint.id, printed.id} & {*ids_of(result), *result["selected"]}
    known = {hit.by for item in result["papers"] for hit in item.found_by}
    assert not {preprint.id, printed.id} & known


# --- Judging ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ranker", RANKERS)
async def test_each_ranker_judges_with_a_mind_and_without(
    ranker: RankerName, llm_settings: Settings, extractive: RunSettings
) -> None:
    options: dict[str, Any] = {"ranker": ranker, "max_hops": 1}
    context = RunSettings(**options)
    vars(context)["clients"] = extractive.clients
    embedded = await find(context)
    minded, server = await played(find, llm_settings, how=options)
    asked = Counter(server.tasks)
    for result in (embedded, minded):
        assert (result["outcome"], result["failures"]) == ("complete", [])
        scores = {item.paper.id: item.score for item in result["papers"]}
        assert len(scores) == 10
        assert all(0 <= score <= 100 for score in scores.values())
        assert scores["local:p8"] > scores["local:p10"]
        for item in result["papers"]:
            unread = item.judge_score is None
            assert (
                ("not judged" in item.reason)
                is unread
                is (item.debate is None and ranker == "cascade")
            )
            assert unread or bool(item.reason) is (round(item.score - item.judge_score) != 0)
        debated = sum(item.debate is not None for item in result["papers"])
        assert debated == (4 if ranker == "cascade" else 0)
        assert [entry.complete for entry in result["listings"]] == [1] * (ranker == "permutation")
    assert asked["debate_papers"] == (ranker == "cascade")
    assert asked["order_papers"] == (ranker == "permutation")


# --- Budgets that end in the middle -----------------------------------------------------------


async def test_budget_that_ends_while_judging_shows_what_was_judged(llm_settings: Settings) -> None:
    options = {"max_calls": 3, "debate_batch": 2}
    result, server = await played(find, llm_settings, how=options)
    assert Counter(server.tasks) == {"generate_queries": 1, "debate_papers": 2}
    assert (result["outcome"], result["stop"].subject) == ("partial", "budget")
    assert len(result["papers"]) == 4
    assert all(item.debate is not None for item in result["papers"])


# How many times `find` searches, with what, and how it ends where little or nothing is found.


_LIMIT: Any = {"recursion_limit": 500}
HOPS = 3
_NEW = ("skylight compass", "magnetic field", "waggle dance", "odour memory", "sun position")


async def find_bees(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", **inputs}
    return dict(await graph.ainvoke(given, _LIMIT, context=context))


def never_enough() -> Callable[[Any, dict[str, Any]], Any]:
    """Return a spoiler that finds something else missing in each reflection."""
    numbers = count()

    def spoil(answer: Any, inputs: dict[str, Any]) -> Any:
        number = next(numbers)
        answer["facets"][0] |= {"papers": [], "keywords": [*_NEW[number % 5].split(), str(number)]}
        return answer

    return spoil


async def test_mind_that_always_wants_more_ends_after_the_last_hop(llm_settings: Settings) -> None:
    # Few results and no bar, so that each hop adds something.
    options = {"max_hops": HOPS, "results": 3, "expansion": "none", "bar": 0.0}
    result, server = await played(
        find_bees, llm_settings, {"reflect_on_sufficiency": never_enough()}, options
    )
    assert result["outcome"] == "complete"
    assert {entry.hop for entry in result["search_log"]} <= set(range(1, HOPS + 1))
    assert [entry.hop for entry in result["sufficiency"]] == list(
        range(1, len(result["sufficiency"]) + 1)
    )
    assert server.tasks.count("reflect_on_sufficiency") < HOPS
    *earlier, last = result["sufficiency"]
    assert all(entry.stopped == "" for entry in earlier)
    assert last.stopped == (NO_SEARCH_LEFT if last.hop == HOPS else NO_GAIN)


# A question through `find`: its criteria are judged, told and printed.


QUESTION: dict[str, Any] = {
    "text": "Which bees | find home by landmarks?",
    "library": "bees",
    "keep": 5,
}


async def find_answers(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {**QUESTION, **inputs}
    limit: Any = {"recursion_limit": 500}
    return dict(await graph.ainvoke(given, limit, context=context))


def with_criteria(answer: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    stated = [{"criterion": "is about *bees* | wasps", "required": True}]
    return {**answer, "criteria": stated}


async def test_each_paper_tells_what_it_meets_in_json_and_in_both_reports(
    llm_settings: Settings,
) -> None:
    result, _ = await played(find_answers, llm_settings, {"generate_queries": with_criteria})
    kept = [item for item in result["papers"] if item.selected]
    used = {item.task for item in result["usage"]}
    assert kept
    assert {"judge_criteria"} <= used
    assert "debate_papers" not in used
    for item in kept:
        (one,) = item.criteria
        assert (one.criterion, one.met) == ("is about *bees* | wasps", "yes")
        assert one.quote in item.paper.text
        assert json.loads(item.model_dump_json())["debate"]["criteria"] == []
    report = ResultReport.of("find", result)
    text = markdown(report)
    assert r"| Paper | is about \*bees\* \| wasps |" in text
    assert f"| {kept[0].rank}. " in text
    assert "yes: “" in text
    page = web_page(report)
    assert "<th>is about *bees* | wasps</th>" in page
    assert page.count("<td>yes: “") == len(kept)


async def test_embedded_run_says_that_nothing_was_judged(extractive: RunSettings) -> None:
    result = await find_answers(extractive)
    assert any("did not judge" in note for note in result["request"].notes)
    text = markdown(ResultReport.of("find", result))
    assert "not judged; closest sentence: “" in text
    assert "yes: “" not in text
