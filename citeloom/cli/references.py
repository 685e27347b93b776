"""`citeloom references`: references as they are printed, as records for a reference manager."""

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.cli.telling import errors_told

if TYPE_CHECKING:
    from state.audit import ReferenceCheck
    from state.bibliography import ReferenceEntry
    from state.paper import Paper

Form = StrEnum("Form", {"bibtex": "bibtex", "csl": "csl", "ris": "ris"})
_DOCUMENTS = {".pdf", ".docx", ".html", ".htm", ".xml"}


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
    with errors_told():
        entries = _entries(given)
        papers = list(map(_recorded, entries))
        checks: list[ReferenceCheck] = []
        if sources:
            papers, checks = asyncio.run(_looked_up(entries, papers, sources))
        text = _printed(form, entries, papers, checks)
        if out:
            out.write_text(text, "utf-8")
        else:
            typer.echo(text, nl=False)
        typer.echo(_summary(entries, checks), err=True)


def _entries(given: str) -> list["ReferenceEntry"]:
    """Return what a file lists.

    Raises:
        InputError, DocumentError: It cannot be read, or no reference stands there.
    """
    from tools.errors import InputError
    from tools.references.bibliography import read_entries
    from tools.references.manuscript import read_manuscript
    from tools.references.reference_list import read_reference

    path = Path(given)
    if given != "-" and path.suffix.lower() in _DOCUMENTS:
        from tools.documents.open import read_document

        entries = read_entries(read_document(path.read_bytes(), name=path.name)[1])
    else:
        text = sys.stdin.read() if given == "-" else path.read_text("utf-8", errors="replace")
        entries = list(read_manuscript(text).entries)
        if not entries:
            lines = [line.strip() for line in text.splitlines() if len(line.split()) > 2]
            entries = list(map(read_reference, lines))
    if not entries:
        raise InputError(
            f"no reference was found in '{given}': give a list under a heading such as References, or one a line"
        )
    return entries


def _recorded(entry: "ReferenceEntry") -> "Paper":
    """Return an entry as a paper, with a record of all that was read of it."""
    from state.record import Record
    from tools.bibliography.kinds import KINDS, kind_of_work
    from tools.bibliography.names import csl_name
    from tools.references.works import paper_of

    paper = paper_of(entry)
    kind = "book" if entry.publisher and not entry.venue else KINDS[kind_of_work(paper)]
    item = {
        "publisher": entry.publisher,
        "editor": [csl_name(editor) for editor in entry.editors],
    }
    fields = tuple((name, json.dumps(value)) for name, value in item.items() if value)
    return paper.model_copy(update={"record": Record(format="csl", type=kind, fields=fields)})


async def _looked_up(
    entries: Sequence["ReferenceEntry"], papers: Sequence["Paper"], sources: Sequence[str]
) -> tuple[list["Paper"], list["ReferenceCheck"]]:
    """Return the papers with what the sources have besides, and what looking each up came to."""
    from uuid import uuid4

    from langgraph.runtime import Runtime
    from langgraph.store.memory import InMemoryStore

    from nodes.intake import check_sources
    from nodes.verify.resolve_references import resolve_references
    from state.request import Request
    from state.verifying import Entry, VerifyState
    from tools.context import RunContext
    from tools.services import open_services

    runtime, run = Runtime(context=RunContext(), store=InMemoryStore()), uuid4().hex
    store = open_services(runtime, run).run_store.papers
    await store.put(papers)
    listed = [
        Entry(
            label=entry.label or str(number),
            raw=entry.text,
            paper=paper.id,
            confidence=entry.confidence,
        )
        for number, (entry, paper) in enumerate(zip(entries, papers, strict=True), start=1)
    ]
    request = Request(text="references", sources=check_sources(sources))
    state: VerifyState = {"run": run, "request": request, "entries": listed}
    done = await resolve_references(state, runtime)
    for failure in done.get("failures", []):
        typer.echo(f"{failure.subject}: {failure.cause}", err=True)
    found = await store.get([entry.paper for entry in done["entries"] if entry.paper])
    whole = [
        found.get(entry.paper, paper) for entry, paper in zip(done["entries"], papers, strict=True)
    ]
    return whole, done["looked_up"]


def _printed(
    form: Form, entries: Sequence["ReferenceEntry"], papers: Sequence["Paper"],
    checks: Sequence["ReferenceCheck"],
) -> str:  # fmt: skip
    from tools.bibliography.keys import numbered
    from tools.bibliography.write_bibtex import to_bibtex
    from tools.bibliography.write_csl import to_csl
    from tools.bibliography.write_ris import to_ris

    listed = numbered(papers)
    if form is Form.ris:
        return to_ris(listed)
    notes = [
        list(_notes(entry, paper, checks[at] if checks else None))
        for at, (entry, paper) in enumerate(zip(entries, papers, strict=True))
    ]
    if form is Form.csl:
        items = [
            item | {"custom": {"citeloom": note}}
            for item, note in zip(to_csl(listed), notes, strict=True)
        ]
        return json.dumps(items, ensure_ascii=False, indent=1) + "\n"
    blocks = [
        "".join(f"% {line}\n" for line in note) + to_bibtex([one])
        for note, one in zip(notes, listed, strict=True)
    ]
    return "\n".join(blocks)


def _notes(
    entry: "ReferenceEntry", paper: "Paper", check: "ReferenceCheck | None"
) -> Iterator[str]:
    """Yield on what a record rests, in words."""
    from nodes.notices import standings

    yield f"As printed: {entry.text}"
    yield f"Read with a confidence of {entry.confidence:.2f}."
    if check is None:
        return
    outcome = check.outcome.replace("_", " ")
    where = ", ".join(check.found_in or check.missing_in)
    yield f"Looked up: {outcome}{f' ({where})' if where else ''}."
    for wrong in check.wrong:
        yield f"Differs: {wrong.field} is {wrong.stated}; the record has {wrong.right or 'none'}."
    for told in standings([paper]).get(paper.id, []):
        yield f"Note: {told.detail}."
    for source in dict.fromkeys(paper.origin.values()):
        names = [name for name, whose in paper.origin.items() if whose == source]
        if source in check.found_in:
            yield f"From {source}: {', '.join(names)}."


def _summary(entries: Sequence["ReferenceEntry"], checks: Sequence["ReferenceCheck"]) -> str:
    from collections import Counter

    from tools.counting import counted

    unsure = sum(entry.confidence < 0.5 for entry in entries)
    told = [f"{counted(len(entries), 'reference')} read, {unsure} with little confidence"]
    outcomes = Counter(check.outcome.replace("_", " ") for check in checks)
    told += [f"{count} {outcome}" for outcome, count in outcomes.most_common()]
    return ", ".join(told)
