"""The graphs as A2A agents: a task is a run, a question to a person is TASK_STATE_INPUT_REQUIRED.

There is an agent for each graph, and one for the whole service, whose skills the graphs are. Protocol
1.0 is served, and 0.3 by the SDK's translation.
Source: https://a2a-protocol.org/latest/specification/
"""

import asyncio
from collections.abc import Mapping
from typing import Any, get_args

from a2a.helpers import get_data_parts, get_message_text, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, Task, TaskState, TaskStatus
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from citeloom.runs.runs import Runs, RunSnapshot
from citeloom.service.a2a_cards import card_of, path_of
from citeloom.service.a2a_input import asked_for
from citeloom.service.a2a_results import artifacts_of, parts_told, state_of
from citeloom.service.a2a_task_store import (
    Contexts,
    RunTasks,
    base_of,
    errors_of_protocol,
    headers_of,
)
from citeloom.service.entry import CARD, asks_for_keys, has_own_auth
from citeloom.service.tool_answers import RunsOf
from state.run import GraphName
from tools.errors import CiteLoomError, InputError


def routes(runs_of: RunsOf) -> list[BaseRoute]:
    """Return the routes of the agents and of their cards."""
    found: list[BaseRoute] = []
    graphs: list[GraphName | None] = [None, *get_args(GraphName)]
    for graph in graphs:
        handler = DefaultRequestHandler(
            agent_executor=RunExecutor(graph, runs_of),
            task_store=RunTasks(graph, runs_of),
            agent_card=card_of(graph),
            interrupted_task_timeout=600.0,
        )
        path = path_of(graph)
        found += create_jsonrpc_routes(
            handler, path, context_builder=Contexts(), enable_v0_3_compat=True
        )
        found.append(_card_route(graph, path + AGENT_CARD_WELL_KNOWN_PATH))
    return [*found, _card_route(None, CARD)]


def _card_route(graph: GraphName | None, path: str) -> BaseRoute:
    async def card(request: Request) -> JSONResponse:
        needs_key = has_own_auth() or await asyncio.to_thread(asks_for_keys)
        base = str(request.base_url).rstrip("/")
        return JSONResponse(agent_card_to_dict(card_of(graph, base, needs_key=needs_key)))

    return Route(path, card)


class RunExecutor(AgentExecutor):
    """Executes a task as a run of one graph, or of the graph that its message names."""

    def __init__(self, graph: GraphName | None, runs_of: RunsOf) -> None:
        self._graph = graph
        self._runs_of = runs_of

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Begin a run, or answer what it asks, and tell of it until it rests."""
        assert context.message
        assert context.task_id
        assert context.context_id
        runs = self._runs_of(headers_of(context.call_context))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if context.current_task is not None:
            await _answer(runs, context.task_id, context.message)
        try:
            if context.current_task is None:
                submitted = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
                await event_queue.enqueue_event(
                    Task(
                        id=context.task_id,
                        context_id=context.context_id,
                        status=submitted,
                        history=[context.message],
                    )
                )
                await self._start(runs, context.task_id, context.context_id, context.message)
            await _tell(runs, updater, context.task_id, base_of(context.call_context))
        except InputError as error:
            await updater.reject(updater.new_agent_message([new_text_part(str(error))]))
        except CiteLoomError as error:
            await updater.failed(updater.new_agent_message([new_text_part(str(error))]))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Stop the run; what it has is in the task's artifact."""
        assert context.task_id
        assert context.context_id
        runs = self._runs_of(headers_of(context.call_context))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await runs.cancel(context.task_id)
        await _give(await runs.get(context.task_id), updater, base_of(context.call_context))
        await updater.cancel()

    async def _start(self, runs: Runs, task: str, conversation: str, message: Message) -> None:
        graph, inputs, how = await asyncio.to_thread(asked_for, message, self._graph)
        if graph in {"ask", "synthesize"}:
            inputs |= await _said_before(runs, graph, conversation, message)
        await runs.start(graph, inputs, how, name=task, conversation=conversation)


async def _answer(runs: Runs, run: str, message: Message) -> None:
    """Hand on the answer to what a run asks. A message that it does not ask for changes nothing."""
    data = get_data_parts(message.parts)
    with errors_of_protocol():
        await runs.answer(run, data[0] if data else get_message_text(message))


async def _tell(runs: Runs, updater: TaskUpdater, run: str, base: str) -> None:
    stage = ""
    async for view in runs.follow(run):
        if view.progress and view.progress.stage != stage:
            stage = view.progress.stage
            await updater.start_work(
                updater.new_agent_message([new_text_part(view.progress.title or stage)])
            )
    if not view.question:
        await _give(view, updater, base)
    parts = parts_told(view)
    await updater.update_status(state_of(view), updater.new_agent_message(parts) if parts else None)


async def _give(view: RunSnapshot, updater: TaskUpdater, base: str) -> None:
    for artifact in await asyncio.to_thread(artifacts_of, view, base):
        await updater.add_artifact(
            list(artifact.parts), artifact_id=artifact.artifact_id, name=artifact.name
        )


async def _said_before(
    runs: Runs, graph: GraphName, conversation: str, message: Message
) -> Mapping[str, Any]:
    """Return the conversation so far, with the new question as its end."""
    for view in await runs.list(5, conversation=conversation):
        if view.graph == graph and view.status == "completed":
            before = (await runs.get(view.run)).values.get("messages") or []
            asked = {"role": "user", "content": get_message_text(message)}
            return {"messages": [*before, asked], "question": ""}
    return {}
