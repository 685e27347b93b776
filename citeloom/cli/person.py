"""A run that waits for a person: the plan as a file to edit, and the way on."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from citeloom import PROGRAM
from citeloom.cli.files import dump
from citeloom.cli.inputs import read_text
from citeloom.cli.telling import say, tell_error

WAITING = 4
"""Exit code of a run that stopped for a person."""
PLAN = "plan.txt"
PAPERS = "plan-papers.md"


def put_question(question: Mapping[str, Any], folder: Path) -> None:
    """Write the plan to be edited, and the list of papers that its numbers mean."""
    if error := question.get("error"):
        tell_error(error)
    (folder / PLAN).write_text(str(question["plan"]).rstrip() + "\n", encoding="utf-8")
    lines = ["# Papers that the plan may name", "", str(question["instructions"]), ""]
    for paper in question["papers"]:
        mark = "cited" if paper["cited"] else "not cited"
        year = paper["year"] or "n.d."
        lines.append(f"- [{paper['number']}] {paper['title']} ({year}), {paper['id']}: {mark}")
    (folder / PAPERS).write_text("\n".join(lines) + "\n", encoding="utf-8")


def ask(folder: Path) -> bool:
    """Wait at a terminal until the plan has been edited; False when nobody is there or wants to stop."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    say(f"The plan is in [bold]{folder / PLAN}[/bold], its papers are in {PAPERS}.")
    said = typer.prompt(
        "Edit it, then press Enter to write (q stops here)",
        default="",
        show_default=False,
        err=True,
    )
    return str(said).strip().lower() not in {"q", "quit"}


def answer_in(folder: Path) -> str:
    """Return the plan as the person left it; empty, which changes nothing, where it is gone."""
    path = folder / PLAN
    return read_text(path) if path.is_file() else ""


def tell_waiting(
    graph: str, name: str, folder: Path, question: Mapping[str, Any], *, as_json: bool
) -> None:
    """Say what to do next; as JSON also what is asked."""
    if as_json:
        typer.echo(dump({"run": name, "waiting": question}))
    say(
        f"Waiting for you: edit [bold]{folder / PLAN}[/bold], then go on with: "
        f"[bold]{PROGRAM} {graph} --resume {name}[/bold]"
    )
