"""Searches as OpenAlex reads them, over an inverted index in memory of titles and abstracts, with BM25."""

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

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
        ValueError: An operator has nothing to work on, or a quotation mark or bracket is open.
    """
    tokens = _TOKEN.findall(text)[::-1]
    node = _either(tokens)
    if tokens:
        raise ValueError("a bracket is closed that was not opened")
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
        raise ValueError(f"words are missing where {token} stands")
    if token == "NOT":
        return Not(_one(tokens))
    if token == "(":
        inside = _either(tokens)
        if not tokens or tokens.pop() != ")":
            raise ValueError("a bracket is not closed")
        return inside
    found = words(token)
    if token.startswith('"'):
        return Phrase(tuple(map(stem, found)))
    kept = [Phrase((stem(word),)) for word in found if word not in _STOPPED]
    return kept[0] if len(kept) == 1 else All(tuple(kept))


Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
Weights = NDArray[np.float64]

K1, B = 1.2, 0.75
"""BM25's constants as Lucene has them."""
TITLE = 3
"""How often a word of a title counts."""


class Index:
    """Texts by place. Safe to search from several threads."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """Index pairs of title and abstract."""
        self._vocabulary: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        self._found_in: list[array[int]] = []
        self._counts: list[array[int]] = []
        self._titles: list[bytes] = []
        self._bodies: list[bytes] = []
        self._known: dict[tuple[Phrase, bool], tuple[Places, Weights]] = {}
        lengths: list[int] = []
        for at, (title, abstract) in enumerate(texts):
            head, body = self._numbers(title), self._numbers(abstract)
            counts = Counter(body)
            for number in head:
                counts[number] += TITLE
            for number, count in counts.items():
                self._found_in[number].append(at)
                self._counts[number].append(count)
            self._titles.append(head.tobytes())
            self._bodies.append(body.tobytes())
            lengths.append(len(head) + len(body))
        self.size = len(lengths)
        mean = max(sum(lengths) / max(self.size, 1), 1.0)
        self._damping = K1 * (1 - B + B * np.array(lengths, dtype=np.float64) / mean)

    def _numbers(self, text: str) -> "array[int]":
        known = self._vocabulary
        return array("i", [known[w] if w in known else self._learn(w) for w in words(text)])

    def _learn(self, word: str) -> int:
        number = self._stems.setdefault(stem(word), len(self._stems))
        if number == len(self._found_in):
            self._found_in.append(array("i"))
            self._counts.append(array("i"))
        self._vocabulary[word] = number
        return number

    def matching(self, node: Node, *, in_title: bool = False) -> Mask:
        """Return which texts match an expression."""
        if isinstance(node, Phrase):
            mask = np.zeros(self.size, dtype=np.bool_)
            mask[self._postings(node, in_title=in_title)[0]] = True
            return mask
        if isinstance(node, Not):
            return ~self.matching(node.part, in_title=in_title)
        parts = [self.matching(part, in_title=in_title) for part in node.parts]
        whole = np.full(self.size, isinstance(node, All))
        for part in parts:
            whole = whole & part if isinstance(node, All) else whole | part
        return whole

    def relevance(self, node: Node) -> Weights:
        """Return the BM25 score of each text for the words that an expression wants."""
        total = np.zeros(self.size, dtype=np.float64)
        for phrase in dict.fromkeys(phrases(node)):
            places, counts = self._postings(phrase, in_title=False)
            rarity = math.log(1 + (self.size - len(places) + 0.5) / (len(places) + 0.5))
            total[places] += rarity * counts * (K1 + 1) / (counts + self._damping[places])
        return total

    def _postings(self, phrase: Phrase, *, in_title: bool) -> tuple[Places, Weights]:
        key = (phrase, in_title)
        if key not in self._known:
            self._known[key] = self._look_up(phrase, in_title=in_title)
        return self._known[key]

    def _look_up(self, phrase: Phrase, *, in_title: bool) -> tuple[Places, Weights]:
        numbers = [self._stems.get(one) for one in phrase.stems]
        known = [number for number in numbers if number is not None]
        if not known or len(known) < len(numbers):
            return np.empty(0, dtype=np.int64), np.empty(0)
        if len(known) == 1 and not in_title:
            places = np.array(self._found_in[known[0]], dtype=np.int64)
            return places, np.array(self._counts[known[0]], dtype=np.float64)
        shared = set.intersection(*(set(self._found_in[number]) for number in known))
        wanted = array("i", known).tobytes()
        counts = {
            at: TITLE * _times(wanted, self._titles[at])
            + (0 if in_title else _times(wanted, self._bodies[at]))
            for at in sorted(shared)
        }
        counts = {at: count for at, count in counts.items() if count}
        return np.array(list(counts), dtype=np.int64), np.array(list(counts.values()), dtype=float)


def _times(wanted: bytes, text: bytes) -> int:
    """Count where a row of numbers stands in another; between two numbers it does not count."""
    width = array("i").itemsize
    times, at = 0, text.find(wanted)
    while at >= 0:
        times += at % width == 0
        at = text.find(wanted, at + 1)
    return times
