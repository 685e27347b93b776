"""Look up known works in one source: by their ids, then by their titles, then by words of them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from state.paper import Paper
from state.search import SearchQuery
from tools.errors import PermanentError, TransientError
from tools.scholar.agreement import (
    named_alone,
    same_title,
    same_work,
    slips_in_title,
    wrong_fields,
)
from tools.scholar.source import Source

_AT_ONCE = 8
_NEAR = 10
"""Results among which a work is looked for whose title is written otherwise."""
_ARXIV_DOI = "doi:10.48550/"
_KINDS: dict[str, tuple[str, ...]] = {
    "openalex": ("doi", "openalex"),
    "semantic_scholar": ("doi", "arxiv", "s2"),
    "crossref": ("doi",),
    "arxiv": ("arxiv",),
}


@dataclass(frozen=True)
class WorkToLookUp:
    """A work to be looked up."""

    ids: tuple[str, ...] = ()
    """Its canonical ids, the best first."""
    record: Paper | None = None
    """What is known of it; without it there is no title to look for, and an id is believed."""


@dataclass
class LookupResult:
    """What one source answered, by the place of each work."""

    name: str
    found: dict[int, Paper] = field(default_factory=dict)
    others: dict[int, Paper] = field(default_factory=dict)
    """What an id of it leads to, where that is another work."""
    unregistered: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Ids of it that the source would know if there were such ids, and does not."""
    failed: dict[int, str] = field(default_factory=dict)
    """Works whose title could not be looked for, and why."""


async def look_up(
    source: Source, wanted: Mapping[int, WorkToLookUp], *, loosely: bool = False
) -> LookupResult:
    """Look up these works in one source.

    A record that an id leads to must have the work's title, where that is known; else the title is looked for.

    Args:
        source: Where.
        wanted: The works, by their place.
        loosely: Whether a title that nothing has is searched for by its words, and the work of the same authors and
            year taken whose title differs in slips.

    Raises:
        TransientError, PermanentError: It does not answer at all.
    """
    looked = LookupResult(source.name)
    known = await source.get(list(dict.fromkeys(key for one in wanted.values() for key in one.ids)))
    lacking = [
        key
        for one in wanted.values()
        for key in one.ids
        if key not in known and _holds(source.name, key)
    ]
    registered = await source.registered(list(dict.fromkeys(lacking))) if lacking else frozenset()
    limit = asyncio.Semaphore(_AT_ONCE)

    async def by_title(place: int, record: Paper) -> None:
        async with limit:
            try:
                paper = await _titled(source, record, loosely=loosely)
            except (TransientError, PermanentError) as error:
                looked.failed[place] = str(error)
                return
        if paper:
            looked.found[place] = paper

    titles = []
    for place, one in wanted.items():
        paper = next((known[key] for key in one.ids if key in known), None)
        right = paper and (one.record is None or same_work(one.record, paper))
        if paper and not right and loosely and one.record:
            right = slips_in_title(one.record, paper)
        if paper and right:
            looked.found[place] = paper
        elif paper:
            looked.others[place] = paper
        absent = tuple(key for key in one.ids if key in lacking and key not in registered)
        if absent:
            looked.unregistered[place] = absent
        if one.record is not None and not right:
            titles.append(by_title(place, one.record))
    await asyncio.gather(*titles)
    for place, one in wanted.items():
        if place not in looked.found and registered & set(one.ids):
            looked.failed[place] = "it has this DOI, in a record without a title to compare"
    return looked


async def _titled(source: Source, record: Paper, *, loosely: bool) -> Paper | None:
    """Return the paper that a source has of this title, of several the one that agrees best."""
    if paper := _best(record, await source.titled(record.title), same_title):
        return paper
    if not loosely:
        return None
    query = SearchQuery(text=record.title, facet="all", reason="A title that may be misspelt.")
    found = await source.search(query, before=None, limit=_NEAR)
    return _best(record, found.papers, same_title) or _best(record, found.papers, slips_in_title)


def _best(
    record: Paper, papers: Sequence[Paper], same: Callable[[Paper, Paper], bool]
) -> Paper | None:
    agreeing = [
        (
            len(wrong),
            abs((paper.year or 0) - (record.year or paper.year or 0)),
            -(paper.cited_by or 0),
            at,
        )
        for at, paper in enumerate(papers)
        if same(record, paper)
        for wrong in [wrong_fields(record, paper)]
        if named_alone(record) or not {"authors", "year"} & {one.field for one in wrong}
    ]
    return papers[min(agreeing)[-1]] if agreeing else None


def _holds(source: str, key: str) -> bool:
    """Whether a source would know a work by an id of this kind, if there were such a work."""
    kind = "arxiv" if key.startswith(_ARXIV_DOI) else key.partition(":")[0]
    return kind in _KINDS.get(source, ())
