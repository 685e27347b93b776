"""Runs that a person steps through, as in LangGraph Studio: stop, edit the state, go on."""

from typing import Any

import pytest

from tests.graphs.conftest import ABSTRACT, bee_papers
from tests.graphs.stepping import Stepped, told
from tools.context import RunContext

FIVE = [paper.id for paper in bee_papers() if paper.abstract][:5]
FIND: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "keep": 8}
WRITE: dict[str, Any] = {"text": ABSTRACT, "library": "bees", "papers": FIVE, "cite": 4}
TEXT = "Bees use landmarks [1].\n\nReferences\n\n[1] Somebody. A paper that nobody knows. 2020.\n"
GIVEN = {
    "find": FIND, "write": WRITE, "review": {**FIND, "cite": 3},
    "verify": {"text": TEXT, "library": "bees"},
}  # fmt: skip


@pytest.mark.parametrize("graph", GIVEN)
async def test_stepped_run_ends_as_an_unstepped_one(graph: str, extractive: RunContext) -> None:
    whole = await Stepped(graph, GIVEN[graph], extractive).to_end()
    stepped = Stepped(graph, GIVEN[graph], extractive, before="*")
    result = await stepped.to_end()
    assert told(result) == told(whole)
    assert len(stepped.seen) >= 2
    assert not result.get("stop")


@pytest.mark.parametrize("node", ["review_queries"])
async def test_edited_queries_are_what_is_searched_for(node: str, extractive: RunContext) -> None:
    run = Stepped("find", FIND, extractive, before=node)
    await run.begin()
    await run.edit(queries=[{"text": "waggle dance", "facet": "all", "reason": "Mine."}])
    result = await run.to_end()
    assert {entry.query for entry in result["search_log"] if entry.hop == 1} == {"waggle dance"}
