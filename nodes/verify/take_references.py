"""Take printed references: read them out of the text or the files that were sent.

Reads the input of `references`. Writes `run`, `request`, `entries`, `stop`, and resets what an earlier run on the
same thread may have left; the records go to the run store. Files are read in processes of their own.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from uuid import uuid4

from nodes.common.check_input import by_its_key, check_sources, parse_input, refusing
from nodes.verify.take_text import placed_entries
from state.bibliography import ReferenceEntry
from state.inputs import CheckedRequest
from state.paper import Paper, Record
from state.reducers import begin_run
from state.run import Failure
from state.verify import Entry, ReferencesInput, VerifyState
from tools.bibliography.names import csl_name
from tools.bibliography.publication_kinds import KINDS, kind_of_work
from tools.bibliography.read_records import is_bibtex, read_bibtex_file
from tools.documents.file_types import decoded, detect_file_type
from tools.documents.word_manuscript import word_paragraphs
from tools.errors import DocumentError, InputError, counted
from tools.file_limits import FILE_LIMITS
from tools.ingest.reader_processes import run_apart
from tools.ingest.uploads import contents_of
from tools.references.read_list import read_list
from tools.references.works import paper_of_entry
from tools.run_settings import check_settings
from tools.services import NodeRuntime, Services, open_services

STAGE = "take_references"
MOST_LISTED_CHARACTERS = 500_000
MAX_REFERENCES = 2000


async def take_references(state: Mapping[str, object], runtime: NodeRuntime) -> VerifyState:
    """Read the references of text and files; a file that cannot be read is a failure."""
    run = uuid4().hex
    services = open_services(runtime, run)
    request, read, failures = CheckedRequest(text=""), list[_Read](), list[Failure]()
    with refusing(STAGE) as stopped:
        check_settings(services.context)
        sent = parse_input(ReferencesInput, state)
        sources = check_sources(sent.sources)
        read, failures = await _read(services, sent)
        request = CheckedRequest(text=counted(len(read), "reference"), sources=sources)
        read = list(_distinct(read))
        await services.run_store.papers.put([paper for _, paper in read])
    entries = [
        entry.model_copy(update={"paper": paper.id, "stated": paper.id}) for entry, paper in read
    ]
    services.progress(STAGE, len(entries), len(entries))
    return begin_run(
        VerifyState,
        run=run,
        request=request,
        entries=entries,
        stop=next(iter(stopped), None),
        failures=[*failures, *stopped],
    )


_Read = tuple[Entry, Paper]
"""An entry of a list, and what it says of its paper."""


async def _read(services: Services, sent: ReferencesInput) -> tuple[list[_Read], list[Failure]]:
    """Return the references of all that was sent, and what could not be read.

    Raises:
        InputError: There is nothing to read, too much of it, or no reference in any of it.
    """
    if not (sent.text.strip() or sent.uploads):
        raise InputError("no reference list: give references as text, or a file with a list")
    if len(sent.text) > MOST_LISTED_CHARACTERS:
        raise InputError(
            f"the text has {len(sent.text):,} characters; the maximum is {MOST_LISTED_CHARACTERS:,}: "
            "give a part of the list at a time"
        )
    entries: list[_Read] = []
    failures: list[Failure] = []
    for name, file, content in _contents(sent, failures):
        try:
            if is_bibtex(name):
                entries += await asyncio.to_thread(_bibtex, content, file, failures)
                continue
            listed = await run_apart(
                services.clients.settings, read_list, content=content, name=name
            )
            found = [
                Entry(label=one.label, raw=one.text, confidence=one.confidence) for one in listed
            ]
            found = await asyncio.to_thread(_placed, found, content, name, file)
            entries += zip(found, map(recorded, listed), strict=True)
        except DocumentError as error:
            failures.append(_unread(name or "the text", error))
        if len(entries) > MAX_REFERENCES:
            raise InputError(
                f"there are more than {MAX_REFERENCES:,} references: give a part of the list at a time"
            )
    if not entries:
        raise InputError("; ".join(map(_told, failures[:3])))
    return entries, failures


def _bibtex(content: bytes, file: str, failures: list[Failure]) -> list[_Read]:
    """Return the entries of a BibTeX file.

    Raises:
        DocumentError: It holds none.
    """
    read: list[_Read] = []
    try:
        found = read_bibtex_file(Path(file), content)
    except InputError as error:
        raise DocumentError(
            str(error), remedy="give a file with entries such as @article"
        ) from error
    for one in found:
        if isinstance(one.record, Paper):
            fields = one.checked_places()
            read.append((Entry(label=one.key, place=one.places.get(""), fields=fields), one.record))
        elif one.record.lost:
            subject, cause = f"{file}:{one.record.line}", one.record.reason
            failures.append(Failure(stage=STAGE, subject=subject, cause=cause, remedy=_MEND))
    return read


_MEND = "mend the entry, and check it again"


def _placed(entries: list[Entry], content: bytes, name: str, file: str) -> list[Entry]:
    """Return entries with their places in a text or a Word file; a PDF has no lines."""
    if name.lower().endswith(".docx"):
        paragraphs = [" ".join(one.split()) for one in word_paragraphs(content)]
        return placed_entries(entries, "\n".join(paragraphs), file, paragraphs=True)
    is_text = not name or name.lower().endswith((".tex", ".ltx", ".bbl"))
    if is_text or detect_file_type(content, name) in {"text", "markdown"}:
        return placed_entries(entries, decoded(content), file)
    return entries


def _contents(sent: ReferencesInput, failures: list[Failure]) -> Iterator[tuple[str, str, bytes]]:
    """Yield the name, the name with its folder, and the bytes of all that was sent; a text has no name."""
    if sent.text.strip():
        yield "", "", sent.text.encode("utf-8", "replace")
    for number, upload in enumerate(sent.uploads, start=1):
        sent_as = upload.name.encode("utf-8", "replace").decode().replace("\\", "/")
        name = sent_as.rpartition("/")[2] or f"file {number}"
        try:
            yield name, sent_as, contents_of(upload, largest=FILE_LIMITS.bytes)
        except DocumentError as error:
            failures.append(_unread(name, error))


def _told(failure: Failure) -> str:
    named = "" if failure.cause.startswith(failure.subject) else f"{failure.subject}: "
    return f"{named}{failure.cause}: {failure.remedy}"


def _unread(name: str, error: DocumentError) -> Failure:
    return Failure(stage=STAGE, subject=name, cause=str(error), remedy=error.remedy)


def recorded(entry: ReferenceEntry) -> Paper:
    """Return a reference as a paper, with a record of all that was read of it."""
    paper = paper_of_entry(entry)
    kind = "book" if entry.publisher and not entry.venue else KINDS[kind_of_work(paper)]
    item = {
        "publisher": entry.publisher,
        "editor": [csl_name(editor) for editor in entry.editors],
    }
    fields = tuple((name, json.dumps(value)) for name, value in item.items() if value)
    return paper.model_copy(update={"record": Record(format="csl", type=kind, fields=fields)})


def _distinct(read: Iterable[_Read]) -> Iterator[_Read]:
    """Yield what was read; references to one work stay as many, each under an id of its own."""
    taken: set[str] = set()
    for number, (entry, paper) in enumerate(read, start=1):
        if not entry.raw:
            paper = by_its_key(paper, taken, number)
        elif paper.id in taken:
            paper = paper.model_copy(update={"id": f"local:reference-{number}"})
        taken.add(paper.id)
        yield entry, paper
