"""`citeloom synthesize`: print a synthesis with its references, write it, tell what went wrong."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from citeloom.cli.files import write_whole
from citeloom.cli.results.synthesis_text import printed, synthesis_text
from citeloom.cli.telling import print_notice, print_outcome, tell_lost, tell_page
from citeloom.export.html import to_html
from citeloom.export.plain import SCHEMA_VERSION, dump, plain
from citeloom.runs.run_record import RunRecord
from state.synthesis import SourcePaper
from tools.run_settings import RunSettings

_TOLD: Mapping[str, Any] = {
    "request": None,
    "granularity": "",
    "answer": None,
    "lines": (),
    "references": (),
    "lost": (),
    "contexts": (),
    "used": (),
    "stacked": (),
    "bibtex": "",
    "outcome": "nothing",
    "stop": None,
    "failures": (),
    "seconds": {},
    "usage": (),
    "source_usage": (),
    "mind": "",
}
"""What is told of a run, and what stands for it in a run that was stopped before it was there."""
_SETTINGS = ("relevance", "updates")
_DOUBTFUL = 0.5
"""Confidence below which a part that was read is doubtful."""


async def finish(
    run: RunRecord, values: Mapping[str, Any], store: object, *, as_json: bool, trace: bool = False
) -> int:
    """Print the synthesis, write it where a folder was named, return the exit code.

    Returns:
        0 with a text, 1 without one or where the run could not be ended, 2 for an input that cannot
        be used.
    """
    record = synthesis_record(run, values)
    if run.out:
        folder = Path(run.out)
        write_whole(folder / "synthesis.json", dump(record) + "\n")
        text = synthesis_text(record["question"], values)
        write_whole(folder / "synthesis.md", text)
        write_whole(folder / "synthesis.html", to_html(record["question"], text))
        if values.get("bibtex"):
            write_whole(folder / "references.bib", str(values["bibtex"]))
    if as_json:
        typer.echo(dump(record))
    else:
        tell_lost(values)
        typer.echo(printed(values, trace=trace))
        tell_faults(values)
        if run.out:
            tell_page(Path(run.out) / "synthesis.html", run.name, run.seconds)
    stop = values.get("stop")
    if stop:
        return 2 if stop.subject == "input" else 1
    return 0 if values.get("answer") and values.get("lines") else 1


def synthesis_record(run: RunRecord, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the synthesis as callers of `--json` get it; docs/output.md describes its fields."""
    context = RunSettings(**run.context)
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run.name,
        "question": run.inputs.get("question", ""),
        "settings": {name: getattr(context, name) for name in _SETTINGS},
        "draft": None if "answer" in values else str(values.get("draft") or ""),
        **{name: plain(values.get(name, default)) for name, default in _TOLD.items()},
    }


def tell_faults(values: Mapping[str, Any]) -> None:
    """Say on standard error what was not read, left out or not done, and what may be doubtful."""
    stacked: Sequence[SourcePaper] = values.get("stacked") or ()
    for item in stacked:
        for sign, text in _of_source(item):
            print_notice(sign, text)
    for line in values.get("lost") or ():
        print_notice("Left out", f"“{line.text}” ({line.cause})")
    print_outcome(values, told={(item.name, item.cause) for item in stacked})


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
