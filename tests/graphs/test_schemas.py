"""What a stranger is told of a graph's input and settings, as Studio and `/assistants/{id}/schemas` show it."""

import json
from dataclasses import fields
from importlib import import_module
from typing import Any

import pytest

from tests.support import ROOT
from tools.context import GROUPS, RunContext, context_of_graph

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
    assert set(shown) == {item.name for group in GROUPS[name] for item in fields(group)}
    assert all(told["description"] and "default" in told for told in shown.values())
    others = {item.name for item in fields(RunContext)} - shown.keys()
    assert others
    # A step that several graphs have finds the settings of all, those of others at their defaults.
    given = context_of_graph(name)(max_calls=7)
    assert given.max_calls == 7
    assert all(getattr(given, other) == getattr(RunContext(), other) for other in others)


def test_each_setting_belongs_to_a_graph() -> None:
    assert set(GROUPS) == set(GRAPHS)
    known = {item.name for groups in GROUPS.values() for group in groups for item in fields(group)}
    assert known == {item.name for item in fields(RunContext)}
