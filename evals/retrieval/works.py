"""The papers of a citation graph as OpenAlex holds them, as of the year of a query paper: records, filters, pages."""

import gzip
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.retrieval.corpus import FIRST_WORK, Corpus, Record
from evals.retrieval.search_index import Index, Mask, Node, parse
from state.paper import canonical_id
from tools.scholar.snapshot_building import Filters, build

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
        _ = self.index

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


_KEY = re.compile(r"trial-(\d{0,4})-([\d.]*)-.*")


@dataclass(frozen=True)
class Wanted:
    """What a list request leaves, and the searches by which it may be ordered."""

    mask: Mask
    searches: tuple[Node, ...]


def key_for(year: int | None, hidden: Sequence[int], name: str) -> str:
    """Return an API key whose holder sees the works before a year, or all, without the hidden ones.

    So one server serves all query papers at once: to each, its future does not exist. `name` tells
    the holder from others, as each has an allowance of its own.
    """
    return f"trial-{year or ''}-{'.'.join(map(str, hidden))}-{name}"


def view_for(works: Works, key: str) -> View:
    """Return what the holder of a key sees: everything, unless the key says less."""
    found = _KEY.fullmatch(key)
    if found is None:
        return works.view(None, ())
    year = int(found[1]) if found[1] else None
    return works.view(year, tuple(int(one) for one in found[2].split(".") if one))


def wanted(works: Works, view: View, query: Mapping[str, str]) -> Wanted:
    """Apply the filters and the search of a request.

    Raises:
        ValueError: A filter is unknown, or a value or a search cannot be read.
    """
    mask = view.visible.copy()
    searches: list[Node] = []
    for part in filter(None, query.get("filter", "").split(",")):
        name, _, value = part.partition(":")
        if name in ("title.search", "display_name.search", "default.search"):
            searches.append(parse(value))
            in_title = name != "default.search"
            mask &= works.index.matching(searches[-1], in_title=in_title)
        elif value and name in _FILTERS:
            mask &= _FILTERS[name](works, value)
        else:
            raise ValueError(f"Invalid query parameter in filter: {part}.")
    if text := query.get("search"):
        searches.append(parse(text))
        mask &= works.index.matching(searches[-1])
    return Wanted(mask, tuple(searches))


def _among(works: Works, value: str) -> Mask:
    mask = np.zeros(len(works.years), dtype=np.bool_)
    mask[[at for one in value.split("|") if (at := works.place_of(one)) is not None]] = True
    return mask


def _cites(works: Works, value: str) -> Mask:
    places = (works.place_of(one) for one in value.split("|"))
    return works.citing([at for at in places if at is not None])


def _until(works: Works, value: str) -> Mask:
    # All works are of the first of January, so the year of the day decides.
    return np.asarray(works.years <= date.fromisoformat(value).year)


def _since(works: Works, value: str) -> Mask:
    day = date.fromisoformat(value)
    return np.asarray(works.years >= day.year + ((day.month, day.day) != (1, 1)))


_FILTERS: Mapping[str, Callable[[Works, str], Mask]] = {
    "openalex": _among,
    "openalex_id": _among,
    "ids.openalex": _among,
    "doi": _among,
    "cites": _cites,
    "to_publication_date": _until,
    "from_publication_date": _since,
}


def ordered(works: Works, view: View, found: Wanted, sort: str) -> list[int]:
    """Return the places of the works in the order asked for; ties in the order of the data.

    Raises:
        ValueError: There is no such order, or there is no search to order by relevance.
    """
    name = sort or ("relevance_score:desc" if found.searches else "id")
    places = np.flatnonzero(found.mask)
    weight = np.zeros(len(places), dtype=np.float64)
    if name == "relevance_score:desc" and found.searches:
        score = sum((works.index.relevance(node) for node in found.searches), start=np.zeros(1))
        # OpenAlex weighs the match of the words with the number of citations.
        weight = (score * np.log(2 + view.cited_by))[places]
    elif name in ("cited_by_count:desc", "cited_by_count"):
        weight += view.cited_by[places] * (1 if name.endswith("desc") else -1)
    elif name != "id":
        raise ValueError(f"{name} is not a valid order here.")
    return [int(at) for at in places[np.argsort(-weight, kind="stable")]]


def page_of(query: Mapping[str, str]) -> tuple[int, int]:
    """Return where a page begins and how many works it has."""
    size = int(query.get("per_page", query.get("per-page", "25")))
    cursor = query.get("cursor", "*")
    return 0 if cursor == "*" else int(cursor), size


def write_dump(corpus: Corpus, path: Path) -> None:
    """Write the works of a corpus as OpenAlex writes them, a line each."""
    works = Works(corpus)
    everything = works.view(None, ())
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        file.writelines(f"{works.text_of(at, everything)}\n" for at in range(len(corpus.records)))


def sliced(corpus: Corpus, folder: Path) -> Path:
    """Make a slice of all works of a corpus, and return its folder."""
    dump = folder / "works.gz"
    write_dump(corpus, dump)
    build([dump], folder / "slice", Filters(), lambda _: None)
    dump.unlink()
    return folder / "slice"
