"""The tasks extension of MCP (io.modelcontextprotocol/tasks, SEP-2663), which SDK 2.3 has no part of.

A task is a run: its id, its status and its question are the run's, so that nothing is kept here.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field

from citeloom.runs.runs import Runs, RunSnapshot
from citeloom.service.tool_answers import progress_text
from tools.errors import CiteLoomError, InputError

EXTENSION = "io.modelcontextprotocol/tasks"

Context = ServerRequestContext[Any, Any]


class TaskParams(types.RequestParams):
    """Which task."""

    task_id: str


class UpdateParams(TaskParams):
    """Which task, and what was answered."""

    input_responses: types.InputResponses = Field(default_factory=dict)


def has_tasks(ctx: Context) -> bool:
    """Whether the client of this request takes a task for a result."""
    able = ctx.session.client_capabilities
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    return modern and able is not None and EXTENSION in (able.extensions or {})


def as_task(view: RunSnapshot, kind: str = "task") -> dict[str, Any]:
    """Return a run as a task. One that failed is completed: its result says that it failed.

    A task fails only where the protocol does.
    """
    status = "completed" if view.status == "failed" else view.status
    return {
        "resultType": kind,
        "taskId": view.run,
        "status": status,
        "statusMessage": view.problem or progress_text(view) or status.replace("_", " "),
        "createdAt": view.started,
        "lastUpdatedAt": view.updated or view.started,
        "ttlMs": None,
        "pollIntervalMs": 2000,
    }


def add_tasks(
    server: Server[Any],
    runs_of: Callable[[Context], Runs],
    *,
    result: Callable[[RunSnapshot], types.CallToolResult],
    asking: Callable[[RunSnapshot], Mapping[str, Any]],
    answer: Callable[[Runs, RunSnapshot, Mapping[str, Any]], Awaitable[None]],
) -> None:
    """Let a server answer tasks/get, tasks/update and tasks/cancel."""

    async def get(ctx: Context, params: TaskParams) -> dict[str, Any]:
        _, view = await _known(ctx, params, runs_of)
        task = as_task(view, "complete")
        if task["status"] == "completed":
            task["result"] = _plain(result(view))
        elif view.question:
            task["inputRequests"] = {key: _plain(form) for key, form in asking(view).items()}
        return task

    async def update(ctx: Context, params: UpdateParams) -> dict[str, Any]:
        runs, view = await _known(ctx, params, runs_of)
        try:
            await answer(runs, view, params.input_responses)
        except CiteLoomError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return {"resultType": "complete"}

    async def cancel(ctx: Context, params: TaskParams) -> dict[str, Any]:
        runs, _ = await _known(ctx, params, runs_of)
        await runs.cancel(params.task_id)
        return {"resultType": "complete"}

    server.extensions[EXTENSION] = {}
    server.add_request_handler("tasks/get", TaskParams, get)
    server.add_request_handler("tasks/update", UpdateParams, update)
    server.add_request_handler("tasks/cancel", TaskParams, cancel)


async def _known(
    ctx: Context, params: TaskParams, runs_of: Callable[[Context], Runs]
) -> tuple[Runs, RunSnapshot]:
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(types.METHOD_NOT_FOUND, "tasks need protocol version 2026-07-28")
    if not has_tasks(ctx):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"declare the extension {EXTENSION} in the capabilities of this request",
            {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
        )
    runs = runs_of(ctx)
    try:
        return runs, await runs.get(params.task_id)
    except InputError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from error
    except CiteLoomError as error:
        raise MCPError(types.INTERNAL_ERROR, str(error)) from error


def _plain(model: Any) -> dict[str, Any]:
    return dict(model.model_dump(by_alias=True, mode="json", exclude_none=True))
