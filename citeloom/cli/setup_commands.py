"""What is set up and served: `citeloom doctor`, `settings`, `prompts`, `app`, `dev`, `mcp`, `keys` and more."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn, get_args, get_origin

import typer

from citeloom.cli.commands import Commands, HomelessCommand
from citeloom.cli.telling import print_status
from tools.errors import PROGRAM, InputError, counted, how_to_install

if TYPE_CHECKING:
    from tools.callers import ApiKeys

keys, snapshot = Commands(), Commands()
_Host = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Address to listen on; other machines need a key (`citeloom keys add NAME`).",
    ),
]
_Port = Annotated[int, typer.Option(metavar="NUMBER", envvar="PORT", help="Port to listen on.")]
_SERVER_STARTED_WITH = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
    "MALLOC_ARENA_MAX": "2",  # else the C library keeps a heap for each thread, and gives little of it back
}
"""Unless the environment says otherwise."""


def doctor() -> int:
    """Show what is configured and reachable, what is missing, and how to fix it."""
    from citeloom.cli.doctor import examine

    return examine()


def prompts(
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="A task, to print its prompt; without one, list all."),
    ] = None,
) -> None:
    """List what a model is asked, or print one prompt; CITELOOM_PROMPTS names a folder with prompts of your own."""
    from nodes.common.prompt_overrides import all_tasks, tasks_of
    from tools.errors import did_you_mean

    if task is None:
        for file, one in all_tasks():
            typer.echo(f"{one.name:<28} {one.tier:<7} {file}")
    elif found := tasks_of(task):
        typer.echo("\n\n".join(one.prompt.strip() for one in found))
    else:
        names = {one.name for _, one in all_tasks()}
        raise InputError(f"there is no task '{task}'{did_you_mean(task, names)}")


def settings() -> None:
    """List the methods a run can follow, and what --set NAME=VALUE can change: name, default, meaning."""
    from rich.console import Console
    from rich.table import Table

    from tools.documented_methods import methods_by_step
    from tools.run_settings import setting_fields_by_group

    console = Console(markup=False, highlight=False, emoji=False)
    for step in methods_by_step():
        table = Table(
            "Method", "--set", "When", box=None, title=step["title"], title_justify="left"
        )
        table.columns[1].overflow = "fold"  # to be copied
        for method in step["methods"]:
            chosen = " ".join(f"{name}={value}" for name, value in method["settings"].items())
            table.add_row(method["name"], chosen or "default", method["when"])
        console.print(table, "")
    for title, group in setting_fields_by_group().items():
        table = Table("Name", "Default", "Meaning", box=None, title=title, title_justify="left")
        for name, field in group.items():
            words = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            untold = any(f"'{word}'" not in str(field.description) for word in words)
            one_of = f" One of: {', '.join(words)}." if untold else ""
            default = "none" if field.default is None else str(field.default)
            table.add_row(name, default.lower(), f"{field.description}{one_of}")
        console.print(table, "")


def open_page(ctx: typer.Context, host: _Host = "127.0.0.1", port: _Port = 2024) -> None:
    """Serve the page on this machine until Ctrl-C, and open it in your browser.

    For other machines, and for callers with keys, it is the page of `citeloom dev`.
    """
    from citeloom.service.dev import check_place
    from citeloom.service.entry import asks_for_keys, has_own_auth, is_loopback

    if ctx.args or not is_loopback(host) or asks_for_keys() or has_own_auth():
        _become_server(["--open", "--host", host, "--port", str(port), *ctx.args])
    check_place(host, port)
    from citeloom.service.local_app import serve

    serve(host, port)


def dev(ctx: typer.Context, host: _Host = "127.0.0.1", port: _Port = 2024) -> None:
    """Serve the graphs to the page, to Studio and to agents until Ctrl-C; other options go to `langgraph dev`."""
    _become_server(["--host", host, "--port", str(port), *ctx.args])


def _become_server(options: Sequence[str]) -> NoReturn:
    """Become LangGraph's development server, in a Python that takes the place of this one.

    Raises:
        InputError: It is not installed.
    """
    if missing := [name for name in ("a2a", "langgraph_api") if not find_spec(name)]:
        raise InputError(
            f"{missing[0]} is not installed, and the server needs it: {how_to_install('server,studio')}"
        )
    for name, value in _SERVER_STARTED_WITH.items():
        os.environ.setdefault(name, value)
    os.execv(sys.executable, [sys.executable, "-P", "-m", "citeloom.service.dev", *options])


def mcp() -> None:
    """Serve find, review and the other commands as tools to an agent on this machine, over stdin and stdout (MCP)."""
    import asyncio
    import logging

    from citeloom.runs.local_executor import local_runs
    from citeloom.service.mcp import serve_stdio

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)

    async def run() -> None:
        async with local_runs() as runs:
            await serve_stdio(runs)

    asyncio.run(run())


def language_server(
    papers: Annotated[
        Path | None,
        typer.Option(
            "--papers",
            help="The file of the papers that your texts cite; by default the BibTeX files beside each text.",
        ),
    ] = None,
    sources: Annotated[
        list[str],
        typer.Option(
            "--source",
            metavar="NAME",
            help="Look references up in this source; without one, none is looked up. May be repeated.",
        ),
    ] = [],  # noqa: B006 - Typer's way
) -> None:
    """Show findings, quotes and fixes in your editor while you write (LSP, over stdin and stdout)."""
    from functools import partial

    from citeloom.cli.read_inputs import read_papers_file

    try:
        from citeloom.service.language_server import language_server as made
    except ModuleNotFoundError as error:
        raise InputError(
            f"{error.name} is not installed: to serve an editor, run `pip install 'citeloom[lsp]'`"
        ) from error
    made(partial(read_papers_file, places=True), papers, sources).start_io()


def evaluate(ctx: typer.Context) -> None:
    """Measure how well CiteLoom works on your data."""
    try:
        suites = import_module("evals.__main__").app
    except ModuleNotFoundError as error:
        missing = {"evals": "a checkout of the repository", "rouge_score": "the extra 'evals'"}
        needs = missing.get(str(error.name).partition(".")[0], f"the package '{error.name}'")
        raise InputError(f"the benchmarks need {needs}") from error
    suites(ctx.args or ["--help"], prog_name=f"{PROGRAM} eval")


@keys.command()
def add(
    name: Annotated[str, typer.Argument(help="Name of the caller, a person or a program.")],
    runs_at_once: Annotated[int, typer.Option(min=1, help="Maximum runs at once.")] = 4,
    requests_a_minute: Annotated[
        int, typer.Option(min=1, help="Maximum requests per minute.")
    ] = 600,
    runs_a_day: Annotated[
        int | None, typer.Option(min=1, help="Maximum runs in 24 hours; no limit by default.")
    ] = None,
    usd_a_day: Annotated[
        float | None, typer.Option(min=0, help="Maximum USD per day (UTC); no limit by default.")
    ] = None,
) -> None:
    """Make an API key for a caller and print it once; CiteLoom keeps only a hash."""
    from tools.callers import ApiKeyLimits

    limits = ApiKeyLimits(
        runs_at_once=runs_at_once,
        requests_a_minute=requests_a_minute,
        runs_a_day=runs_a_day,
        usd_a_day=usd_a_day,
    )
    secret = _keys().add(name, limits)
    print_status(
        "CiteLoom shows this key only once. Callers send it as `Authorization: Bearer "
        "KEY` or `X-Api-Key: KEY`."
    )
    typer.echo(secret)


@keys.command("list")
def list_() -> None:
    """List the callers that have an API key, with their limits."""
    for key in _keys().all():
        allowed = key.limits.model_dump(exclude_none=True).items()
        told = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in allowed)
        typer.echo(f"{key.name}  made {key.made:%Y-%m-%d}  {told}")


@keys.command()
def revoke(name: Annotated[str, typer.Argument(help="The caller.")]) -> None:
    """Revoke the API key of a caller; the caller's runs and libraries stay."""
    _keys().revoke(name)


