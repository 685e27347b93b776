"""Calling a graph in this process, and what a stranger is told of its input and settings."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pytest
from langchain_core.messages import BaseMessage
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, PlainSerializer
from typing_extensions import TypedDict, is_typeddict

from graphs.review import graph
from state.run import GraphName
from tests.support import ROOT
from tools.errors import InputError
from tools.run_settings import SETTINGS_BY_GRAPH, RunSettings, settings_class_of

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


# What a stranger is told of a graph's input and settings, as Studio and `/assistants/{id}/schemas` show it.


GRAPHS = list(json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"])
LIMITED = {
    "keep": "maximum",
    "cite": "maximum",
    "text": "maxLength",
    "question": "maxLength",
    "library": "maxLength",
}


def graph_of(name: str) -> Any:
    return import_module(f"graphs.{name}").graph


@pytest.mark.parametrize("name", GRAPHS)
def test_each_field_of_an_input_says_what_it_is_and_gives_an_example(name: str) -> None:
    for field, told in graph_of(name).get_input_jsonschema()["properties"].items():
        assert told["description"], field
        assert "default" in told, field
        assert told.get("type") == "boolean" or "enum" in told or told["examples"], field
        assert LIMITED.get(field, "type") in told or "anyOf" in told, field


@pytest.mark.parametrize("name", GRAPHS)
def test_graph_shows_its_own_settings_alone(name: str) -> None:
    shown = graph_of(name).get_context_jsonschema()["properties"]
    assert set(shown) == {item.name for group in SETTINGS_BY_GRAPH[name] for item in fields(group)}
    assert all(told["description"] and "default" in told for told in shown.values())
    others = {item.name for item in fields(RunSettings)} - shown.keys()
    assert others
    # A step that several graphs have finds the settings of all, those of others at their defaults.
    given = settings_class_of(name)(max_calls=7)
    assert given.max_calls == 7
    assert all(getattr(given, other) == getattr(RunSettings(), other) for other in others)


def test_each_setting_belongs_to_a_graph() -> None:
    assert set(SETTINGS_BY_GRAPH) == set(GRAPHS)
    known = {
        item.name
        for groups in SETTINGS_BY_GRAPH.values()
        for group in groups
        for item in fields(group)
    }
    assert known == {item.name for item in fields(RunSettings)}


_PLAIN = (str, int, float, bool, NoneType, Any)


def _no_json(kind: Any, seen: set[Any]) -> list[Any]:
    """Return the types of values within one that a checkpoint does not keep as JSON has them."""
    if kind in seen:
        return []
    seen.add(kind)
    if get_origin(kind) is Annotated:
        kind, *more = get_args(kind)
        return [] if any(isinstance(one, PlainSerializer) for one in more) else _no_json(kind, seen)
    if get_origin(kind) is Literal or kind in _PLAIN:
        return []
    if parts := [part for part in get_args(kind) if part is not Ellipsis]:
        return [found for part in parts for found in _no_json(part, seen)]
    if isinstance(kind, type) and issubclass(kind, BaseMessage):
        return []  # the server's own
    if not is_typeddict(kind) and not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return [kind]
    hints = get_type_hints(kind, include_extras=True)
    names = hints if is_typeddict(kind) else kind.model_fields
    return [found for name in names for found in _no_json(hints[name], seen)]


@pytest.mark.parametrize("name", GRAPHS)
def test_all_channels_hold_what_a_server_shows_as_it_is(name: str) -> None:
    """A server shows checkpoints without the graphs' types: a date came out as three numbers."""
    builder = import_module(f"graphs.{name}").builder
    channels = {schema for schema in builder.schemas if is_typeddict(schema)}
    assert builder.output_schema in channels
    assert not [found for schema in channels for found in _no_json(schema, set())]


# The picture of `review` that LangGraph Studio draws: its steps tell the story of a review.


STORY = {
    "find:generate_queries",
    "find:search_source",
    "find:judge_papers",
    "find:expand_citations",
    "find:reflect_on_sufficiency",
    "writing:write_draft",
    "writing:compare_papers",
    "writing:choose_draft",
    "writing:check_citations",
    "writing:audit_citations",
}


def test_every_step_of_the_picture_is_reached_and_leads_on() -> None:
    picture = graph.get_graph(xray=True)
    assert picture.nodes.keys() >= STORY
    begin, end = picture.first_node(), picture.last_node()
    assert begin is not None
    assert end is not None
    assert {edge.target for edge in picture.edges} == picture.nodes.keys() - {begin.id}
    assert {edge.source for edge in picture.edges} == picture.nodes.keys() - {end.id}
