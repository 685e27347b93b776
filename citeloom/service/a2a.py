"""The graphs as A2A agents: a task is a run, a question to a person is TASK_STATE_INPUT_REQUIRED.

There is an agent for each graph, and one for the whole service, whose skills the graphs are. Protocol
1.0 is served, and 0.3 by the SDK's translation. Tasks are their callers' runs; nothing of a run is kept here.
Source: https://a2a-protocol.org/latest/specification/
"""

import asyncio
import json
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any, cast, get_args

from a2a.helpers import get_data_parts, get_message_text, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.server.tasks import InMemoryTaskStore, TaskStore, TaskUpdater
from a2a.types import ListTasksRequest, ListTasksResponse, Message, Task, TaskState, TaskStatus
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from a2a.utils.errors import InternalError, InvalidParamsError
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from citeloom.runs.runs import Runs, RunSnapshot, UnknownRunError
from citeloom.service.a2a_messages import (
    ENDED,
    TAKE_FILES,
    artifacts_of,
    card_of,
    parts_told,
    path_of,
    state_of,
    task_of,
)
from citeloom.service.entry import CARD, asks_for_keys, has_own_auth
from citeloom.service.tool_answers import RunsOf
from graphs.calling import check_names
from state.run import GraphName
from tools.errors import CiteLoomError, InputError

DEFAULT: GraphName = "review"
"""The skill of a message to the whole service that names none."""
_TEXT = {
    "ask": "question",
    "synthesize": "question",
    "screen": "question",
    "revise": "instruction",
    "ingest": "",
    "table": "questions",
}
"""The field of a graph's input that the text of a message is, where it is not `text`."""


def asked_for(
    message: Message, graph: GraphName | None
) -> tuple[GraphName, dict[str, Any], dict[str, Any]]:
    """Return which graph a message is for, its input, and the settings of the run.

    Args:
        message: As it was sent.
        graph: The graph of the agent that it was sent to; None for the whole service, to which a message
            names its `skill` in its data.

    Raises:
        InputError: A part cannot be used; the text says what can.
    """
    inputs = _data(message)
    skill = str(inputs.pop("skill", graph or DEFAULT))
    skills = [graph] if graph else list(get_args(GraphName))
    if skill not in skills:
        raise InputError(f"there is no skill '{skill}' here: choose one of {', '.join(skills)}")
    chosen = cast(GraphName, skill)
    settings = inputs.pop("settings", {})
    if not isinstance(settings, dict):
        raise InputError("`settings` must be an object with settings of the run")
    check_names(chosen, inputs, settings)
    if uploads := _files(message):
        if chosen not in TAKE_FILES:
            raise InputError(f"{chosen} takes no files; {' and '.join(sorted(TAKE_FILES))} do")
        inputs["uploads"] = [*inputs.get("uploads", ()), *uploads]
    field, text = _TEXT.get(chosen, "text"), get_message_text(message)
    if field and text:
        inputs[field] = [text] if field == "questions" else text
    return chosen, inputs, settings


