"""The graphs behind the LangGraph server: what a stranger sees, streams and gets."""

import asyncio
import json
import re
from importlib import import_module
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from pydantic import BaseModel

from state.ingest import IngestInput
from state.inputs import (
    AskInput,
    FindInput,
    ReviewInput,
    ReviseInput,
    ScreenInput,
    VerifyInput,
    WriteInput,
)
from state.novelty import NoveltyInput
from state.synthesis import SynthesizeInput
from state.table import TableInput
from state.verify import ReferencesInput
from tests.server.conftest import Server
from tests.support import ROOT, SMALL, small_records
from tools.run_settings import settings_class_of

GRAPHS: dict[str, type[BaseModel]] = {
    "find": FindInput,
    "write": WriteInput,
    "review": ReviewInput,
    "novelty": NoveltyInput,
    "table": TableInput,
    "screen": ScreenInput,
    "revise": ReviseInput,
    "verify": VerifyInput,
    "references": ReferencesInput,
    "ask": AskInput,
    "ingest": IngestInput,
    "synthesize": SynthesizeInput,
}
QUICK = {"pool": 16, "results": 36, "debate_batch": 4}
IDEA = (
    "We study how well large language models recommend citations for a sentence of a paper, and "
    "whether the recommended papers support what the sentence claims."
)


async def run(client: LangGraphClient, graph: str, thread: str | None = None, **given: Any) -> Any:
    """Run a graph on SMALL to its end and return its output."""
    inputs = {"library": SMALL, **given}
    return await client.runs.wait(thread, graph, input=inputs, context=QUICK)


# --- What a stranger sees ---------------------------------------------------------------------


async def test_every_graph_is_served_with_inputs_and_settings_that_say_something(
    client: LangGraphClient,
) -> None:
    assistants = {
        item["graph_id"]: item["assistant_id"] for item in await client.assistants.search(limit=100)
    }
    assert set(assistants) == set(GRAPHS)
    for graph, assistant in assistants.items():
        schemas = await client.assistants.get_schemas(assistant)
        inputs, context = schemas["input_schema"], schemas["context_schema"]
        assert inputs
        assert context
        assert set(inputs["properties"]) == set(GRAPHS[graph].model_fields)
        assert set(context["properties"]) == set(settings_class_of(graph).__dataclass_fields__)
        for schema in (inputs, context):
            assert schema["description"]
            for name, field in schema["properties"].items():
                assert len(field["description"].split()) >= 4, name
                assert "default" in field, name


def test_descriptions_name_what_a_graph_takes_and_gives() -> None:
    told = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    assert set(told) == set(GRAPHS)
    for name, graph in told.items():
        takes, _, gives = graph["description"].partition(" Gives ")
        named = set(re.findall(r"`(\w+)`", takes.partition(" Takes ")[2]))
        assert named, name
        assert named <= {*GRAPHS[name].model_fields, *GRAPHS}, name
        assert set(re.findall(r"`(\w+)`", gives)) <= {*_outputs(name), *GRAPHS, "passed"}, name


def _outputs(name: str) -> set[str]:
    """Return what a graph gives."""
    graph = import_module(f"graphs.{name}").graph
    return set(graph.get_output_jsonschema()["properties"])


# --- What it gives ----------------------------------------------------------------------------


async def test_plan_is_reviewed_and_the_section_revised_over_the_server(
    client: LangGraphClient, abstract: str
) -> None:
    thread = (await client.threads.create())["thread_id"]
    ids = [paper.id for paper in small_records() if paper.abstract][:4]
    inputs: Any = {"text": abstract, "library": SMALL, "papers": ids, "cite": 2}
    asked: Any = await client.runs.wait(
        thread, "write", input=inputs, context={"review_plan": "on"}
    )
    (question,) = asked["__interrupt__"]
    assert [paper["id"] for paper in question["value"]["papers"]] == ids
    done: Any = await client.runs.wait(
        thread,
        "write",
        command={"resume": "On the last [4].\nOn the first [1]."},
        context={"review_plan": "on"},
    )
    assert [item["paper"]["id"] for item in done["references"]] == [ids[3], ids[0]]
    revised: Any = await client.runs.wait(
        None, "revise", input={"section": done["run"], "instruction": "without [1]"}
    )
    assert [item["paper"]["id"] for item in revised["references"]] == [ids[0]]


