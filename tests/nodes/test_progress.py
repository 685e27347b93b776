"""What parallel branches tell of a stage: tools/services.py."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.search_source import search_source
from state.inputs import CheckedRequest
from state.search import SearchQuery
from tests.graphs.sources import Sources
from tests.scholar.table import Table
from tools import services
from tools.errors import TransientError
from tools.run_settings import RunSettings
from tools.scholar.source import SearchAnswer
from tools.services import open_services


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
    vars(context)["clients"] = Sources(tmp_path, Busy([], "openalex"))
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