def _keys() -> "ApiKeys":
    from tools.callers import ApiKeys
    from tools.settings import settings as process_settings

    return ApiKeys(process_settings().home)


@snapshot.callback()
def _group() -> None:
    """Keep the only command a command of its own."""


@snapshot.command(cls=HomelessCommand)
def build(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Files of works from OpenAlex's dump (JSON lines, .gz or not), and folders that hold them.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the local copy; CiteLoom creates it if needed.")
    ],
    year: Annotated[
        str | None,
        typer.Option(metavar="YEARS", help="Only these years: 2019-2023, 2019- or -2023."),
    ] = None,
    field: Annotated[
        list[str],
        typer.Option(
            "--field",
            help="Only works of a topic, subfield, field or domain of OpenAlex, by its English name, such as "
            "'Computer Science'; may be repeated.",
        ),
    ] = [],  # noqa: B006 - typer copies it
    language: Annotated[
        list[str],
        typer.Option(
            "--language", help="Only works in this language, such as en; may be repeated."
        ),
    ] = [],  # noqa: B006
    abstracts: Annotated[bool, typer.Option(help="Only works with an abstract.")] = False,
) -> None:
    """Build a local copy of part of OpenAlex for the source 'snapshot', or add files to one.

    Run again, it goes on where it was stopped.
    """
    from rich.console import Console

    from citeloom.cli.option_values import years_of
    from tools.scholar.snapshot_building import Filters
    from tools.scholar.snapshot_building import build as build_slice

    filters = Filters(
        **years_of(year), fields=tuple(field), languages=tuple(language), abstracts=abstracts
    )
    with Console(stderr=True, highlight=False).status("reading") as status:
        made = build_slice(files, out, filters, lambda line: status.update(line))
    typer.echo(
        f"{counted(made.works, 'work')} ({made.told}): set CITELOOM_SNAPSHOT={out.resolve()}, and search them with "
        "--source snapshot"
    )
