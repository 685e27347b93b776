"""What a stranger gets wrong: each graph answers with a `stop` that says what is the matter, and in words."""

import asyncio
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.server.conftest import Server
from tests.support import SMALL

GOOD: dict[str, dict[str, Any]] = {
    "find": {"text": "How do bees navigate?", "library": SMALL},
    "review": {"text": "How do bees navigate?", "library": SMALL},
    "write": {"text": "How do bees navigate?", "papers": ["x"], "library": SMALL},
    "screen": {"question": "Do bees navigate?", "include": ["On bees"], "papers": ["x"]},
    "revise": {"section": "x", "instruction": "shorter"},
    "verify": {
        "text": "Bees dance [1].\n\nReferences\n\n[1] A. Bee. Dances. 2020.",
        "library": SMALL,
    },
    "references": {"text": "A. Bee. Dances. 2020."},
    "ask": {"question": "What is RAG?", "library": SMALL},
    "synthesize": {"question": "What is RAG?", "papers": ["x"], "library": SMALL},
    "ingest": {"library": "mine", "uploads": [{"name": "a.md", "content": "Bees."}]},
}
"""By graph; its first field is the one that is spoilt."""
SETTINGS: dict[str, Any] = {
    "max_usd": -1,
    "max_calls": "many",
    "max_minutes": [],
    "mind": "shakespeare",
}


def spoilt(good: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Inputs of which each is wrong in its way."""
    first = next(iter(good))
    wrong = {
        "missing": {key: value for key, value in good.items() if key != first},
        "list": {**good, first: ["a", {"b": None}]},
        "blank": {**good, first: " \n\t"},
        "zero byte": {**good, first: "a\x00b"},
        "too long": {**good, first: "x " * 300_000},
    }
    if "library" in good and first != "library":
        wrong["no library"] = {**good, "library": "../../etc"}
    if "papers" in good:
        wrong["no papers"] = {**good, "papers": {"a": 1}}
    return wrong


def said(result: Any) -> str:
    """What a stopped run says, after a look at whether a person can read it."""
    assert not result.get("__error__"), result
    stop = result["stop"]
    assert stop, result
    words = f"{stop['cause']} {stop['remedy']}"
    assert 3 < len(words.split()) < 120
    assert len(words) < 1000
    assert not any(sign in words for sign in ("Traceback", "Error(", "pydantic", ".py", "<class"))
    return words


@pytest.mark.parametrize("graph", GOOD)
async def test_each_graph_says_what_is_wrong_with_an_input(
    client: LangGraphClient, graph: str
) -> None:
    wrong = spoilt(GOOD[graph])
    results = await asyncio.gather(
        *(client.runs.wait(None, graph, input=inputs) for inputs in wrong.values())
    )
    assert {name: bool(said(result)) for name, result in zip(wrong, results, strict=True)}


async def test_upload_that_cannot_be_read_leaves_no_library(
    server: Server, client: LangGraphClient
) -> None:
    sent: dict[str, Any] = {
        "library": "empty-one",
        "uploads": [{"name": "a.pdf", "content": "%PDF-1.4 broken"}],
    }
    result: Any = await client.runs.wait(None, "ingest", input=sent)
    assert (result["outcome"], result["counts"]["failed"]) == ("nothing", 1)
    async with httpx.AsyncClient() as http:
        listed = (await http.get(f"{server.url}/citeloom/libraries")).json()
    assert "starter" in str(listed)
    assert "empty-one" not in str(listed)


async def test_each_graph_says_what_is_wrong_with_a_setting(client: LangGraphClient) -> None:
    asked = [(graph, "max_usd") for graph in GOOD] + [("find", name) for name in SETTINGS]
    results = await asyncio.gather(
        *(
            client.runs.wait(None, graph, input=GOOD[graph], context={name: SETTINGS[name]})
            for graph, name in asked
        )
    )
    for (_, name), result in zip(asked, results, strict=True):
        assert name in said(result)
