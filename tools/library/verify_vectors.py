"""Comparing a vector index with the catalog, point by point and both ways."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from state.paper import Paper
from tools.library.bm25 import document_terms
from tools.library.database import Database
from tools.library.indexes import Kind
from tools.library.indexing import paper_payload, paper_text
from tools.library.passage_points import row_payload
from tools.library.passage_queue import PassageQueue
from tools.library.port import Filter, Payload, Sparse, Stored, VectorIndex
from tools.library.searched import searched_text

_BATCH = 500
_SAMPLE = 100  # values of a field whose filter is tried
_NORM = 1e-3  # single precision, and the engine's own rounding


class VectorFaults(NamedTuple):
    """Points of which something is wrong."""

    missing: list[int]
    wrong: list[int]
    """Another size, a number that is none, a norm that is not 1, or other words or payload."""
    orphans: list[int]
    fields: list[str]
    """Payload fields by which the index finds something else than what is stored."""


class Expected(NamedTuple):
    """What an index should hold of one row."""

    sure: bool
    """False where the catalog knows that the index is behind."""
    text: str
    payload: Payload


def vector_faults(database: Database, kind: Kind, index: VectorIndex, size: int) -> VectorFaults:
    """Return how an index differs from the catalog; reads both once, in batches.

    What a damage of a few bits does to a vector is found where it changes the vector's norm, which
    is wherever it matters, but for a sign.

    Raises:
        LibraryError: The index cannot be read.
    """
    rows = _papers if kind == "papers" else _passages
    dropped = _dropped(database, kind)
    faults = VectorFaults([], [], [], [])
    tally: Counter[tuple[str, str | int]] = Counter()
    sure = True
    for low, high, stored in _windows(index):
        expected = rows(database, low, high)
        for row in expected.values():
            sure &= row.sure
            tally.update(_values(row.payload))
        faults.missing.extend(
            point for point, row in expected.items() if row.sure and point not in stored
        )
        faults.orphans.extend(
            point for point in stored if point not in expected and point not in dropped
        )
        faults.wrong.extend(
            point
            for point, row in expected.items()
            if row.sure and point in stored and not _sound(stored[point], row, size)
        )
    if sure and not dropped and not any(faults):
        faults.fields.extend(_odd_fields(index, tally))
    if stored_one := index.scroll(0, 1):  # a damaged search graph shows itself only in a search
        index.search(dense=stored_one[0].dense, sparse=None, limit=10, filter=Filter())
    return faults


def _windows(index: VectorIndex) -> Iterator[tuple[int, int, dict[int, Stored]]]:
    """Yield (low, high, points of ids low < id <= high), which together are all ids."""
    low = 0
    while batch := index.scroll(low, _BATCH):
        high = batch[-1].id
        yield low, high, {point.id: point for point in batch}
        low = high
    yield low, 2**63 - 1, {}


def _values(values: Payload) -> Iterator[tuple[str, str | int]]:
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            yield name, one


def _odd_fields(index: VectorIndex, tally: Counter[tuple[str, str | int]]) -> list[str]:
    """Return the fields by some values of which the index counts more or fewer than there are."""
    odd = []
    for name, filtered in _FILTERS.items():
        counts = [(value, count) for (field, value), count in tally.items() if field == name]
        step = max(1, len(counts) // _SAMPLE)
        if any(index.count(filtered(value)) != count for value, count in counts[::step]):
            odd.append(name)
    return odd


_FILTERS: dict[str, Callable[[Any], Filter]] = {
    "year": lambda year: Filter(first_year=year, last_year=year),
    "tags": lambda tag: Filter(tags=(tag,)),
    "venue": lambda venue: Filter(venues=(venue,)),
    "section": lambda heading: Filter(sections=(heading,)),
    "paper": lambda paper: Filter(papers=(paper,)),
}


def _papers(database: Database, low: int, high: int) -> dict[int, Expected]:
    sql = "SELECT point, record, indexed FROM papers WHERE point > ? AND point <= ?"
    with database.reading() as db:
        rows = db.execute(sql, (low, high)).fetchall()
    found = {}
    for point, record, indexed in rows:
        paper = Paper.model_validate_json(record)
        found[point] = Expected(indexed == 1, paper_text(paper), paper_payload(paper))
    return found


def _passages(database: Database, low: int, high: int) -> dict[int, Expected]:
    queue = PassageQueue(database)
    rows = queue.between(low, high)
    facts = queue.facts({row.paper for row in rows})
    return {
        row.point: Expected(
            row.sure, searched_text(row.passage), row_payload(row, facts[row.paper])
        )
        for row in rows
    }


def _dropped(database: Database, kind: Kind) -> set[int]:
    table = "dropped" if kind == "papers" else "dropped_passages"
    with database.reading() as db:
        return {point for (point,) in db.execute(f"SELECT point FROM {table}")}


def _sound(stored: Stored, row: Expected, size: int) -> bool:
    dense = stored.dense
    if dense.shape != (size,) or not np.isfinite(dense).all():
        return False
    if abs(float(np.linalg.norm(dense)) - 1) > _NORM:
        return False
    return _terms(stored.sparse) == _terms(document_terms(row.text)) and _sorted(
        stored.payload
    ) == _sorted(row.payload)


def _terms(sparse: Sparse) -> dict[int, float]:
    pairs = zip(sparse.indices, sparse.values, strict=True)
    return {index: round(value, 4) for index, value in pairs}


def _sorted(payload: Payload) -> dict[str, object]:
    return {
        key: sorted(value) if isinstance(value, list) else value for key, value in payload.items()
    }
