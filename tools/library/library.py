"""A library: a catalog of papers and a vector index of what they say, kept in step.

Record rows are written first and vectors after them, and a row is marked when its vector is in. So
a process killed at any moment loses nothing: the next `add` or `index` makes the missing vectors.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Literal

from state.paper import Paper
from tools.embed.embedder import Embedder, Vectors
from tools.errors import PROGRAM, InputError, counted
from tools.library.catalog import Catalog
from tools.library.database import WriteLock
from tools.library.index_registry import IndexRegistry
from tools.library.library_index import Encoder, LibraryIndex
from tools.library.same_paper import find_same_work
from tools.library.search_types import AddReport, LibraryStats, PaperHit
from tools.library.texts import LibraryFiles, Texts
from tools.library.vector_index import (
    IndexFilter,
    Progress,
)
from tools.settings import Settings

_READ_BATCH = 500
_NEAREST = 10


class Library:
    """Papers to search, by meaning and by words, and who cites whom.

    All methods are synchronous and may be called from several threads. Ids are taken in any form
    (`10.1145/X`, `https://doi.org/10.1145/x`, an alias); papers are named by their canonical ids.
    Every method raises LibraryError when the library is damaged, or locked for too long.
    """

    def __init__(self, folder: Path, name: str, settings: Settings, embedder: Embedder) -> None:
        """Open the library in `folder`, which must hold a catalog."""
        self.folder = folder
        self.name = name
        self.embedder = embedder
        # For what looks after a library: tools.library.library_care and library_snapshot.
        self.catalog = Catalog(folder / "catalog.sqlite")
        self._writing = WriteLock(folder / "write.lock", f"library '{name}'")
        indexes = IndexRegistry(folder, name, self.catalog.database, settings)
        self.vector_index = LibraryIndex(
            name, self.catalog.database, indexes, embedder, self._writing
        )
        self.texts = Texts(self.catalog, self.vector_index, self._writing)
        self.files = LibraryFiles(folder / "files")

    def check_embedder(self, embedder: Embedder) -> None:
        """Raise LibraryError if the vectors here are of another embedder than this."""
        self.vector_index.check(embedder)

    def embeds_as(self, embedder: Embedder) -> bool:
        """Whether this was opened with that embedder."""
        mine = self.embedder
        return mine is embedder or (mine.name, mine.size) == (embedder.name, embedder.size)

    def embedded(self) -> bool:
        """Whether the vectors here, or those that take their place, are of the embedder that this was opened with."""
        return self.vector_index.fits(self.embedder)

    def writing(self, wait: float = 20.0) -> AbstractContextManager[None]:
        """Be the only writer for several calls; `wait` is in seconds."""
        return self._writing.held(wait)

    def add(
        self,
        records: Iterable[Paper],
        *,
        progress: Progress | None = None,
        replace: bool = False,
        index: bool = True,
    ) -> AddReport:
        """Take records in; those that are there unchanged cost next to nothing.

        Args:
            records: Papers of any source; read once, in batches.
            progress: Called with (records read, None), then with (vectors made, of how many).
            replace: Whether a record takes the place of the one of its id; else gaps of the new
                record are filled from the one there.
            index: Whether to make the vectors too; else the next `index` makes them.

        Raises:
            InputError: A record has an empty id; those of earlier batches are in.
        """
        tally: Counter[str] = Counter()
        conflicts: list[str] = []
        with self._writing.held():
            rows = iter(records)
            while batch := list(islice(rows, _READ_BATCH)):
                outcomes = self.catalog.take_in(batch, replace=replace)
                tally.update(outcomes)
                pairs = zip(batch, outcomes, strict=True)
                conflicts += [paper.id for paper, outcome in pairs if outcome == "conflict"]
                if progress:
                    progress(tally.total(), None)
            if index:
                self.index(progress=progress)
        return AddReport(
            added=tally["added"],
            updated=tally["updated"],
            unchanged=tally["unchanged"],
            merged=tally["merged"],
            conflicts=tuple(conflicts),
        )

    def index(
        self,
        *,
        progress: Progress | None = None,
        reembed: bool = False,
        encoder: Encoder | None = None,
    ) -> int:
        """Make the vectors that are missing, of papers and passages; return how many were made.

        Args:
            progress: Called with (vectors made, of how many).
            reembed: Where another embedder made those that are there, make all anew; where they are
                not where the settings want them, move them there. Until that is done those are
                searched, by the embedder that made them.
            encoder: What makes them; else this process does.

        Raises:
            LibraryError: Another embedder made those that are there, and `reembed` is off.
        """
        with self._writing.held():
            if reembed and not (self.embedded() and self.vector_index.indexes.in_place()):
                self.vector_index.renew(move=True)
            self.vector_index.indexes.tidy()
            self.files.tidy(self.catalog.hashes())
            return self.vector_index.catch_up(progress, encoder)

    def search(
        self,
        text: str,
        *,
        limit: int,
        before: date | None = None,
        after: date | None = None,
        mode: Literal["hybrid", "dense", "keyword"] = "hybrid",
        among: Collection[str] | None = None,
    ) -> list[PaperHit]:
        """Return at most `limit` papers, best first.

        Args:
            text: What to look for; an empty text finds nothing.
            limit: How many at most.
            before: Only papers certain to have appeared before this day; see
                state.paper.published_before.
            after: None of which it is certain that they appeared before this day, or not known when.
            mode: By meaning ('dense': cosine), by words ('keyword': BM25), or by both, fused by
                rank ('hybrid': RRF).
            among: Canonical ids of the only papers that may be found.

        Raises:
            LibraryError: No vector is made yet; the message says how to make them.
        """
        if limit < 1 or not text.strip() or (among is not None and not among):
            return []
        wanted = IndexFilter(
            "paper",
            before=before.toordinal() if before else None,
            after=after.toordinal() if after else None,
            papers=tuple(among or ()),
        )
        found = self.vector_index.search(text, mode, limit, wanted)
        ids = self.texts.papers_of([hit.id for hit in found])
        hits = [(ids[hit.id], hit.score) for hit in found if hit.id in ids]
        return [PaperHit(paper, score, rank) for rank, (paper, score) in enumerate(hits, 1)]

    def get(self, ids: Collection[str]) -> dict[str, Paper]:
        """Return the papers that are here, by the id asked for."""
        points = self.catalog.points(ids)
        papers = self.catalog.papers(set(points.values()))
        return {key: papers[point] for key, point in points.items() if point in papers}

    def vectors(self, ids: Collection[str]) -> dict[str, Vectors]:
        """Return the dense vectors (norm 1) of the papers that have one, by the id asked for."""
        papers = self.catalog.points(ids)
        points = self.texts.record_points(papers.values())
        found = self.vector_index.vectors(points.values())
        return {
            key: found[points[paper]] for key, paper in papers.items() if points.get(paper) in found
        }

    def references(self, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return, for each of these papers that is here, which papers here it cites."""
        points = self.catalog.points(ids)
        cited = self.catalog.cited_by(set(points.values()))
        return {key: tuple(cited.get(point, ())) for key, point in points.items()}

    def citations(self, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return, for each of these papers that is here, which papers here cite it."""
        points = self.catalog.points(ids)
        citing = self.catalog.citing(set(points.values()))
        return {key: tuple(citing.get(point, ())) for key, point in points.items()}

    def same_work(self, title: str, abstract: str) -> str | None:
        """Return the id of the paper that this is the title or abstract of, small edits aside."""
        named = self.catalog.same_title(title) if title.strip() else []
        text = abstract.strip() or title.strip()
        if not text:
            return None
        near = [hit.paper for hit in self.search(text, limit=_NEAREST, mode="dense")]
        papers = self.get(near)
        return find_same_work(title, abstract, [*named, *(papers[key] for key in near)])

    def titled(self, part: str) -> list[Paper]:
        """Return at most 20 papers with this in their titles, the shortest title first."""
        return self.catalog.titled(part)

    def called(self, name: str) -> Paper:
        """Return the paper of this id, title or part of a title.

        Raises:
            InputError: None or several are called so.
        """
        if record := self.get([name]).get(name):
            return record
        titled = self.titled(name)
        whole = [one for one in titled if len(one.title) == len(name)]
        if len(whole or titled) == 1:
            return (whole or titled)[0]
        if not titled:
            raise InputError(
                f"'{self.name}' has no paper {name}: list its papers with `{PROGRAM} library "
                f"papers {self.name}`"
            )
        known = "; ".join(f"{one.id} {one.title}" for one in titled[:5])
        raise InputError(
            f"{counted(len(titled), 'paper')} in '{self.name}' match '{name}': {known}"
        )

    def stats(self) -> LibraryStats:
        """Count what is here."""
        meta = self.catalog.meta()
        links, entries = self.catalog.reference_counts()
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return LibraryStats(
            name=self.name,
            embedder=meta["embedder"],
            size=int(meta["size"]),
            links=links,
            entries=entries,
            bytes=sum(_disk_bytes(path) for path in files),
            **asdict(self.catalog.counts()),
        )

    def remove(self, ids: Collection[str]) -> int:
        """Remove these papers; return how many there were."""
        with self._writing.held():
            points = sorted(set(self.catalog.points(ids).values()))
            self.catalog.remove(points)
            self.files.tidy(self.catalog.hashes())
            self.vector_index.drop_gone()
            return len(points)

    def ids(self, added_after: float = 0.0) -> list[str]:
        """Return the canonical ids of all papers, or of those added after a moment, in the order of their coming."""
        return self.catalog.ids_in_order(added_after)

    def meta(self) -> dict[str, str]:
        """What the library remembers of itself."""
        return self.catalog.meta()

    def remember(self, **values: str) -> None:
        """Remember these values."""
        self.catalog.set_meta(values)

    def close(self) -> None:
        """Release files and connections; a later call opens them again."""
        self.vector_index.indexes.close()
        self.catalog.close()

    def drop(self) -> None:
        """Delete the vectors and release all files, for the library to be deleted."""
        self.vector_index.indexes.drop()
        self.close()


def _disk_bytes(path: Path) -> int:
    try:
        found = path.stat()
    except FileNotFoundError:  # a file of the engine may go while we count
        return 0
    # The engine reserves sparse files; what they take on disk is counted where the system tells.
    return getattr(found, "st_blocks", -(-found.st_size // 512)) * 512
