"""Full texts of papers, where an abstract does not decide: from the library, this machine or the network.

A copy from the network counts only where its own head (title, first author, year) is the paper's. What a run
has looked for once it does not look for again. Semantic Scholar searches texts that nobody here could read, where a
run names it.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from state.document import JOINT, CopyTried, Document
from state.inputs import CheckedRequest
from state.paper import Paper, title_key
from state.passage import Passage
from state.run import Failure
from tools.documents.body import body_of, on_pages
from tools.documents.cut_passages import cut_passages
from tools.documents.document_cache import DocumentStore
from tools.errors import (
    BudgetError,
    DocumentError,
    InputError,
    LibraryError,
    PermanentError,
    TransientError,
    counted,
)
from tools.evidence.passage_search import Searcher
from tools.ingest.ingest_file import paper_of_document
from tools.ingest.reader_processes import read_open_copy, run_apart
from tools.library.library import Library
from tools.library.open_library import settings_for
from tools.references.read_bibliography import entries_at_end, read_entries
from tools.scholar.agreement import same_work
from tools.scholar.open_source import is_online
from tools.scholar.same_work import near_titles
from tools.services import Services

SOURCE = "semantic_scholar"
MOST = 20
"""Claims of one call that are searched for, with a request each."""
EACH = 4
"""Passages for one of them."""


async def nearest_paragraphs(
    services: Services,
    request: CheckedRequest,
    papers: Sequence[Paper],
    wanted: Sequence[str],
    most: int,
    *,
    stage: str,
) -> tuple[dict[str, list[Passage]], list[Failure]]:
    """Return by paper the paragraphs of its full text nearest to each text wanted, in order, and what failed."""
    texts, failures = await read_full_texts(services, request, papers, stage=stage)
    embedder = services.clients.embedder

    def nearest(passages: Sequence[Passage]) -> list[Passage]:
        searcher = Searcher(passages, embedder)
        found = {one.id: one for text in wanted for one in searcher.paragraphs(text, most)}
        return sorted(found.values(), key=lambda one: one.start)

    read = {key: text.passages for key, text in texts.items() if text.passages}
    near = await asyncio.to_thread(lambda: {key: nearest(each) for key, each in read.items()})
    return near, failures


async def search_full_texts(
    services: Services,
    request: CheckedRequest,
    claims: Mapping[str, Sequence[Paper]],
    *,
    stage: str,
) -> tuple[dict[str, list[Passage]], list[Failure]]:
    """Return the passages that come nearest to these claims, by the ids of the papers named with each.

    Args:
        services: Of the run; its setting `full_text` switches this off, too.
        request: Names the sources; without Semantic Scholar among them there is nothing.
        claims: A claim or a question, with the papers in which to look.
        stage: The step that asks, for failures.
    """
    wanted = {claim: papers for claim, papers in claims.items() if papers}
    if not wanted or SOURCE not in request.sources or not services.context.full_text:
        return {}, []
    source = await services.source(SOURCE, request)
    asked = list(wanted.items())[:MOST]
    answers = await asyncio.gather(
        *(source.passages(claim, papers, limit=EACH * len(papers)) for claim, papers in asked),
        return_exceptions=True,
    )
    found: dict[str, dict[str, Passage]] = {}
    failures: list[Failure] = []
    for answer in answers:
        if isinstance(answer, TransientError | PermanentError):
            failures = [
                Failure(
                    stage=stage,
                    subject=f"Semantic Scholar's full texts, for {counted(len(asked), 'claim')}",
                    cause=str(answer),
                    remedy="the claims were judged without them",
                )
            ]
        elif isinstance(answer, BaseException):
            raise answer
        else:
            for item in answer:
                found.setdefault(item.paper, {})[item.id] = item
    return {key: list(items.values()) for key, items in found.items()}, failures


SECONDS = 180.0
"""For all copies that one call fetches; what has not come by then stays unread."""
AT_ONCE = 4
"""Copies fetched at once."""
_NOBODY, _FAILED = "not read", "unreadable"
_OFF = f"{_NOBODY}: full texts are switched off"
_NO_SOURCE = f"{_NOBODY}: no online source selected, and no document in the library"
_ABSTRACT_ONLY = "has no text besides the abstract"


@dataclass(frozen=True, slots=True)
class FullText:
    """What was read of a paper."""

    passages: tuple[Passage, ...] = ()
    """In reading order; without what a record or an annotation says, and without the list of references."""
    unread: str = ""
    """Why it was not read, for a person: 'not read: ...' or 'unreadable: ...'."""
    found: bool = False
    """Whether the passages are only what a search found in it."""


async def read_full_texts(
    services: Services, request: CheckedRequest, papers: Sequence[Paper], *, stage: str
) -> tuple[dict[str, FullText], list[Failure]]:
    """Return the full text of each of these papers, by id, and what went wrong for all of them.

    The library's document comes first, then a copy that this machine has, then an open copy from the
    network, where the run names a source there. No failure of one paper touches another.

    Args:
        services: Of the run.
        request: Names the library and the sources.
        papers: Each is looked for once.
        stage: The step that asks, for failures.
    """
    if not services.context.full_text:
        return {paper.id: FullText(unread=_OFF) for paper in papers}, []
    wanted = {paper.id: paper for paper in papers}
    found, failures = await _at_hand(services, request, list(wanted.values()), stage)
    rest = [paper for key, paper in wanted.items() if key not in found]
    if any(map(is_online, request.sources)):
        copies, failed = await _Copies(services, stage).read(rest)
        found |= copies
        failures += failed
    return {key: found.get(key, FullText(unread=_NO_SOURCE)) for key in wanted}, failures


# --- The library, and what this machine has ------------------------------------------------------


async def _at_hand(
    services: Services, request: CheckedRequest, papers: Sequence[Paper], stage: str
) -> tuple[dict[str, FullText], list[Failure]]:
    """Return what the library has of these papers, else this machine; and why the library could not be read."""
    found: dict[str, list[Passage]] = {}
    failures: list[Failure] = []
    if request.library != "starter":  # which has no full texts
        try:
            library = await services.library(request.library)
            found = await asyncio.to_thread(_in_library, services, request, library, papers)
        except LibraryError as error:
            subject, remedy = f"library '{request.library}'", ("CiteLoom read no full text from it")
            failures = [_failure(stage, subject, str(error), remedy)]
    rest = [paper for paper in papers if paper.id not in found]
    for paper, sha256, document in await asyncio.to_thread(_kept_copies, services, rest):
        with suppress(DocumentError):  # its list of references takes too long to read
            found[paper.id] = await _text_of(services, document, paper, sha256)
    return {key: FullText(tuple(passages)) for key, passages in found.items()}, failures


def _in_library(
    services: Services, request: CheckedRequest, library: Library, papers: Sequence[Paper]
) -> dict[str, list[Passage]]:
    at = settings_for(request.library, services.caller, services.clients.settings)
    kept = DocumentStore(at.home)
    texts = {paper.id: library_text(library, paper, kept) for paper in papers}
    return {key: passages for key, passages in texts.items() if passages}


def _kept_copies(services: Services, papers: Sequence[Paper]) -> list[tuple[Paper, str, Document]]:
    """Return the open copies that earlier runs, or this one, have read, with their hashes."""
    store = DocumentStore(services.clients.settings.home)
    found = []
    for paper in papers:
        sha256 = store.copy_of([paper.id, *paper.aliases])
        document = store.latest(sha256) if sha256 else None
        if sha256 and document and not _fault(document, paper):
            found.append((paper, sha256, document))
    return found


def library_text(
    library: Library, paper: Paper, kept: DocumentStore | None = None
) -> list[Passage]:
    """Return the text of the paper's fullest document in a library; nothing where it has none.

    The paper is known by its ids, or by title, first author and year where the library has it under another.

    Args:
        library: Where to look. Reads the disk.
        paper: The paper.
        kept: Where what was read of the library's files is kept whole, which knows where pages end.
    """
    ids = [paper.id, *paper.aliases]
    here = library.get(ids) or {
        one.id: one for one in library.catalog.same_title(paper.title) if _is_same(one, paper)
    }
    for key in dict.fromkeys([*ids, *here]):
        found = library.texts.of_paper(key)
        entries = [entry.text for entry in library.texts.references(key)]
        found = body_of(found, entries or _listed_at_end(found))
        for document, _ in Counter(item.document for item in found).most_common(1):
            own = [item for item in found if item.document == document]
            return on_pages(own, kept.latest(document) if kept else None)
    return []


async def _text_of(
    services: Services, document: Document, paper: Paper, sha256: str
) -> list[Passage]:
    listed = await run_apart(services.clients.settings, read_entries, document)
    return await asyncio.to_thread(_cut, document, paper, sha256, [entry.text for entry in listed])


def _cut(document: Document, paper: Paper, sha256: str, entries: Sequence[str]) -> list[Passage]:
    passages = cut_passages(document, paper=paper.id, title=paper.title, sha256=sha256)
    return on_pages(body_of(passages, entries or _listed_at_end(passages)), document)


def _listed_at_end(passages: Sequence[Passage]) -> list[str]:
    return entries_at_end([text for item in passages for text in item.text.split(JOINT)])


# --- Open copies ---------------------------------------------------------------------------------


class _Copies:
    """The open copies of one call."""

    def __init__(self, services: Services, stage: str) -> None:
        self._services = services
        self._stage = stage
        self._table = services.run_store.copies
        self._store = DocumentStore(services.clients.settings.home)
        self._fetched = 0
        self._stop = ""
        """Why no more copies are asked for."""

    async def read(self, papers: Sequence[Paper]) -> tuple[dict[str, FullText], list[Failure]]:
        """Return what was read of these papers' open copies, and why no more was asked for."""
        tried = {item.paper: item for item in await self._table.all()}
        self._fetched = sum(bool(item.document) for item in tried.values())
        known = {key: FullText(unread=item.unread) for key, item in tried.items() if item.unread}
        found = {paper.id: known[paper.id] for paper in papers if paper.id in known}
        found |= await self._fetch([paper for paper in papers if paper.id not in found])
        left = [paper for paper in papers if paper.id not in found]
        found |= {paper.id: FullText(unread=f"{_NOBODY}: {self._stop}") for paper in left}
        if not left:
            return found, []
        subject = f"the open copies of {counted(len(left), 'paper')}"
        remedy = "CiteLoom judged the claims about them from abstracts only"
        return found, [_failure(self._stage, subject, self._stop, remedy)]

    async def _fetch(self, papers: Sequence[Paper]) -> dict[str, FullText]:
        """Fetch copies, a few at once, until one of the limits is reached."""
        found: dict[str, FullText] = {}
        until = time.monotonic() + SECONDS
        waiting, running = deque(papers), dict[asyncio.Task[FullText | None], Paper]()
        try:
            while waiting or running:
                self._begin(waiting, running)
                if not running:
                    break
                left = max(0.0, until - time.monotonic())
                done, _ = await asyncio.wait(
                    running, timeout=left, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    paper, text = running.pop(task), task.result()
                    self._services.progress(
                        "full_texts",
                        len(papers) - len(waiting) - len(running),
                        len(papers),
                        paper.title[:60],
                    )
                    if text is not None:
                        found[paper.id] = text
                if not done:
                    self._stop = f"fetching open copies took longer than {SECONDS:g} s"
                    break
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        return found

    def _begin(
        self, waiting: deque[Paper], running: dict[asyncio.Task[FullText | None], Paper]
    ) -> None:
        most = self._services.context.max_copies
        while waiting and not self._stop and len(running) < AT_ONCE:
            if self._fetched + len(running) >= most:
                if not running:
                    self._stop = (
                        f"this run fetches at most {counted(most, 'open copy', 'open copies')}"
                    )
                break
            paper = waiting.popleft()
            running[asyncio.create_task(self._one(paper))] = paper

    async def _one(self, paper: Paper) -> FullText | None:
        """Return the text of one paper's open copy, or why there is none; None where no more is asked for."""
        services = self._services
        try:
            copy = await read_open_copy(
                paper,
                run=services.run,
                ledger=services.ledger,
                settings=services.clients.settings,
                indexes=True,
                fault=lambda document: _fault(document, paper),
            )
            text = await _text_of(services, copy.document, paper, copy.sha256)
        except BudgetError as error:
            self._stop = str(error)
            return None
        except (DocumentError, TransientError, PermanentError, InputError, OSError) as error:
            unread = f"{_FAILED}: {error}"
            await self._table.put([CopyTried(paper=paper.id, unread=unread)])
            return FullText(unread=unread)
        self._fetched += 1
        await asyncio.to_thread(self._store.put_copy, paper.id, copy.sha256, copy.document)
        await self._table.put([CopyTried(paper=paper.id, document=copy.sha256)])
        return FullText(tuple(text))


def _fault(document: Document, paper: Paper) -> str:
    """Return why a copy is not the text of a paper, or nothing: it is of another work, or an abstract."""
    if not _is_copy(document, paper):
        return f"is of another work (“{(document.title or 'no title')[:200]}”)"
    return "" if "text" in {block.kind for block in document.blocks} else _ABSTRACT_ONLY


def _is_copy(document: Document, paper: Paper) -> bool:
    """Whether title, first author and year of a document are the paper's, as far as it shows them."""
    head, _ = paper_of_document(document, name="copy", sha256="copy")
    pairs = ((head.doi, paper.doi), (head.arxiv, paper.arxiv))
    same_id = any(mine and theirs and mine.lower() == theirs.lower() for mine, theirs in pairs)
    if not document.title:
        return same_id
    if same_id:  # another version may be of another year, or lack the subtitle
        return same_work(head, paper)
    return _is_same(head, paper)


def _is_same(found: Paper, paper: Paper) -> bool:
    """Whether two records agree in title, and in first author and year where both have them."""
    if not near_titles(found.title, paper.title):
        return False
    if found.year and paper.year and abs(found.year - paper.year) > 1:
        return False
    if not (found.authors and paper.authors):
        return True
    one, other = ({title_key(x.family) for x in item.authors} for item in (found, paper))
    firsts = title_key(found.authors[0].family), title_key(paper.authors[0].family)
    return firsts[0] in other or firsts[1] in one


def _failure(stage: str, subject: str, cause: str, remedy: str) -> Failure:
    return Failure(stage=stage, subject=subject, cause=cause, remedy=remedy)
