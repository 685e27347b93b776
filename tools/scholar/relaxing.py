"""Keywords made ready for search engines that AND them, and loosened where they find too little."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

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
        words = [" ".join(_plain_words(quoted))] if quoted else _unquoted(plain)
        for word in filter(None, words):
            found.setdefault(word.casefold(), word)
    return list(found.values())


def _plain_words(text: str) -> list[str]:
    words = (word.strip(_STRAY) for word in _NOT_IN_WORDS.sub(" ", text).split())
    return [word for word in words if word]


def _unquoted(text: str) -> list[str]:
    return [word for word in _plain_words(text) if word.casefold() not in _OPERATORS]


def relaxed(words: Sequence[str]) -> Iterator[list[list[str]]]:
    """Yield ever looser readings of keywords that are all meant: groups to AND, the groups to OR.

    First all words together, then all ways to leave one out, and so on down to pairs (to single
    words where there are only two). Groups that leave out later words come first. A word that
    comes twice counts once; no words give no step.
    """
    distinct = list({word.casefold(): word for word in reversed(words)}.values())[::-1]
    if not distinct:
        return
    fewest = 2 if len(distinct) > 2 else 1
    for size in range(len(distinct), fewest - 1, -1):
        yield [list(group) for group in combinations(distinct, size)]
