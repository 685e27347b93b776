"""`citeloom library add`: take files, folders, record files and ids into a library."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from citeloom.cli.console import INTERRUPTED, Progress, cancelled_by_signals
from citeloom.cli.library_search import ENGINE
from citeloom.cli.telling import tell_error
from tools.errors import InputError, counted

if TYPE_CHECKING:
    from state.ingest import FileReport, IngestCounts
    from tools.run_settings import RunSettings

_SHOWN = 20
"""Lines of what went wrong on the terminal; all are in files."""
ACCOUNT = "last-add.jsonl"
"""In the library's folder: the reports of all sources of the last load, a line each."""


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
        str,
        typer.Option("--library", "-l", help="Name of the library; CiteLoom creates it if needed."),
    ],
    tag: Annotated[
        list[str], typer.Option("--tag", help="A tag for everything added; may be repeated.")
    ] = [],  # noqa: B006 - typer copies it
    source: Annotated[
        list[str],
        typer.Option(
            "--source",
            help="Source to look up ids, and missing years and venues of files: arxiv, openalex, "
            "semantic_scholar, crossref; may be repeated. [default: arxiv for its ids; "
            "openalex, then crossref, for DOIs]",
        ),
    ] = [],  # noqa: B006
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=4096,
            help="Files read at once, at most 64 in this process; on a cluster also batches "
            "embedded at once.",
            show_default="all cores, in this process up to 8",
        ),
    ] = None,
    engine: ENGINE = "local",
    json: Annotated[bool, typer.Option("--json", help="Print all reports as JSON.")] = False,
) -> int:
    """Add papers to a library; run it again to continue where it stopped."""
    from tools.ingest.file_places import allow_paths
    from tools.ingest.ray_workers import start_ray
    from tools.ingest.reader_processes import close_workers, use_workers
    from tools.library.open_library import close_libraries
    from tools.run_settings import RunSettings

    paths, ids = sorted_out(sources)
    inputs = {"library": library, "paths": paths, "ids": ids, "sources": source, "tags": tag}
    context = RunSettings()
    for path in paths:  # who gives the command may read what this process may read
        allow_paths(context.clients, Path(Path(path).resolve().anchor))
    use_workers(workers and min(workers, 64))
    if engine == "ray":
        start_ray(workers)
    try:
        with Progress(quiet=json, often=True) as progress:
            values = asyncio.run(_ingest(inputs, context, progress))
    except (asyncio.CancelledError, KeyboardInterrupt) as error:
        typer.echo("paused: run the same command again to continue", err=True)
        raise typer.Exit(INTERRUPTED) from error
    finally:
        close_workers()
        close_libraries()
    return tell(values, as_json=json)


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
            raise InputError(f"'{given}' is neither a file nor an arXiv id or DOI")
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


def tell(values: Mapping[str, Any], *, as_json: bool) -> int:
    """Print the summary, keep the account of all reports, return the exit code.

    Returns:
        0 where something is in the library, 1 where nothing is, 2 for an input that cannot be used.
    """
    from citeloom.report.json_files import dump
    from state.ingest import IngestCounts, IngestOutput

    stop = values.get("stop")
    reports: Sequence[FileReport] = values.get("reports") or []
    library = values["request"].library
    account = _account(library, reports)
    if as_json:
        names = get_type_hints(IngestOutput).keys() - {"request"}
        typer.echo(dump({"library": library, **{name: values.get(name) for name in sorted(names)}}))
    else:
        lines = list(_problems(reports))
        rest = [f"... and {len(lines) - _SHOWN} more; all are in {account}"]
        bad = values["counts"].records.get("bad") if values.get("counts") else 0
        if bad:
            from tools.ingest.ingest_target import BAD_RECORDS

            what = counted(bad, "record")
            rest.append(f"{what} could not be read; see {account.parent / BAD_RECORDS}")
        notes = [f"note: {note}" for note in values.get("notes") or ()]
        notes += [
            f"note: {item.subject}: {item.cause} ({item.remedy})"
            for item in values.get("failures") or ()
            if not item.fatal
        ]
        for line in (*lines[:_SHOWN], *rest[len(lines) <= _SHOWN :], *notes):
            typer.echo(line, err=True)
    if stop:
        tell_error(stop.cause)
    if stop and stop.subject == "input":
        return 2
    if not as_json:
        typer.echo(summary(library, reports, values.get("counts") or IngestCounts()))
    return 0 if any(item.status != "failed" for item in reports) and not stop else 1


def summary(library: str, reports: Sequence["FileReport"], counts: "IngestCounts") -> str:
    """Return what was added, in a line or two."""
    documents = Counter[str](item.status for item in reports if item.kind != "records")
    files = _counted(documents, "added", "updated", "partly", "unchanged", "failed")
    records = _counted(counts.records, "added", "updated", "merged", "unchanged")
    told = [f"records: {records}" if files else records] if records else []
    if files:
        told.append(f"documents: {files.replace(' partly', ' read in part')}")
    if counts.passages:
        told.append(f"{counted(counts.pages, 'page')}, {counted(counts.passages, 'passage')}")
    conflicts = [note for item in reports if item.kind == "records" for note in item.notes]
    return "\n".join([f"library '{library}': {'; '.join(told) or 'nothing to add'}", *conflicts])


def _counted(counts: Mapping[str, int], *words: str) -> str:
    return ", ".join(f"{counts[word]} {word}" for word in words if counts.get(word))


def _problems(reports: Sequence["FileReport"]) -> Iterator[str]:
    for item in reports:
        if item.kind == "records":
            yield from (part.cause for part in item.unread)
        if item.cause:
            remedy = f" ({item.remedy})" if item.remedy else ""
            yield f"{item.source}: not read: {item.cause}{remedy}"
        elif item.kind != "records":
            yield from (f"{item.source}: {part.where}: {part.cause}" for part in item.unread[:3])
            yield from (f"{item.source}: note: {note}" for note in item.notes)


def _account(library: str, reports: Sequence["FileReport"]) -> Path:
    if not reports:  # nor need the name be one that a library can have
        return Path(ACCOUNT)
    from tools.library.open_library import folder_of
    from tools.settings import settings

    path = folder_of(library, settings()) / ACCOUNT
    path.parent.mkdir(parents=True, exist_ok=True)  # a library that nothing came into is gone
    lines = [item.model_dump_json(exclude_defaults=True) for item in reports]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
