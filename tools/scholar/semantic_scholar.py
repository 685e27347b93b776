"""Semantic Scholar as a source: free, one request a second, so what batches is preferred.

Links are asked for inside the records of a batch, the cheapest way; a list that the answer had no room
for is asked for again, page by page.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import islice
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from state.paper import Paper, canonical_id, title_key
from state.passage import Passage, passage_id
from state.quote import Quote
from state.search import SearchQuery
from tools.errors import logger_of
from tools.http.hosts import Host
from tools.http.response_errors import mappings
from tools.http.retrying_client import DAY, RetryingClient
from tools.scholar.fields import count_of
from tools.scholar.semantic_scholar_api import (
    FIELDS,
    LINK_FIELDS,
    LINKS_PAGE,
    NAME,
    Links,
    RawRecord,
    SemanticScholarClient,
    Snippet,
    paper_of_record,
    read_snippet,
    vector_of,
)
from tools.scholar.source import (
    CitedWork,
    LinkAnswer,
    SearchAnswer,
    Source,
    cut_for_url,
    in_batches,
    loosened_queries,
    search_until_found,
    terms,
)
from tools.settings import Settings

logger = logger_of(__name__)

SEARCH_AGE = 3 * DAY
RECORD_AGE = 21 * DAY
LIKE_AGE = 7 * DAY
MOST_FOUND = 1000
"""Papers that a search by relevance gives in all."""
MOST_WORDS = 8
"""Words of a query that are used; the looser readings of more would not fit a URL."""
TRIES = 3
TOGETHER = 100
"""Papers whose links are asked for in one call."""
EXPECTED = 5_000
"""Links planned for one answer, which holds 9,999: counts may come from a source that knows fewer."""
FEW = 300
"""Citing works up to which papers are asked about together."""
ALONE = 10
"""Papers with more of them that one call of `citations` asks about."""
MOST_SNIPPETS, NAMED, MOST_CITED = 200, 100, 100
"""Snippets of one search, papers that it may be limited to, and works cited in them that become candidates."""
EXAMPLES = 100
"""Papers that recommendations start from, at most."""
_LISTED, _FULL = 1000, 9_999
"""Where the list of one paper may be cut (danielnsilva/semanticscholar#82), and all of one answer."""
_COUNTS: Mapping[Links, str] = {"references": "referenceCount", "citations": "citationCount"}
_AGES: Mapping[Links, float] = {"references": 21 * DAY, "citations": 7 * DAY}
_PREFIXES = {"s2": "", "doi": "DOI:", "arxiv": "ARXIV:", "pmid": "PMID:", "pmcid": "PMCID:"}


def host(settings: Settings) -> Host:
    """Return where Semantic Scholar is and how it may be asked."""
    key = settings.semantic_scholar_api_key
    return Host(
        name=NAME,
        url=settings.semantic_scholar_url.rstrip("/"),
        setting="CITELOOM_SEMANTIC_SCHOLAR_URL",
        rate=settings.semantic_scholar_rate,
        concurrency=2,
        secret_headers={"x-api-key": key} if key and key.get_secret_value() else {},
        key_advice="set SEMANTIC_SCHOLAR_API_KEY "
        "(free at https://www.semanticscholar.org/product/api#api-key)",
        timeout=settings.source_timeout,
        patience=settings.source_patience,
    )


class SemanticScholarSource(Source):
    """Semantic Scholar behind the Source protocol."""

    name = NAME

    def __init__(self, caller: RetryingClient) -> None:
        self._client = SemanticScholarClient(caller)

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Search by relevance; where that finds little, by fewer of the words, most cited first.

        A whole text is searched for in the full texts: the papers come with the words nearest to it, and with
        the works that are cited there.

        The service takes a work of which only the year is known for one of 1 January.
        """
        words = terms(query.text)[:MOST_WORDS]
        if not words or limit < 1:
            return SearchAnswer(papers=())
        first = after.replace(month=1, day=1) if after else ""
        last = before - timedelta(days=1) if before else ""
        within = f"{first}:{last}" if after or before else None
        told = f"&publicationDateOrYear={within}" if within else ""
        if query.by_meaning:
            return await self._in_texts(query.text, within, limit, told)

        async def once(groups: Sequence[Sequence[str]]) -> SearchAnswer:
            if len(groups) == 1:
                text = " ".join(words).replace("-", " ")  # a word with a hyphen finds nothing here
                path, most, order = "/paper/search", min(limit, MOST_FOUND), None
            else:
                text = " | ".join(f"({' '.join(map(_term, group))})" for group in groups)
                path, most, order = "/paper/search/bulk", 0, "citationCount:desc"
            records, matches = await self._client.listed(
                path,
                FIELDS,
                age=SEARCH_AGE,
                limit=most,
                query=text,
                publicationDateOrYear=within,
                sort=order,
            )
            sent = f"{path}?query={text}{told}{f'&sort={order}' if order else ''}"
            return SearchAnswer(papers=_papers(records[:limit]), sent=(sent,), matches=matches)

        return await search_until_found(islice(loosened_queries(words), TRIES), once, limit=limit)

    async def _in_texts(self, text: str, within: str | None, limit: int, told: str) -> SearchAnswer:
        """Return the papers whose full texts say something near this text, best first."""
        sent = cut_for_url(text)
        # Some papers have several of the nearest snippets, of which the first is the best.
        most = min(2 * limit, MOST_SNIPPETS)
        found = await self._snippets(sent, limit=most, publicationDateOrYear=within)
        best = {f"CorpusId:{one.corpus}": one for one in reversed(found)}
        names = list(dict.fromkeys(f"CorpusId:{one.corpus}" for one in found))[:limit]
        cited: dict[str, tuple[str, str]] = {}
        for name in names:
            for other, sentence in best[name].cited.items():
                cited.setdefault(f"CorpusId:{other}", (name, sentence))
        others = [name for name in cited if name not in names][:MOST_CITED]
        records = await self._client.batch([*names, *others], FIELDS, age=RECORD_AGE)
        papers = {name: paper for name, one in records.items() if (paper := paper_of_record(one))}
        return SearchAnswer(
            papers=[
                _with_snippet(papers[name], best[name].quote) for name in names if name in papers
            ],
            sent=(f"/snippet/search?query={sent}{told}",),
            cited=[
                CitedWork(paper=papers[name], by=papers[by].id, sentence=sentence)
                for name, (by, sentence) in cited.items()
                if name in others and name in papers and by in papers
            ],
        )

    async def passages(self, query: str, papers: Sequence[Paper], *, limit: int) -> list[Passage]:
        """Return snippets of these papers, at most 100 of them, told apart by their titles."""
        named = _names_of(papers[:NAMED])
        if not named or limit < 1:
            return []
        ids = ",".join(named)
        titles = {title_key(paper.title): paper for own in named.values() for paper in own}
        found = await self._snippets(cut_for_url(query), limit=limit, paperIds=ids)
        known = [(one, titles.get(title_key(one.title))) for one in found]
        if len(titles) == 1:
            known = [(one, next(iter(titles.values()))) for one in found]
        return [_passage(one, paper) for one, paper in known if paper]

    async def _snippets(self, query: str, *, limit: int, **asked: str | None) -> list[Snippet]:
        records = await self._client.snippets(query, age=SEARCH_AGE, limit=limit, **asked)
        return [snippet for one in records if (snippet := read_snippet(one, query))]

    async def titled(self, title: str) -> Sequence[Paper]:
        """Return the paper whose title is nearest to this one, if it has any near."""
        if not title_key(title):
            return []
        asked = " ".join(title.split())
        path = "/paper/search/match"
        records, _ = await self._client.listed(path, FIELDS, age=SEARCH_AGE, query=asked)
        return list(_papers(records))

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers with a DOI, an id of arXiv, PubMed or Semantic Scholar that it knows."""
        asked = {key: name for key in ids if (name := _asked_as(key))}
        records = await self._client.batch(list(asked.values()), FIELDS, age=RECORD_AGE)
        papers = {name: paper for name, one in records.items() if (paper := paper_of_record(one))}
        return {key: papers[name] for key, name in asked.items() if name in papers}

    async def references(self, papers: Sequence[Paper]) -> LinkAnswer:
        """Return what these cite, 100 papers a call; the records come without abstracts.

        A paper whose publisher keeps its references back is absent, not without references.
        """
        named = _names_of(papers)
        found: dict[str, list[RawRecord]] = {}
        for part in in_batches(named, lambda _: 1, most=TOGETHER, room=TOGETHER):
            found |= await self._lists(part, "references", limit=EXPECTED)
        return _linked(named, found, limit=EXPECTED)

    async def citations(self, papers: Sequence[Paper], *, limit: int) -> LinkAnswer:
        """Return what cites these, at most `limit` each; the records come without abstracts.

        Papers with few citing works, or of which that is not known, are asked about together. Of
        those with many, the first ten are, with a call for each 1,000 works; the others are absent.
        The service offers no order: its first citing works are mostly the newest.
        """
        named = _names_of(papers) if limit > 0 else {}
        counts = {
            name: max((one.cited_by for one in own if one.cited_by is not None), default=FEW)
            for name, own in named.items()
        }
        few = [name for name, count in counts.items() if count <= FEW]
        many = [name for name, count in counts.items() if count > FEW]
        found: dict[str, list[RawRecord]] = {}
        for part in in_batches(few, counts.__getitem__, most=TOGETHER, room=EXPECTED):
            found |= await self._lists(part, "citations", limit=limit)
        if len(many) > ALONE:
            logger.info("left out the citing works of %d much cited papers", len(many) - ALONE)
        for name in many[:ALONE]:
            found[name] = await self._pages(name, "citations", limit=limit)
        return _linked(named, found, limit=limit)

    async def _lists(
        self, names: Sequence[str], kind: Links, *, limit: int
    ) -> dict[str, list[RawRecord]]:
        """Return the lists inside the records of papers, whole or at least `limit` long.

        A list kept back by its publisher is absent, and so is a paper that is unknown.
        """
        fields = ("paperId", _COUNTS[kind], *(f"{kind}.{name}" for name in LINK_FIELDS))
        records = await self._client.batch(names, fields, age=_AGES[kind])
        found: dict[str, list[RawRecord]] = {}
        lists = {name: list(mappings(record.get(kind))) for name, record in records.items()}
        full = sum(map(len, lists.values())) >= _FULL
        for name, items in lists.items():
            there = min(count_of(records[name].get(_COUNTS[kind])) or 0, limit)
            if len(items) < there and (full or len(items) >= _LISTED):
                found[name] = max(items, await self._pages(name, kind, limit=limit), key=len)
            elif items or not there:
                itself = records[name].get("paperId") or name
                found[name] = [item for item in items if item.get("paperId") != itself]
        return found

    async def _pages(self, name: str, kind: Links, *, limit: int) -> list[RawRecord]:
        """Return the first `limit` records of a paper's list; none where it is unknown."""
        path = f"/paper/{quote(name, safe='/:;()')}/{kind}"
        return (
            await self._client.listed(
                path, LINK_FIELDS, age=_AGES[kind], limit=limit, size=LINKS_PAGE
            )
        )[0]

    async def recommend(self, papers: Sequence[Paper], *, limit: int) -> list[Paper]:
        """Return papers like all of these, best first, from at most 100 of them.

        Those known by Semantic Scholar's own id are the examples, where there are any: one that it
        does not know could spoil the call.
        """
        names = list(_names_of(papers))
        examples = ([name for name in names if ":" not in name] or names)[:EXAMPLES]
        if not examples or limit < 1:
            return []
        records = await self._client.recommended(examples, FIELDS, limit=limit, age=LIKE_AGE)
        given = {key for paper in papers for key in (paper.id, *paper.aliases)}
        others = (one for one in _papers(records) if given.isdisjoint((one.id, *one.aliases)))
        return list(islice(others, limit))

    async def specter2(self, papers: Sequence[Paper]) -> dict[str, NDArray[np.float32]]:
        """Return SPECTER2 vectors (768,), as the service gives them, by `paper.id`, where it has any."""
        named = _names_of(papers)
        fields = ("paperId", "embedding.specter_v2")
        records = await self._client.batch(list(named), fields, age=RECORD_AGE)
        return {
            paper.id: np.asarray(vector, dtype=np.float32)
            for name, record in records.items()
            if (vector := vector_of(record))
            for paper in named[name]
        }


def _papers(records: Iterable[RawRecord]) -> list[Paper]:
    """Return the papers of records, each once, in order."""
    papers = [paper for record in records if (paper := paper_of_record(record))]
    return list({paper.id: paper for paper in papers}.values())


def _with_snippet(paper: Paper, quote: Quote) -> Paper:
    """Return a paper with the words of its text; what its record says itself is no news."""
    if quote.text in paper.text:
        return paper
    return paper.model_copy(update={"snippets": (quote.model_copy(update={"paper": paper.id}),)})


def _passage(snippet: Snippet, paper: Paper) -> Passage:
    start = snippet.quote.start or 0
    return Passage(
        id=passage_id(paper.id, snippet.whole),
        paper=paper.id,
        title=paper.title,
        section=(snippet.quote.place,) if snippet.quote.place else (),
        start=start,
        end=start + len(snippet.whole),
        text=snippet.whole,
    )


def _term(words: str) -> str:
    flat = words.replace("-", " ")  # before a word, a hyphen would exclude it
    return f'"{flat}"' if " " in flat else flat


def _asked_as(paper_id: str) -> str | None:
    """Return how Semantic Scholar writes a canonical id, or None for one that it has no word for."""
    kind, _, bare = paper_id.partition(":")
    return f"{_PREFIXES[kind]}{bare}" if kind in _PREFIXES else None


def _names_of(papers: Sequence[Paper]) -> dict[str, list[Paper]]:
    """Return the papers by how to ask for them, its own id first; the others are left out."""
    named: dict[str, list[Paper]] = {}
    for paper in papers:
        fields = {"s2": paper.semantic_scholar, "doi": paper.doi, "arxiv": paper.arxiv}
        ids = [canonical_id(f"{kind}:{value}") for kind, value in fields.items() if value]
        names = [name for key in (*ids, paper.id, *paper.aliases) if (name := _asked_as(key))]
        if names:
            own = next((name for name in names if ":" not in name), names[0])
            named.setdefault(own, []).append(paper)
    return named


def _linked(
    named: Mapping[str, Sequence[Paper]], found: Mapping[str, Sequence[RawRecord]], *, limit: int
) -> LinkAnswer:
    """Return records as links of the papers asked about, the first `limit` of each.

    A record of nothing but a title could be anything, and is left out.
    """
    links: dict[str, tuple[str, ...]] = {}
    papers: dict[str, Paper] = {}
    for name, records in found.items():
        ends = [end for end in _papers(records) if end.year or not end.id.startswith("title:")]
        for paper in named[name]:
            own = {paper.id, *paper.aliases}
            others = [end for end in ends if own.isdisjoint((end.id, *end.aliases))][:limit]
            links[paper.id] = tuple(end.id for end in others)
            papers |= {end.id: end for end in others if end.id not in papers}
    return LinkAnswer(links=links, papers=papers, partial=True)


SOURCE = SemanticScholarSource