async def test_person_is_asked_inside_the_graphs_of_a_review(
    client: LangGraphClient, abstract: str
) -> None:
    thread = (await client.threads.create())["thread_id"]
    context: Any = {
        **QUICK,
        "review_cost": "on",
        "review_queries": "on",
        "review_papers": "on",
        "review_plan": "on",
        "review_text": "on",
        "max_hops": 1,
    }
    inputs: Any = {"text": abstract, "library": SMALL, "cite": 2}
    result: Any = await client.runs.wait(thread, "review", input=inputs, context=context)
    answers: dict[str, Any] = {
        "cost": "",
        "queries": ["metod: x", 'method: "citation recommendation"'],
        "papers": "[2]\n[1]",
        "plan": {"action": "accept"},
        "text": None,
    }
    kinds: list[str] = []
    while asked := result.get("__interrupt__"):
        question = asked[0]["value"]
        kinds.append(question["kind"])
        answer = answers[question["kind"]]
        if question["kind"] == "queries":
            assert ("metod" in question["error"]) == (len(kinds) > 2)
            answer = answer.pop(0)
        state = await client.threads.get_state(thread)
        assert [item["value"]["kind"] for item in state["interrupts"]] == [question["kind"]]
        command: Any = {"resume": {"action": "accept"} if answer is None else answer}
        result = await client.runs.wait(thread, "review", command=command, context=context)
    assert kinds == ["cost", "queries", "queries", "papers", "plan", "text"]
    assert [item["text"] for item in result["queries"]] == ['"citation recommendation"']
    assert [item["rank"] for item in result["papers"][:2]] == [1, 2]
    cited = {item["paper"]["id"] for item in result["references"]}
    assert cited == {item["paper"]["id"] for item in result["papers"][:2]}
    assert result["outcome"] == "complete"


async def test_text_is_verified_over_the_server(client: LangGraphClient) -> None:
    record: Any = {
        "id": "10.1234/moth",
        "title": "Moths steer by the moon",
        "year": 2019,
        "authors": ["Dee Moth"],
        "abstract": "We show that moths steer by the moon at night.",
    }
    text = "Moth (2019) shows that moths steer by the moon at night. Others disagree (Lamp, 2020)."
    done: Any = await client.runs.wait(
        None, "verify", input={"text": text, "papers": [record], "library": SMALL}
    )
    assert done["audit"]["passed"] is False
    assert done["audit"]["supported"] == 1
    assert "unresolved" in {item["cause"] for item in done["audit"]["references"]}


async def test_review_streams_its_progress_and_ends_with_the_section(
    client: LangGraphClient, abstract: str
) -> None:
    thread = await client.threads.create()
    events: list[dict[str, Any]] = []
    seen: set[str] = set()
    async for part in client.runs.stream(
        thread["thread_id"],
        "review",
        input={"text": abstract, "library": SMALL},
        context=QUICK,
        stream_mode=["custom", "updates"],
        stream_subgraphs=True,
    ):
        assert not part.event.startswith("error"), part.data
        if part.event.startswith("custom"):
            events.append(part.data)
            running: Any = await client.threads.get_state(thread["thread_id"], subgraphs=True)
            seen |= {task["name"] for task in running["tasks"]}
    assert {"find", "writing"} & seen, "the state of a running thread can be read"
    for event in events:
        more = set(event) - {"stage", "title", "done", "total", "note"}
        assert {"at", "calls"} <= more <= {"at", "calls", "usd", "papers", "relevant"}
    assert {event["stage"] for event in events} >= {
        "read_input",
        "generate_queries",
        "search_source",
        "screen_papers",
        "judge_papers",
        "read_papers",
        "plan_section",
        "write",
        "check",
    }
    assert all(0 <= event["done"] <= event["total"] for event in events)
    state = await client.threads.get_state(thread["thread_id"])
    values: Any = state["values"]
    assert state["next"] == []
    assert values["outcome"] == "complete"
    assert values["stop"] is None
    assert [item["number"] for item in values["references"]] == list(range(1, 11))
    assert {item["paper"]["id"] for item in values["references"]} <= {
        item["paper"]["id"] for item in values["papers"] if item["selected"]
    }
    assert "[10]" in values["related_work"]


