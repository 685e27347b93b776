"""Who calls a run, as a node learns it, and who may not be named in its config."""

from typing import Any

import pytest
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime
from langgraph_sdk.auth.types import StudioUser
from typing_extensions import TypedDict

from tools.callers import caller_of
from tools.errors import InputError


class Seen(TypedDict, total=False):
    callers: list[str]


async def note(state: Seen, runtime: Runtime[Any]) -> Seen:
    return {"callers": [*state.get("callers", []), caller_of(runtime), caller_of()]}


async def seen(config: Any) -> list[str]:
    inner = StateGraph(Seen).add_node(note).set_entry_point("note").compile()
    outer = StateGraph(Seen).add_node(note).add_node("within", inner)
    graph = outer.set_entry_point("note").add_edge("note", "within").compile()
    done: list[str] = (await graph.ainvoke({"callers": []}, config))["callers"]
    return done


async def test_every_node_of_a_run_knows_its_caller_and_none_without_auth() -> None:
    alice = {"langgraph_auth_user": StudioUser("alice"), "graph_id": "find"}
    assert await seen({"configurable": alice}) == ["alice"] * 4
    assert caller_of({"configurable": alice}) == "alice"
    for nobody in ({}, {"configurable": {"graph_id": "find", "langgraph_auth_user": None}}):
        assert await seen(nobody) == [""] * 4
    assert caller_of() == ""


async def test_caller_cannot_name_another_in_the_config_of_a_run() -> None:
    """The server lets a key of the config itself stand above what its auth put into it."""
    forgeries: list[object] = [{"identity": "bob"}, "", "bob", 0, [], {"identity": {"": "bob"}}]
    for forged in forgeries:
        with pytest.raises(InputError, match="cannot name its user"):
            await seen({"configurable": {"langgraph_auth_user": forged}})
