"""Whether two titles are two spellings of one title."""

import re
from collections import Counter

from state.paper import title_key
from tools.text.markup import plain, without_mark

NEAR_RATIO = 96.0
"""Percent of equal letters from which two titles may be one."""
NEAR_LETTERS = 25
"""Fewest letters of a title that names a work by itself, even where it is written a little otherwise."""


def near_titles(first: str, second: str, *, ratio: float = NEAR_RATIO) -> bool:
    """Whether two titles differ as two spellings of one title do, and not as two titles do.

    Besides the ratio of the letters, the words that differ are compared one by one: 'colour' is
    'color', but 'mice' is not 'rats', 'Part I' not 'Part II', 'supervised' not 'unsupervised',
    which a ratio over a long title does not see. Markup and the mark of a retraction count for nothing.
    """
    from rapidfuzz import fuzz

    first, second = bare_title(first), bare_title(second)
    if fuzz.ratio(title_key(first), title_key(second), score_cutoff=ratio) < ratio:
        return False
    words, others = _words(first), _words(second)
    if Counter(filter(_NUMBER.fullmatch, words)) != Counter(filter(_NUMBER.fullmatch, others)):
        return False
    left, right = _without(words, others), _without(others, words)
    if "".join(left) == "".join(right):
        return True
    return len(left) == len(right) and all(map(_one_word, left, right))


def bare_title(title: str) -> str:
    """Return a title without markup and without the mark of a retraction before it."""
    text = plain(title) if _MARKED.search(title) else title
    return without_mark(text)


def _words(title: str) -> list[str]:
    return [key for word in re.split(r"[\W_]+", title) if (key := title_key(word))]


def _without(words: list[str], others: list[str]) -> list[str]:
    extra = Counter(words) - Counter(others)
    kept: list[str] = []
    for word in words:
        if extra[word] > 0 and word not in _SMALL_WORDS:
            kept.append(word)
        extra[word] -= 1
    return kept


def _one_word(first: str, second: str) -> bool:
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Prefix

    shared = Prefix.similarity(first, second)
    return 2 * shared >= min(len(first), len(second)) and fuzz.ratio(first, second) >= 75


_MARKED = re.compile(r"[<&]")
_NUMBER = re.compile(
    r"\w*\d\w*|[ivx]+|[b-z]|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third"
    r"|fourth|fifth|part|volume|supplement\w*|erratum|corrigendum|correction|reply|comments?"
)
_SMALL_WORDS = frozenset({"a", "an", "the", "of", "for", "in", "on", "and"})
