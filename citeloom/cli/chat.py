"""`citeloom chat`: a conversation with a library; each question may refer to the ones before."""

import asyncio
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

import typer

from citeloom.cli.progress import Progress
from citeloom.cli.results.answer import printed
from citeloom.cli.run import opened, stream
from citeloom.cli.runs import Command, Run, begun
from citeloom.cli.stopping import INTERRUPTED
from citeloom.cli.telling import errors_told, say, tell_error, tell_outcome
from tools.errors import CiteLoomError

_HELP = "Ask a question; 'trace' shows the way to the last answer, 'exit' or Ctrl-D ends."
_ENDS = frozenset({"exit", "quit", "bye", ":q"})


def converse(command: Command) -> None:
    """Answer questions from standard input until it ends, and exit."""
    with errors_told():
        command.input = "chat"  # each question comes later
        code = asyncio.run(_converse(begun(command)))
    raise typer.Exit(code)


async def _converse(run: Run) -> int:
    say(f"Library [bold]{run.inputs['library']}[/bold]. {_HELP}")
    last: dict[str, Any] = {}
    async with opened(run) as (graph, _):
        while (line := await asyncio.to_thread(_read)) is not None:
            question = line.strip()
            if question.casefold() in _ENDS:
                break
            if question.casefold() == "trace" and last:
                typer.echo(printed(last, trace=True))
            elif question:
                asked = replace(run, inputs={**run.inputs, "question": question})
                try:
                    with Progress(quiet=not sys.stderr.isatty()) as progress:
                        last, _question = await stream(graph, asked, progress, fresh=True)
                except asyncio.CancelledError:
                    say("Stopped.")
                    return INTERRUPTED
                except CiteLoomError as error:
                    tell_error(error)
                    continue
                typer.echo(f"\n{printed(last)}\n")
                tell_outcome(last)
    say(f"Go on with: [bold]citeloom chat --resume {run.name}[/bold]")
    return 0


def _read() -> str | None:
    """Return the next line, or None at the end."""
    with suppress(EOFError):
        return input("> " if sys.stdin.isatty() else "")
    return None
