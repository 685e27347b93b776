"""The papers of a citation graph as OpenAlex would hold them, as of the year of a query paper."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from evals.retrieval.corpus import FIRST_WORK, Corpus, Record
from evals.retrieval.index import Index, Mask
from state.paper import canonical_id
from tools.program import logger_of

logger = logger_of(__name__)

SITE = "https://openalex.org/"
_NO_YEAR = 9999


@dataclass(frozen=True)
class View:
    """What the source shows: the works before a year, but for some that are hidden."""

    visible: Mask
    cited_by: NDArray[np.int64]
    """How many visible works cite each."""


class Works:
    """Works by place, their links, and the text of each record, which is made once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        records, positions = corpus.records, corpus.positions
        self.years = np.array(
            [record.year if record.year is not None else _NO_YEAR for record in records]
        )
        links = [
            (at, positions[key])
            for at, record in enumerate(records)
            for key in dict.fromkeys(map(canonical_id, record.references))
            if key in positions
        ]
        self._citing = np.array([citing for citing, _ in links], dtype=np.int64)
        self._cited = np.array([cited for _, cited in links], dtype=np.int64)
        self._head = cache(lambda at: json.dumps(self._fields(at), ensure_ascii=False)[:-1])
        self.view = lru_cache(maxsize=64)(self._view)

    @cached_property
    def index(self) -> Index:
        """The words of all works."""
        return Index((record.title, record.abstract or "") for record in self._corpus.records)

    def prepare(self) -> None:
        """Make all records and the index now, so that no request pays for it."""
        for at in range(len(self.years)):
            self._head(at)
        logger.info("%d works, %d words", self.index.size, self.index.words)

    def _view(self, year: int | None, hidden: tuple[int, ...]) -> View:
        """Return the works that appeared before `year` and are not hidden."""
        visible = np.ones(len(self.years), dtype=np.bool_)
        if year is not None:
            visible &= self.years < year
        visible[list(hidden)] = False
        cited = self._cited[visible[self._citing]]
        return View(visible, np.bincount(cited, minlength=len(self.years)))

    def place_of(self, name: str) -> int | None:
        """Return the place of a work by its `W…`, its address or its DOI."""
        short = name.rsplit("/", 1)[-1].upper().removeprefix("OPENALEX:")
        if short[:1] == "W" and short[1:].isdigit() and "10." not in name:
            at = int(short[1:]) - FIRST_WORK
            return at if 0 <= at < len(self.years) else None
        return self._corpus.positions.get(canonical_id(name)) if name.strip() else None

    def citing(self, places: Sequence[int]) -> Mask:
        """Return which works cite one of these."""
        mask = np.zeros(len(self.years), dtype=np.bool_)
        mask[self._citing[np.isin(self._cited, list(places))]] = True
        return mask

    def text_of(self, at: int, view: View) -> str:
        """Return the record of a work as JSON."""
        return f'{self._head(at)}, "cited_by_count": {int(view.cited_by[at])}}}'

    def _fields(self, at: int) -> dict[str, object]:
        record = self._corpus.records[at]
        doi = _doi(self._corpus.name_of(at))
        return {
            "id": work_id(at),
            "doi": f"https://doi.org/{doi}" if doi else None,
            "title": record.title,
            "publication_year": record.year,
            # OpenAlex writes the first of January where only the year is known.
            "publication_date": f"{record.year:04}-01-01" if record.year is not None else None,
            "authorships": [{"author": {"display_name": name}} for name in record.authors],
            "primary_location": _location(record),
            "best_oa_location": None,
            "locations": [],
            "abstract_inverted_index": _inverted(record.abstract),
            "is_retracted": False,
            "referenced_works": self._references(record),
        }

    def _references(self, record: Record) -> list[str]:
        keys = dict.fromkeys(map(canonical_id, record.references))
        return [work_id(at) for key in keys if (at := self._corpus.positions.get(key)) is not None]


def work_id(at: int) -> str:
    """Return the address by which OpenAlex would name the work at a place."""
    return f"{SITE}W{FIRST_WORK + at}"


def _doi(name: str) -> str | None:
    kind, _, value = name.partition(":")
    return {"doi": value, "arxiv": f"10.48550/arxiv.{value}"}.get(kind)


def _location(record: Record) -> dict[str, object] | None:
    if record.venue is None:
        return None
    return {"is_oa": False, "source": {"display_name": record.venue, "type": "journal"}}


def _inverted(abstract: str | None) -> dict[str, list[int]] | None:
    if abstract is None:
        return None
    places: dict[str, list[int]] = {}
    for at, word in enumerate(abstract.split()):
        places.setdefault(word, []).append(at)
    return places
