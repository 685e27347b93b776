"""The commands. Those that run a graph are made when they are called, out of what the graph takes."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, Signature
from itertools import zip_longest
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand

from citeloom.cli.evals import evaluate
from citeloom.cli.keys import app as keys_app
from citeloom.cli.library.commands import app as library_app
from citeloom.cli.references import references
from citeloom.cli.runs_commands import app as runs_app
from citeloom.cli.snapshot import app as snapshot_app
from citeloom.cli.telling import exit_on_error
from citeloom.cli.update import update
from citeloom.cli.wording import WordedGroup, worded


@dataclass(frozen=True)
class RunCommand:
    """A command that runs a graph."""

    graph: str
    told: str
    takes: str
    """Where the fields of its input are declared, as module:class."""
    panel: str
    """The heading of the list of commands under which it stands."""
    settings: tuple[str, ...] = ()
    """The settings of a run that have an option here; the others are given with --set."""
    alone: tuple[str, ...] = ()
    """What only the command line knows: names in citeloom.cli.options, arguments first."""
    without: tuple[str, ...] = ()
    """Fields of the input that are given otherwise."""


_QUESTIONS = ("review_cost", "review_queries", "review_papers", "review_plan", "review_text")
_CHECKING = ("full_text", "max_copies")
_SECTION = ("PLAN", "FORMATS", "OUT", "AS_JSON")
_REVIEWS, _ASKING, _KEEPING = "Reviews of literature", "Asking papers", "What is here"
_RUNS = {
    "review": RunCommand(
        "review", "Find the prior work of an abstract and write a related-work section about it.",
        "state.inputs:ReviewInput", _REVIEWS, ("writer", *_QUESTIONS, *_CHECKING),
        ("INPUT", *_SECTION, "RESUME"),
    ),
    "find": RunCommand(
        "find", "Find and rank the prior work of an abstract, an idea or a question.",
        "state.inputs:FindInput", _REVIEWS, _QUESTIONS[:3],
        ("INPUT", "OUT", "AS_JSON", "RESUME"),
    ),
    "write": RunCommand(
        "write", "Write a related-work section about papers that you name.",
        "state.inputs:WriteInput", _REVIEWS,
        ("writer", "review_cost", *_QUESTIONS[3:], *_CHECKING), ("INPUT", "PAPERS", *_SECTION, "RESUME"),
    ),
    "revise": RunCommand(
        "revise", "Write a run's section anew as you ask, without searching again, and check it again.",
        "state.inputs:ReviseInput", _REVIEWS, ("review_text", *_CHECKING),
        ("REVISED", "EDITED", *_SECTION), without=("section",),
    ),
    "verify": RunCommand(
        "verify",
        "Check each citation of a text against the paper it cites. Exit code 0: all hold; 3: one does not, or was "
        "not checked; 2: the input cannot be used; 1: the run was stopped.",
        "state.inputs:VerifyInput", _REVIEWS, _CHECKING,
        ("MANUSCRIPT", "PAPERS", "OUT", "AS_JSON", "RESUME"),
    ),
    "ask": RunCommand(
        "ask", "Ask the papers of a library; each sentence of the answer shows the words it rests on.",
        "state.inputs:AskInput", _ASKING, ("review_cost",),
        ("QUESTION", "YEAR", "TRACE", "LISTEN", "SPEAK", "OUT", "AS_JSON", "RESUME"),
    ),
    "chat": RunCommand(
        "ask", "Converse with the papers of a library; budgets are for each question.",
        "state.inputs:AskInput", _ASKING, (), ("YEAR", "LISTEN", "SPEAK", "RESUME"),
    ),
    "synthesize": RunCommand(
        "synthesize",
        "Answer a question from a stack of papers, each line with its sources and what they cite.",
        "state.synthesis:SynthesizeInput", _ASKING, ("review_cost",),
        ("QUESTION", "FILES", "TRACE", "OUT", "AS_JSON", "RESUME"), without=("uploads", "paths"),
    ),
}  # fmt: skip
_GIVEN = frozenset({"text", "question", "messages", "plan", "first_year", "last_year"})
"""Fields that an argument, a file or --year gives."""


def _made(name: str) -> Any:
    """Return a command of the table above, with its options."""
    from citeloom.cli import options
    from tools.run_settings import setting_fields

    spec = _RUNS[name]
    module, _, model = spec.takes.partition(":")
    fields = getattr(import_module(module), model).model_fields
    inputs = [key for key in fields if key not in _GIVEN and key not in spec.without]
    settings = ["mind", *spec.settings, "max_calls"]
    parameters = [
        *(options.option_of(key, fields[key]) for key in inputs),
        *(getattr(options, constant) for constant in spec.alone),
        *(options.option_of(key, setting_fields()[key]) for key in settings),
        options.MAX_USD,
        options.SET_OPTION,
    ]
    parameters.sort(key=options.place)

    def run(**given: Any) -> None:
        from citeloom.cli.run_command import Command

        told: dict[str, Any] = {key: given.pop(key) for key in inputs}
        if "year" in given:
            told |= options.years_of(given.pop("year"))
        how: dict[str, Any] = {key: given.pop(key) for key in settings}
        how |= options.budgets_of(given.pop("max_usd"))
        shown = ("trace", "speak", "listen")
        show: dict[str, Any] = {key: given.pop(key) for key in shown if key in given}
        if "input" in given and (listened := show.pop("listen", None)) and not given["resume"]:
            from citeloom.cli.voice import listen_for_question

            with exit_on_error():
                given["input"] = listen_for_question(listened)
        _entry(name)(Command(graph=spec.graph, options=told, context=how, show=show, **given))

    return _command(name, run, spec.told, parameters)


def _entry(name: str) -> Callable[[Any], None]:
    if name == "chat":
        from citeloom.cli.chat import chat_loop

        return chat_loop
    from citeloom.cli.run_command import execute

    return execute


class _WithQuestions(TyperCommand):
    """Takes `--review-plan` alone as `--review-plan on`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        flags = {f"--{name.replace('_', '-')}" for name in _QUESTIONS}
        words = {"on", "off", "auto"}
        given: list[str] = []
        for arg, following in zip_longest(args, args[1:]):
            given += [arg, "on"] if arg in flags and following not in words else [arg]
        return list(super().parse_args(ctx, given))


