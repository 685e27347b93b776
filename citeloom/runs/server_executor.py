"""Runs that a LangGraph server executes, each on a thread of its own."""

from asyncio import sleep
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, cast, get_args
from uuid import UUID

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, ConflictError, LangGraphError, NotFoundError

from citeloom.runs.runs import RunReport, Runs, UnknownRunError
from state.run import GraphName
from tools.errors import CiteLoomError, InputError, TransientError
from tools.ledger.run_ledger import request_finish
from tools.run_settings import setting_fields
from tools.settings import settings

_OURS = "citeloom_graph"
"""In the metadata of a thread that the service made: the graph that it runs."""
_SETTINGS, _CONVERSATION = "citeloom_settings", "citeloom_conversation"
_FAILED = "the run failed on the server; the server's log says why; to try again, resume the run"
_LOST = (
    "this run has no saved state: its server was killed, or someone stopped it at "
    "once. Resume it to start again"
)


def server_runs(client: LangGraphClient) -> Runs:
    """Return the runs of whom the client's headers name, on a LangGraph server."""
    return Runs(ServerExecutor(client))


class ServerExecutor:
    """Executes runs on a LangGraph server."""

    def __init__(self, client: LangGraphClient) -> None:
        self._client = client

    async def begin(
        self,
        graph: GraphName,
        inputs: Mapping[str, Any],
        settings: Mapping[str, Any],
        *,
        name: str,
        conversation: str,
        results: Mapping[str, Any],  # a server's callers ask for the files
    ) -> str:
        """Begin a run; its name is its thread's. See `Executor`."""
        about = {_OURS: graph, _SETTINGS: dict(settings), _CONVERSATION: conversation}
        with _sdk_errors_translated():
            thread = await self._client.threads.create(
                thread_id=name or None, graph_id=graph, metadata=about
            )
            try:
                await self._go_on(thread, {}, stream_mode=["custom"], input=dict(inputs))
            except APIStatusError:
                await self._client.threads.delete(thread["thread_id"])
                raise
        return thread["thread_id"]

    async def proceed(
        self,
        run: str,
        *,
        answer: tuple[str, object] | None = None,
        settings: Mapping[str, Any],
        results: Mapping[str, Any],
    ) -> None:
        """Let a run go on; see `Executor`."""
        with _sdk_errors_translated(run):
            thread = await self._thread(run)
            if answer:
                await self._go_on(thread, settings, command={"resume": dict([answer])})
                return
            if thread["metadata"].get("cancelled"):
                await self._client.threads.update(run, metadata={"cancelled": False})
            state = await self._client.threads.get_state(run)
            if not state["interrupts"]:
                # Aegra wants a checkpoint where there is no input; the last one needs no name.
                begun = {"checkpoint": {}} if state["values"] else {"input": await self._input(run)}
                await self._go_on(thread, settings, **begun)

    async def stop(self, run: str) -> None:
        """Stop a run; see `Executor`."""
        report = await self.report(run)
        with _sdk_errors_translated(run):
            if worked := report.busy:
                with suppress(NotFoundError):  # it has just ended
                    await self._client.runs.cancel(run, report.about["run_id"], wait=True)
                report = await self.report(run)
            stopped = worked and (report.busy or report.steps_left or not report.values)
            if stopped or report.asked is not None:
                await self._client.threads.update(run, metadata={"cancelled": True})

    async def report(self, run: str) -> RunReport:
        """Return what is known of a run; without its values while it is worked on."""
        with _sdk_errors_translated(run):
            thread = await self._thread(run)
            last: Any = await self._client.runs.list(run, limit=1)
            ended = last[0]["status"] if last else "error"
            about = {**thread["metadata"], "run_id": last[0]["run_id"] if last else ""}
            if thread["status"] == "busy" or ended in {"pending", "running"}:
                return _report_of(thread, busy=True, about=about)
            state: Any = await self._client.threads.get_state(run, subgraphs=True)
        values = state["values"] if isinstance(state["values"], dict) else {}
        lost = bool(last) and not state["values"] and ended in {"success", "interrupted"}
        failed = lost or ended in {"error", "timeout"}
        asked = next(iter(state["interrupts"]), {"id": None, "value": None})
        return _report_of(
            thread,
            failed=failed,
            asked=asked["id"],
            question=asked["value"],
            steps_left=bool(state["next"]),
            values=values,
            inner_values=_inner_values(state),
            error=(_LOST if lost else _FAILED) if failed else "",
            about=about,
        )

    async def reports(self, limit: int, conversation: str) -> Sequence[RunReport]:
        """Return what is known of the caller's runs, the latest first; see `Executor`."""
        with _sdk_errors_translated():
            threads = await self._client.threads.search(
                metadata={_CONVERSATION: conversation} if conversation else None,
                limit=limit,
                sort_by="updated_at",
                sort_order="desc",
            )
        return [
            _report_of(
                thread,
                busy=thread["status"] == "busy",
                asked="" if thread["status"] == "interrupted" else None,
                failed=thread["status"] == "error",
            )
            for thread in threads
            if _graph(thread)
        ]

    async def events(self, run: str) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the progress of a run, wherever its server executes it; see `Executor`."""
        with _sdk_errors_translated(run):
            last = await self._last(run)
            async for part in self._client.runs.join_stream(
                run, last["run_id"], stream_mode=["custom"], last_event_id="-1"
            ):
                if part.event.startswith("custom") and isinstance(part.data, dict):
                    yield part.data

    async def finish(self, run: str) -> None:
        """Let a run that works end with what it has; see `Executor`."""
        # By then it has begun: its first step is kept, and its ledger open.
        until = monotonic() + 5.0
        while True:
            with _sdk_errors_translated(run):
                thread = await self._thread(run)
                state: Any = await self._client.threads.get_state(run, subgraphs=True)
            name = _inner_values(state).get("run")
            if thread["status"] != "busy":
                raise InputError(f"run '{run}' cannot finish now: it is not working")
            if name and request_finish(name, settings().home):
                return
            if monotonic() > until:
                raise InputError(
                    f"run '{run}' cannot finish now: another server works on it, or it has only just "
                    "begun"
                )
            await sleep(0.2)

    async def _thread(self, run: str) -> Any:
        try:
            thread = await self._client.threads.get(str(UUID(run)))
        except ValueError as error:
            raise UnknownRunError(f"there is no run '{run}'") from error
        if not _graph(thread):
            raise UnknownRunError(f"there is no run '{run}': its thread ran no graph of CiteLoom")
        return thread

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

    async def _go_on(self, thread: Any, settings: Mapping[str, Any], **given: Any) -> None:
        run = thread["thread_id"]
        if thread["status"] == "busy":  # Aegra would take a second run, whatever the strategy
            raise InputError(f"run '{run}' is still working")
        context = thread["metadata"].get(_SETTINGS)
        if context is None:
            had = (await self._last(run)).get("context") or {}
            context = {name: value for name, value in had.items() if name in setting_fields()}
        await self._client.runs.create(
            run,
            str(_graph(thread)),
            context={**context, **settings},
            stream_subgraphs=True,
            stream_resumable=True,
            multitask_strategy="reject",
            # From a run that goes on the page shows papers as they are found.
            **{"stream_mode": ["custom", "updates"], **given},
        )


def _graph(thread: Any) -> GraphName | None:
    """Return which of our graphs a thread runs, whoever made it; the server notes it with each run."""
    about = thread["metadata"] or {}
    graph = about.get(_OURS) or about.get("graph_id")
    return cast(GraphName, graph) if graph in get_args(GraphName) else None


def _report_of(thread: Any, **known: Any) -> RunReport:
    about = thread["metadata"] or {}
    return RunReport(
        run=thread["thread_id"],
        graph=cast(GraphName, _graph(thread)),
        cancelled=bool(about.get("cancelled")),
        conversation=about.get(_CONVERSATION, ""),
        started=str(thread["created_at"]),
        updated=str(thread["updated_at"]),
        **known,
    )


def _inner_values(state: Any) -> dict[str, Any]:
    """Return what a state holds, with that of the graphs inside it."""
    values = dict(state.get("values") or {})
    for task in state.get("tasks") or ():
        if isinstance(task.get("state"), dict):
            values |= _inner_values(task["state"])
    return values


@contextmanager
def _sdk_errors_translated(run: str = "") -> Iterator[None]:
    """Say in our words what the server refused, and why it did; of a `run`, that there is none."""
    named = f"run '{run}'" if run else "the run"
    try:
        yield
    except ConflictError as error:
        raise InputError(f"{named} is still working, or exists already: {error}") from error
    except APIStatusError as error:
        if run and isinstance(error, NotFoundError):
            raise UnknownRunError(f"there is no {named}") from error
        why = f"the server refused ({error.status_code}): {error}"
        if error.status_code in {400, 404, 422}:
            raise InputError(str(error)) from error
        if error.status_code == 429 or error.status_code >= 500:
            raise TransientError(why) from error
        raise CiteLoomError(why) from error
    except (LangGraphError, httpx.HTTPError) as error:
        raise TransientError(f"the server cannot be reached: {error}") from error
