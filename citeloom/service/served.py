"""Runs that a LangGraph server executes, each on a thread of its own."""

from asyncio import Lock, sleep
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from time import monotonic
from typing import Any, cast, get_args
from uuid import UUID
from weakref import WeakValueDictionary

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, ConflictError, LangGraphError, NotFoundError

import graphs
from citeloom.service.runs import GraphName, Progress, RunView, Status
from tools.context import run_settings
from tools.errors import CiteLoomError, InputError, TransientError
from tools.ledger.ledger import finish
from tools.settings import settings

_OURS = "citeloom_graph"
"""In the metadata of a thread that the service made: the graph that it runs."""
_SETTINGS, _CONVERSATION = "citeloom_settings", "citeloom_conversation"
_FAILED = "the run failed on the server; its log says why; resume tries again"
_LOST = "nothing is kept of this run: its server was killed, or it was stopped at once; resume starts it again"
_BEGINS = 5.0
"""Seconds in which a run has begun: its first step is kept, and its ledger open."""
_answers: WeakValueDictionary[str, Lock] = WeakValueDictionary()
"""By run: one answer at a time, for Aegra would keep a second one for the next question."""


class ServedRuns:
    """The port `Runs` over a LangGraph server; runs belong to whom the client's headers name."""

    def __init__(self, client: LangGraphClient) -> None:
        self._client = client

    async def start(
        self,
        graph: GraphName,
        inputs: Mapping[str, Any],
        settings: Mapping[str, Any],
        *,
        name: str = "",
        conversation: str = "",
    ) -> str:
        """Start a run and return its name, which is its thread's."""
        about = {_OURS: graph, _SETTINGS: dict(settings), _CONVERSATION: conversation}
        with _told(name):
            thread = await self._client.threads.create(
                thread_id=name or None, graph_id=graph, metadata=about
            )
            try:
                await self._go_on(thread, input=dict(inputs))
            except APIStatusError:
                await self._client.threads.delete(thread["thread_id"])
                raise
        return thread["thread_id"]

    async def get(self, run: str) -> RunView:
        """Return what is known of a run.

        Raises:
            InputError: The caller has no such run.
        """
        with _told(run):
            thread = await self._thread(run)
            if thread["status"] == "busy":
                return _view(thread, "working")
            state = await self._client.threads.get_state(run)
            last = await self._client.runs.list(run, limit=1)
        question = next((item["value"] for item in state["interrupts"]), None)
        ended = last[0]["status"] if last else "error"
        lost = bool(last) and not state["values"] and ended in {"success", "interrupted"}
        status: Status = "completed"
        if ended in {"pending", "running"}:
            status = "working"
        elif thread["metadata"].get("cancelled"):
            status, question = "cancelled", None
        elif question:
            status = "input_required"
        elif lost or ended in {"error", "timeout"}:
            status = "failed"
        elif state["next"]:
            status = "cancelled"
        values = state["values"] if isinstance(state["values"], dict) else {}
        return _view(thread, status).model_copy(
            update={
                "question": question,
                "values": {
                    key: values[key] for key in _outputs(str(_graph(thread))) if key in values
                },
                "error": (_LOST if lost else _FAILED) if status == "failed" else "",
            }
        )

    async def follow(self, run: str) -> AsyncIterator[RunView]:
        """Tell of a run each time it gets further, the last time when it rests."""
        view = await self.get(run)
        if view.status == "working":
            yield view
            with _told(run):
                last = await self._last(run)
                async for part in self._client.runs.join_stream(
                    run, last["run_id"], stream_mode=["custom"], last_event_id="-1"
                ):
                    if part.event.startswith("custom") and isinstance(part.data, dict):
                        view = view.model_copy(update={"progress": Progress(**part.data)})
                        yield view
            view = await self.get(run)
        yield view

    async def answer(self, run: str, answer: object) -> None:
        """Answer what a run asks, and let it go on.

        Raises:
            InputError: It asks nothing, or by now something else than when this was called.
        """
        with _told(run):
            asked = await self._asked(await self._thread(run))
        async with _answers.setdefault(run, Lock()):
            view = await self.get(run)
            if view.status != "input_required":
                raise InputError(view.error or f"run '{run}' asks nothing")
            with _told(run):
                thread = await self._thread(run)
                if await self._asked(thread) != asked:
                    raise InputError(f"run '{run}' asks something else by now: read that first")
                await self._go_on(thread, command={"resume": {asked: answer}})

    async def resume(self, run: str) -> None:
        """Let a run go on that failed or was stopped, from its last checkpoint or with its question."""
        with _told(run):
            thread = await self._thread(run)
            if thread["metadata"].get("cancelled"):
                await self._client.threads.update(run, metadata={"cancelled": False})
            state = await self._client.threads.get_state(run)
            if not state["interrupts"]:
                # Aegra wants a checkpoint where there is no input; the last one needs no name.
                begun = {"checkpoint": {}} if state["values"] else {"input": await self._input(run)}
                await self._go_on(thread, **begun)

    async def cancel(self, run: str) -> None:
        """Stop a run; what it has stays."""
        view = await self.get(run)
        with _told(run):
            if view.status == "working":
                last = await self._last(run)
                await self._client.runs.cancel(run, last["run_id"], wait=True)
            if view.status in {"working", "input_required"}:
                await self._client.threads.update(run, metadata={"cancelled": True})

    async def finish(self, run: str) -> None:
        """Let a run that is under way end with what it has, as one whose budget is spent does.

        Raises:
            InputError: It is not under way, or another process works on it.
        """
        until = monotonic() + _BEGINS
        while True:
            with _told(run):
                thread = await self._thread(run)
                state: Any = await self._client.threads.get_state(run, subgraphs=True)
            name = _inmost(state).get("run")
            if thread["status"] != "busy":
                raise InputError(f"run '{run}' cannot be told to finish: it rests")
            if name and finish(name, settings().home):
                return
            if monotonic() > until:
                raise InputError(
                    f"run '{run}' cannot be told to finish now: another server works on it, or it has hardly begun"
                )
            await sleep(0.2)

    async def list(self, limit: int = 20, *, conversation: str = "") -> Sequence[RunView]:
        """Return the caller's runs, or those of one conversation, the latest first, without values."""
        with _told():
            threads = await self._client.threads.search(
                metadata={_CONVERSATION: conversation} if conversation else None,
                limit=limit,
                sort_by="updated_at",
                sort_order="desc",
            )
        return [_view(thread, _STATUS[thread["status"]]) for thread in threads if _graph(thread)]

    async def delete(self, run: str) -> None:
        """Delete a run and all that it keeps."""
        with _told(run):
            await self._thread(run)
            await self._client.threads.delete(run)

    async def _thread(self, run: str) -> Any:
        try:
            thread = await self._client.threads.get(str(UUID(run)))
        except ValueError as error:
            raise InputError(f"there is no run '{run}'") from error
        if not _graph(thread):
            raise InputError(f"there is no run '{run}': its thread has run no graph of CiteLoom")
        return thread

    async def _asked(self, thread: Any) -> str:
        """Return which question a thread waits with; "" where it asks nothing."""
        state = await self._client.threads.get_state(thread["thread_id"])
        return next((str(item["id"]) for item in state["interrupts"]), "")

    async def _last(self, run: str) -> Mapping[str, Any]:
        """Return the last time that a thread was set to work, with what it was given."""
        last: Any = await self._client.runs.list(run, limit=1)
        if not last:
            raise InputError(f"run '{run}' has not begun")
        return {**last[0], **(last[0].get("kwargs") or {})}

    async def _input(self, run: str) -> Any:
        """Return what a thread was last given as an input: an answer in between has none."""
        runs: list[Any] = list(await self._client.runs.list(run, limit=20))
        given = ((one.get("kwargs") or one).get("input") for one in runs)
        return next((sent for sent in given if sent), None)

    async def _go_on(self, thread: Any, **given: Any) -> None:
        run = thread["thread_id"]
        if thread["status"] == "busy":  # Aegra would take a second run, whatever the strategy
            raise InputError(f"run '{run}' is being worked on")
        context = thread["metadata"].get(_SETTINGS)
        if context is None:
            had = (await self._last(run)).get("context") or {}
            context = {name: value for name, value in had.items() if name in run_settings()}
        await self._client.runs.create(
            run,
            str(_graph(thread)),
            context=context,
            stream_mode=["custom"],
            stream_subgraphs=True,
            stream_resumable=True,
            multitask_strategy="reject",
            **given,
        )


