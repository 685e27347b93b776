"""Read one paper of the stack: its document, what it cites, and its paragraphs.

Reads `run`, `request` and, per branch, one `item`. Writes `stacked`. A file is read in a process of its
own, and what was read once is kept by the hash of its bytes. Paragraphs, references and record go to
the run store. A paper that cannot be read costs nothing else.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from state.bibliography import Bibliography
from state.channels import Shared
from state.document import Block, Document
from state.inputs import CheckedRequest
from state.paper import Paper
from state.passage import OF_ANNOTATION
from state.quote import ANNOTATION
from state.synthesis import PaperToRead, Paragraph, SourcePaper, SynthesizeState
from tools.documents.document_cache import DocumentStore
from tools.documents.grobid import grobid_of
from tools.documents.paragraphs import paragraphs_of, rebuilt
from tools.errors import PROGRAM, DocumentError, counted
from tools.ingest.file_places import UploadSpool, place_of_file
from tools.ingest.ingest_file import digest_of, paper_of_document
from tools.ingest.ingest_target import is_current
from tools.ingest.reader_processes import read_file, run_apart
from tools.library.library import Library
from tools.references.read_bibliography import read_bibliography
from tools.services import NodeRuntime, Services, open_services

STAGE = "read_stack_paper"
_REBUILT = (
    "CiteLoom rebuilt its structure from the library's text: if references are "
    f"missing, add its file again with `{PROGRAM} library add`"
)


class Branch(Shared):
    """What this node reads."""

    item: PaperToRead
    place: int
    of: int


@dataclass(frozen=True)
class _Read:
    """One paper that was read."""

    document: Document
    paper: Paper
    kind: str
    sha256: str = ""
    notes: tuple[str, ...] = ()


async def read_stack_paper(state: Branch, runtime: NodeRuntime) -> SynthesizeState:
    """Read one paper; why it cannot be read is in its report."""
    services = open_services(runtime, state["run"])
    item = state["item"]
    report = SourcePaper(place=state["place"], name=item.name)
    try:
        read = await _read(services, state["request"], item)
        bibliography = await run_apart(services.clients.settings, read_bibliography, read.document)
        paragraphs = await asyncio.to_thread(
            paragraphs_of, read.document, bibliography, read.paper.id
        )
        if not paragraphs:
            raise DocumentError("it has no paragraphs", remedy="give another copy of it")
        if read.kind == "record" and read.paper.abstract_kind == ANNOTATION:
            paragraphs = [
                item.model_copy(update={"part": ANNOTATION, "section": OF_ANNOTATION})
                for item in paragraphs
            ]
    except DocumentError as error:
        remedy = error.remedy or "give another copy or format of it"
        report = report.model_copy(update={"cause": str(error), "remedy": remedy})
    else:
        await services.run_store.papers.put([read.paper])
        await services.run_store.bibliographies.put_as({report.key: bibliography})
        await services.run_store.paragraphs.put(paragraphs)
        report = _report(report, read, bibliography, paragraphs)
    services.tick(STAGE, 1, state["of"], item.name)
    return {"stacked": [report]}


async def _read(services: Services, request: CheckedRequest, item: PaperToRead) -> _Read:
    store = DocumentStore(services.clients.settings.home)
    if item.kind == "paper":
        library = await services.library(request.library)
        return await asyncio.to_thread(_of_library, library, store, item.name)
    spool = UploadSpool(services.clients.settings.home, services.run)
    path = await asyncio.to_thread(place_of_file, services.clients, item.path, spool, item.sha256)
    digest = item.sha256 or await asyncio.to_thread(digest_of, path)
    known = await asyncio.to_thread(store.latest, digest)
    kind, note = "", ""
    grobid = grobid_of(services.clients.settings)
    if known is None or not is_current(known.reader, grobid):
        reading = await run_apart(
            services.clients.settings, read_file, str(path), item.name, grobid
        )
        known, kind, note = reading.document, reading.kind, reading.note
        digest = reading.sha256  # it may have been written since it was hashed
        await asyncio.to_thread(store.put, digest, known)
    paper, notes = paper_of_document(known, name=item.name, sha256=digest)
    kind = kind or known.reader.split()[0]
    return _Read(known, paper, kind, digest, (*filter(None, [note]), *notes))


def _of_library(library: Library, store: DocumentStore, key: str) -> _Read:
    """Return a paper of a library: its fullest document, or else its record's abstract."""
    paper = library.get([key])[key]
    entries = library.texts.documents(paper.id)
    if not entries:
        if not paper.abstract:
            raise DocumentError(
                "the library has neither a document nor an abstract of it",
                remedy=f"add its file with `{PROGRAM} library add`",
            )
        block = Block(text=paper.abstract, kind="abstract")
        note = f"the library has only its {paper.abstract_kind}, so its references are unknown"
        return _Read(Document(blocks=(block,), reader="record"), paper, "record", "", (note,))
    entry = max(entries, key=lambda item: item.passages)
    document = store.latest(entry.sha256)
    notes: tuple[str, ...] = ()
    if document is None:
        mine = [p for p in library.texts.of_paper(paper.id) if p.document == entry.sha256]
        document = rebuilt(entry, library.texts.text(entry.sha256), mine)
        notes = (_REBUILT,)
    if others := len(entries) - 1:
        notes = (
            *notes,
            f"{counted(others, 'further document of it was not read', 'further documents of it were not read')}",
        )
    return _Read(document, paper, entry.kind, entry.sha256, notes)


def _report(
    report: SourcePaper, read: _Read, bibliography: Bibliography, paragraphs: Sequence[Paragraph]
) -> SourcePaper:
    linked = sum(len(item.entries) for item in bibliography.citations)
    unlinked = sum(len(item.unlinked) for item in bibliography.citations)
    confidence = dict(read.document.confidence)
    if bibliography.citations:
        confidence["citations"] = round(bibliography.confidence, 2)
    return report.model_copy(
        update={
            "paper": read.paper.id,
            "sha256": read.sha256,
            "kind": read.kind,
            "title": read.paper.title,
            "pages": read.document.pages,
            "paragraphs": tuple(item.id for item in paragraphs),
            "entries": len(bibliography.entries),
            "citations": linked + unlinked,
            "linked": linked,
            "confidence": confidence,
            "unread": read.document.unread,
            "notes": read.notes,
        }
    )
