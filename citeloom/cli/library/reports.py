"""Telling what became of what was added to a library."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import typer
from pydantic import TypeAdapter

from citeloom.cli.library.opening import process_settings
from state.ingesting import FileReport, IngestCounts, IngestOutput

_SHOWN = 20
"""Bad records and failures on the terminal; all are in files."""
ACCOUNT = "last-add.jsonl"
"""In the library's folder: the reports of all sources of the last load, a line each."""
_STATUS = {
    "added": "added", "updated": "updated", "partly": "read in part", "unchanged": "unchanged",
    "failed": "failed",
}  # fmt: skip


def tell(values: Mapping[str, Any], *, as_json: bool) -> int:
    """Print the summary, keep the account of all reports, return the exit code.

    Returns:
        0 where something is in the library, 1 where nothing is, 2 for an input that cannot be used.
    """
    stop = values.get("stop")
    reports: Sequence[FileReport] = values.get("reports") or []
    counts: IngestCounts = values.get("counts") or IngestCounts()
    library = values["request"].library
    account = _account(library, reports)
    if as_json:
        typer.echo(json.dumps(_plain(values), ensure_ascii=False, indent=2))
    else:
        for line in (*_bad_records(reports, account), *_problems(reports, account)):
            typer.echo(line, err=True)
        for note in values.get("notes") or ():
            typer.echo(f"note: {note}", err=True)
        for line in rates(values):
            typer.echo(line, err=True)
    if stop:
        typer.echo(f"Error: {stop.cause}", err=True)
    if stop and stop.subject == "input":
        return 2
    if not as_json:
        typer.echo(summary(library, reports, counts))
    good = any(report.status != "failed" for report in reports)
    return 0 if good and not stop else 1


def summary(library: str, reports: Sequence[FileReport], counts: IngestCounts) -> str:
    """Return what was added, in a line or two."""
    words = ("added", "updated", "merged", "unchanged")
    records = [f"{counts.records[word]} {word}" for word in words if counts.records.get(word)]
    documents = Counter[str](item.status for item in reports if item.kind != "records")
    files = [f"{documents[key]} {word}" for key, word in _STATUS.items() if documents[key]]
    conflicts = [note for item in reports if item.kind == "records" for note in item.notes]
    if not files:
        return "\n".join(
            [f"library '{library}': {', '.join(records) or 'nothing to add'}", *conflicts]
        )
    told = [f"documents: {', '.join(files)}"]
    if records:
        told.insert(0, f"records: {', '.join(records)}")
    if counts.passages:
        told.append(f"{counts.pages} pages, {counts.passages} passages")
    return "\n".join([f"library '{library}': {'; '.join(told)}", *conflicts])


def rates(values: Mapping[str, Any]) -> list[str]:
    """Return how long each stage took, and how much it did a second."""
    reports: Sequence[FileReport] = values.get("reports") or []
    spent: Mapping[str, float] = values.get("spent") or {}
    read = [item for item in reports if item.seconds.get("read") and item.status != "failed"]
    seconds = {
        stage: sum(item.seconds.get(stage, 0.0) for item in read)
        for stage in ("read", "record", "cut", "store")
    }
    if not read or not seconds["read"]:
        return []
    pages, passages = sum(item.pages or 0 for item in read), sum(item.passages for item in read)
    told = [f"read {_per(len(read), seconds['read'], 'papers')}"]
    if pages:
        told.append(_per(pages, seconds["read"], "pages"))
    told += [_per(passages, seconds["cut"], "passages cut")]
    told += [_per(passages, seconds["store"] + seconds["record"], "kept")]
    for stage, word in (("passages", "passages indexed"), ("keywords", "given keywords")):
        if made := spent.get(f"{stage}_made"):
            told.append(_per(int(made), spent[stage], word))
    return [f"rates of one worker: {', '.join(told)}"]


def _per(count: int, seconds: float, word: str) -> str:
    return f"{count} {word} ({count / max(seconds, 0.001):.1f}/s)"


def _bad_records(reports: Sequence[FileReport], account: Path) -> list[str]:
    from tools.ingest.target import BAD_RECORDS

    files = [item for item in reports if item.kind == "records"]
    lines = [part.cause for item in files for part in item.unread]
    if not lines:
        return []
    bad = sum(item.records.get("bad", 0) for item in files)
    total = max(len(lines), bad)
    shown = lines[:_SHOWN]
    if total > len(shown):
        shown.append(f"... and {total - len(shown)} more")
    noun = "record" if bad == 1 else "records"
    where = account.with_name(BAD_RECORDS)
    return [*shown, f"{bad} {noun} could not be read; the account is in {where}"]


def _problems(reports: Sequence[FileReport], account: Path) -> list[str]:
    lines: list[str] = []
    for item in reports:
        if item.kind == "records" and not item.cause:
            continue
        if item.status == "failed":
            remedy = f" ({item.remedy})" if item.remedy else ""
            lines.append(f"{item.source}: not read: {item.cause}{remedy}")
        elif item.kind != "records":
            lines += [f"{item.source}: {part.where}: {part.cause}" for part in item.unread[:3]]
            lines += [f"{item.source}: note: {note}" for note in item.notes]
    if len(lines) > _SHOWN:
        rest = len(lines) - _SHOWN
        return [*lines[:_SHOWN], f"... and {rest} more; all reports are in {account}"]
    return lines


def _account(library: str, reports: Sequence[FileReport]) -> Path:
    if not reports:  # nor need the name be one that a library can have
        return Path(ACCOUNT)
    from tools.library.open import folder_of

    path = folder_of(library, process_settings()) / ACCOUNT
    if path.parent.is_dir():
        lines = [item.model_dump_json(exclude_defaults=True) for item in reports]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _plain(values: Mapping[str, Any]) -> Any:
    given = {name: values[name] for name in get_type_hints(IngestOutput) if name in values}
    plain = TypeAdapter(dict[str, Any]).dump_python(given, mode="json")
    return {"library": plain.pop("request")["library"], **plain}
