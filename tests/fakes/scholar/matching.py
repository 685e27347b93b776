"""How the fakes search: stemmed words and phrases, ANDed in groups of which one must match."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")
_STEMMING = Lock()
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r'(?:(\w+):)?("[^"]*"|[^\s()"]+)')
Text = dict[str, tuple[str, ...]]
"""The stems of what is searched, by the name of the field."""
Term = tuple[str, tuple[str, ...]]
"""The name of a field, or `all`, and stems that stand next to one another."""


class QueryError(ValueError):
    """The query is not one that the service can read."""


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    with _STEMMING:  # a stemmer keeps the word in itself while it works
        return str(_STEMMER.stemWord(word))


def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a text, in order."""
    return tuple(_stem(word) for word in _WORD.findall(text.lower()))


def terms_of(text: str) -> list[Term]:
    """Return each word of a plain text as a term."""
    return [("all", (stem,)) for stem in stems(text)]


def count(term: Term, text: Text) -> int:
    """Return how often a term occurs; in a title it counts four times."""
    name, wanted = term
    return sum(
        (4 if field == "title" else 1)
        * sum(words[at : at + len(wanted)] == wanted for at in range(len(words)))
        for field, words in text.items()
        if name in {"all", field}
    )


def quality(terms: Sequence[Term], text: Text) -> float:
    """Return how well a text fits: the logarithm of the counts of the terms, added up."""
    return sum(math.log1p(count(term, text)) for term in terms)


def groups_of(text: str, either: str, fields: dict[str, str] | None = None) -> list[list[Term]]:
    """Return the groups of a query, each of terms that must all match.

    Args:
        text: Such as '(a AND "b c") OR (a AND d)'.
        either: What stands between groups.
        fields: The names of the fields that a term may be looked for in, by their prefixes.

    Raises:
        QueryError: An operator without its words, an open quote or bracket, or an unknown field.
    """
    flat = f" {text} "
    if text.count("(") != text.count(")") or text.count('"') % 2:
        raise QueryError(f"unbalanced signs in {text!r}")
    groups: list[list[Term]] = []
    for part in flat.split(f" {either} "):
        tokens = _TOKEN.findall(part)
        words = [token for _, token in tokens]
        if not words or "AND" in (words[0], words[-1]):
            raise QueryError(f"an operator without words in {text!r}")
        if unknown := [name for name, _ in tokens if name and name not in (fields or {})]:
            raise QueryError(f"unknown field {unknown[0]}")
        terms = [
            ((fields or {}).get(name, "all"), stems(word)) for name, word in tokens if word != "AND"
        ]
        groups.append([term for term in terms if term[1]])
    return groups


def fit(groups: Sequence[Sequence[Term]], text: Text) -> float | None:
    """Return how well a text fits one of the groups; None where it fits none."""
    if not any(all(count(term, text) for term in group) for group in groups):
        return None
    return quality([term for group in groups for term in group], text)


def cosine(left: Counter[str], right: Counter[str]) -> float:
    """Return the cosine of two bags of stems."""
    product = sum(count * right[word] for word, count in left.items())
    lengths = math.sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
    return product / lengths if lengths else 0.0
