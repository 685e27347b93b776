"""The graphs as A2A 1.0 agents: a task is a run, a question to a person is TASK_STATE_INPUT_REQUIRED.

Source: https://a2a-protocol.org/latest/specification/
"""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

from a2a.helpers import get_data_parts, get_message_text, new_data_part, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    Artifact,
    Message,
    Part,
    Role,
    Task,
    TaskState,
    TaskStatus,
)
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from google.protobuf.json_format import MessageToDict
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from citeloom.service.a2a_cards import PATH, TAKE_FILES, card_of
from citeloom.service.digest import digest
from citeloom.service.runs import GraphName, Runs, RunView, Status
from tools.errors import CiteLoomError, InputError

_TEXT = {"ask": "question", "synthesize": "question", "revise": "instruction", "ingest": ""}
"""The field of a graph's input that the text of a message is, where it is not `text`."""
RunsOf = Callable[[Mapping[str, str]], Runs]
"""Gives the runs of a caller, by the headers of the request."""


def routes(runs_of: RunsOf) -> list[BaseRoute]:
    """Return, for each graph, the routes of its agent and of its card."""
    found: list[BaseRoute] = []
    for graph in get_args(GraphName):
        card, path = card_of(graph), f"{PATH}/{graph}"
        handler = DefaultRequestHandler(
            agent_executor=RunExecutor(graph, runs_of),
            task_store=RunTasks(runs_of),
            agent_card=card,
            interrupted_task_timeout=600.0,
        )
        found += create_jsonrpc_routes(handler, path)
        found.append(_card_route(graph, path))
    return found


def _card_route(graph: GraphName, path: str) -> BaseRoute:
    async def card(request: Request) -> JSONResponse:
        at_home = card_of(graph)
        at_home.supported_interfaces[0].url = f"{str(request.base_url).rstrip('/')}{path}"
        return JSONResponse(MessageToDict(at_home))

    return Route(path + AGENT_CARD_WELL_KNOWN_PATH, card)


class RunExecutor(AgentExecutor):
    """Executes a task as a run of one graph."""

    def __init__(self, graph: GraphName, runs_of: RunsOf) -> None:
        self._graph = graph
        self._runs_of = runs_of

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Begin a run, or answer what it asks, and tell of it until it rests."""
        message = context.message
        assert message
        assert context.task_id
        assert context.context_id
        runs = self._runs_of(_headers(context.call_context))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        try:
            if context.current_task is None:
                await event_queue.enqueue_event(
                    Task(
                        id=context.task_id,
                        context_id=context.context_id,
                        status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED),
                        history=[message],
                    )
                )
                inputs, how = _read(self._graph, message)
                if self._graph in {"ask", "synthesize"}:
                    inputs |= await _said_before(runs, self._graph, context.context_id, message)
                await runs.start(
                    self._graph, inputs, how, name=context.task_id, conversation=context.context_id
                )
            else:
                data = get_data_parts(message.parts)
                await runs.answer(context.task_id, data[0] if data else get_message_text(message))
            await _tell(runs, updater, context.task_id)
        except InputError as error:
            await updater.reject(updater.new_agent_message([new_text_part(str(error))]))
        except CiteLoomError as error:
            await updater.failed(updater.new_agent_message([new_text_part(str(error))]))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Stop the run; what it has is in the task's artifact."""
        assert context.task_id
        assert context.context_id
        runs = self._runs_of(_headers(context.call_context))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await runs.cancel(context.task_id)
        await _give(await runs.get(context.task_id), updater)
        await updater.cancel()


async def _tell(runs: Runs, updater: TaskUpdater, run: str) -> None:
    stage = ""
    async for view in runs.follow(run):
        if view.progress and view.progress.stage != stage:
            stage = view.progress.stage
            await updater.start_work(updater.new_agent_message([new_text_part(stage)]))
    if view.status == "input_required":
        await updater.requires_input(updater.new_agent_message(_asked(view)))
        return
    await _give(view, updater)
    message = updater.new_agent_message([new_text_part(view.error)]) if view.error else None
    await updater.update_status(_STATES[view.status], message)


async def _give(view: RunView, updater: TaskUpdater) -> None:
    if view.values:
        (artifact,) = _artifacts(view)
        await updater.add_artifact(
            list(artifact.parts), artifact_id=artifact.artifact_id, name=artifact.name
        )