@pytest.mark.slow
async def test_second_run_on_a_thread_has_nothing_of_the_first(
    client: LangGraphClient, abstract: str
) -> None:
    thread = (await client.threads.create())["thread_id"]
    first, alone = await asyncio.gather(
        run(client, "review", thread, text=abstract, cite=3, before="2024-01-01", keep=9),
        run(client, "review", None, text=IDEA, cite=4),
    )
    assert (len(first["references"]), len(first["selected"])) == (3, 9)
    failed = await run(client, "review", thread, text="two words", cite=4)
    assert failed["stop"]
    assert (failed["papers"], failed["references"], failed["related_work"]) == ([], [], "")
    second = await run(client, "review", thread, text=IDEA, cite=4)
    assert second["request"] == alone["request"]
    assert second["run"] not in {first["run"], failed["run"], alone["run"]}
    for name in ("papers", "queries", "counts", "related_work", "references", "failures", "stop"):
        assert second[name] == alone[name], name
    assert second["related_work"] != first["related_work"]


# --- Bad input is data ------------------------------------------------------------------------


BAD: list[tuple[dict[str, Any], str]] = [
    ({"text": ""}, "the input has 0 words"),
    ({"text": "two words"}, "the input has 2 words: give an abstract"),
    ({"text": "word and word " * 15_000}, "210,000 characters; the maximum is 20,000"),
    ({"text": IDEA, "library": "nowhere"}, "there is no library 'nowhere': choose one of "),
    ({"text": IDEA, "library": "../../etc"}, "cannot be a library's name"),
    ({"text": IDEA, "sources": ["pubmed"]}, "there is no source 'pubmed'"),
    ({"text": IDEA, "before": "yesterday"}, "the cut-off 'yesterday' is not a date"),
    ({"text": IDEA, "keep": 0}, "keep: must be greater than or equal to 1"),
]


async def test_bad_input_ends_as_data_and_not_as_a_masked_error(client: LangGraphClient) -> None:
    ended = await asyncio.gather(*(run(client, "review", **given) for given, _ in BAD))
    for done, (_, cause) in zip(ended, BAD, strict=True):
        assert cause in done["stop"]["cause"]
        assert done["outcome"] == "nothing"
        assert done["papers"] == []
        assert not done.get("related_work")
    nothing = await run(client, "write", text=IDEA, papers=["arxiv:9999.99999"])
    assert "no paper to write about" in nothing["stop"]["cause"]
    assert nothing["failures"][0]["subject"] == "arxiv:9999.99999"
    for mind, cause in (("llm", "set CITELOOM_STRONG_MODEL"), ("human", "mind cannot be 'human'")):
        told: Any = await client.runs.wait(
            None, "find", input={"text": IDEA, "library": SMALL}, context={"mind": mind}
        )
        assert cause in told["stop"]["cause"]


# --- Last, over all that was run --------------------------------------------------------------


async def test_no_checkpoint_was_refused_and_nothing_blocked_the_servers_loop(
    server: Server, client: LangGraphClient
) -> None:
    await run(client, "find", text=IDEA)
    assert "Blocked deserialization" not in server.account
    assert "BlockingError" not in server.account
