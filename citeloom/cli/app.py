"""The list of commands. Those that run a graph are made when they are called, since their options load much."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from citeloom.cli import graph_commands, setup_commands
from citeloom.cli.chat import chat
from citeloom.cli.commands import Commands, HomelessCommand, WordedGroup, worded
from citeloom.cli.library_commands import app as library_app
from citeloom.cli.runs_commands import app as runs_app
from citeloom.cli.screen_commands import app as screen_app
from citeloom.cli.watch_commands import app as watch_app
from citeloom.cli.zotero import zotero

_REVIEWS, _ASKING, _KEEPING = "Review literature", "Ask papers", "Manage"
_GRAPHS: Mapping[str, tuple[Callable[..., int], str]] = {
    "review": (graph_commands.review, _REVIEWS),
    "find": (graph_commands.find, _REVIEWS),
    "write": (graph_commands.write, _REVIEWS),
    "novelty": (graph_commands.novelty, _REVIEWS),
    "revise": (graph_commands.revise, _REVIEWS),
    "verify": (graph_commands.verify, _REVIEWS),
    "ask": (graph_commands.ask, _ASKING),
    "table": (graph_commands.table, _ASKING),
    "chat": (chat, _ASKING),
    "synthesize": (graph_commands.synthesize, _ASKING),
}
"""The commands that take groups of options, and the heading under which help lists each."""


class _CiteLoom(WordedGroup):
    """Lists all commands at once, and makes the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name not in _GRAPHS:
            return name, command, rest
        from citeloom.cli.command_of import command_of

        return name, worded(command_of(_GRAPHS[name][0]), ctx), rest


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


for _name, (_function, _heading) in _GRAPHS.items():
    app.command(_name, help=_function.__doc__, rich_help_panel=_heading)(lambda: None)
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
