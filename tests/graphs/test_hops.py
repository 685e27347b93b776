"""How many times `find` searches, with what, and how it ends where little or nothing is found."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from graphs.find import graph
from nodes.find.reflect_on_sufficiency import NO_GAIN, NO_SEARCH_LEFT
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers
from tests.graphs.sources import Asked, Sources
from tests.scholar.table import Table
from tools.run_settings import RunSettings
from tools.settings import Settings

_LIMIT: Any = {"recursion_limit": 500}
_NEW = ("skylight compass", "magnetic field", "waggle dance", "odour memory", "sun position")


async def find(context: RunSettings, **inputs: Any) -> dict[str, Any]:
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


@pytest.mark.parametrize("hops", [1, 3])
async def test_mind_that_always_wants_more_ends_after_the_last_hop(
    hops: int, llm_settings: Settings
) -> None:
    # Few results and no bar, so that each hop adds something.
    options = {"max_hops": hops, "results": 3, "expansion": "none", "bar": 0.0}
    with Scripted(
        reviewer({"reflect_on_sufficiency": never_enough()}), llm_settings, **options
    ) as llm:
        result = await find(llm.context)
    assert result["outcome"] == "complete"
    assert {entry.hop for entry in result["search_log"]} <= set(range(1, hops + 1))
    assert [entry.hop for entry in result["sufficiency"]] == list(
        range(1, len(result["sufficiency"]) + 1)
    )
    assert llm.server.tasks.count("reflect_on_sufficiency") < max(hops, 1)
    *earlier, last = result["sufficiency"] or [None]
    assert all(entry.stopped == "" for entry in earlier)
    if hops == 1:
        assert last is None
    else:
        assert last.stopped == (NO_SEARCH_LEFT if last.hop == hops else NO_GAIN)


@pytest.fixture
def search(tmp_path: Path) -> Callable[..., Any]:
    """Search these sources for the abstract with the embedded engine."""

    async def run(*tables: Table, **options: Any) -> dict[str, Any]:
        context = RunSettings(**{"max_hops": 1, "expansion": "none", **options})
        vars(context)["clients"] = Sources(tmp_path, *tables)
        return await find(context, sources=[table.name for table in tables])

    return run


async def test_source_that_goes_down_in_the_middle_costs_only_what_it_did_not_answer(
    search: Callable[..., Any],
) -> None:
    papers = bee_papers()
    steady, falling = Asked("openalex", papers[:6]), Asked("arxiv", papers[6:], works=1)
    result = await search(steady, falling, bar=0.0)
    assert result["outcome"] == "complete"
    found = {item.paper.id for item in result["papers"]}
    assert found == {paper.id for paper in papers}
    busy = [item for item in result["failures"] if item.cause == "arxiv is busy"]
    assert len(busy) == 2
    assert [entry.source for entry in result["search_log"]].count("arxiv") == 1
