"""The library that a run adds to, and what is asked of it beforehand."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from state.document import DocumentEntry
from state.paper import Paper, title_key
from tools.documents.document_cache import DocumentStore
from tools.documents.grobid import NAME, Grobid, grobid_of
from tools.documents.open_document import READERS
from tools.documents.structured_article import READER as S2ORC
from tools.embed.embedder import Embedder
from tools.errors import LibraryError, logger_of
from tools.library.library import Library
from tools.library.open_library import create_library, delete_library
from tools.settings import Settings

logger = logger_of(__name__)

_SOON, _PATIENCE = 5.0, 600.0
"""Seconds to wait for another writer: before that is said, and after."""
_TELLING = 15
"""Characters of a title key below which a title alone names no paper."""
BAD_RECORDS = "bad-records.txt"
"""In the library's folder: the account of the records that could not be read."""


@dataclass(frozen=True)
class IngestTarget:
    """A library to be added to."""

    library: Library
    embedder: Embedder
    grobid: Grobid | None = None
    """What reads PDFs first, where it is set."""
    documents: DocumentStore | None = None
    """Where what was read is kept whole, with its blocks, beside the library's text of it."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only writer; another process that writes is waited for, some minutes.

        Raises:
            LibraryError: It did not end in that time.
        """
        with ExitStack() as held:
            try:
                held.enter_context(self.library.writing(_SOON))
            except LibraryError:
                _tell_waiting(self.library.name)
                held.enter_context(self.library.writing(_PATIENCE))
            yield

    def current(self, digest: str) -> DocumentEntry | None:
        """Return the document of this SHA-256 if it is here, as it would be read and kept now."""
        entry = self.library.texts.known(digest)
        return entry if entry and self._is_whole(entry) else None

    def _is_whole(self, entry: DocumentEntry) -> bool:
        return entry.references is not None and is_current(entry.reader, self.grobid)

    def known(self) -> set[str]:
        """Return the hashes of all documents that are here as they would be read and kept now."""
        return {entry.sha256 for entry in self.library.texts.documents() if self._is_whole(entry)}

    def same_paper(self, found: Paper) -> Paper | None:
        """Return the paper that is here under one of these ids or, if it has none, its whole title."""
        known = self.library.get([found.id, *found.aliases])
        if known:
            return next(iter(known.values()))
        if found.doi or found.arxiv or len(title_key(found.title)) < _TELLING:
            return None
        named = self.library.catalog.same_title(found.title)
        return next((paper for paper in named if _may_be(found, paper)), None)

    @property
    def bad_records(self) -> Path:
        """Where the account of bad records stands."""
        return self.library.folder / BAD_RECORDS


def is_current(reader: str, grobid: Grobid | None = None) -> bool:
    """Whether what reads documents now has this name and version.

    What GROBID read stays; what our own reader read of a PDF is read again once there is a GROBID.
    """
    own = {name for kind, (name, *_) in READERS.items() if not (grobid and kind == "pdf")}
    return reader in own or reader in {NAME, S2ORC}


@cache
def _tell_waiting(name: str) -> None:
    """Say it once, however many files wait."""
    logger.warning("library '%s' is being written by another process: waiting for it", name)


def _may_be(found: Paper, paper: Paper) -> bool:
    """Whether nothing that both say speaks against their being one work."""
    years = (found.year or paper.year or 0, paper.year or found.year or 0)
    families = {title_key(author.family) for author in paper.authors}
    return abs(years[0] - years[1]) <= 1 and (
        not (found.authors and families) or title_key(found.authors[0].family) in families
    )


def open_for_adding(name: str, settings: Settings, embedder: Embedder) -> IngestTarget:
    """Return the library of this name, made now if there is none.

    Raises:
        InputError: The name cannot be a library's name, or is reserved.
        LibraryError: It is damaged, or was made with another embedder.
    """
    library = create_library(name, settings, embedder)
    return IngestTarget(library, embedder, grobid_of(settings), DocumentStore(settings.home))


def drop_if_empty(name: str, settings: Settings, embedder: Embedder) -> None:
    """Delete a library with nothing in it; the account of records that could not be read stays."""
    library = create_library(name, settings, embedder)
    if library.stats().papers or library.texts.count():
        return
    account = library.folder / BAD_RECORDS
    bad = account.read_bytes() if account.exists() else b""
    delete_library(name, settings, embedder)
    if bad:
        account.parent.mkdir(exist_ok=True)
        account.write_bytes(bad)
