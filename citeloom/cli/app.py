"""The list of commands. Those that run a graph are made when they are called, since their options load much."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citeloom.cli import graph_commands, setup_commands
from citeloom.cli.commands import Commands, HomelessCommand, WordedGroup, worded
from citeloom.cli.library_commands import app as library_app
from citeloom.cli.runs_commands import app as runs_app
from citeloom.cli.runs_commands import zotero
from citeloom.cli.screen_commands import app as screen_app
from citeloom.cli.watch_commands import app as watch_app

_REVIEWS, _ASKING, _KEEPING = "Review literature", "Ask papers", "Manage"
_GRAPHS: Mapping[str, tuple[str, str]] = {
    "review": (
        "Find prior work for an abstract and write a related-work section about it.",
        _REVIEWS,
    ),
    "find": ("Find and rank prior work for an abstract, an idea or a question.", _REVIEWS),
    "write": ("Write a related-work section about papers that you name.", _REVIEWS),
    "novelty": (
        "Show the earlier work nearest to each claim of a text, with the words of both.",
        _REVIEWS,
    ),
    "revise": (
        "Revise a run's section as you ask and check it again, without a new search.",
        _REVIEWS,
    ),
    "verify": (
        "Check each citation of a text, or of several files, against the paper it cites.\n\n"
        "Exit code 0: all hold; 3: one does not, or was not checked; 2: the input cannot be used; "
        "1: the run was stopped.",
        _REVIEWS,
    ),
    "ask": (
        "Ask the papers of a library; each sentence of the answer shows its evidence.",
        _ASKING,
    ),
    "table": (
        "Put questions to each paper of a library: a table with a quote behind each cell.",
        _ASKING,
    ),
    "chat": ("Converse with the papers of a library; budgets are for each question.", _ASKING),
    "synthesize": (
        "Answer a question from a stack of papers, each line with its sources and what they cite.",
        _ASKING,
    ),
}
"""The commands whose options are fields (citeloom.cli.options): what help says of each, and its heading."""


class _CiteLoom(WordedGroup):
    """Lists all commands at once, and makes the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name not in _GRAPHS:
            return name, command, rest
        from citeloom.cli.options import command_of

        return name, worded(command_of(name, _GRAPHS[name][0]), ctx), rest


app = Commands(
    name="citeloom",
    help="Literature reviews with real citations, each claim backed by a checked quote.",
    add_completion=True,
    cls=_CiteLoom,
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


for _name, (_told, _heading) in _GRAPHS.items():
    app.command(_name, help=_told, rich_help_panel=_heading)(lambda: None)
app.command(rich_help_panel=_REVIEWS)(graph_commands.update)
app.add_typer(
    watch_app,
    name="watch",
    help="Repeat a search on a schedule and tell what is new in a digest, a feed or a mail.",
    rich_help_panel=_REVIEWS,
)
app.command(rich_help_panel=_REVIEWS)(graph_commands.references)
app.add_typer(
    screen_app,
    name="screen",
    help="Screen papers for a systematic review: protocol, decisions, agreement, PRISMA diagram.",
    rich_help_panel=_REVIEWS,
)
app.add_typer(
    setup_commands.snapshot,
    name="snapshot",
    help="Build a local copy of part of OpenAlex and search it offline.",
    rich_help_panel=_REVIEWS,
)
app.add_typer(
    library_app,
    name="library",
    help="Add papers to a library, list and remove them.",
    rich_help_panel=_ASKING,
)
app.add_typer(
    setup_commands.keys,
    name="keys",
    help="Manage API keys, with which others call your server.",
    rich_help_panel=_KEEPING,
)
app.add_typer(
    runs_app, name="runs", help="List, show, resume and delete runs.", rich_help_panel=_KEEPING
)
app.command(rich_help_panel=_KEEPING)(zotero)
_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
app.command(
    "eval",
    rich_help_panel=_KEEPING,
    context_settings={**_PASSED_ON, "help_option_names": []},
)(setup_commands.evaluate)
app.command(rich_help_panel=_KEEPING, cls=HomelessCommand)(setup_commands.doctor)
app.command("app", rich_help_panel=_KEEPING, context_settings=_PASSED_ON)(setup_commands.open_page)
app.command(rich_help_panel=_KEEPING, context_settings=_PASSED_ON)(setup_commands.dev)
app.command(rich_help_panel=_KEEPING)(setup_commands.mcp)
app.command("lsp", rich_help_panel=_KEEPING)(setup_commands.language_server)
app.command(rich_help_panel=_KEEPING, cls=HomelessCommand)(setup_commands.settings)
app.command(rich_help_panel=_KEEPING, cls=HomelessCommand)(setup_commands.prompts)
