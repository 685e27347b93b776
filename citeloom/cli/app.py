"""The commands. Those that run a graph are made when they are called, out of what the graph takes."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from citeloom.cli.evals import evaluate
from citeloom.cli.history import app as runs_app
from citeloom.cli.library.commands import app as library_app
from citeloom.cli.telling import errors_told

_BUDGETS = ("max_tokens", "max_calls", "max_minutes")
_ASKING = ("method", "retriever", "max_hops")


@dataclass(frozen=True)
class RunCommand:
    """A command that runs a graph."""

    graph: str
    told: str
    takes: str
    """Where the fields of its input are declared, as module:class."""
    settings: tuple[str, ...] = ()
    """The settings of a run that have an option here; the others are given with --set."""
    alone: tuple[str, ...] = ()
    """What only the command line knows: names in citeloom.cli.options, arguments first."""
    without: tuple[str, ...] = ()
    """Fields of the input that are given otherwise."""


_SECTION = ("PLAN", "FORMATS", "OUT", "AS_JSON")
_RUNS = {
    "ask": RunCommand(
        "ask", "Ask the papers of a library; each sentence of the answer shows the words it rests on.",
        "state.request:AskInput", _ASKING,
        ("QUESTION", "YEAR", "TRACE", "LISTEN", "SPEAK", "OUT", "AS_JSON", "RESUME"),
    ),
    "chat": RunCommand(
        "ask", "Converse with the papers of a library; budgets are for each question.",
        "state.request:AskInput", _ASKING, ("YEAR", "LISTEN", "SPEAK", "RESUME"),
    ),
    "synthesize": RunCommand(
        "synthesize",
        "Answer a question from a stack of papers, each line with its sources and what they cite.",
        "state.synthesis:SynthesizeInput",
        ("refresh", "relevance", "updates"),
        ("QUESTION", "FILES", "TRACE", "OUT", "AS_JSON", "RESUME"), without=("uploads", "paths"),
    ),
    "review": RunCommand(
        "review", "Find the prior work of an abstract and write a related-work section about it.",
        "state.request:ReviewInput", ("refresh", "writer", "review_plan"),
        ("INPUT", *_SECTION, "RESUME"),
    ),
    "find": RunCommand(
        "find", "Find and rank the prior work of an abstract, an idea or a question.",
        "state.request:FindInput", ("refresh",), ("INPUT", "OUT", "AS_JSON", "RESUME"),
    ),
    "write": RunCommand(
        "write", "Write a related-work section about papers that you name.",
        "state.request:WriteInput", ("refresh", "writer", "review_plan"),
        ("INPUT", "PAPERS", *_SECTION, "RESUME"),
    ),
    "revise": RunCommand(
        "revise", "Write a run's section anew as you ask, without searching again, and check it again.",
        "state.request:ReviseInput", (), ("REVISED", *_SECTION), without=("section",),
    ),
    "verify": RunCommand(
        "verify",
        "Check each citation of a text against the paper it cites; exit 3 if one does not hold.",
        "state.request:VerifyInput", ("refresh",),
        ("INPUT", "PAPERS", "OUT", "AS_JSON", "RESUME"),
    ),
}  # fmt: skip
_GIVEN = frozenset({"text", "question", "messages", "plan", "first_year", "last_year"})
"""Fields that an argument, a file or --year gives."""


def _made(name: str) -> Any:
    """Return a command of the table above, with its options."""
    from citeloom.cli import options
    from tools.context import run_settings

    spec = _RUNS[name]
    module, _, model = spec.takes.partition(":")
    fields = getattr(import_module(module), model).model_fields
    inputs = [key for key in fields if key not in _GIVEN and key not in spec.without]
    settings = ["mind", *spec.settings, *_BUDGETS]
    parameters = [
        *(options.option_of(key, fields[key]) for key in inputs),
        *(getattr(options, constant) for constant in spec.alone),
        *(options.option_of(key, run_settings()[key]) for key in settings),
        options.MAX_USD, options.KNOBS,
    ]  # fmt: skip

    def run(**given: Any) -> None:
        from citeloom.cli.runs import Command

        told: dict[str, Any] = {key: given.pop(key) for key in inputs}
        if "year" in given:
            told |= options.years_of(given.pop("year"))
        how: dict[str, Any] = {key: given.pop(key) for key in settings}
        how |= options.budgets_of(given.pop("max_usd"))
        shown = ("trace", "speak", "listen")
        show: dict[str, Any] = {key: given.pop(key) for key in shown if key in given}
        if "input" in given and (listened := show.pop("listen", None)) and not given["resume"]:
            from citeloom.cli.voice import heard

            with errors_told():
                given["input"] = heard(listened)
        _entry(name)(Command(graph=spec.graph, options=told, context=how, show=show, **given))

    return _command(name, run, spec.told, parameters)


def _entry(name: str) -> Callable[[Any], None]:
    if name == "chat":
        from citeloom.cli.chat import converse

        return converse
    from citeloom.cli.run import execute

    return execute


def _command(name: str, run: Any, told: str, parameters: list[Parameter]) -> Any:
    run.__signature__ = Signature(parameters)
    made = typer.Typer(add_completion=False)
    made.command(name, help=told)(run)
    return typer.main.get_command(made)


class _Commands(TyperGroup):
    """Lists all commands at once, and makes the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, _made(name) if name in _RUNS else command, rest


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
    app.command(_name, help=_spec.told)(lambda: None)
app.add_typer(library_app, name="library", help="Add papers to a library, list and remove them.")
app.add_typer(runs_app, name="runs", help="List and show what was done.")
app.command(
    "eval",
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    },
)(evaluate)


@app.command()
def doctor() -> None:
    """Show what is configured, what can be reached, what is missing, and how to fix it."""
    from citeloom.cli.doctor import examine

    examine()
