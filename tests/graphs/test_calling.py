"""Calling a graph in this process: wrong names are refused, and no way of streaming runs out of steps."""

from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from state.run import GraphName
from tools.errors import InputError
from tools.run_settings import RunSettings

IDEA = (
    "We study how well large language models recommend citations for a sentence of a paper, and "
    "whether the recommended papers support what the sentence claims."
)
"""With the default settings `find` takes 28 steps for it."""


async def streamed(graph: Any, inputs: Any, **options: Any) -> None:
    async for _ in graph.astream(inputs, **options):
        ...


async def events(graph: Any, inputs: Any, **options: Any) -> None:
    async for _ in graph.astream_events(inputs, version="v2", **options):
        ...


async def invoked(graph: Any, inputs: Any, **options: Any) -> None:
    graph.invoke(inputs, **options)


async def awaited(graph: Any, inputs: Any, **options: Any) -> None:
    await graph.ainvoke(inputs, **options)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        *((name, awaited) for name in get_args(GraphName)),
        *(("find", call) for call in (streamed, events, invoked)),
    ],
)
async def test_each_graph_refuses_wrong_names_with_the_nearest_however_it_is_called(
    name: str, call: Callable[..., Awaitable[None]]
) -> None:
    graph = import_module(f"graphs.{name}").graph
    first = next(iter(graph.builder.input_schema.model_fields))
    with pytest.raises(InputError, match=rf"no input '{first}s' \(did you mean '{first}'"):
        await call(graph, {f"{first}s": "x"})
    for wrong, near in (("max_call", "'max_calls'"), ("max_dollars", "max_usd")):
        with pytest.raises(InputError, match=rf"no setting '{wrong}'.*{near}"):
            await call(graph, {}, context={wrong: 1})
    with pytest.raises(InputError, match="a setting, so send it in the context"):
        await call(graph, {"max_usd": 1})
    with pytest.raises(InputError, match=f"an input of `{name}`"):
        await call(graph, {}, context={first: "x"})


async def test_graph_takes_of_the_state_of_another_what_it_knows(home: Path) -> None:
    class State(TypedDict, total=False):
        text: str
        mine: str
        stop: Any

    outer = StateGraph(State, context_schema=RunSettings)
    outer.add_node("find", import_module("graphs.find").graph)
    outer.add_edge(START, "find")
    outer.add_edge("find", END)
    done = await outer.compile().ainvoke(
        {"text": "two words", "mine": "kept"}, context=RunSettings()
    )
    assert "2 words" in done["stop"].cause
    assert done["mine"] == "kept"
