"""Searches as OpenAlex reads them: words side by side are ANDed; AND, OR, NOT, brackets, phrases."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")
_STEMMING = Lock()
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r'[()]|"[^"]*"|[^\s()"]+|"')
_STOPPED = frozenset(
    (
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is",
        "it", "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there",
        "these", "they", "this", "to", "was", "will", "with",
    )
)  # fmt: skip
"""The words that Lucene's English analysis drops."""


class QueryError(ValueError):
    """The search is not one that can be read."""


@dataclass(frozen=True)
class Phrase:
    """Stems that stand next to one another; one of them is a word, none is found everywhere."""

    stems: tuple[str, ...]


@dataclass(frozen=True)
class All:
    """Every part must match."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Some:
    """One part at least must match."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Not:
    """The part must not match."""

    part: "Node"


Node = Phrase | All | Some | Not


def words(text: str) -> list[str]:
    """Return the lower-case words of a text, in order."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word (Porter's second stemmer)."""
    with _STEMMING:  # a stemmer keeps the word in itself while it works
        return str(_STEMMER.stemWord(word))


def parse(text: str) -> Node:
    """Return what a search asks for.

    Raises:
        QueryError: An operator has nothing to work on, or a quotation mark or bracket is open.
    """
    tokens = _TOKEN.findall(text)[::-1]
    node = _either(tokens)
    if tokens:
        raise QueryError("a bracket is closed that was not opened")
    return node


def phrases(node: Node) -> Iterator[Phrase]:
    """Yield the phrases that are wanted, from left to right."""
    if isinstance(node, Phrase):
        yield node
    elif not isinstance(node, Not):
        for part in node.parts:
            yield from phrases(part)


def _either(tokens: list[str]) -> Node:
    parts = [_both(tokens)]
    while tokens and tokens[-1] == "OR":
        tokens.pop()
        parts.append(_both(tokens))
    return parts[0] if len(parts) == 1 else Some(tuple(parts))


def _both(tokens: list[str]) -> Node:
    parts = [_one(tokens)]
    while tokens and tokens[-1] not in ("OR", ")"):
        if tokens[-1] == "AND":
            tokens.pop()
        parts.append(_one(tokens))
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _one(tokens: list[str]) -> Node:
    token = tokens.pop() if tokens else ")"
    if token in ("AND", "OR", ")", '"'):
        raise QueryError(f"words are missing where {token} stands")
    if token == "NOT":
        return Not(_one(tokens))
    if token == "(":
        inside = _either(tokens)
        if not tokens or tokens.pop() != ")":
            raise QueryError("a bracket is not closed")
        return inside
    found = words(token)
    if token.startswith('"'):
        return Phrase(tuple(map(stem, found)))
    kept = [Phrase((stem(word),)) for word in found if word not in _STOPPED]
    return kept[0] if len(kept) == 1 else All(tuple(kept))
