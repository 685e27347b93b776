"""What the papers of a library say: documents, the files they were read from, and passages to read and search."""

import json
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from state.bibliography import ReferenceEntry
from state.document import DocumentEntry
from state.passage import Passage, PassageHit
from tools.errors import InputError, LibraryError, loggable_kind, logger_of
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
from tools.library.search_types import (
    AMONG,
    PassageFilter,
    filter_sql,
    index_filter,
    json_list,
)

logger = logger_of(__name__)

_COLUMNS = (
    "SELECT s.point, s.id, p.id, json_extract(p.record, '$.title'), s.section, s.page, s.start,"
    " s.end, s.text, COALESCE(d.sha256, '') FROM texts s JOIN papers p ON p.point = s.paper"
    " LEFT JOIN documents d ON d.number = s.document WHERE s.role >= 2 AND "
)
_WHOLE = (
    "SELECT s.start, s.text FROM documents d JOIN texts s ON s.paper = d.paper"
    " AND s.document = d.number WHERE d.sha256 = :sha256"
    " UNION ALL SELECT g.start, g.text FROM documents d JOIN gaps g ON g.document = d.number"
    " WHERE d.sha256 = :sha256"
    " UNION ALL SELECT length, '' FROM documents WHERE sha256 = :sha256 ORDER BY start"
)
"""A document's text in pieces: its passages, what stands between them, and its end."""


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
        self._database = catalog.database
        self._index = index
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
            with self._database.writing() as db:
                return put_document(db, paper, name, entry, text, passages, references)

    def known(self, sha256: str) -> DocumentEntry | None:
        """Return the document of this hash, or None."""
        return next(iter(self._documents("d.sha256 = ?", sha256)), None)

    def documents(self, paper: str | None = None) -> list[DocumentEntry]:
        """Return the documents of a paper, or all, in the order of their coming."""
        if paper is None:
            return self._documents("1")
        return self._documents("d.paper = ?", self._point(paper))

    def references(self, paper: str) -> list[ReferenceEntry]:
        """Return the entries of the lists of references of a paper's documents, in order."""
        sql = (
            "SELECT c.entry FROM cited c JOIN documents d ON d.number = c.document"
            " WHERE d.paper = ? ORDER BY c.document, c.position"
        )
        rows = self._database.rows(sql, (self._point(paper),))
        return [ReferenceEntry.model_validate_json(entry) for (entry,) in rows]

    def text(self, sha256: str) -> str:
        """Return the full text of a document.

        Raises:
            InputError: There is no such document.
            LibraryError: It is damaged.
        """
        parts: list[str] = []
        at = 0
        rows = self._database.rows(_WHOLE, {"sha256": sha256})
        if not rows:
            raise InputError(f"the library has no document {sha256[:12]}: add its file first")
        for start, text in rows:
            if start > at:
                raise LibraryError(
                    f"the text of the document {sha256[:12]} is damaged (its character {at} is missing): "
                    "add its file again, or restore the library from a snapshot"
                )
            parts.append(text[at - start :])
            at = max(at, start + len(text))
        return "".join(parts)

    def get(self, ids: Collection[str]) -> dict[str, Passage]:
        """Return the passages that are here, by id, in the order asked for."""
        found = {item.id: item for _, item in self._passages(f"s.id {AMONG}", json_list(ids))}
        return {key: found[key] for key in ids if key in found}

    def of_paper(self, paper: str) -> list[Passage]:
        """Return the passages of a paper in reading order, its abstract first."""
        condition = "s.paper = ? ORDER BY s.document, s.position"
        return [passage for _, passage in self._passages(condition, self._point(paper))]

    def pages(self, size: int, condition: str = "1") -> Iterator[list[Passage]]:
        """Yield passages in batches, in the order of their coming; all, or those of a condition."""
        last = 0
        while rows := self._passages(
            f"{condition} AND s.point > ? ORDER BY s.point LIMIT ?", last, size
        ):
            yield [passage for _, passage in rows]
            last = rows[-1][0]

    def count(self) -> int:
        """How many passages there are."""
        return self._catalog.counts().passages

    def waiting(self) -> int:
        """How many passages have no vector yet."""
        return self._catalog.counts().passages_waiting

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
        hidden = self.points(wanted.exclude).values()
        ids = self._catalog.ids(papers).values()
        found = self._index.search(text, mode, limit, index_filter(wanted, ids, set(hidden)))
        passing = self.passing([hit.id for hit in found], wanted, papers)
        kept = [(passing[hit.id], hit.score) for hit in found if hit.id in passing]
        return [
            PassageHit(passage=key, score=score, rank=rank)
            for rank, (key, score) in enumerate(kept, 1)
        ]

    def points(self, ids: Collection[str]) -> dict[str, int]:
        """Return the points of these passages, those that are there."""
        sql = f"SELECT id, point FROM texts WHERE role >= 2 AND id {AMONG}"
        return dict(self._database.rows(sql, (json_list(ids),)))

    def record_points(self, papers: Collection[int]) -> dict[int, int]:
        """Return the point of the text of each of these papers."""
        sql = f"SELECT paper, point FROM texts WHERE role & 1 AND paper {AMONG}"
        return dict(self._database.rows(sql, (json_list(papers),)))

    def papers_of(self, points: Sequence[int]) -> dict[int, str]:
        """Return the ids of the papers that these points are the texts of."""
        sql = (
            "SELECT s.point, p.id FROM texts s JOIN papers p ON p.point = s.paper"
            f" WHERE s.role & 1 AND s.point {AMONG}"
        )
        return dict(self._database.rows(sql, (json_list(points),)))

    def passing(
        self, points: Collection[int], wanted: PassageFilter, papers: Collection[int]
    ) -> dict[int, str]:
        """Return the ids of those passages that pass the filter, by point; `papers` are its papers.

        What stands beside a vector is old from a change until the index has caught up; this is not.
        """
        conditions, values = filter_sql(wanted, papers)
        sql = (
            "SELECT s.point, s.id FROM texts s JOIN papers p ON p.point = s.paper"
            f" WHERE s.role >= 2 AND s.point {AMONG}{conditions}"
        )
        return dict(self._database.rows(sql, (json_list(points), *values)))

    def remove(self, papers: Collection[str]) -> int:
        """Remove all documents of these papers, whose records and abstracts stay; return how many."""
        entries = [entry for paper in dict.fromkeys(papers) for entry in self.documents(paper)]
        return self.remove_documents({entry.sha256 for entry in entries})

    def remove_documents(self, hashes: Collection[str]) -> int:
        """Remove the documents of these hashes; return how many there were."""
        with self._writing.held():
            with self._database.writing() as db:
                sql = f"SELECT number FROM documents WHERE sha256 {AMONG}"
                numbers = [number for (number,) in db.execute(sql, (json_list(hashes),)).fetchall()]
                for number in numbers:
                    remove_document(db, number)
            if numbers:
                self._index.drop_gone()
        return len(numbers)

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
            with self._database.writing() as db:
                changed = (remove_tags if remove else add_tags)(db, point, wanted)
            if changed:
                self._index.refresh(point)
            return changed

    def tags(self) -> dict[str, int]:
        """Return how many papers have each tag, by tag."""
        return dict(self._database.rows("SELECT tag, COUNT(*) FROM tags GROUP BY tag ORDER BY tag"))

    def tags_of(self, paper: str) -> tuple[str, ...]:
        """Return the tags of a paper, in order; none if it is not here."""
        sql = "SELECT tag FROM tags WHERE paper = ? ORDER BY tag"
        return tuple(tag for (tag,) in self._database.rows(sql, (self._point(paper),)))

    def _point(self, paper: str) -> int | None:
        """Return the number of a paper in the catalog; None, which no row has, where it is not here."""
        return self._catalog.points([paper]).get(paper)

    def _paper(self, key: str) -> int:
        point = self._point(key)
        if point is None:
            raise InputError(f"the library has no paper {key}: add its record first")
        return point

    def _documents(self, condition: str, *values: object) -> list[DocumentEntry]:
        """Return the documents of a condition, in the order of their coming."""
        rows = self._database.rows(
            "SELECT d.entry, p.id, (SELECT COUNT(*) FROM texts s WHERE s.document = d.number"
            " AND s.paper = d.paper),"
            " (SELECT json_group_array(tag) FROM tags t WHERE t.paper = d.paper)"
            f" FROM documents d JOIN papers p ON p.point = d.paper WHERE {condition}"
            " ORDER BY d.number",
            values,
        )
        return [
            DocumentEntry.model_validate_json(entry).model_copy(
                update={"paper": key, "passages": count, "tags": tuple(sorted(json.loads(tags)))}
            )
            for entry, key, count, tags in rows
        ]

    def _passages(self, condition: str, *values: object) -> list[tuple[int, Passage]]:
        rows = self._database.rows(_COLUMNS + condition, values)
        return [(row[0], _passage(row)) for row in rows]


def _passage(row: Sequence[Any]) -> Passage:
    # Not checked again: 100,000 of them are read at once, and they were checked when put.
    return Passage.model_construct(
        id=row[1],
        paper=row[2],
        title=row[3],
        section=tuple(json.loads(row[4])),
        page=row[5],
        start=row[6],
        end=row[7],
        text=row[8],
        document=row[9],
    )
