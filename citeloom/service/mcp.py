"""The tools over the Model Context Protocol: over HTTP beside the LangGraph server, and over stdio.

Written for 2026-07-28 (stateless, `server/discover`, `input_required`, the tasks extension); the SDK
serves clients of earlier versions with the same tools.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route

from citeloom.runs.runs import Runs, RunSnapshot
from citeloom.service.direct_tools import ReadCitations, WatchSearch, read_citations, watch_search
from citeloom.service.entry import caller_of_request
from citeloom.service.mcp_tasks import add_tasks, as_task, has_tasks
from citeloom.service.tool_answers import (
    SCHEMA,
    RunsOf,
    ToolResult,
    files_of,
    mime_of,
    parsed,
    progress_text,
    read,
    to_tool_result,
)
from citeloom.service.tools import (
    TOOLS,
    GetRun,
    StartsRun,
    Tool,
    arguments_of,
    settings_by_tool,
    start,
)
from tools.documented_methods import methods_by_step
from tools.errors import PROGRAM, CiteLoomError, InputError, loggable_trace, logger_of

logger = logger_of(__name__)

PATH = "/citeloom/mcp"
"""A LangGraph server may have a /mcp of its own."""
_TABLES: Mapping[str, tuple[str, Callable[[], Any]]] = {
    "citeloom://methods": (
        "The methods a run can follow, by step: when to use each, and the settings that choose it.",
        methods_by_step,
    ),
    "citeloom://settings": (
        "The settings of a run: what each means, its default, its values, and the tools that have it.",
        settings_by_tool,
    ),
}
"""What does not change, by its address: what it is, and how it is made."""
_INSTRUCTIONS = (
    "Literature reviews with real citations, each claim backed by a checked quote. "
    "Choose find_papers for a reading list, review for a related-work text from "
    "nothing but an idea, check_novelty for what of it was done before, write_related_work "
    "where the papers are known, screen_papers to include or exclude papers by criteria, ask_library "
    "for a short answer, fill_table for one from each of its papers, synthesize_papers for a long one, "
    "verify_citations for a "
    "text that cites, references for printed references, revise to change a section, "
    "ingest to add papers to a library. library_citations tells what its "
    "papers say of one another, watch_search what is new since. Each other starts a run, which goes on after "
    "wait_seconds; get_run shows it, answers it and stops it."
)

Context = ServerRequestContext[Any, Any]


def routes(
    runs_of: RunsOf,
) -> tuple[list[BaseRoute], Callable[[Starlette], AbstractAsyncContextManager[None]]]:
    """Return the route, and what has to be entered while it is served."""
    sessions = StreamableHTTPSessionManager(server(runs_of), stateless=True)

    @asynccontextmanager
    async def serving(_: Starlette) -> AsyncIterator[None]:
        async with sessions.run():
            yield

    return [Route(PATH, StreamableHTTPASGIApp(sessions))], serving


async def serve_stdio(runs: Runs) -> None:
    """Serve on stdin and stdout until stdin ends."""
    from mcp.server.stdio import stdio_server

    served = server(lambda headers: runs)
    async with stdio_server() as (received, sent):
        await served.run(received, sent, served.create_initialization_options())


def server(runs_of: RunsOf) -> Server[Any]:
    """Return the MCP server over some runs."""

    def runs(ctx: Context) -> Runs:
        return runs_of(ctx.request.headers if ctx.request is not None else {})

    async def list_tools(ctx: Context, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS.values()])

    async def call_tool(
        ctx: Context, params: types.CallToolRequestParams
    ) -> Any:  # a task handle is a dictionary: the SDK has no type for it
        try:
            return await _called(runs(ctx), ctx, params)
        except CiteLoomError as error:
            return _failed(str(error))
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - logged, but for its words, which may be a paper's
            logger.error("%s failed: %s", params.name, loggable_trace(error))  # noqa: TRY400
            return _failed(
                f"an unexpected error occurred ({type(error).__name__}); the server's log has details"
            )

    async def list_resources(ctx: Context, params: Any) -> types.ListResourcesResult:
        views = await runs(ctx).list(20)
        listed = [
            *(
                types.Resource(
                    uri=uri,
                    name=f"{uri.rpartition('/')[2]}.json",
                    description=told,
                    mime_type="application/json",
                )
                for uri, (told, _) in _TABLES.items()
            ),
            *(
                types.Resource(
                    uri=uri, name=uri.rpartition("/")[2], description=told, mime_type=mime_of(uri)
                )
                for view in views
                for uri, told in files_of(view).items()
            ),
        ]
        return types.ListResourcesResult(resources=listed)

    async def list_templates(ctx: Context, params: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="file of a run",
            uri_template="citeloom://runs/{run}/{file}",
            description="related_work.md, answer.md, references.bib, audit.json, papers.json, question.json, or "
            "result.json for all that a run gives.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if params.uri in _TABLES:
            told = await asyncio.to_thread(_TABLES[params.uri][1])
            table = types.TextResourceContents(
                uri=params.uri, mime_type="application/json", text=json.dumps(told)
            )
            return types.ReadResourceResult(contents=[table])
        try:
            run, name = parsed(params.uri)
            text = await asyncio.to_thread(read, await runs(ctx).get(run), name)
        except InputError as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"uri": params.uri}) from error
        except CiteLoomError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error
        content = types.TextResourceContents(uri=params.uri, mime_type=mime_of(name), text=text)
        return types.ReadResourceResult(contents=[content])

    made: Server[Any] = Server(
        "citeloom",
        version=version("citeloom"),
        title="CiteLoom",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
    add_tasks(made, runs, result=answered, asking=asked, answer=answer_of)
    return made


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=SCHEMA,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=False,  # else a client calls it unasked, and each may spend its user's money
            destructive_hint=False,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.open_world,
        ),
    )


async def _called(runs: Runs, ctx: Context, params: types.CallToolRequestParams) -> Any:
    tool = TOOLS.get(params.name)
    if not tool:
        raise InputError(f"there is no tool '{params.name}'; there are: {', '.join(TOOLS)}")
    arguments = arguments_of(tool, params.arguments)
    if isinstance(arguments, ReadCitations):
        caller = await caller_of_request(ctx.request) if ctx.request is not None else ""
        return _plain(await read_citations(arguments, caller))
    if isinstance(arguments, WatchSearch):
        if ctx.request is not None:
            raise InputError(
                f"a server watches nothing: connect to `{PROGRAM} mcp`, or call find_papers with `after`"
            )
        return _plain(await watch_search(arguments, runs))
    if isinstance(arguments, GetRun):
        return await _looked(runs, ctx, arguments)
    assert isinstance(arguments, StartsRun)
    if params.request_state:  # a question of the run that this call started was put to a person
        run = params.request_state
        view = await runs.get(run)
        if view.graph != tool.graph:
            raise InputError(f"run '{run}' was not started by {tool.name}")
        await answer_of(runs, view, params.input_responses or {})
    else:
        run = await start(runs, tool, arguments)
        if has_tasks(ctx):
            return as_task(await runs.get(run))
    view = await _awaited(runs, ctx, run, arguments.wait_seconds)
    if view.question and _can_be_asked(ctx):
        return types.InputRequiredResult(input_requests=asked(view), request_state=run)
    return answered(view)


def _plain(told: ToolResult) -> types.CallToolResult:
    result = told.model_dump(mode="json", exclude_defaults=True)
    return types.CallToolResult(
        content=[types.TextContent(text=json.dumps(result, ensure_ascii=False))],
        structured_content=result,
    )


async def _looked(runs: Runs, ctx: Context, asked_for: GetRun) -> types.CallToolResult:
    run = asked_for.run
    if asked_for.answer is not None:
        await runs.answer(run, asked_for.answer)
    elif asked_for.action == "cancel":
        await runs.cancel(run)
    elif asked_for.action == "resume":
        await runs.resume(run)
    view = await _awaited(runs, ctx, run, asked_for.wait_seconds, stops=False)
    return answered(view, asked_for.part, asked_for.page)


async def _awaited(
    runs: Runs, ctx: Context, run: str, seconds: float, *, stops: bool = True
) -> RunSnapshot:
    """Wait until a run rests, but not for long, telling the client how far it is.

    A client that gives up the call which started a run stops the run.
    """
    if not seconds:
        return await runs.get(run)
    told_of = 0
    try:
        async with asyncio.timeout(seconds), aclosing(runs.follow(run)) as views:  # type: ignore[type-var]
            async for view in views:
                told_of += 1
                far = progress_text(view) or view.status
                await ctx.session.report_progress(told_of, None, f"{far} (run {run})")
    except TimeoutError:
        pass
    except asyncio.CancelledError:
        if stops:
            await asyncio.shield(runs.cancel(run))
        raise
    return await runs.get(run)


def answered(view: RunSnapshot, part: str = "", page: int = 1) -> types.CallToolResult:
    """Return what is told of a run as the result of a tool, with links to its files."""
    found = _plain(to_tool_result(view, part, page))
    found.content += [
        types.ResourceLink(
            uri=uri, name=uri.rpartition("/")[2], description=words, mime_type=mime_of(uri)
        )
        for uri, words in files_of(view).items()
    ]
    found.is_error = view.status == "failed"
    return found


def _failed(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=why)], is_error=True)


def _can_be_asked(ctx: Context) -> bool:
    able = ctx.session.client_capabilities
    asks = able.elicitation if able else None
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    return modern and asks is not None and (asks.form is not None or asks.url is None)


def asked(view: RunSnapshot) -> dict[str, Any]:
    """Return the question of a run as a form, under a key of its own."""
    question = view.question or {}
    error = question.get("error")
    message = "\n\n".join(filter(None, (error and f"{error}", question.get("instructions"))))
    content = json.dumps(question, sort_keys=True).encode()
    key = f"{question.get('kind', 'question')}-{hashlib.sha256(content).hexdigest()[:12]}"
    form = types.ElicitRequestFormParams(
        message=message or "Continue?",
        requested_schema={
            "type": "object",
            "properties": {
                "text": {
                    "type": "string",
                    "title": "Proposal",
                    "description": "What the run continues with; edit it, or leave it as it is.",
                    "default": str(question.get("proposal") or ""),
                },
                "stop": {
                    "type": "boolean",
                    "title": "Stop here",
                    "description": "End the run with its results so far.",
                    "default": False,
                },
            },
        },
    )
    return {key: types.ElicitRequest(params=form)}


async def answer_of(runs: Runs, view: RunSnapshot, responses: Mapping[str, Any]) -> None:
    """Hand on what a person answered, if that is to the question that the run now asks."""
    if not view.question:
        return
    (key,) = asked(view)
    if not isinstance(given := responses.get(key), types.ElicitResult) or given.action == "cancel":
        return
    content = given.content or {}
    text = str(content.get("text") or "")
    answer: Any = {"action": "accept", "text": ""}
    if given.action == "decline" or content.get("stop"):
        answer = {"action": "stop", "text": ""}
    elif text and text != view.question.get("proposal"):
        answer = {"action": "edit", "text": text}
    await runs.answer(view.run, answer)
