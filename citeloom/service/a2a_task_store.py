"""The tasks of A2A callers, which are their runs; nothing of a run is kept here."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import cast

from a2a.server.context import ServerCallContext
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.server.tasks import InMemoryTaskStore, TaskStore
from a2a.types import ListTasksRequest, ListTasksResponse, Task, TaskState
from a2a.utils.errors import InternalError, InvalidParamsError
from starlette.requests import Request

from citeloom.runs.runs import RunSnapshot, UnknownRunError
from citeloom.service.a2a_results import ENDED, task_of
from citeloom.service.tool_answers import RunsOf
from state.run import GraphName
from tools.errors import CiteLoomError, InputError

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
