"""Telling what became of what was added to a library."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import typer

from citeloom.cli.telling import tell_error
from citeloom.report.json_files import dump
from state.ingest import FileReport, IngestCounts, IngestOutput
from tools.counting import counted
from tools.settings import settings

_SHOWN = 20
"""Lines of what went wrong on the terminal; all are in files."""
ACCOUNT = "last-add.jsonl"
"""In the library's folder: the reports of all sources of the last load, a line each."""


def tell(values: Mapping[str, Any], *, as_json: bool) -> int:
    """Print the summary, keep the account of all reports, return the exit code.

    Returns:
        0 where something is in the library, 1 where nothing is, 2 for an input that cannot be used.
    """
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
            rest.append(
                f"{what} could not be read; the account is in {account.parent / BAD_RECORDS}"
            )
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


def summary(library: str, reports: Sequence[FileReport], counts: IngestCounts) -> str:
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


def _problems(reports: Sequence[FileReport]) -> Iterator[str]:
    for item in reports:
        if item.kind == "records":
            yield from (part.cause for part in item.unread)
        if item.cause:
            remedy = f" ({item.remedy})" if item.remedy else ""
            yield f"{item.source}: not read: {item.cause}{remedy}"
        elif item.kind != "records":
            yield from (f"{item.source}: {part.where}: {part.cause}" for part in item.unread[:3])
            yield from (f"{item.source}: note: {note}" for note in item.notes)


def _account(library: str, reports: Sequence[FileReport]) -> Path:
    if not reports:  # nor need the name be one that a library can have
        return Path(ACCOUNT)
    from tools.library.open_library import folder_of

    path = folder_of(library, settings()) / ACCOUNT
    path.parent.mkdir(parents=True, exist_ok=True)  # a library that nothing came into is gone
    lines = [item.model_dump_json(exclude_defaults=True) for item in reports]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