def _data(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for data in get_data_parts(message.parts):
        if not isinstance(data, dict):
            raise InputError("data must be an object with fields of the input")
        found |= json.loads(json.dumps(data), parse_float=_number)
    return {name: value for name, value in found.items() if value is not None}


def _number(text: str) -> int | float:
    """Return a number as it was meant: protobuf knows no integers."""
    value = float(text)
    return int(value) if value.is_integer() else value


def _files(message: Message) -> list[dict[str, str]]:
    uploads = []
    for part in message.parts:
        if part.WhichOneof("content") == "url":
            raise InputError(
                "send files with their content, not by address: CiteLoom fetches nothing"
            )
        if part.WhichOneof("content") == "raw":
            content = b64encode(part.raw).decode()
            uploads.append({"name": part.filename, "content": content, "encoding": "base64"})
    return uploads


_BASE = "base_url"


class Contexts(DefaultServerCallContextBuilder):
    """What is known of a call: who sends it, and under which address it knows this server."""

    def build(self, request: Request) -> ServerCallContext:
        """Return it for a request."""
        context = super().build(request)
        context.state[_BASE] = str(request.base_url).rstrip("/")
        return context


def headers_of(context: ServerCallContext) -> Mapping[str, str]:
    """Return the headers with which a call was sent."""
    return cast(Mapping[str, str], context.state.get("headers", {}))


def base_of(context: ServerCallContext) -> str:
    """Return the address of this server as the caller knows it."""
    return str(context.state.get(_BASE, ""))


class RunTasks(TaskStore):
    """The tasks of one agent, or of all: read from the runs, but for those that this process tells of.

    Those are tasks under way, and those that came to no run.
    """

    def __init__(self, graph: GraphName | None, runs_of: RunsOf) -> None:
        self._graph = graph
        self._runs_of = runs_of
        self._kept: OrderedDict[tuple[str, str], Task] = OrderedDict()

    async def save(self, task: Task, context: ServerCallContext) -> None:
        """Keep a task while its events are sent; stop the run of a cancelled task."""
        key = _key(task.id, context)
        self._kept.pop(key, None)
        state = task.status.state
        if state == TaskState.TASK_STATE_CANCELED:
            await self._runs_of(headers_of(context)).cancel(task.id)
        elif state != TaskState.TASK_STATE_INPUT_REQUIRED and (
            state not in ENDED or await self._view(task.id, context) is None
        ):
            self._kept[key] = _copy(task)
            while len(self._kept) > 1000:
                self._kept.popitem(last=False)

    async def get(self, task_id: str, context: ServerCallContext) -> Task | None:
        """Return a task, or None where the caller has none of this name."""
        return await self._told(task_id, context, whole=True)

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        """Forget what is kept of a task; its run stays."""
        self._kept.pop(_key(task_id, context), None)

    async def list(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        """Return a page of the caller's tasks, those last changed first."""
        runs = self._runs_of(headers_of(context))
        # As many as the servers list at once.
        views = await runs.list(1000, conversation=params.context_id)
        tasks = {
            view.run: task_of(view, whole=False)
            for view in views
            if self._graph in {None, view.graph}
        }
        if params.status:  # a listing does not know how a run ended
            tasks = {task.id: task for task in (await self._all(list(tasks), context, whole=False))}
        owner = _key("", context)[0]
        tasks |= {task: kept for (whose, task), kept in self._kept.items() if whose == owner}
        listing = InMemoryTaskStore()
        for task in tasks.values():
            await listing.save(task, context)
        page = await listing.list(params, context)
        shown = await self._all(
            [task.id for task in page.tasks], context, whole=params.include_artifacts
        )
        del page.tasks[:]
        page.tasks.extend(shown)
        return page

    async def _all(
        self, names: Sequence[str], context: ServerCallContext, *, whole: bool
    ) -> Sequence[Task]:
        free = asyncio.Semaphore(8)

        async def one(name: str) -> Task | None:
            async with free:
                return await self._told(name, context, whole=whole)

        return [task for task in await asyncio.gather(*map(one, names)) if task]

    async def _told(self, task_id: str, context: ServerCallContext, *, whole: bool) -> Task | None:
        if kept := self._kept.get(_key(task_id, context)):
            return _copy(kept)
        view = await self._view(task_id, context)
        if view is None or self._graph not in {None, view.graph}:
            return None
        return await asyncio.to_thread(task_of, view, base_of(context), whole=whole)

    async def _view(self, task_id: str, context: ServerCallContext) -> RunSnapshot | None:
        with errors_of_protocol(), suppress(UnknownRunError):
            return await self._runs_of(headers_of(context)).get(task_id)
        return None


@contextmanager
def errors_of_protocol() -> Iterator[None]:
    """Raise our errors as those that A2A tells a caller."""
    try:
        yield
    except InputError as error:
        raise InvalidParamsError(message=str(error)) from error
    except CiteLoomError as error:
        raise InternalError(message=str(error)) from error


def _key(task_id: str, context: ServerCallContext) -> tuple[str, str]:
    """Return whose task it is, as far as the headers tell, and its name."""
    headers = headers_of(context)
    known = "\n".join(headers.get(name, "") for name in ("authorization", "x-api-key"))
    return sha256(known.encode()).hexdigest(), task_id


def _copy(task: Task) -> Task:
    copied = Task()
    copied.CopyFrom(task)
    return copied


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
