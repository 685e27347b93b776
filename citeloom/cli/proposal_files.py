"""A run that waits for a person: what it proposes as a file to edit, and the way on."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape

from citeloom.cli.read_inputs import read_text_file
from citeloom.cli.telling import print_status, tell_error
from citeloom.report.json_files import dump
from tools.errors import PROGRAM

WAITING = 4
"""Exit code of a run that stopped for a person."""


def write_proposal(question: Mapping[str, Any], folder: Path) -> None:
    """Write the proposal to be edited, and beside it what there is to know of it."""
    if error := question["error"]:
        tell_error(error)
    if question["kind"] == "cost":
        print_status(escape("\n".join(_details(question))))
    folder.mkdir(parents=True, exist_ok=True)
    _proposal(question, folder).write_text(question["proposal"].rstrip() + "\n", encoding="utf-8")
    why = [f"Why CiteLoom asks: {question['why']}.", ""] if question["why"] else []
    lines = [f"# About {question['kind']}.txt", "", question["instructions"], "", *why]
    notes = folder / f"{question['kind']}.md"
    notes.write_text("\n".join([*lines, *_details(question)]) + "\n", encoding="utf-8")


def _proposal(question: Mapping[str, Any], folder: Path) -> Path:
    return folder / f"{question['kind']}.txt"


def _details(question: Mapping[str, Any]) -> Iterator[str]:
    """Tell what a question has beside its proposal, a line each."""
    yield from estimate_lines(question.get("estimate") or {})
    for query in question.get("queries", ()):
        yield f"- {query['facet']}: {query['text'][:120]}: {query['reason']}"
    for one in question.get("criteria", ()):
        yield f"- {'required' if one['required'] else 'preferred'}: {one['criterion']}"
    for finding in question.get("findings", ()):
        yield f"- {finding}"
    for paper in question.get("papers", ()):
        mark = "in" if paper["chosen"] else "not in"
        score = "" if paper["score"] is None else f", score {paper['score']:.0f}"
        title = f"{paper['title']} ({paper['year'] or 'n.d.'})"
        yield f"- [{paper['number']}] {title}, {paper['id']}{score}: {mark}. {paper['why']}".rstrip()


def estimate_lines(estimate: Mapping[str, Any]) -> Iterator[str]:
    """Tell what a run may take, from the whole to its tasks."""
    if not estimate:
        return
    amounts = {
        "model calls": "calls",
        "tokens in": "input_tokens",
        "tokens out": "output_tokens",
        "minutes": "minutes",
        "USD": "usd",
    }
    for label, name in amounts.items():
        yield f"- {label}: {_span(estimate[name])}"
    for source, usd in estimate["sources"].items():
        yield f"- of this for {source}: {_span(usd)} USD"
    for task in estimate["tasks"]:
        yield f"- {task['task']} ({task['mind']}): {_span(task['calls'])} calls, {_span(task['usd'])} USD"
    yield from (f"- {note}" for note in estimate["notes"])


def _span(span: Mapping[str, float] | None) -> str:
    if span is None:
        return "not known"
    low, high = (
        f"{end:,.0f}" if end >= 10 or end == int(end) else f"{end:.2f}" for end in span.values()
    )
    return low if low == high else f"{low} to {high}"


def ask(question: Mapping[str, Any], folder: Path) -> bool:
    """Wait at a terminal until the proposal has been edited; False when nobody is there or wants to stop."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    path = _proposal(question, folder)
    print_status(
        f"The proposal is in [bold]{escape(str(path))}[/bold]; {question['kind']}.md explains it."
    )
    said = typer.prompt(
        "Edit it or leave it, then press Enter to continue (s: finish now with the "
        "results so far; q: quit and decide later)",
        default="",
        show_default=False,
        err=True,
    )
    word = str(said).strip().lower()
    if word in {"s", "stop"}:
        path.write_text("stop\n", encoding="utf-8")
    return word not in {"q", "quit"}


def read_proposal(folder: Path, question: Mapping[str, Any]) -> str:
    """Return the proposal as the person left it; empty, which changes nothing, where it is gone."""
    path = _proposal(question, folder)
    return read_text_file(path) if path.is_file() else ""


def print_waiting(
    graph: str, name: str, folder: Path, question: Mapping[str, Any], *, as_json: bool
) -> None:
    """Say what to do next; as JSON also what is asked."""
    if as_json:
        typer.echo(dump({"run": name, "waiting": question}))
    print_status(
        f"Waiting for you: edit [bold]{escape(str(_proposal(question, folder)))}[/bold] "
        f"or leave it, then resume with: [bold]{escape(PROGRAM)} {graph} --resume "
        f"{name}[/bold]"
    )
