"""What every source of papers offers; ids put into batches, and keywords loosened where they find too little."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import Protocol, TypeVar
from urllib.parse import quote_plus

from state.bibliography import Bibliography
from state.paper import Paper
from state.passage import Passage
from state.search import SearchQuery
from tools.embed.embedder import Vectors
from tools.errors import PermanentError, TransientError


@dataclass(frozen=True, kw_only=True)
class SourceOffer:
    """What a source can do and what it asks for it, from its documentation."""

    links: bool = True
    """Whether it knows what cites what."""
    list_usd: float = 0.0
    """USD of one call for the links of papers."""


@dataclass(frozen=True, kw_only=True)
class SearchAnswer:
    """The answer to a search."""

    papers: Sequence[Paper]
    """Best first; those past the cut-off may be among them."""
    sent: tuple[str, ...] = ()
    """The query in the source's own language, each try in order, without any key."""
    matches: int | None = None
    """Records that match the last try, where the source says."""
    cut: str = ""
    """Why a further try or page failed; what those before it found is here all the same."""
    cited: Sequence["CitedWork"] = ()
    """Works that the words found in full texts cite."""


@dataclass(frozen=True, kw_only=True)
class CitedWork:
    """A work that a paper cites in a sentence that a search found."""

    paper: Paper
    by: str
    """The id of the paper that cites it."""
    sentence: str


@dataclass(frozen=True, kw_only=True)
class LinkAnswer:
    """Links of some papers, in one direction."""

    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the `id` of each paper asked about that the source knows: canonical ids at the other end.

    A paper that the source knows and that has no such links is here with an empty tuple.
    """
    papers: Mapping[str, Paper] = field(default_factory=dict)
    """The records that came along with the links, by the id used in `links`."""
    partial: bool = False
    """Whether those records lack what `get` would give, such as abstracts."""


class Source(Protocol):
    """A place to search for papers. Every method raises TransientError or PermanentError.

    A source that could not answer raises; an empty answer means that there is nothing. A record
    that cannot be read (no title, no id) is left out of an answer and never costs the others. What
    a source does not say otherwise, it does not know.
    """

    name: str
    """How it is named in the search log."""
    offer: SourceOffer = SourceOffer()
    """What it knows of links, and at which price."""

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        """Return at most `limit` papers, best first, that may have appeared from `after` on and before `before`."""

    async def titled(self, title: str) -> Sequence[Paper]:
        """Return what it has under a title, best first; records of other titles may be among them."""
        query = SearchQuery(text=title, facet="all", reason="A known title.")
        return (await self.search(query, before=None, limit=5)).papers

    async def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers it knows, by the canonical id asked for; ids not its own are skipped."""
        return {}

    async def registered(self, ids: Sequence[str]) -> frozenset[str]:
        """Return which ids it knows of those for which `get` gave no record, as of one without a title."""
        return frozenset()

    async def references(self, papers: Sequence[Paper]) -> LinkAnswer:
        """Return what these papers cite, as far as it knows."""
        return LinkAnswer()

    async def lists(self, papers: Sequence[Paper]) -> Mapping[str, Bibliography]:
        """Return the lists of references that it keeps of these papers' documents, by `id`."""
        return {}

    async def citations(self, papers: Sequence[Paper], *, limit: int) -> LinkAnswer:
        """Return what cites these papers, at most about `limit` works for each."""
        return LinkAnswer()

    async def recommend(self, papers: Sequence[Paper], *, limit: int) -> list[Paper]:
        """Return at most `limit` papers like all of these, best first."""
        return []

    async def vectors(self, ids: Collection[str]) -> dict[str, Vectors]:
        """Return stored vectors of the embedder in use, where it has them; else nothing."""
        return {}

    async def passages(self, query: str, papers: Sequence[Paper], *, limit: int) -> list[Passage]:
        """Return at most `limit` passages of the full texts of these papers, nearest to `query` first."""
        return []

    async def same_work(self, title: str, abstract: str) -> str | None:
        """Return the id of the paper whose title or abstract this is, where that costs no money."""
        return None


