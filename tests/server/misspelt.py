"""Every way of making a run, an assistant or a schedule on a server, with a wrong name and with harmless ones."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk.client import LangGraphClient

from tests.support import SMALL

ASKED: dict[str, Any] = {"question": "What is ROUGE?", "library": SMALL}
Way = Callable[[LangGraphClient, dict[str, Any]], Any]


async def _streamed(client: LangGraphClient, sent: dict[str, Any]) -> None:
    async for _ in client.runs.stream(None, "ask", **sent):
        ...


async def _on_thread(client: LangGraphClient, sent: dict[str, Any]) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "ask", **sent)
    await client.runs.join(thread, run["run_id"])


async def _answering(client: LangGraphClient, sent: dict[str, Any]) -> None:
    thread = (await client.threads.create())["thread_id"]
    settings: Any = {"review_cost": "on"}
    await client.runs.wait(thread, "ask", input=ASKED, context=settings)
    command: Any = {"resume": ""}
    more = {name: value for name, value in sent.items() if name != "input"}
    await client.runs.wait(thread, "ask", command=command, **more)


async def _by_an_assistant(client: LangGraphClient, sent: dict[str, Any]) -> None:
    assistant = await client.assistants.create(
        "ask", context=sent.get("context"), if_exists="do_nothing"
    )
    await client.runs.wait(None, assistant["assistant_id"], input=sent["input"])


async def _remotely(client: LangGraphClient, sent: dict[str, Any]) -> None:
    given, *rest = sent["input"], sent.get("config")
    await RemoteGraph("ask", client=client).ainvoke(given, *rest, context=sent.get("context"))


async def _scheduled(client: LangGraphClient, sent: dict[str, Any]) -> None:
    cron: Any = await client.crons.create("ask", schedule="0 0 1 1 *", **sent)
    await client.crons.delete(cron["cron_id"])


async def _in_a_batch(client: LangGraphClient, sent: dict[str, Any]) -> None:
    payload: Any = {"assistant_id": "ask", **sent}
    await client.runs.create_batch([payload])


async def _waited(client: LangGraphClient, sent: dict[str, Any]) -> None:
    await client.runs.wait(None, "ask", **sent)


WAYS: dict[str, Way] = {
    "wait": _waited,
    "stream": _streamed,
    "thread": _on_thread,
    "answer": _answering,
    "assistant": _by_an_assistant,
    "remote": _remotely,
}
DEVELOPMENT: dict[str, Way] = {**WAYS, "schedule": _scheduled, "batch": _in_a_batch}
"""Aegra has no batches, and its schedules are off."""
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"input": {**ASKED, "librari": "x"}}, "takes no input 'librari' (did you mean 'library'?)"),
    (
        {"input": ASKED, "context": {"max_call": 1}},
        "no setting 'max_call' (did you mean 'max_calls'?)",
    ),
    (
        {"input": ASKED, "context": {"max_dollars": 1}},
        "no setting 'max_dollars'. The settings are mind, max_usd,",
    ),
    ({"input": ASKED, "context": {"review_plann": "on"}}, "no setting 'review_plann'"),
    ({"input": ASKED, "config": {"configurable": {"max_dollars": 1}}}, "no setting 'max_dollars'"),
]
HARMLESS: list[dict[str, Any]] = [
    {"input": ASKED, "context": {"max_calls": 90}},
    {"input": ASKED, "config": {"configurable": {"tenant": "x", "user_id": "y"}, "tags": ["z"]}},
]


async def refusals(
    client: LangGraphClient, ways: dict[str, Way]
) -> AsyncIterator[tuple[str, str, str]]:
    """Yield each way with what should be told and what was, "" where nothing was refused."""
    for name, way in ways.items():
        for sent, expected in WRONG:
            skipped = (name == "answer" and "context" not in sent) or (
                name == "assistant" and "config" in sent
            )
            if skipped:
                continue
            try:
                await way(client, sent)
            except Exception as error:  # noqa: BLE001 - a client has many kinds; their words are looked at
                # Some calls of the client tell the status alone.
                answer = getattr(error, "response", None)
                told = answer.text if answer is not None and answer.is_stream_consumed else ""
                yield name, expected, f"{error}\n{told.replace(chr(92), '')}"
            else:
                yield name, expected, ""
