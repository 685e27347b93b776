"""What parallel branches tell of a stage: tools/services.py."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Send
from typing_extensions import TypedDict

from nodes.find.search_source import search_source
from state.inputs import CheckedRequest
from state.search import SearchQuery
from tests.nodes.tables import Tables
from tests.scholar.table import Table
from tools import services
from tools.errors import TransientError
from tools.run_settings import RunSettings
from tools.scholar.source import SearchAnswer
from tools.services import open_services


class Round(TypedDict, total=False):
    run: str
    number: int
    stopped: bool


async def read(state: Round, runtime: Runtime[RunSettings]) -> Round:
    """One of three branches; one that is stopped tells nothing."""
    if not state["stopped"]:
        open_services(runtime, state["run"]).tick("read", 1, 3)
    return {}


def _spread(state: Round) -> list[Send] | str:
    """Read three papers in each of two rounds; in the first, one is stopped."""
    number = state["number"]
    if number == 2:
        return END
    stops = [number == 0, False, False]
    return [Send("read", {"run": state["run"], "stopped": stop}) for stop in stops]


async def told(given: Any) -> list[int]:
    made = StateGraph(Round, context_schema=RunSettings)
    made.add_node("read", read)
    made.add_node("next_round", lambda state: {"number": state["number"] + 1})
    made.add_conditional_edges(START, _spread, ["read", END])
    made.add_edge("read", "next_round")
    made.add_conditional_edges("next_round", _spread, ["read", END])
    events = made.compile().astream(given, context=RunSettings(), stream_mode="custom")
    return [event["done"] async for event in events]


async def test_branch_that_was_stopped_does_not_spoil_the_next_round(home: Path) -> None:
    events: list[Any] = []
    for step in ("first", "first", "second", "second", "second"):  # the first lacks one of three
        services = open_services(
            Runtime(context=RunSettings(), stream_writer=events.append), "stopped once"
        )
        services._step = step
        services.tick("read", 1, 3)
    assert [event["done"] for event in events] == [1, 2, 1, 2, 3]


async def test_no_number_of_stopped_runs_is_remembered(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "_ticks", kept := type(services._ticks)())
    for number in range(services._MOST_STAGES + 50):
        open_services(Runtime(context=RunSettings()), f"run {number}").tick("read", 1, 2)
    assert len(kept) == services._MOST_STAGES
    assert ("run 49", "read") not in kept


class Busy(Table):
    """A source that does not answer."""

    async def search(self, *_: Any, **__: Any) -> SearchAnswer:
        raise TransientError("busy")


async def test_source_that_fails_counts_as_searched(tmp_path: Path) -> None:
    events: list[Any] = []
    context = RunSettings()
    vars(context)["clients"] = Tables(tmp_path, [Busy([], "openalex")])
    runtime = Runtime(context=context, store=InMemoryStore(), stream_writer=events.append)
    branch: Any = {
        "run": "failing",
        "request": CheckedRequest(text="Pears.", before=date(2013, 1, 1)),
        "query": SearchQuery(text="pear drought", facet="problem", reason="Why.", hop=1),
        "source": "openalex",
        "limit": 4,
        "of": 2,
    }
    await search_source(branch, runtime)
    await search_source(branch, runtime)
    told = [(event["done"], event["total"]) for event in events]
    assert told == [(0, 2), (1, 2), (1, 2), (2, 2)]  # a step that waits for a source is seen, too
    assert all(event["at"] > 0 and event["usd"] == event["calls"] == 0 for event in events)
