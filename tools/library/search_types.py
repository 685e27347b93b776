"""What a search of a library takes and gives, how headings are compared, and its filter for catalog and index."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from tools.library.vector_index import IndexFilter

_NUMBER = re.compile(
    r"^(?:(?i:section|chapter|appendix|part)\s+(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])[.:)]?"
    r"|\d+(?:\.\d+)*[.:)]?|[IVXLCivxlc]+[.:)]|[A-Z](?:\.\d+)+[.:)]?|[A-Za-z][.:)])\s+"
)


def folded_heading(heading: str) -> str:
    """Return a heading without its number, case, and punctuation at the end; '' if none is left."""
    text = " ".join(heading.split())
    text = _NUMBER.sub("", text, count=1)
    return text.strip(" .:;-–—").casefold()


def folded_section(section: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headings of a section path as filters compare them, each once."""
    return tuple(dict.fromkeys(key for heading in section if (key := folded_heading(heading))))


@dataclass(frozen=True, slots=True)
class PaperHit:
    """One hit of a search."""

    paper: str
    """Canonical id."""
    score: float
    """Cosine, BM25 or RRF score, by the mode of the search; comparable within one search only."""
    rank: int
    """First = 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddReport:
    """What became of the records of one load."""

    added: int = 0
    """Works that were not here."""
    updated: int = 0
    """Records whose id was here with other contents."""
    unchanged: int = 0
    """Records taken in before."""
    merged: int = 0
    """Records of a work that was here under another id."""
    conflicts: tuple[str, ...] = ()
    """Left out: local ids that a quite different paper has here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a catalog holds."""

    papers: int
    abstracts: int
    """Papers with an abstract or annotation."""
    waiting: int
    """Papers whose vector is still to be made."""
    first_year: int | None
    last_year: int | None
    passages: int
    passages_waiting: int
    """Passages whose vector is still to be made."""
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStats(Counts):
    """Counts of one library."""

    name: str
    embedder: str
    size: int
    """Numbers in a vector."""
    links: int
    """References from one paper here to another."""
    entries: int
    """Entries of the lists of references of documents, whether their work is here or not."""
    bytes: int
    """On this machine's disk."""


RetrieverName = Literal["hybrid", "vectors", "keywords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFilter:
    """Which passages may be found; all conditions must hold, and what is left empty is no condition."""

    papers: frozenset[str] = frozenset()
    """Canonical ids: only passages of these papers."""
    first_year: int | None = None
    last_year: int | None = None
    """Both inclusive; a paper without a year passes neither."""
    before: date | None = None
    """Only papers that certainly appeared before this day."""
    tags: frozenset[str] = frozenset()
    """Only papers that have at least one of these tags."""
    venues: frozenset[str] = frozenset()
    """Only papers of one of these venues, as their records spell them."""
    sections: frozenset[str] = frozenset()
    """Only passages below one of these headings, without number and case: 'results', 'limitations'."""
    exclude: Collection[str] = field(default=frozenset())
    """Ids of passages that must not be found."""


PAPER_DAY = (
    "known_since(json_extract(p.record, '$.published'), p.year, json_extract(p.record, '$.arxiv'))"
)
"""The day of `state.paper.known_since`, which the database offers its statements."""
AMONG = "IN (SELECT value FROM json_each(?))"
"""Takes values as one parameter; see `json_list`."""


def json_list(values: Collection[object]) -> str:
    """Return values as one parameter, for AMONG."""
    return json.dumps(list(values))


def index_filter(
    wanted: PassageFilter, papers: Collection[str], exclude: Collection[int]
) -> IndexFilter:
    """Return the filter as the vector index takes it."""
    return IndexFilter(
        kind="passage",
        before=wanted.before.toordinal() if wanted.before else None,
        exclude=exclude,
        papers=tuple(sorted(papers)),
        first_year=wanted.first_year,
        last_year=wanted.last_year,
        tags=tuple(sorted(wanted.tags)),
        venues=tuple(sorted(wanted.venues)),
        sections=_folded(wanted),
    )


def _folded(wanted: PassageFilter) -> tuple[str, ...]:
    return tuple(sorted({folded_heading(heading) for heading in wanted.sections}))


def filter_sql(wanted: PassageFilter, papers: Collection[int]) -> tuple[str, list[object]]:
    """Return a filter as conditions on `texts` s and `papers` p, and their values."""
    has_tag = f"EXISTS (SELECT 1 FROM tags t WHERE t.paper = p.point AND t.tag {AMONG})"
    below = f"EXISTS (SELECT 1 FROM json_each(s.headings) h WHERE h.value {AMONG})"
    excluded = "s.id NOT IN (SELECT value FROM json_each(?))"
    parts: list[tuple[object, str, object]] = [
        (wanted.papers, f"p.point {AMONG}", json_list(papers)),
        (wanted.first_year is not None, "p.year >= ?", wanted.first_year),
        (wanted.last_year is not None, "p.year <= ?", wanted.last_year),
        (wanted.before is not None, f"{PAPER_DAY} < ?", str(wanted.before)),
        (
            wanted.venues,
            f"json_extract(p.record, '$.venue') {AMONG}",
            json_list(wanted.venues),
        ),
        (wanted.tags, has_tag, json_list(wanted.tags)),
        (wanted.sections, below, json_list(_folded(wanted))),
        (wanted.exclude, excluded, json_list(wanted.exclude)),
    ]
    used = [(sql, value) for given, sql, value in parts if given]
    return "".join(f" AND {sql}" for sql, _ in used), [value for _, value in used]
