"""How many times `find` searches, with what, and how it ends where little or nothing is found."""

from collections.abc import Callable
from itertools import count
from typing import Any

from graphs.find import graph
from nodes.find.reflect_on_sufficiency import NO_GAIN, NO_SEARCH_LEFT
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tools.run_settings import RunSettings
from tools.settings import Settings

_LIMIT: Any = {"recursion_limit": 500}
HOPS = 3
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


async def test_mind_that_always_wants_more_ends_after_the_last_hop(llm_settings: Settings) -> None:
    # Few results and no bar, so that each hop adds something.
    options = {"max_hops": HOPS, "results": 3, "expansion": "none", "bar": 0.0}
    with Scripted(
        reviewer({"reflect_on_sufficiency": never_enough()}), llm_settings, **options
    ) as llm:
        result = await find(llm.context)
    assert result["outcome"] == "complete"
    assert {entry.hop for entry in result["search_log"]} <= set(range(1, HOPS + 1))
    assert [entry.hop for entry in result["sufficiency"]] == list(
        range(1, len(result["sufficiency"]) + 1)
    )
    assert llm.server.tasks.count("reflect_on_sufficiency") < HOPS
    *earlier, last = result["sufficiency"]
    assert all(entry.stopped == "" for entry in earlier)
    assert last.stopped == (NO_SEARCH_LEFT if last.hop == HOPS else NO_GAIN)
