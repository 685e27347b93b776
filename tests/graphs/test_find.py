"""Tests of the `find` graph."""

from typing import Any

from graphs.find import graph
from tests.graphs.conftest import ABSTRACT
from tools.run_settings import RunSettings

_LIMIT: Any = {"recursion_limit": 500}


async def find(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", **inputs}
    return dict(await graph.ainvoke(given, _LIMIT, context=context))


async def test_counts_add_up(extractive: RunSettings) -> None:
    counts = (await find(extractive, keep=3))["counts"]
    assert counts.identified == counts.screened + counts.duplicates_removed
    assert counts.screened == (
        counts.assessed
        + counts.not_assessed
        + counts.excluded_by_cutoff
        + counts.excluded_by_request
    )
    assert (
        counts.assessed == counts.included + counts.excluded_by_debate + counts.excluded_by_number
    )
    assert counts.included == 3
