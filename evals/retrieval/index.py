"""An inverted index in memory over titles and abstracts, with BM25."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from evals.retrieval.expressions import All, Node, Not, Phrase, phrases, stem, words

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

    @property
    def words(self) -> int:
        """How many different words the texts have, by their stems."""
        return len(self._stems)

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
