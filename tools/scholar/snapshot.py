"""A slice of a dump of OpenAlex on this machine, so that a search needs no network and costs nothing.

`snapshot_building` makes it. SQLite's full-text search has phrases, stems and BM25, which DuckDB's own,
an extension to be fetched, lacks; and finds a hundred records of 100,000 in a few milliseconds.
"""

import asyncio
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from state.merging import ids_of
from state.paper import Paper
from state.search import SearchQuery
from tools.errors import PROGRAM, InputError, PermanentError
from tools.scholar.source import (
    LinkAnswer,
    SearchAnswer,
    Source,
    loosened_queries,
    search_until_found,
    terms,
)
from tools.settings import Settings
from tools.text.keyphrases import keyphrases

NAME = "snapshot"
INDEX = "index.sqlite"
_KEYWORDS, _KEYPHRASES = 6, 8
_SAME_TITLE = 10

_MATCHING = """
SELECT works.number FROM words JOIN works ON works.number = words.rowid
WHERE words MATCH :words AND (:before IS NULL OR first < :before) AND (:after IS NULL OR last >= :after)
ORDER BY bm25(words, 2.0, 1.0) * ln(2 + cited_by) LIMIT :limit
"""  # like OpenAlex, which weighs the match of the words with the number of citations
_KNOWN = "SELECT key, number FROM keys WHERE key IN (SELECT value FROM json_each(?))"
_RECORDS = "SELECT number, record FROM works WHERE number IN (SELECT value FROM json_each(?))"
_CITING = """
SELECT citing FROM links JOIN works ON number = citing WHERE cited = ? ORDER BY cited_by DESC, number LIMIT ?
"""


@dataclass(frozen=True)
class OpenAlexSlice:
    """What a folder holds."""

    works: int
    day: str
    """The last day on which one of its records was changed; '' where they do not say."""
    told: str
    """Which works of the dump were taken, for a person."""


def folder_of(settings: Settings) -> Path:
    """Return the folder of the slice.

    Raises:
        InputError: None is set, or it holds no slice.
    """
    make = f"make one with `{PROGRAM} snapshot build`"
    if settings.snapshot is None:
        raise InputError(
            f"the source '{NAME}' needs a slice of a dump of OpenAlex: {make}, and set "
            "CITELOOM_SNAPSHOT to its folder"
        )
    folder = settings.snapshot.expanduser()
    if not (folder / INDEX).is_file():
        raise InputError(f"CITELOOM_SNAPSHOT names '{folder}', which holds no slice: {make}")
    return folder


def slice_of(folder: Path) -> OpenAlexSlice:
    """Return what a folder holds.

    Raises:
        PermanentError: It cannot be read.
    """
    with _opened(folder / INDEX) as database:
        (works,) = database.execute("SELECT count(*) FROM works").fetchone()
        day, told = database.execute("SELECT day, told FROM slice").fetchone()
    return OpenAlexSlice(works, day, told)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as database:
            yield database
    except sqlite3.Error as error:
        raise PermanentError(
            f"the slice '{path.parent}' cannot be read ({error}): delete {path.name} there, and build it again"
        ) from error


class SnapshotSource(Source):
    """A slice behind the Source protocol; its calls cost nothing."""

    name = NAME

    def __init__(self, folder: Path) -> None:
        self._path = folder / INDEX

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Search for all words, then ever fewer of them; a whole text by any of its key phrases."""

        async def once(groups: Sequence[Sequence[str]]) -> SearchAnswer:
            text = " OR ".join(f"({' AND '.join(map(_quoted, group))})" for group in groups)
            papers = await asyncio.to_thread(self._matching, text, before, after, limit)
            return SearchAnswer(papers=papers, sent=(text,))

        if limit <= 0:
            return SearchAnswer(papers=())
        words = terms(query.text)[:_KEYWORDS]
        if query.by_meaning:
            # Works that have several of them are ranked first.
            phrases = [one.text for one in keyphrases(query.text, limit=_KEYPHRASES)] or words
            return await once([[one] for one in phrases]) if phrases else SearchAnswer(papers=())
        return await search_until_found(loosened_queries(words), once, limit=limit)

    async def titled(self, title: str) -> Sequence[Paper]:
        """Return the papers with a title's words in order, or else what its words find."""
        text = f"title : {_quoted(title)}"
        same = await asyncio.to_thread(self._matching, text, None, None, _SAME_TITLE)
        return same or await super().titled(title)

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers of the slice, by the id asked for."""
        return await asyncio.to_thread(self._get, ids)

    async def references(self, papers: Sequence[Paper]) -> LinkAnswer:
        """Return the cited works that the slice holds."""
        return await asyncio.to_thread(self._references, papers)

    async def citations(self, papers: Sequence[Paper], *, limit: int) -> LinkAnswer:
        """Return the citing works that the slice holds, the most cited ones where there are too many."""
        return await asyncio.to_thread(self._citations, papers, limit)

    def _matching(
        self, words: str, before: date | None, after: date | None, limit: int
    ) -> list[Paper]:
        asked = {
            "words": words,
            "limit": limit,
            "before": before and before.isoformat(),
            "after": after and after.isoformat(),
        }
        with _opened(self._path) as database:
            numbers = [number for (number,) in database.execute(_MATCHING, asked)]
            papers = _records(database, numbers)
        return [papers[number] for number in numbers]

    def _get(self, ids: Sequence[str]) -> dict[str, Paper]:
        with _opened(self._path) as database:
            known = _known(database, ids)
            papers = _records(database, list(known.values()))
        return {key: papers[known[key]] for key in ids if key in known}

    def _references(self, papers: Sequence[Paper]) -> LinkAnswer:
        with _opened(self._path) as database:
            asked = _asked(database, papers)
            records = _records(database, list(asked.values()))
            known = _known(database, [key for one in records.values() for key in one.references])
        return LinkAnswer(
            links={
                own: tuple(key for key in records[number].references if key in known)
                for own, number in asked.items()
            }
        )

    def _citations(self, papers: Sequence[Paper], limit: int) -> LinkAnswer:
        with _opened(self._path) as database:
            citing = {
                own: [one for (one,) in database.execute(_CITING, (number, limit))]
                for own, number in _asked(database, papers).items()
            }
            records = _records(database, [one for found in citing.values() for one in found])
        return LinkAnswer(
            links={own: tuple(records[one].id for one in found) for own, found in citing.items()},
            papers={paper.id: paper for paper in records.values()},
        )


def _quoted(term: str) -> str:
    return '"' + term.replace('"', " ") + '"'


def _known(database: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    return dict(database.execute(_KNOWN, (json.dumps(list(ids)),)))


def _asked(database: sqlite3.Connection, papers: Sequence[Paper]) -> dict[str, int]:
    """Return the works of papers, which another source may know by another id, by theirs."""
    ids = {paper.id: ids_of(paper) for paper in papers}
    known = _known(database, [key for keys in ids.values() for key in keys])
    found = {own: [known[key] for key in keys if key in known] for own, keys in ids.items()}
    return {own: numbers[0] for own, numbers in found.items() if numbers}


def _records(database: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Paper]:
    rows = database.execute(_RECORDS, (json.dumps(list(numbers)),))
    return {number: Paper.model_validate_json(zlib.decompress(record)) for number, record in rows}
