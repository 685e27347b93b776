"""Look up known works in one source: by their ids, then by their titles."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from state.paper import Paper
from state.query import SearchQuery
from tools.errors import PermanentError, TransientError
from tools.scholar.port import Source, TitleFinder
from tools.scholar.titles import near_titles

_AT_ONCE = 8
_ARXIV_DOI = "doi:10.48550/"
_KINDS: dict[str, tuple[str, ...]] = {
    "openalex": ("doi", "openalex"), "semantic_scholar": ("doi", "arxiv", "s2"),
    "crossref": ("doi",),
}  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """A work to be looked up."""

    ids: tuple[str, ...] = ()
    """Its canonical ids, the best first."""
    record: Paper | None = None
    """What is known of it; without it there is no title to look for."""


@dataclass
class Looked:
    """What one source answered, by the place of each work."""

    name: str
    found: dict[int, Paper] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)
    """Works that the source would know, if there were such works."""
    failed: dict[int, str] = field(default_factory=dict)
    """Works whose title could not be looked for, and why."""


async def look_up(source: Source, wanted: Mapping[int, Wanted]) -> Looked:
    """Look up these works in one source.

    Raises:
        TransientError, PermanentError: It does not answer at all.
    """
    looked = Looked(source.name)
    if not wanted:
        return looked
    known = await source.get(list(dict.fromkeys(key for one in wanted.values() for key in one.ids)))
    for place, one in wanted.items():
        if paper := next((known[key] for key in one.ids if key in known), None):
            looked.found[place] = paper
    limit = asyncio.Semaphore(_AT_ONCE)
    await asyncio.gather(
        *(
            _look_for(source, looked, limit, place, one.record)
            for place, one in wanted.items()
            if place not in looked.found and one.record is not None
        )
    )
    looked.asked |= {
        place
        for place, one in wanted.items()
        if one.record is None and any(_holds(source.name, key) for key in one.ids[:1])
    }
    return looked


def _holds(source: str, key: str) -> bool:
    """Whether a source would know a work by an id of this kind, if there were such a work."""
    kind = "arxiv" if key.startswith(_ARXIV_DOI) else key.partition(":")[0]
    return kind in _KINDS.get(source, ())


async def _look_for(
    source: Source, looked: Looked, limit: asyncio.Semaphore, place: int, record: Paper
) -> None:
    """Look for one work by its title."""
    async with limit:
        try:
            paper = await _by_title(source, record)
        except (TransientError, PermanentError) as error:
            looked.failed[place] = str(error)
            return
    if not _only_preprint(record) or looked.name != "crossref":  # which holds no preprints of arXiv
        looked.asked.add(place)
    if paper:
        looked.found[place] = paper


def _only_preprint(record: Paper) -> bool:
    """Whether a record is known as a preprint of arXiv alone."""
    doi = record.doi or ""
    return bool(record.arxiv or record.id.startswith(("arxiv:", _ARXIV_DOI))) and (
        not doi or f"doi:{doi.lower()}".startswith(_ARXIV_DOI)
    )


async def _by_title(source: Source, record: Paper) -> Paper | None:
    """Return the source's paper of this title; one that is only alike does not count."""
    if isinstance(source, TitleFinder):
        found = await source.by_title(record.title, year=record.year)
        return found if found and near_titles(record.title, found.title) else None
    query = SearchQuery(text=record.title, facet="all", reason="A reference's title.")
    answer = await source.search(query, before=None, limit=5)
    return next((item for item in answer.papers if near_titles(record.title, item.title)), None)
