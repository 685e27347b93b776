"""What a stranger is told of a graph's input and settings, as Studio and `/assistants/{id}/schemas` show it."""

import json
from dataclasses import fields
from importlib import import_module
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pytest
from langchain_core.messages import BaseMessage
from pydantic import BaseModel, PlainSerializer
from typing_extensions import is_typeddict

from tests.support import ROOT
from tools.run_settings import SETTINGS_BY_GRAPH, RunSettings, settings_class_of

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