def _command(name: str, run: Any, told: str, parameters: list[Parameter]) -> Any:
    run.__signature__ = Signature(parameters)
    made = typer.Typer(add_completion=False)
    made.command(name, help=told, cls=_WithQuestions)(run)
    return typer.main.get_command(made)


class _Commands(WordedGroup):
    """Lists all commands at once, and makes the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, worded(_made(name), ctx) if name in _RUNS else command, rest


app = typer.Typer(
    name="citeloom",
    help="Literature reviews in which every citation is real and every claim is backed by a checked quote.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    cls=_Commands,
)


def _tell_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"citeloom {version('citeloom')}")
        raise typer.Exit


@app.callback()
def _program(
    _: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_tell_version)
    ] = False,
) -> None: ...


for _name, _spec in _RUNS.items():
    app.command(_name, help=_spec.told, rich_help_panel=_spec.panel)(lambda: None)
app.add_typer(
    library_app,
    name="library",
    help="Add papers to a library, list and remove them.",
    rich_help_panel=_ASKING,
)
app.add_typer(
    snapshot_app,
    name="snapshot",
    help="Have a part of OpenAlex on this machine, to search it there.",
    rich_help_panel=_REVIEWS,
)
app.add_typer(keys_app, name="keys", help="Let others call your server.", rich_help_panel=_KEEPING)
app.add_typer(runs_app, name="runs", help="List and show what was done.", rich_help_panel=_KEEPING)
app.command(
    "eval",
    rich_help_panel=_KEEPING,
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    },
)(evaluate)


app.command(rich_help_panel=_REVIEWS)(update)
app.command(rich_help_panel=_REVIEWS)(references)


@app.command(rich_help_panel=_KEEPING)
def doctor(
    qdrant: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Try every call that CiteLoom makes of this Qdrant server, on a collection of its own.",
        ),
    ] = None,
) -> None:
    """Show what is configured, what can be reached, what is missing, and how to fix it."""
    from citeloom.cli.doctor import examine, examine_server

    if qdrant is not None:
        examine_server(qdrant)
    examine()


_Host = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Where to listen; other machines need a key (`citeloom keys add NAME`).",
    ),
]
_Port = Annotated[int, typer.Option(metavar="NUMBER", envvar="PORT", help="Port to listen on.")]
_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


@app.command("app", rich_help_panel=_KEEPING, context_settings=_PASSED_ON)
def open_page(ctx: typer.Context, host: _Host = "127.0.0.1", port: _Port = 2024) -> None:
    """Serve the page on this machine until Ctrl-C, and open it in your browser."""
    _serve(["--open", "--host", host, "--port", str(port), *ctx.args])


@app.command(rich_help_panel=_KEEPING, context_settings=_PASSED_ON)
def dev(ctx: typer.Context, host: _Host = "127.0.0.1", port: _Port = 2024) -> None:
    """Serve the graphs to the page, to Studio and to agents until Ctrl-C; other options go to `langgraph dev`."""
    _serve(["--host", host, "--port", str(port), *ctx.args])


def _serve(options: list[str]) -> None:
    from citeloom.cli.servers import serve

    with exit_on_error():
        serve(options)


@app.command(rich_help_panel=_KEEPING)
def mcp() -> None:
    """Serve find, review and the others as tools to an agent on this machine, over stdin and stdout (MCP)."""
    from citeloom.cli.agents import serve

    with exit_on_error():
        serve()


@app.command(rich_help_panel=_KEEPING)
def settings() -> None:
    """List what --set NAME=VALUE can change in a run: name, default, meaning."""
    from rich.console import Console
    from rich.table import Table

    from tools.run_settings import setting_fields_by_group

    console = Console(markup=False, highlight=False, emoji=False)
    for title, group in setting_fields_by_group().items():
        table = Table("Name", "Default", "Meaning", box=None, title=title, title_justify="left")
        for name, field in group.items():
            words = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            untold = any(f"'{word}'" not in str(field.description) for word in words)
            one_of = f" One of: {', '.join(words)}." if untold else ""
            default = "none" if field.default is None else str(field.default)
            table.add_row(name, default.lower(), f"{field.description}{one_of}")
        console.print(table, "")
