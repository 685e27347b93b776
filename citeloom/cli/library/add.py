"""`citeloom library add`: take files, folders, record files and ids into a library."""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from citeloom.cli.library.watch import watch_folders
from citeloom.cli.progress import Progress
from citeloom.cli.stopping import INTERRUPTED, cancelled_by_signals
from citeloom.cli.telling import errors_told
from tools.errors import InputError

STOPPED = "stopped: run the same command again to go on"

Given = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCES...",
        help="Files and folders (PDF, HTML, JATS, DOCX, Markdown, text), records (BibTeX, CSL JSON, "
        "JSON Lines, Zotero exports with their files), arXiv ids and DOIs.",
    ),
]
Name = Annotated[
    str, typer.Option("--library", "-l", help="Name of the library; made if there is none.")
]
Tags = Annotated[
    list[str], typer.Option("--tag", help="A tag for all that is added; may be repeated.")
]
Online = Annotated[
    list[str],
    typer.Option(
        "--source",
        help="Where arXiv ids and DOIs are looked up: arxiv, openalex, semantic_scholar, crossref; "
        "may be repeated.",
    ),
]
Watch = Annotated[
    bool, typer.Option("--watch", help="Go on adding what is new in the folders, until Ctrl-C.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=64, help="Files read at once.", show_default="all cores"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print all reports as JSON.")]


def add(
    sources: Given,
    library: Name,
    tag: Tags = [],  # noqa: B006 - typer copies it
    source: Online = [],  # noqa: B006
    watch: Watch = False,
    workers: Workers = None,
    json: AsJson = False,
) -> None:
    """Add papers to a library; run again, it goes on where it was stopped."""
    with errors_told():
        paths, ids = sorted_out(sources)
        inputs = {"library": library, "paths": paths, "ids": ids, "sources": source, "tags": tag}
        add_them = partial(add_once, workers=workers, as_json=json)
        try:
            code = watch_folders(inputs, add_them) if watch else add_them(inputs)
        except KeyboardInterrupt:
            typer.echo(STOPPED, err=True)
            code = INTERRUPTED
    raise typer.Exit(code)


def sorted_out(sources: list[str]) -> tuple[list[str], list[str]]:
    """Return which sources are paths and which are ids.

    Raises:
        InputError: One is neither.
    """
    from state.paper import canonical_id

    paths: list[str] = []
    ids: list[str] = []
    for given in sources:
        if Path(given).exists() or Path(given).is_symlink():
            paths.append(given)
        elif given.strip() and canonical_id(given).startswith(("doi:", "arxiv:")):
            ids.append(given)
        else:
            raise InputError(f"there is no file {given}, and it is no arXiv id or DOI")
    return paths, ids


def add_once(inputs: Mapping[str, Any], *, workers: int | None, as_json: bool) -> int:
    """Run the graph to its end, tell what became of each source, return the exit code."""
    from citeloom.cli.library.reports import tell
    from tools.ingest.workers import close_workers
    from tools.library.open import close_libraries

    # Who gives the command may read what this process may read.
    roots = {Path(Path(path).resolve().anchor) for path in inputs["paths"]}
    try:
        with Progress(quiet=as_json, often=True) as progress:
            values = asyncio.run(_ingest(inputs, roots, progress, workers))
    except asyncio.CancelledError:
        typer.echo(STOPPED, err=True)
        return INTERRUPTED
    finally:
        close_workers()
        close_libraries()
    return tell(values, as_json=as_json)


async def _ingest(
    inputs: Mapping[str, Any], roots: set[Path], progress: Progress, workers: int | None
) -> dict[str, Any]:
    from graphs.ingest import graph
    from tools.context import RunContext
    from tools.ingest.allowed_paths import allow_paths
    from tools.ingest.target import use_workers

    context = RunContext()
    for root in roots:
        allow_paths(context.clients, root)
    use_workers(workers)
    values: dict[str, Any] = {}
    with cancelled_by_signals():
        async for mode, event in graph.astream(
            dict(inputs), {"max_concurrency": 64, "recursion_limit": 10_000}, context=context,
            stream_mode=["custom", "values"],
        ):  # type: ignore[call-overload]  # fmt: skip
            if mode == "custom":
                progress.show(event)
            else:
                values = event
    return values
