"""`citeloom library add`: take files, folders, record files and ids into a library."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.cli.library.opening import ENGINE
from citeloom.cli.progress import Progress
from citeloom.cli.stopping import INTERRUPTED, cancelled_by_signals
from citeloom.cli.telling import exit_on_error
from tools.errors import InputError

if TYPE_CHECKING:
    from tools.run_settings import RunSettings

_MOST_HERE = 64


def add(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCES...",
            help="Files and folders (PDF, HTML, JATS, DOCX, Markdown, text), records (BibTeX, RIS, CSL "
            "JSON, PubMed, EndNote, JSON Lines, Zotero exports with their files), dumps (OpenAlex works, "
            "S2ORC), addresses of object stores (s3://...), arXiv ids and DOIs.",
        ),
    ],
    library: Annotated[
        str, typer.Option("--library", "-l", help="Name of the library; made if there is none.")
    ],
    tag: Annotated[
        list[str], typer.Option("--tag", help="A tag for all that is added; may be repeated.")
    ] = [],  # noqa: B006 - typer copies it
    source: Annotated[
        list[str],
        typer.Option(
            "--source",
            help="Where ids are looked up, and, if named, years and venues that files do not show: arxiv, "
            "openalex, semantic_scholar, crossref; may be repeated. "
            "[default: arxiv for its ids; openalex, then crossref, for DOIs]",
        ),
    ] = [],  # noqa: B006
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=4096,
            help="Files read at once, in this process at most 64; on a cluster also batches embedded at once.",
            show_default="all cores, in this process up to 8",
        ),
    ] = None,
    engine: ENGINE = "local",
    json: Annotated[bool, typer.Option("--json", help="Print all reports as JSON.")] = False,
) -> None:
    """Add papers to a library; run again, it goes on where it was stopped."""
    from citeloom.cli.library.reports import tell
    from tools.ingest.file_places import allow_paths
    from tools.ingest.ray_workers import start_ray
    from tools.ingest.reader_processes import close_workers, use_workers
    from tools.library.open_library import close_libraries
    from tools.run_settings import RunSettings

    with exit_on_error():
        paths, ids = sorted_out(sources)
        inputs = {"library": library, "paths": paths, "ids": ids, "sources": source, "tags": tag}
        context = RunSettings()
        for path in paths:  # who gives the command may read what this process may read
            allow_paths(context.clients, Path(Path(path).resolve().anchor))
        use_workers(workers and min(workers, _MOST_HERE))
        if engine == "ray":
            start_ray(workers)
        try:
            with Progress(quiet=json, often=True) as progress:
                values = asyncio.run(_ingest(inputs, context, progress))
        except (asyncio.CancelledError, KeyboardInterrupt) as error:
            typer.echo("stopped: run the same command again to go on", err=True)
            raise typer.Exit(INTERRUPTED) from error
        finally:
            close_workers()
            close_libraries()
        code = tell(values, as_json=json)
    raise typer.Exit(code)


def sorted_out(sources: list[str]) -> tuple[list[str], list[str]]:
    """Return which sources are paths and which are ids.

    Raises:
        InputError: One is neither.
    """
    from state.paper import canonical_id
    from tools.ingest.file_places import is_address

    paths: list[str] = []
    ids: list[str] = []
    for given in sources:
        if is_address(given) or Path(given).exists() or Path(given).is_symlink():
            paths.append(given)
        elif given.strip() and canonical_id(given).startswith(("doi:", "arxiv:")):
            ids.append(given)
        else:
            raise InputError(f"there is no file {given}, and it is no arXiv id or DOI")
    return paths, ids


async def _ingest(
    inputs: Mapping[str, Any], context: "RunSettings", progress: Progress
) -> dict[str, Any]:
    from graphs.ingest import graph

    values: dict[str, Any] = {}
    with cancelled_by_signals():
        async for mode, event in graph.astream(
            dict(inputs),
            {"max_concurrency": 64, "recursion_limit": 10_000},
            context=context,
            stream_mode=["custom", "values"],
        ):
            if mode == "custom":
                progress.show(event)
            else:
                values = event
    return values