_STATUS: Mapping[str, Status] = {
    "busy": "working", "interrupted": "input_required", "error": "failed", "idle": "completed",
}  # fmt: skip


def _graph(thread: Any) -> GraphName | None:
    """Return which of our graphs a thread runs, whoever made it; the server notes it with each run."""
    about = thread["metadata"] or {}
    graph = about.get(_OURS) or about.get("graph_id")
    return cast(GraphName, graph) if graph in get_args(GraphName) else None


def _view(thread: Any, status: Status) -> RunView:
    return RunView(
        run=thread["thread_id"],
        graph=cast(GraphName, _graph(thread)),
        status=status,
        conversation=thread["metadata"].get(_CONVERSATION, ""),
        started=str(thread["created_at"]),
        updated=str(thread["updated_at"]),
    )


def _inmost(state: Any) -> dict[str, Any]:
    """Return what a state holds, with that of the graphs inside it."""
    values = dict(state.get("values") or {})
    for task in state.get("tasks") or ():
        if isinstance(task.get("state"), dict):
            values |= _inmost(task["state"])
    return values


@cache
def _outputs(graph: str) -> tuple[str, ...]:
    return tuple(import_module(f"{graphs.__name__}.{graph}").graph.output_channels)


@contextmanager
def _told(run: str = "") -> Iterator[None]:
    """Say in our words what the server refused, and why it did."""
    named = f"run '{run}'" if run else "the run"
    try:
        yield
    except NotFoundError as error:
        raise InputError(f"there is no {named.removeprefix('the ')}") from error
    except ConflictError as error:
        raise InputError(f"{named} is being worked on, or there already: {error}") from error
    except APIStatusError as error:
        why = f"the server refused ({error.status_code}): {error}"
        if error.status_code in {400, 422}:
            raise InputError(str(error)) from error
        if error.status_code == 429 or error.status_code >= 500:
            raise TransientError(why) from error
        raise CiteLoomError(why) from error
    except (LangGraphError, httpx.HTTPError) as error:
        raise TransientError(f"the server cannot be reached: {error}") from error
