"""What the papers of a library say: documents, the files they were read from, and passages to read and search."""

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import Literal
from uuid import uuid4

from state.bibliography import ReferenceEntry
from state.document import DocumentEntry
from state.passage import Passage, PassageHit
from tools.errors import InputError, loggable_kind, logger_of
from tools.library.catalog import Catalog
from tools.library.database import WriteLock
from tools.library.document_rows import (
    PutOutcome,
    add_tags,
    put_document,
    remove_document,
    remove_tags,
)
from tools.library.library_index import LibraryIndex
from tools.library.passage_catalog import PassageCatalog, index_filter
from tools.library.search_types import PassageFilter

logger = logger_of(__name__)


class LibraryFiles:
    """Files by the SHA-256 of their bytes, in a folder of a library.

    A file on the same disk is linked and takes no room of its own. All of it can be had again by adding
    the file, so that keeping one never costs its document; no snapshot holds them.
    """

    def __init__(self, folder: Path) -> None:
        """Name the folder, which is made when something is kept."""
        self._folder = folder

    def keep(self, sha256: str, source: Path) -> None:
        """Keep a file; where that fails, the log says so."""
        target = self._folder / sha256
        if target.exists():
            return
        draft = self._folder / f".{uuid4().hex}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, draft, follow_symlinks=True)
            except OSError:  # another disk, or one without links
                shutil.copyfile(source, draft)
            os.replace(draft, target)
        except OSError as error:
            logger.warning("the pages of a file cannot be shown later: %s", loggable_kind(error))
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def path(self, sha256: str) -> Path | None:
        """Return where a file stands, if it is here and still what it was: one that is linked may be edited."""
        place = self._folder / sha256
        try:
            with place.open("rb") as file:
                same = file_digest(file, "sha256").hexdigest() == sha256
        except OSError:
            return None
        return place if same else None

    def tidy(self, known: Collection[str]) -> None:
        """Delete what belongs to none of these documents."""
        for path in self._folder.glob("[!.]*"):
            if path.name not in known:
                path.unlink(missing_ok=True)


