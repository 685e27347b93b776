"""`citeloom synthesize`: print a synthesis with its references, write it, tell what went wrong."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from pydantic import TypeAdapter
from rich.markup import escape

from citeloom.cli.progress import say
from citeloom.cli.runs import Run
from citeloom.cli.synthesis_markdown import synthesis_text
from citeloom.cli.synthesis_text import printed
from state.synthesis import Context, SourcePaper
from tools.context import RunContext
from tools.ledger.limits import Limits
from tools.run_store import RunStore
from tools.text.source_lines import origin_of

SCHEMA_VERSION = 1
_TOLD: Mapping[str, Any] = {
    "request": None, "granularity": "", "answer": None, "lines": (), "references": (), "lost": (),
    "contexts": (), "used": (), "stacked": (), "bibtex": "", "outcome": "nothing", "stop": None,
    "failures": (), "seconds": {}, "usage": (), "source_usage": (), "mind": "",
}  # fmt: skip
"""What is told of a run, and what stands for it in a run that was stopped before it was there."""
_SETTINGS = ("context_method", "top_k", "relevance", "updates", "alignment")
_DOUBTFUL = 0.5
"""Confidence below which a part that was read is doubtful."""


def finish_synthesize(
    run: Run, values: Mapping[str, Any], *, as_json: bool, trace: bool = False
) -> int:
    """Print the synthesis, write it where a folder was named, return the exit code.

    Returns:
        0 with a text, 1 without one or where the run could not be ended, 2 for an input that cannot
        be used.
    """
    record = synthesis_record(run, values)
    if run.out:
        write_synthesis(Path(run.out), record, values)
    if as_json:
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        typer.echo(printed(values, trace=trace))
        tell_faults(values)
    stop = values.get("stop")
    if stop:
        return 2 if stop.subject == "input" else 1
    return 0 if values.get("answer") and values.get("lines") else 1


def synthesis_record(run: Run, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the synthesis as callers of `--json` get it; docs/output.md describes its fields."""
    plain = TypeAdapter(Any).dump_python
    context = RunContext(**run.context)
    told = {name: values.get(name, default) for name, default in _TOLD.items()}
    return {
        "schema_version": SCHEMA_VERSION, "run": run.name, "question": run.inputs.get("question", ""),
        "settings": {name: getattr(context, name) for name in _SETTINGS},
        "draft": None if "answer" in values else str(values.get("draft") or ""),
        **{name: plain(value, mode="json") for name, value in told.items()},
    }  # fmt: skip


async def partial_synthesis(
    values: Mapping[str, Any], run_store: RunStore, context: RunContext
) -> dict[str, Any]:
    """Return what a run has that was stopped, with the paragraphs that its draft holds."""
    if "answer" in values:
        return dict(values)
    contexts: Sequence[Context] = values.get("contexts") or ()
    folded = contexts[: values.get("folded") or 0]
    held = await run_store.paragraphs([item.paragraph for item in folded])
    ledger = context.clients.ledger(values["run"], Limits())
    await ledger.ready()
    return {
        **values,
        "granularity": values.get("references_as", ""),
        "used": [origin_of(item, 0, len(item.text)) for item in held.values()],
        "usage": ledger.usage(),
        "source_usage": ledger.sources(),
        "outcome": "partial" if values.get("draft") else "nothing",
    }


def tell_faults(values: Mapping[str, Any]) -> None:
    """Say on standard error what was not read, left out or not done, and what may be doubtful."""
    for note in getattr(values.get("request"), "notes", ()):
        say(f"[yellow]Note:[/yellow] {escape(note)}.")
    stacked: Sequence[SourcePaper] = values.get("stacked") or ()
    for item in stacked:
        for sign, text in _of_source(item):
            say(f"[yellow]{sign}:[/yellow] {escape(text)}")
    for line in values.get("lost") or ():
        say(f"[yellow]Left out:[/yellow] {escape(f'“{line.text}” ({line.cause})')}")
    told = {(item.name, item.cause) for item in stacked}
    for failure in values.get("failures") or ():
        if not failure.fatal and (failure.subject, failure.cause) not in told:
            said = f"{failure.subject}: {failure.cause}"
            say(f"[yellow]Not done:[/yellow] {escape(said)} ({escape(failure.remedy)})")
    stop = values.get("stop")
    if stop and (stop.remedy or stop.cause not in str(values.get("answer", ""))):
        remedy = f" — {stop.remedy}" if stop.remedy else ""
        say(f"[red]citeloom:[/red] {escape(stop.cause + remedy)}")


def _of_source(item: SourcePaper) -> Iterator[tuple[str, str]]:
    if item.cause:
        yield (
            "Not read",
            f"{item.name}: {item.cause}" + (f" ({item.remedy})" if item.remedy else ""),
        )
    for part in item.unread:
        yield "Not read", f"{item.name}, {part.where}: {part.cause}"
    for note in item.notes:
        yield "Note", f"{item.name}: {note}"
    doubtful = [
        f"{part} ({sure:.2f})" for part, sure in item.confidence.items() if sure < _DOUBTFUL
    ]
    if doubtful:
        yield "Note", f"{item.name}: read with little confidence: {', '.join(doubtful)}"


def write_synthesis(folder: Path, record: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Write synthesis.json, synthesis.md and, where there are references, references.bib."""
    _write(folder / "synthesis.json", json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    _write(folder / "synthesis.md", synthesis_text(record["question"], values))
    if values.get("bibtex"):
        _write(folder / "references.bib", str(values["bibtex"]))


def _write(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
