"""Searches as OpenAlex reads them, over an inverted index in memory of titles and abstracts, with BM25."""

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
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


Stems = tuple[str, ...]
"""Stems that stand next to one another; one of them is a word, an empty row is found nowhere."""


@dataclass(frozen=True)
class Search:
    """What a search asks for."""

    tree: ast.expr
    """An expression of Python's in which `_0` stands for the first phrase, and True for words that are dropped."""
    phrases: tuple[Stems, ...]
    wanted: tuple[Stems, ...]
    """Those that no NOT rules out, from left to right."""


def words(text: str) -> list[str]:
    """Return the lower-case words of a text, in order."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word (Porter's second stemmer)."""
    with _STEMMING:  # a stemmer keeps the word in itself while it works
        return str(_STEMMER.stemWord(word))


def parse(text: str) -> Search:
    """Return what a search asks for; its operators bind as Python's do.

    Raises:
        ValueError: An operator has nothing to work on, or a quotation mark or bracket is open.
    """
    found: list[Stems] = []
    code: list[str] = []
    for token in _TOKEN.findall(text):
        if token == '"' or (token == ")" and code[-1:] == ["("]):
            raise ValueError(f"words are missing where {token} stands")
        if token in _OPERATORS:
            part = token.lower()
        else:
            kept = [stem(word) for word in words(token) if token[0] == '"' or word not in _STOPPED]
            new = [tuple(kept)] if token[0] == '"' else [(one,) for one in kept]
            names = [f"_{len(found) + at}" for at in range(len(new))]
            part = f"({' and '.join(names) or True})"
            found += new
        if code and code[-1] not in _OPENING and part not in ("and", "or", ")"):
            code.append("and")
        code.append(part)
    try:
        tree = ast.parse(" ".join(code), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"words are missing, or a bracket is open: {error.msg}") from error
    ruled_out = {
        one.id
        for no in ast.walk(tree)
        if isinstance(no, ast.UnaryOp)
        for one in ast.walk(no)
        if isinstance(one, ast.Name)
    }
    return Search(
        tree,
        tuple(found),
        tuple((stems for at, stems in enumerate(found) if f"_{at}" not in ruled_out)),
    )


_OPERATORS = ("AND", "OR", "NOT", "(", ")")
_OPENING = ("and", "or", "not", "(")
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
        self._found: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._rows: list[tuple[str, str]] = []
        lengths: list[int] = []
        for at, pair in enumerate(texts):
            head, body = ([stem(word) for word in words(text)] for text in pair)
            for one, count in Counter([*body, *head * TITLE]).items():
                self._found[one][at] = count
            self._rows.append((_row(head), _row(body)))
            lengths.append(len(head) + len(body))
        self.size = len(lengths)
        self._damping = K1 * (
            1
            - B
            + B * np.array(lengths, dtype=np.float64) / max(sum(lengths) / max(self.size, 1), 1.0)
        )
        self._postings = cache(self._look_up)

    def matching(self, search: Search, *, in_title: bool = False) -> Mask:
        """Return which texts match a search."""

        def of(node: ast.expr) -> Mask:
            if isinstance(node, ast.BoolOp):
                return np.asarray(
                    (np.logical_and if isinstance(node.op, ast.And) else np.logical_or).reduce(
                        [of(part) for part in node.values]
                    )
                )
            if isinstance(node, ast.UnaryOp):
                return ~of(node.operand)
            mask = np.full(self.size, not isinstance(node, ast.Name))
            if isinstance(node, ast.Name):
                mask[self._postings(search.phrases[int(node.id[1:])], in_title)[0]] = True
            return mask

        return of(search.tree)

    def relevance(self, search: Search) -> Weights:
        """Return the BM25 score of each text for the words that a search wants."""
        total = np.zeros(self.size, dtype=np.float64)
        for phrase in dict.fromkeys(search.wanted):
            places, counts = self._postings(phrase, False)
            rarity = math.log(1 + (self.size - len(places) + 0.5) / (len(places) + 0.5))
            total[places] += rarity * counts * (K1 + 1) / (counts + self._damping[places])
        return total

    def _look_up(self, phrase: Stems, in_title: bool) -> tuple[Places, Weights]:
        counts = self._found.get(phrase[0], {}) if phrase else {}
        if len(phrase) > 1 or in_title:
            shared = set(counts).intersection(*(self._found.get(one, ()) for one in phrase))
            row = _row(phrase)
            times = {
                at: TITLE * self._rows[at][0].count(row)
                + (0 if in_title else self._rows[at][1].count(row))
                for at in sorted(shared)
            }
            counts = {at: count for at, count in times.items() if count}
        return np.array(list(counts), dtype=np.int64), np.array(list(counts.values()), dtype=float)


def _row(stems: Sequence[str]) -> str:
    """Return stems as a text in which rows of them can be counted."""
    return "".join(f" {one} " for one in stems)
