"""Checkpoints stay small, and outlive moves of the classes that they hold."""

import asyncio
import random
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from datetime import date
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.errors import NodeCancelledError
from langgraph.graph import START
from langgraph.store.sqlite.aio import AsyncSqliteStore
from langgraph.types import Command, Send
from pydantic import BaseModel
from typing_extensions import TypedDict

import state
from citeloom.runs.local_executor import local_runs
from citeloom.runs.run_files import open_checkpoints
from citeloom.runs.runs import wait_until_resting
from graphs import checkpoint_types
from graphs.calling import Graph
from graphs.checkpoint_types import RENAMED_STEPS, CheckpointTypes, stored_types
from graphs.find import builder as find_builder
from graphs.write import builder
from state.paper import Author, Paper
from state.run import Failure
from state.search import SearchQuery
from tests.graphs.conftest import ABSTRACT
from tests.graphs.person import CONFIG, question
from tests.graphs.sources import Asked, Sources
from tests.library.words import WordEmbedder
from tests.service.test_local_executor import PAPERS, WRITE
from tools.errors import PermanentError
from tools.run_settings import RunSettings
from tools.scholar.source import SearchAnswer

SEEN = 1_000
BY_QUERY = 200
CITED = 20
LARGEST = 0.5
"""MB that a step may add: a checkpoint, or what its nodes wrote before it was made."""


class Shelves(Asked):
    """A source that finds other papers for each query."""

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        start = len(self.queries) * BY_QUERY
        self.queries.append(query)
        return SearchAnswer(papers=self.found[start : start + limit], sent=(query.text,))


def field(size: int) -> tuple[list[Paper], dict[str, tuple[str, ...]]]:
    """Papers that say parts of the abstract, and cite some of one another."""
    chance, words = random.Random(5), ABSTRACT.split()
    papers = [
        Paper(
            id=f"doi:10.5555/paper.{number:05}",
            doi=f"10.5555/paper.{number:05}",
            title=f"Study {number} of {' '.join(chance.sample(words, 4))}",
            abstract=" ".join(chance.sample(words, 20)),
            year=1990 + number % 30,
        )
        for number in range(size)
    ]
    ids = [paper.id for paper in papers]
    return papers, {key: tuple(chance.sample(ids, CITED)) for key in ids}


