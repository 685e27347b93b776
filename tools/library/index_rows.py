"""The texts of a library as its vector index is to hold them."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from tools.embed.embedder import Encoded, TermWeights
from tools.library.bm25 import document_terms
from tools.library.database import Database
from tools.library.passages import PAPER_DAY
from tools.library.port import Payload, Point, Sparse

_NO_HEADING = (["Abstract"], ["Annotation"])
_KINDS = {1: ["paper"], 2: ["passage"], 3: ["paper", "passage"]}
_ROWS = (
    "SELECT s.point, s.indexed, s.role, s.section, s.headings, s.text, p.id, p.year,"
    f" {PAPER_DAY}, json_extract(p.record, '$.venue'), json_extract(p.record, '$.title'),"
    " (SELECT json_group_array(tag) FROM tags t WHERE t.paper = p.point)"
    " FROM texts s JOIN papers p ON p.point = s.paper WHERE s.role > 0 AND "
)


class IndexRow(NamedTuple):
    """A text as the index is to hold it."""

    point: int
    indexed: int
    """0: it lacks it; 1: it has it; 2: it has its vector beside an old payload."""
    text: str
    """As it is searched: behind the title of its paper and its nearest heading."""
    payload: Payload


def index_rows(database: Database, condition: str, *values: object) -> list[IndexRow]:
    """Return the texts, s, of a condition as the index is to hold them."""
    with database.reading() as db:
        return [_row(*row) for row in db.execute(_ROWS + condition, values)]


def _row(
    point: int, indexed: int, role: int, section: str, headings: str, text: str, paper: str,
    year: int | None, day: str | None, venue: str | None, title: str, tags: str,
) -> IndexRow:  # fmt: skip
    above = json.loads(section)
    parts = (title, *(above[-1:] if above not in _NO_HEADING else ()), text)
    payload: dict[str, Any] = {
        "kind": _KINDS[role], "paper": paper, "year": year, "venue": venue,
        "day": date.fromisoformat(day).toordinal() if day else None,
        "tags": sorted(json.loads(tags)), "section": json.loads(headings),
    }  # fmt: skip
    known = {key: value for key, value in payload.items() if value not in (None, [])}
    return IndexRow(point, indexed, ". ".join(part for part in parts if part), known)


def points_of(rows: Sequence[IndexRow], made: Encoded) -> list[Point]:
    """Return texts with what an embedder made of them, in their order, as the index takes them."""
    return [
        Point(
            row.point, row.payload, made.dense[place], document_terms(row.text),
            terms_of(made.sparse, place), made.multi[place] if made.multi else None,
        )
        for place, row in enumerate(rows)
    ]  # fmt: skip


def terms_of(made: Sequence[TermWeights] | None, place: int) -> Sparse | None:
    """Return learnt term weights as the index takes them."""
    return Sparse(made[place].indices, made[place].values) if made else None
