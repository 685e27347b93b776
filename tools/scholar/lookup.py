"""Look up known works in one source: by their ids, then by their titles."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from state.paper import Paper
from tools.errors import PermanentError, TransientError
from tools.scholar.port import Source

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
    known = await source.get(list(dict.fromkeys(key for one in wanted.values() for key in one.ids)))
    limit = asyncio.Semaphore(_AT_ONCE)

    async def by_title(place: int, record: Paper) -> None:
        async with limit:
            try:
                paper = await source.by_title(record.title, year=record.year)
            except (TransientError, PermanentError) as error:
                looked.failed[place] = str(error)
                return
        if looked.name != "crossref" or not _only_preprint(record):  # it has no preprints of arXiv
            looked.asked.add(place)
        if paper:
            looked.found[place] = paper

    titles = []
    for place, one in wanted.items():
        if paper := next((known[key] for key in one.ids if key in known), None):
            looked.found[place] = paper
        elif one.record is not None:
            titles.append(by_title(place, one.record))
        if one.record is None and any(_holds(source.name, key) for key in one.ids[:1]):
            looked.asked.add(place)
    await asyncio.gather(*titles)
    return looked


def _holds(source: str, key: str) -> bool:
    """Whether a source would know a work by an id of this kind, if there were such a work."""
    kind = "arxiv" if key.startswith(_ARXIV_DOI) else key.partition(":")[0]
    return kind in _KINDS.get(source, ())


def _only_preprint(record: Paper) -> bool:
    """Whether a record is known as a preprint of arXiv alone."""
    doi = record.doi or ""
    return bool(record.arxiv or record.id.startswith(("arxiv:", _ARXIV_DOI))) and (
        not doi or f"doi:{doi.lower()}".startswith(_ARXIV_DOI)
    )