class Texts:
    """Documents and passages of one library.

    All methods are synchronous and may be called from several threads; ids of papers are taken in
    any form. Abstracts of records are passages too, and follow their records. Every method raises
    LibraryError when the library is damaged, or locked for too long.
    """

    def __init__(self, catalog: Catalog, index: LibraryIndex, writing: WriteLock) -> None:
        self._catalog = catalog
        self._index = index
        self._passages = PassageCatalog(catalog.database)
        self._writing = writing

    def put(
        self,
        entry: DocumentEntry,
        text: str,
        passages: Sequence[Passage],
        references: Sequence[ReferenceEntry] = (),
    ) -> PutOutcome:
        """Take in a document in one transaction; it takes the place of its earlier version.

        An earlier version has the same hash, or the same paper and name. Passages that it shares
        with this keep their vectors; no vector is made here.

        Raises:
            InputError: The library does not have the paper.
        """
        with self._writing.held():
            paper = self._paper(entry.paper)
            name = self._catalog.ids([paper])[paper]
            with self._catalog.database.writing() as db:
                return put_document(db, paper, name, entry, text, passages, references)

    def known(self, sha256: str) -> DocumentEntry | None:
        """Return the document of this hash, or None."""
        return next(iter(self._passages.documents(sha256=sha256)), None)

    def documents(self, paper: str | None = None) -> list[DocumentEntry]:
        """Return the documents of a paper, or all, in the order of their coming."""
        if paper is None:
            return self._passages.documents()
        point = self._catalog.points([paper]).get(paper)
        return self._passages.documents(point) if point is not None else []

    def references(self, paper: str) -> list[ReferenceEntry]:
        """Return the entries of the lists of references of a paper's documents."""
        point = self._catalog.points([paper]).get(paper)
        return self._catalog.entries_of(point) if point is not None else []

    def text(self, sha256: str) -> str:
        """Return the full text of a document.

        Raises:
            InputError: There is no such document.
        """
        text = self._passages.text(sha256)
        if text is None:
            raise InputError(f"the library has no document {sha256[:12]}: add its file first")
        return text

    def get(self, ids: Collection[str]) -> dict[str, Passage]:
        """Return the passages that are here, by id, in the order asked for."""
        return self._passages.get(ids) if ids else {}

    def of_paper(self, paper: str) -> list[Passage]:
        """Return the passages of a paper in reading order, its abstract first."""
        point = self._catalog.points([paper]).get(paper)
        return self._passages.of_paper(point) if point is not None else []

    def pages(self, size: int) -> Iterator[list[Passage]]:
        """Yield all passages in batches of `size`, in the order of their coming."""
        return self._passages.pages(size)

    def count(self) -> int:
        """How many passages there are."""
        return self._catalog.counts().passages

    def document_count(self) -> int:
        """How many documents there are."""
        return self._catalog.counts().documents

    def search(
        self,
        text: str,
        *,
        mode: Literal["hybrid", "dense", "keyword"] = "hybrid",
        limit: int,
        wanted: PassageFilter | None = None,
    ) -> list[PassageHit]:
        """Return at most `limit` passages, best first.

        Args:
            text: What to look for; an empty text finds nothing.
            mode: By meaning ('dense': cosine), by words ('keyword': BM25), or by both, fused by
                rank ('hybrid': RRF). Where the embedder makes term weights and token vectors,
                'hybrid' also ranks by the former and orders what is found by the latter.
            limit: How many at most.
            wanted: Which may be found.

        Raises:
            LibraryError: No vector is made yet, or another embedder made them; the message says
                what to do.
        """
        if limit < 1 or not text.strip():
            return []
        wanted = wanted or PassageFilter()
        papers = set(self._catalog.points(wanted.papers).values())
        if wanted.papers and not papers:
            return []
        hidden = self._passages.points(wanted.exclude).values()
        ids = self._catalog.ids(papers).values()
        found = self._index.search(text, mode, limit, index_filter(wanted, ids, set(hidden)))
        passing = self._passages.passing([hit.id for hit in found], wanted, papers)
        kept = [(passing[hit.id], hit.score) for hit in found if hit.id in passing]
        return [
            PassageHit(passage=key, score=score, rank=rank)
            for rank, (key, score) in enumerate(kept, 1)
        ]

    def remove(self, papers: Collection[str]) -> int:
        """Remove all documents of these papers, whose records and abstracts stay; return how many."""
        entries = [entry for paper in dict.fromkeys(papers) for entry in self.documents(paper)]
        return self.remove_documents({entry.sha256 for entry in entries})

    def remove_documents(self, hashes: Collection[str]) -> int:
        """Remove the documents of these hashes; return how many there were."""
        removed = 0
        with self._writing.held():
            with self._catalog.database.writing() as db:
                for sha256 in hashes:
                    sql = "SELECT number FROM documents WHERE sha256 = ?"
                    if row := db.execute(sql, (sha256,)).fetchone():
                        remove_document(db, row[0])
                        removed += 1
            if removed:
                self._index.drop_gone()
        return removed

    def tag(self, paper: str, tags: Collection[str], *, remove: bool = False) -> bool:
        """Give a paper these tags, or take them from it; return whether that changed anything.

        Raises:
            InputError: The library does not have the paper, or a tag is empty.
        """
        wanted = [" ".join(tag.split()) for tag in tags]
        if not all(wanted):
            raise InputError("a tag is empty: give a word or a few")
        with self._writing.held():
            point = self._paper(paper)
            with self._catalog.database.writing() as db:
                changed = (remove_tags if remove else add_tags)(db, point, wanted)
            if changed:
                self._index.refresh(point)
            return changed

    def tags(self) -> dict[str, int]:
        """Return how many papers have each tag, by tag."""
        return self._passages.tags()

    def tags_of(self, paper: str) -> tuple[str, ...]:
        """Return the tags of a paper, in order; none if it is not here."""
        point = self._catalog.points([paper]).get(paper)
        return tuple(self._passages.tags(point)) if point is not None else ()

    def waiting(self) -> int:
        """How many passages have no vector yet."""
        return self._catalog.counts().passages_waiting

    def _paper(self, key: str) -> int:
        point = self._catalog.points([key]).get(key)
        if point is None:
            raise InputError(f"the library has no paper {key}: add its record first")
        return point
