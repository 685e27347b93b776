"""`citeloom chat`: a conversation with a library, typed or spoken; a question may refer to those before."""

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import typer

from citeloom.cli.progress import Progress
from citeloom.cli.run_command import Command, start_or_resume
from citeloom.cli.stopping import INTERRUPTED, cancelled_by_signals
from citeloom.cli.telling import exit_on_error, print_outcome, print_status, tell_error
from citeloom.cli.voice import listen_for_question, say_aloud
from citeloom.report.markdown import terminal_text
from citeloom.report.result_report import ResultReport
from citeloom.runs.local_executor import open_run, stream_run
from citeloom.runs.run_record import RunRecord
from tools.errors import CiteLoomError
from tools.program import PROGRAM

_HELP = "Ask a question; 'trace' shows the way to the last answer, 'exit' or Ctrl-D ends."
_ENDS = frozenset({"exit", "quit", "bye", ":q"})


def chat_loop(command: Command) -> None:
    """Answer questions, typed or spoken, until they end, and exit."""
    with exit_on_error():
        command.input = "chat"  # each question comes later
        run = start_or_resume(command)
        run.status = "chat"
        run.context["review_cost"] = "off"  # a conversation has a person in it already
        with run.hold_lock():
            run.save()
            code = asyncio.run(_converse(run, command.show))
    raise typer.Exit(code)


async def _converse(run: RunRecord, show: Mapping[str, Any]) -> int:
    print_status(f"Library [bold]{run.inputs['library']}[/bold]. {_HELP}")
    last: dict[str, Any] = {}
    listen = show.get("listen")
    sources = repeat(listen) if listen == "mic" else chain([listen], repeat(None))
    async with open_run(run) as (graph, _):
        while (line := await asyncio.to_thread(_read, next(sources))) is not None:
            question = line.strip()
            word = question.casefold().rstrip(".!")
            if word in _ENDS:
                break
            if word == "trace" and last:
                typer.echo(_shown(last, details=True))
            elif question:
                asked = replace(run, inputs={**run.inputs, "question": question})
                try:
                    with (
                        Progress(quiet=not sys.stderr.isatty()) as progress,
                        cancelled_by_signals(),
                    ):
                        last, _question = await stream_run(graph, asked, progress.show, fresh=True)
                except asyncio.CancelledError:
                    print_status("Stopped.")
                    return INTERRUPTED
                except CiteLoomError as error:
                    tell_error(error)
                    continue
                typer.echo(f"\n{_shown(last)}\n")
                print_outcome(last)
                if show.get("speak") and last.get("sentences"):
                    await asyncio.to_thread(say_aloud, str(last["answer"]), show["speak"])
    print_status(f"Go on with: [bold]{PROGRAM} chat --resume {run.name}[/bold]")
    return 0


def _shown(values: Mapping[str, Any], *, details: bool = False) -> str:
    return terminal_text(ResultReport.of("ask", values), details=details)


def _read(source: str | None) -> str | None:
    """Return what is heard in an audio file or at the microphone, else the next line, or None at the end."""
    if source:
        return listen_for_question(source)
    with suppress(EOFError):
        return input("> " if sys.stdin.isatty() else "")
    return None
