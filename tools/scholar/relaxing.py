"""Keywords made ready for search engines that AND them, and loosened where they find too little."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import combinations

from state.paper import Paper
from tools.errors import PermanentError, TransientError
from tools.scholar.port import Found

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


def relaxed(words: Sequence[str]) -> Iterator[list[list[str]]]:
    """Yield ever looser readings of keywords that are all meant: groups to AND, the groups to OR.

    First all words together, then all ways to leave one out, and so on down to pairs (to single
    words where there are only two). Groups that leave out later words come first. A word that
    comes twice counts once; no words give no step.
    """
    distinct = list({word.casefold(): word for word in reversed(words)}.values())[::-1]
    fewest = 2 if len(distinct) > 2 else 1
    for size in range(len(distinct), fewest - 1, -1):
        yield [list(group) for group in combinations(distinct, size)]


async def search_ever_looser(
    steps: Iterable[Sequence[Sequence[str]]],
    search: Callable[[Sequence[Sequence[str]]], Awaitable[Found]],
    *,
    limit: int,
    affords: Callable[[], bool] = lambda: True,
) -> Found:
    """Search by one step of `relaxed` after the other until half of `limit` papers are found.

    A failure after papers were found ends the search, and `Found.cut` says so.

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
    return Found(papers=list(papers.values())[:limit], sent=sent, matches=matches, cut=cut)