def reversed_links(links: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    citing: dict[str, list[str]] = defaultdict(list)
    for key, ends in links.items():
        for end in ends:
            citing[end].append(key)
    return {key: tuple(found) for key, found in citing.items()}


async def test_checkpoints_of_a_run_that_saw_a_thousand_papers_stay_small(tmp_path: Path) -> None:
    papers, links = field(2_000)
    source = Shelves("openalex", papers, links=links, citing=reversed_links(links))
    context = RunSettings(max_hops=1, results=3 * BY_QUERY)
    vars(context)["clients"] = Sources(tmp_path, source, embedder=WordEmbedder())
    given: Any = {"text": ABSTRACT, "sources": ["openalex"]}
    config: Any = {"configurable": {"thread_id": "one"}, "recursion_limit": 500}
    path = tmp_path / "checkpoints.sqlite"
    async with (
        AsyncSqliteSaver.from_conn_string(str(path)) as saver,
        AsyncSqliteStore.from_conn_string(str(tmp_path / "run_store.sqlite")) as store,
    ):
        await store.setup()
        app = find_builder.compile(checkpointer=saver, store=store)
        await app.ainvoke(given, config, context=context)
        state = (await app.aget_state(config)).values
    assert len(state["same"]) >= SEEN
    linked = [item for item in state["papers"] if any(hit.by in links for hit in item.found_by)]
    assert linked, "links led to papers"
    assert {hit.via for hit in state["hits"]} == {"query"}
    with closing(sqlite3.connect(path)) as database:
        (largest,) = database.execute("SELECT max(length(checkpoint)) FROM checkpoints").fetchone()
        (written,) = database.execute(
            "SELECT max(size) FROM (SELECT sum(length(value)) AS size FROM writes GROUP BY checkpoint_id)"
        ).fetchone()
    assert largest < LARGEST * 1e6
    assert written < LARGEST * 1e6


# Tests of checkpoints that outlive moves: a run waits while the classes that it holds get other names.


PLAN = "On one system [4].\nOn another [1]."
OTHERWISE = ["citeloom.{}", "nodes.write.plan"]
"""What the module of a class may have been, or may be, where it is not as today."""


@contextmanager
def written_as(module: str = "{}", **renamed: str) -> Iterator[None]:
    """Have checkpoints written as by a version in which classes stood, and were called, otherwise."""
    today = {name: kind.__module__ for name, kind in stored_types().items()}
    for name, kind in stored_types().items():
        kind.__module__, kind.__name__ = module.format(today[name]), renamed.get(name, name)
    try:
        yield
    finally:
        for name, kind in stored_types().items():
            kind.__module__, kind.__name__ = today[name], name


def rewritten(saved: tuple[str, bytes], module: str, **renamed: str) -> tuple[str, bytes]:
    """Return a saved value as a version would have saved it in which classes were named otherwise."""
    if saved[0] != "msgpack":
        return saved
    value = CheckpointTypes().loads_typed(saved)
    with written_as(module, **renamed):
        return JsonPlusSerializer().dumps_typed(value)


async def waiting(home: Path, module: str = "{}", **renamed: str) -> str:
    """Leave a run that asks about its plan, as a version left it in which classes were named otherwise."""
    async with local_runs() as runs:
        run = await runs.start("write", WRITE, {"review_plan": True})
        assert (await wait_until_resting(runs, run)).status == "input_required"
    with closing(sqlite3.connect(home / "checkpoints.sqlite")) as database:
        for table, column in (("checkpoints", "checkpoint"), ("writes", "value")):
            rows = database.execute(f"SELECT rowid, type, {column} FROM {table}").fetchall()
            for row, form, packed in rows:
                saved = rewritten((form, packed), module, **renamed)
                database.execute(
                    f"UPDATE {table} SET type = ?, {column} = ? WHERE rowid = ?", (*saved, row)
                )
        database.commit()
    return run


def held(home: Path) -> list[Any]:
    """Return all that the checkpoints of this home consist of."""
    with closing(sqlite3.connect(home / "checkpoints.sqlite")) as database:
        return [
            database.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()
            for table in ("checkpoints", "writes")
        ]


@pytest.mark.parametrize("module", OTHERWISE)
async def test_waiting_run_continues_after_its_classes_have_moved(
    home: Path, module: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = await waiting(home, module)
    assert module.format("state.writing") in str(held(home))
    async with local_runs() as runs:
        await runs.answer(run, PLAN)
        done = await wait_until_resting(runs, run)
    assert (done.status, done.error) == ("completed", "")
    cited = {item["paper"]["id"] for item in done.values["references"]}
    assert cited == {PAPERS[3], PAPERS[0]}
    assert "unregistered" not in caplog.text
    assert "Blocked" not in caplog.text


async def test_run_with_a_class_that_is_gone_is_refused_and_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await waiting(home, Plan="Outline")
    kept = held(home)
    async with local_runs() as runs:
        with pytest.raises(
            PermanentError, match=r"it holds Outline.*with the version that started"
        ):
            await runs.get(run)
        with pytest.raises(PermanentError, match="start it again"):
            await runs.answer(run, PLAN)
    assert held(home) == kept
    monkeypatch.setattr(checkpoint_types, "RENAMED", {"Outline": "Plan"})
    async with local_runs() as runs:
        assert (await runs.get(run)).status == "input_required"
        await runs.answer(run, PLAN)
        assert (await wait_until_resting(runs, run)).status == "completed"


@pytest.mark.parametrize("step", ["judge_papers"])
async def test_run_stopped_before_a_step_that_was_called_otherwise_continues_with_it(
    home: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"text": WRITE["text"], "library": WRITE["library"], "keep": 5}
    async with local_runs() as runs:
        whole = await wait_until_resting(runs, await runs.start("find", asked, {}))
        run = await runs.start("find", asked, {})
        async for view in runs.follow(run):
            if view.progress and view.progress.stage == step:
                await runs.cancel(run)
                break
    earlier = {new: old for old, new in RENAMED_STEPS.items()}
    with (
        monkeypatch.context() as before,
        closing(sqlite3.connect(home / "checkpoints.sqlite")) as db,
    ):
        before.setattr(checkpoint_types, "RENAMED_STEPS", earlier)
        for row, packed in db.execute("SELECT rowid, checkpoint FROM checkpoints").fetchall():
            named = checkpoint_types._current(packed)
            db.execute("UPDATE checkpoints SET checkpoint = ? WHERE rowid = ?", (named, row))
        db.commit()
    assert earlier[step] in str(held(home))
    async with local_runs() as runs:
        await runs.resume(run)
        done = await wait_until_resting(runs, run)
    assert done.status == "completed"
    assert [item["paper"]["id"] for item in done.values["papers"]] == [
        item["paper"]["id"] for item in whole.values["papers"]
    ]


async def test_graph_that_a_server_lends_its_checkpointer_finds_moved_classes_too(
    home: Path,
) -> None:
    # Both servers lend it by a copy of the graph, with a serializer of their own.
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=True))
    graph = builder.compile().copy(update={"checkpointer": saver})
    context = RunSettings(review_plan="on")
    inputs: Any = WRITE
    assert question(await graph.ainvoke(inputs, CONFIG, context=context))["kind"] == "plan"
    for key, saved in saver.blobs.items():
        saver.blobs[key] = rewritten(saved, "citeloom.{}")
    for writes in saver.writes.values():
        for place, (task, channel, saved, path) in writes.items():
            writes[place] = (task, channel, rewritten(saved, "citeloom.{}"), path)
    done = await graph.ainvoke(Command(resume=PLAN), CONFIG, context=context)
    assert {item.paper.id for item in done["references"]} == {PAPERS[3], PAPERS[0]}


