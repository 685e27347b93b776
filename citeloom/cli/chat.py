"""`citeloom chat`: a conversation with a library, typed or spoken; a question may refer to those before."""

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import typer

from citeloom.cli.console import INTERRUPTED
from citeloom.cli.telling import print_outcome, print_status, tell_error
from tools.errors import PROGRAM, CiteLoomError, InputError

if TYPE_CHECKING:
    from citeloom.cli.options import ChatOptions, ModelOptions, Resume, Speak
    from citeloom.runs.run_record import RunRecord


def chat(
    *, chat: "ChatOptions", speak: "Speak" = None, resume: "Resume" = None, model: "ModelOptions"
) -> int:
    """Converse with the papers of a library; budgets are for each question."""
    from citeloom.cli.run_command import begin
    from citeloom.runs.run_record import load_run

    if resume:
        return go_on_with_chat(load_run(resume), model.raised(), listen=chat.listen, speak=speak)
    run = begin("ask", {**chat.given(), **model.given()})
    return go_on_with_chat(run, listen=chat.listen, speak=speak)


def go_on_with_chat(
    run: "RunRecord",
    raised: Mapping[str, Any] = {},
    *,
    listen: str | None = None,
    speak: str | None = None,
) -> int:
    """Answer questions, typed or spoken, until they end; return the exit code.

    Raises:
        InputError: The run is no conversation, or somebody else is at it.
    """
    if run.graph != "ask":
        raise InputError(
            f"'{run.name}' is a run of `{PROGRAM} {run.graph}`: resume it with that command"
        )
    run.conversation, run.status = run.name, "chat"
    run.context |= {**raised, "review_cost": "off"}  # a conversation has a person in it already
    with run.hold_lock():
        run.save()
    return asyncio.run(_converse(run, listen, speak))


async def _converse(run: "RunRecord", listen: str | None, speak: str | None) -> int:
    from citeloom.cli.run_command import followed, start
    from citeloom.cli.voice import say_aloud
    from citeloom.runs.local_executor import local_runs

    print_status(
        f"Library [bold]{run.inputs['library']}[/bold]. Ask a question. Type 'trace' to see how the last answer came "
        "about, 'exit' or Ctrl-D to end."
    )
    last: Mapping[str, Any] = {}
    sources = repeat(listen) if listen == "mic" else chain([listen], repeat(None))
    async with local_runs() as runs:
        while (line := await asyncio.to_thread(_read, next(sources))) is not None:
            question = line.strip()
            word = question.casefold().rstrip(".!")
            if word in {"exit", "quit", "bye", ":q"}:
                break
            if word == "trace" and last:
                typer.echo(_shown(last, details=True))
            elif question:
                try:
                    await start(runs, replace(run, inputs={**run.inputs, "question": question}))
                    report = await followed(runs, run.name, quiet=not sys.stderr.isatty())
                except CiteLoomError as error:
                    tell_error(error)
                    continue
                if report.cancelled:
                    print_status("Stopped.")
                    return INTERRUPTED
                if report.failure:
                    tell_error(report.failure)
                    continue
                last = report.values
                typer.echo(f"\n{_shown(last)}\n")
                print_outcome(last)
                if speak and last.get("sentences"):
                    await asyncio.to_thread(say_aloud, str(last["answer"]), speak)
    print_status(f"Resume with: [bold]{PROGRAM} chat --resume {run.name}[/bold]")
    return 0


def _shown(values: Mapping[str, Any], *, details: bool = False) -> str:
    from citeloom.report.markdown import terminal_text
    from citeloom.report.result_report import ResultReport

    return terminal_text(ResultReport.of("ask", values), details=details)


def _read(source: str | None) -> str | None:
    """Return what is heard in an audio file or at the microphone, else the next line, or None at the end."""
    from citeloom.cli.voice import listen_for_question

    if source:
        return listen_for_question(source)
    with suppress(EOFError):
        return input("> " if sys.stdin.isatty() else "")
    return None
