"""`citeloom references`: references as they are printed, as records for a reference manager."""

import asyncio
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from citeloom.cli.telling import exit_on_error

Form = StrEnum("Form", {"bibtex": "bibtex", "csl": "csl", "ris": "ris"})


def references(
    given: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A PDF, a Word file, a text with a list, or references one a line; '-' is standard input.",
        ),
    ],
    form: Annotated[Form, typer.Option("--format", help="What to write.")] = Form.bibtex,
    sources: Annotated[
        list[str],
        typer.Option(
            "--source",
            metavar="NAME",
            help="Look each reference up there, as `verify` does: what the source has fills gaps, and what differs is "
            "told. May be repeated.",
        ),
    ] = [],  # noqa: B006 - Typer's way
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="PATH", help="A file; else standard output."),
    ] = None,
) -> None:
    """Read references in any style, and write them as BibTeX, CSL JSON or RIS, with what each rests on."""
    with exit_on_error():
        from citeloom.cli.print_result import print_references

        print_references(asyncio.run(_run({**_sent(given), "sources": sources})), form, out)


def _sent(given: str) -> dict[str, Any]:
    if given == "-":
        return {"text": sys.stdin.read()}
    from citeloom.api import uploaded

    return {"uploads": [uploaded(Path(given))]}


async def _run(inputs: dict[str, Any]) -> dict[str, Any]:
    """Run the graph, without keeping the run."""
    from graphs.references import graph
    from tools.run_settings import RunSettings

    called: Any = graph
    return dict(await called.ainvoke(inputs, context=RunSettings()))