class NoInput(BaseModel):
    """What a graph takes that takes nothing."""


class Counted(TypedDict, total=False):
    """Whether each of two steps was done."""

    first: bool
    second: bool


@pytest.mark.parametrize("saver", ["ours", "lent"])
async def test_step_that_was_cancelled_before_its_route_was_chosen_is_done_again(
    home: Path, saver: str
) -> None:
    cancelled = iter([True, False])

    async def route(_: Counted) -> str:
        if next(cancelled):
            raise asyncio.CancelledError
        return "two"

    graph: Any = Graph(Counted, input_schema=NoInput)
    graph.add_node("one", lambda _: {"first": True})
    graph.add_node("two", lambda _: {"second": True})
    graph.add_edge(START, "one")
    graph.add_conditional_edges("one", route, ["two"])
    async with AsyncExitStack() as stack:
        lent: Any = InMemorySaver()
        if saver == "ours":
            lent, _ = await stack.enter_async_context(open_checkpoints())
        called = graph.compile(name="find").copy(update={"checkpointer": lent})
        with pytest.raises((asyncio.CancelledError, NodeCancelledError)):
            await called.ainvoke({}, CONFIG)
        assert await called.ainvoke(None, CONFIG) == {"first": True, "second": True}


def test_value_that_lacks_a_field_required_today_is_refused() -> None:
    class Old(BaseModel):
        given: str = "Ada"

    Old.__module__, Old.__name__ = Author.__module__, Author.__name__
    with pytest.raises(PermanentError, match="it holds Author"):
        CheckpointTypes().loads_typed(CheckpointTypes().dumps_typed({"authors": [Old()]}))


def test_values_inside_langgraphs_own_are_read_too() -> None:
    failure = Failure(stage="find", subject="x", cause="y")
    given = {"send": Send("node", {"item": failure}), "set": frozenset({failure}), 3: (failure,)}
    with written_as("citeloom.{}"):
        saved = JsonPlusSerializer().dumps_typed(given)
    assert CheckpointTypes().loads_typed(saved) == {**given, 3: [failure]}


def test_no_two_stored_classes_share_a_name() -> None:
    places = defaultdict[str, set[str]](set)
    for module in iter_modules(state.__path__):
        for kind in vars(import_module(f"state.{module.name}")).values():
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                places[kind.__name__].add(kind.__module__)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
    assert set(stored_types()) == set(places) - {"BaseModel"}
    assert all(kind.__name__ == name for name, kind in stored_types().items())
