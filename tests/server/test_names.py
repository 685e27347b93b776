"""Wrong names of inputs and settings over the server: refused with the nearest, on every way in."""

from typing import Any, get_args
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import UnprocessableEntityError

from citeloom.runs.server_executor import server_runs
from state.run import GraphName
from tests.graphs.test_calling import IDEA
from tests.server.conftest import Server
from tests.server.misspelt import DEVELOPMENT, HARMLESS, refusals
from tests.support import SMALL
from tools.errors import InputError


async def test_every_way_in_refuses_a_wrong_name(client: LangGraphClient) -> None:
    seen = [each async for each in refusals(client, DEVELOPMENT)]
    assert {name for name, _, _ in seen} == set(DEVELOPMENT)
    assert [each for each in seen if each[1] not in each[2]] == []


@pytest.mark.parametrize("way", DEVELOPMENT)
async def test_what_other_programs_add_is_let_in(client: LangGraphClient, way: str) -> None:
    for sent in HARMLESS:
        await DEVELOPMENT[way](client, sent)


@pytest.mark.parametrize("graph", get_args(GraphName))
async def test_each_graph_refuses_a_wrong_name(client: LangGraphClient, graph: str) -> None:
    thread = (await client.threads.create())["thread_id"]
    for given in ({"input": {"nothing_such": 1}}, {"input": {}, "context": {"nothing_such": 1}}):
        sent: Any = given
        with pytest.raises(UnprocessableEntityError, match="'nothing_such'"):
            await client.runs.create(thread, graph, **sent)


async def test_protocol_for_events_refuses_a_wrong_name(
    server: Server, client: LangGraphClient
) -> None:
    thread = (await client.threads.create())["thread_id"]
    params = {"assistant_id": "ask", "input": {"librari": "x"}}
    async with httpx.AsyncClient(base_url=server.url) as http:
        call = {"id": 1, "method": "run.start", "params": params}
        answer = (await http.post(f"/threads/{thread}/commands", json=call)).json()
    assert "'librari' (did you mean 'library'?)" in answer["message"]


async def test_run_of_the_service_that_is_refused_leaves_no_thread(client: LangGraphClient) -> None:
    runs, ours = server_runs(client), str(uuid4())
    inputs = {"question": "What is ROUGE?", "library": SMALL}
    with pytest.raises(InputError, match="no setting 'max_call' "):
        await runs.start("ask", inputs, {"max_call": 1}, conversation=ours)
    assert not await runs.list(conversation=ours)
    kept = await runs.start("ask", inputs, {}, conversation=ours)
    assert [view.run for view in await runs.list(conversation=ours)] == [kept]
    await runs.cancel(kept)


@pytest.mark.parametrize("graph", ["find", "review"])
async def test_default_run_comes_to_its_end_in_every_stream_mode(
    client: LangGraphClient, graph: str
) -> None:
    modes: Any = [
        "values",
        "updates",
        "custom",
        "messages-tuple",
        "debug",
        "tasks",
        "checkpoints",
        "events",
    ]
    # The server streams in another way where events are asked for.
    wanted = modes if graph == "review" else modes[:-1]
    values: Any = {}
    async for part in client.runs.stream(None, graph, input={"text": IDEA}, stream_mode=wanted):
        assert part.event != "error", part.data
        values = part.data if part.event == "values" else values
    assert values["outcome"] == "complete"
