"""How citations and references are read from Semantic Scholar in few requests.

Lists inside the records of a batch are the cheapest way, but an answer holds only so many of them:
what was cut is told from what there is no more of, and asked for again.
"""

from collections.abc import Mapping, Sequence

from state.paper import Paper, canonical_id
from tools.errors import MissingError
from tools.http.engine import DAY
from tools.scholar.batches import in_batches
from tools.scholar.fields import count_of, mappings
from tools.scholar.port import Linked
from tools.scholar.semantic_scholar_client import Links, Record, SemanticScholarClient
from tools.scholar.semantic_scholar_records import LINK_FIELDS, paper_of

TOGETHER = 100
"""Papers whose links are asked for in one call."""
LISTED = 1000
"""Where the list of one paper may be cut (danielnsilva/semanticscholar#82)."""
LISTED_IN_ALL = 9_999
"""Where the lists of one answer are cut, all together (API documentation of /paper/batch)."""
EXPECTED = 5_000
"""Links planned for one answer: counts may come from a source that knows only half of them."""
_COUNTS: Mapping[Links, str] = {"references": "referenceCount", "citations": "citationCount"}
_AGES: Mapping[Links, float] = {"references": 21 * DAY, "citations": 7 * DAY}
_PREFIXES = {"s2": "", "doi": "DOI:", "arxiv": "ARXIV:"}


def asked_as(paper_id: str) -> str | None:
    """Return how Semantic Scholar writes a canonical id, or None for one that it has no word for."""
    kind, _, bare = paper_id.partition(":")
    return f"{_PREFIXES[kind]}{bare}" if kind in _PREFIXES else None


def names_of(papers: Sequence[Paper]) -> dict[str, list[Paper]]:
    """Return the papers by how to ask for them, its own id first; the others are left out."""
    named: dict[str, list[Paper]] = {}
    for paper in papers:
        fields = {"s2": paper.semantic_scholar, "doi": paper.doi, "arxiv": paper.arxiv}
        ids = [canonical_id(f"{kind}:{value}") for kind, value in fields.items() if value]
        names = [name for key in (*ids, paper.id, *paper.aliases) if (name := asked_as(key))]
        if names:
            own = next((name for name in names if ":" not in name), names[0])
            named.setdefault(own, []).append(paper)
    return named


def packed(counts: Mapping[str, int]) -> list[list[str]]:
    """Return the names in order, in parts that one answer has room for."""
    return in_batches(counts, counts.__getitem__, most=TOGETHER, room=EXPECTED)


def linked(
    named: Mapping[str, Sequence[Paper]],
    found: Mapping[str, Sequence[Record]],
    *,
    limit: int | None = None,
) -> Linked:
    """Return records as links of the papers asked about, the first `limit` of each.

    A record of nothing but a title could be anything, and is left out.
    """
    links: dict[str, tuple[str, ...]] = {}
    papers: dict[str, Paper] = {}
    for name, records in found.items():
        ends = {paper.id: paper for record in records if (paper := _end(record))}
        for paper in named[name]:
            own = {paper.id, *paper.aliases}
            others = [key for key, end in ends.items() if own.isdisjoint((key, *end.aliases))]
            links[paper.id] = tuple(others[:limit])
            papers.update((key, ends[key]) for key in others[:limit] if key not in papers)
    return Linked(links=links, papers=papers, partial=True)


def _end(record: Record) -> Paper | None:
    paper = paper_of(record)
    vague = paper is not None and paper.id.startswith("title:") and paper.year is None
    return None if vague else paper


class LinkReader:
    """Reads the records at the other end of links, by the name of the paper asked about."""

    def __init__(self, client: SemanticScholarClient) -> None:
        self._client = client

    async def counts(self, named: Mapping[str, Sequence[Paper]]) -> dict[str, int]:
        """Return how many works cite each, asking only where no source has said."""
        counts: dict[str, int] = {}
        for name, papers in named.items():
            said = [paper.cited_by for paper in papers if paper.cited_by is not None]
            counts[name] = max(said, default=-1)
        silent = [name for name, count in counts.items() if count < 0]
        records = await self._client.batch(
            silent, ("paperId", "citationCount"), age=_AGES["citations"]
        )
        for name in silent:
            if name in records:
                counts[name] = count_of(records[name].get("citationCount")) or 0
            else:
                del counts[name]
        return counts

    async def listed(
        self, names: Sequence[str], kind: Links, *, limit: int = LISTED_IN_ALL
    ) -> dict[str, list[Record]]:
        """Return the lists inside the records of papers, whole or at least `limit` long.

        Lists that were cut are asked for again: in halves where the answer was full, else page by
        page. A list kept back by its publisher is absent, and so is a paper that is unknown.
        """
        fields = ("paperId", _COUNTS[kind], *(f"{kind}.{name}" for name in LINK_FIELDS))
        records = await self._client.batch(names, fields, age=_AGES[kind])
        lists = {name: list(mappings(record.get(kind))) for name, record in records.items()}
        full = sum(map(len, lists.values())) >= LISTED_IN_ALL
        found: dict[str, list[Record]] = {}
        cut: list[str] = []
        for name, items in lists.items():
            there = min(count_of(records[name].get(_COUNTS[kind])) or 0, limit)
            if len(items) < there and (full or len(items) >= LISTED):
                cut.append(name)
            elif items or not there:
                itself = records[name].get("paperId") or name
                found[name] = [item for item in items if item.get("paperId") != itself]
        if full and len(names) > 1:
            for part in (cut[: len(cut) // 2], cut[len(cut) // 2 :]):
                found |= await self.listed(part, kind, limit=limit) if part else {}
            return found
        for name in cut:
            pages = await self.paged(name, kind, limit=limit)
            found[name] = max(pages or [], lists[name], key=len)
        return found

    async def paged(self, name: str, kind: Links, *, limit: int) -> list[Record] | None:
        """Return the first `limit` records of a paper's list; None where the paper is unknown."""
        try:
            return await self._client.links(name, kind, LINK_FIELDS, limit=limit, age=_AGES[kind])
        except MissingError:
            return None