def _artifacts(view: RunView) -> list[Artifact]:
    if not view.values:
        return []
    facts = {"run": view.values.get("run") or view.run, "outcome": view.values.get("outcome")}
    parts = [new_text_part(digest(view), media_type="text/markdown"), new_data_part(facts)]
    return [Artifact(artifact_id="result", name=view.graph, parts=parts)]


def _asked(view: RunView) -> list[Part]:
    """Return a question as text that a person can answer, and as it is."""
    question = dict(view.question or {})
    told = [question.get("error"), question.get("instructions"), question.get("proposal")]
    return [new_text_part("\n\n".join(str(one) for one in told if one)), new_data_part(question)]


_STATES: Mapping[Status, TaskState] = {
    "working": TaskState.TASK_STATE_WORKING,
    "input_required": TaskState.TASK_STATE_INPUT_REQUIRED,
    "completed": TaskState.TASK_STATE_COMPLETED,
    "failed": TaskState.TASK_STATE_FAILED,
    "cancelled": TaskState.TASK_STATE_CANCELED,
}


def _read(graph: GraphName, message: Message) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the graph's input and the settings of the run that a message asks for.

    Raises:
        InputError: A part cannot be used.
    """
    inputs: dict[str, Any] = {}
    for data in get_data_parts(message.parts):
        if not isinstance(data, dict):
            raise InputError("data has to be an object with fields of the input")
        inputs |= json.loads(json.dumps(data), parse_float=_number)
    how = inputs.pop("settings", {})
    if not isinstance(how, dict):
        raise InputError("`settings` has to be an object with settings of the run")
    uploads = []
    for part in message.parts:
        if part.WhichOneof("content") == "url":
            raise InputError("files are taken as they are, not by address: nothing is fetched")
        if part.WhichOneof("content") == "raw":
            content = b64encode(part.raw).decode()
            uploads.append({"name": part.filename, "content": content, "encoding": "base64"})
    if uploads and graph not in TAKE_FILES:
        raise InputError(f"{graph} takes no files; synthesize and ingest do")
    if uploads:
        inputs["uploads"] = [*inputs.get("uploads", ()), *uploads]
    field, text = _TEXT.get(graph, "text"), get_message_text(message)
    if field and text:
        inputs[field] = text
    return inputs, how


def _number(text: str) -> int | float:
    """Return a number as it was meant: protobuf knows no integers."""
    value = float(text)
    return int(value) if value.is_integer() else value


async def _said_before(
    runs: Runs, graph: GraphName, conversation: str, message: Message
) -> dict[str, Any]:
    """Return the conversation so far, with the new question as its end."""
    for view in await runs.list(5, conversation=conversation):
        if view.graph == graph and view.status == "completed":
            before = (await runs.get(view.run)).values.get("messages") or []
            asked = {"role": "user", "content": get_message_text(message)}
            return {"messages": [*before, asked], "question": ""}
    return {}


def _headers(context: ServerCallContext) -> Mapping[str, str]:
    return cast(Mapping[str, str], context.state.get("headers", {}))


class RunTasks(InMemoryTaskStore):
    """Tasks under way; those that have ended, or that a restart has left, are read from their runs."""

    def __init__(self, runs_of: RunsOf) -> None:
        super().__init__()
        self._runs_of = runs_of

    async def save(self, task: Task, context: ServerCallContext) -> None:
        """Keep a task while it is under way."""
        if task.status.state in _ENDED:
            await super().delete(task.id, context)
        else:
            await super().save(task, context)

    async def get(self, task_id: str, context: ServerCallContext) -> Task | None:
        """Return a task, or None where the caller has none of this name."""
        if task := await super().get(task_id, context):
            return task
        try:
            view = await self._runs_of(_headers(context)).get(task_id)
        except InputError:
            return None
        status = TaskStatus(state=_STATES[view.status])
        if view.status == "input_required":
            parts = _asked(view)
            asked = Message(role=Role.ROLE_AGENT, message_id=task_id, parts=parts)
            status.message.CopyFrom(asked)
        return Task(
            id=task_id, context_id=view.conversation, status=status, artifacts=_artifacts(view)
        )


_ENDED = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_CANCELED, TaskState.TASK_STATE_REJECTED,
    }
)  # fmt: skip