T = TypeVar("T")


def in_batches(
    items: Iterable[T], weight: Callable[[T], int], *, most: int, room: int
) -> list[list[T]]:
    """Return items in order, in batches of at most `most` whose weights sum up to at most `room`.

    An item that is heavier than that is alone.
    """
    batches: list[list[T]] = []
    used = 0
    for item in items:
        used += weight(item)
        if not batches or len(batches[-1]) == most or used > room:
            batches.append([])
            used = weight(item)
        batches[-1].append(item)
    return batches


LONGEST_IN_URL = 3400
"""Encoded characters of a search, so that filters and fields have room beside it."""
_LONGEST_MEANING = 2000


def cut_for_url(text: str) -> str:
    """Return the beginning of a text that a URL can hold, whole words of it, white space folded."""
    whole = " ".join(text.split())
    kept = whole[:_LONGEST_MEANING]
    while len(quote_plus(kept)) > LONGEST_IN_URL:
        kept = kept[: len(kept) * 9 // 10]
    return kept if len(kept) == len(whole) else kept.rpartition(" ")[0] or kept


_TERM = re.compile(r'["“”]([^"“”]*)["“”]|([^\s"“”]+)')
_NOT_IN_WORDS = re.compile(r"[^\w'’-]+|_+")
_OPERATORS = frozenset({"and", "or", "not", "andnot", "near"})
_STRAY = "-'’"


def terms(text: str) -> list[str]:
    """Return the words of a keyword query, each once, in order, with nothing an engine would obey.

    A quoted phrase of several words stays one term (without its quotation marks); operators,
    wildcards, brackets, field names' colons and hyphens at the edge of a word are gone; hyphens
    and apostrophes inside a word stay.
    """
    found: dict[str, str] = {}
    for quoted, plain in _TERM.findall(text):
        parts = (one.strip(_STRAY) for one in _NOT_IN_WORDS.sub(" ", quoted or plain).split())
        words = [" ".join(filter(None, parts))] if quoted else parts
        for word in words:
            if word and (quoted or word.casefold() not in _OPERATORS):
                found.setdefault(word.casefold(), word)
    return list(found.values())


def loosened_queries(words: Sequence[str]) -> Iterator[list[list[str]]]:
    """Yield ever looser readings of keywords that are all meant: groups to AND, the groups to OR.

    First all words together, then all ways to leave one out, and so on down to pairs: one word alone finds
    what merely has it. Groups that leave out later words come first. A word that
    comes twice counts once; no words give no step.
    """
    distinct = list({word.casefold(): word for word in reversed(words)}.values())[::-1]
    fewest = 2 if len(distinct) > 1 else 1
    for size in range(len(distinct), fewest - 1, -1):
        yield [list(group) for group in combinations(distinct, size)]


async def search_until_found(
    steps: Iterable[Sequence[Sequence[str]]],
    search: Callable[[Sequence[Sequence[str]]], Awaitable[SearchAnswer]],
    *,
    limit: int,
    affords: Callable[[], bool] = lambda: True,
) -> SearchAnswer:
    """Search by one step of `loosened_queries` after the other until half of `limit` papers are found.

    A failure after papers were found ends the search, and `SearchAnswer.cut` says so.

    Args:
        steps: Groups of words to AND, the groups to OR.
        search: Searches once.
        limit: Most papers.
        affords: Whether there is money for another step; the first is taken without asking.

    Raises:
        TransientError, PermanentError: What the search raised when nothing had been found.
    """
    papers: dict[str, Paper] = {}
    sent: tuple[str, ...] = ()
    matches, cut = None, ""
    for step in steps:
        if sent and not affords():
            break
        try:
            found = await search(step)
        except (TransientError, PermanentError) as error:
            if not papers:
                raise
            cut = str(error)
            break
        for paper in found.papers:
            papers.setdefault(paper.id, paper)
        sent, matches = (*sent, *found.sent), found.matches
        if len(papers) >= max(1, limit // 2):
            break
    return SearchAnswer(papers=list(papers.values())[:limit], sent=sent, matches=matches, cut=cut)
