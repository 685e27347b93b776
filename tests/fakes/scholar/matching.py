"""How the fakes search: stemmed words, phrases, and Boolean expressions over a title and an abstract."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")
_STEMMING = Lock()
_WORD = re.compile(r"[^\W_]+")


class QueryError(ValueError):
    """The query is not one that the service can read."""


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    with _STEMMING:  # a stemmer keeps the word in itself while it works
        return str(_STEMMER.stemWord(word))


def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a text, in order."""
    return tuple(_stem(word) for word in _WORD.findall(text.lower()))


@dataclass(frozen=True)
class Text:
    """What is searched, by the name of the field."""

    fields: dict[str, tuple[str, ...]]

    def counts(self, term: "Term") -> int:
        """Return how often a term occurs; in a title it counts four times."""
        names = self.fields if term.field == "all" else (term.field,)
        return sum(
            (4 if name == "title" else 1) * _occurrences(self.fields.get(name, ()), term)
            for name in names
        )


@dataclass(frozen=True)
class Term:
    """Words that stand next to one another."""

    stems: tuple[str, ...]
    field: str = "all"
    prefix: bool = False


@dataclass(frozen=True)
class Group:
    """Parts that must all match, or of which one must, or which must not."""

    kind: str
    parts: tuple["Group | Term", ...] = field(default=())

    def terms(self) -> list[Term]:
        """Return the terms that are wanted."""
        if self.kind == "not":
            return []
        return [
            term
            for part in self.parts
            for term in ([part] if isinstance(part, Term) else part.terms())
        ]


def matches(node: Group | Term, text: Text) -> bool:
    """Whether a text satisfies an expression."""
    if isinstance(node, Term):
        return not node.stems or text.counts(node) > 0
    if node.kind == "not":
        return not matches(node.parts[0], text)
    tests = (matches(part, text) for part in node.parts)
    return any(tests) if node.kind == "or" else all(tests)


def score(node: Group | Term, text: Text) -> float:
    """Return how well a text fits: the logarithm of the counts of its wanted terms, added up."""
    wanted = [node] if isinstance(node, Term) else node.terms()
    return sum(math.log1p(text.counts(term)) for term in wanted)


def _occurrences(words: Sequence[str], term: Term) -> int:
    size = len(term.stems)
    if size == 1:
        wanted = term.stems[0]
        if term.prefix:
            return sum(word.startswith(wanted) for word in words)
        return words.count(wanted)
    return sum(
        tuple(words[at : at + size]) == term.stems for at in range(len(words) - size + 1) if size
    )


def cosine(left: Counter[str], right: Counter[str]) -> float:
    """Return the cosine of two bags of stems."""
    product = sum(count * right[word] for word, count in left.items())
    lengths = math.sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
    return product / lengths if lengths else 0.0


Read = Callable[[str], tuple[str, str]]
"""Turns a token into its role (and, or, not, word) and what is left of it."""

_TOKEN = re.compile(r'\(|\)|[+|-]?(?:\w+:)?"[^"]*"|[^\s()"]+|"')


def parse(
    text: str,
    read: Read,
    term: Callable[[str], Group | Term],
    *,
    strict: bool,
    side_by_side: str = "and",
) -> Group:
    """Return the expression that a query stands for.

    Raises:
        QueryError: In strict reading, an operator without its words, or an open quote or parenthesis.
    """
    parser = _Parser(_TOKEN.findall(text), read, term, strict)
    parser.side_by_side = side_by_side
    node = parser.any_of()
    if parser.left and strict:
        raise QueryError(f"unbalanced parentheses in {text!r}")
    return node if isinstance(node, Group) else Group("and", (node,))


class _Parser:
    def __init__(
        self, tokens: list[str], read: Read, term: Callable[[str], Group | Term], strict: bool
    ) -> None:
        self.left = tokens
        self.read = read
        self.term = term
        self.strict = strict
        self.side_by_side = "and"

    def any_of(self) -> Group | Term:
        parts = [self.all_of()]
        while self.left and self.read(self.left[0])[0] == "or":
            self.left.pop(0)
            parts.append(self.all_of())
        return parts[0] if len(parts) == 1 else Group("or", tuple(parts))

    def all_of(self) -> Group | Term:
        parts: list[Group | Term] = []
        dangling = True
        kind = self.side_by_side
        while self.left and self.left[0] != ")" and self.read(self.left[0])[0] != "or":
            role = self.read(self.left[0])[0]
            if role == "and":
                if dangling and self.strict:
                    raise QueryError("an AND without words before it")
                self.left.pop(0)
                dangling, kind = True, "and"
                continue
            kind = "and" if role == "not" else kind
            parts.append(self.one(role))
            dangling = False
        if dangling and self.strict:
            raise QueryError("an operator without words after it, or an empty group")
        return parts[0] if len(parts) == 1 else Group(kind if parts else "and", tuple(parts))

    def one(self, role: str) -> Group | Term:
        token = self.left.pop(0)
        if role == "not":
            rest = self.read(token)[1]
            if rest:
                self.left.insert(0, rest)
            if not self.left:
                if self.strict:
                    raise QueryError("a NOT without words after it")
                return Group("and")
            return Group("not", (self.one(self.read(self.left[0])[0]),))
        if token == "(":
            inside = self.any_of()
            if self.left and self.left[0] == ")":
                self.left.pop(0)
            elif self.strict:
                raise QueryError("a parenthesis that is not closed")
            return inside
        if token == '"' and self.strict:
            raise QueryError("a quotation mark that is not closed")
        return self.term(self.read(token)[1])


def words_of(token: str, name: str = "all") -> Group | Term:
    """Return a quoted token as a phrase, another as its words, all wanted."""
    found = stems(token)
    if token.startswith('"') or len(found) == 1:
        return Term(found, name)
    return Group("and", tuple(Term((one,), name) for one in found))


def ranked(
    texts: Iterable[tuple[int, Text]], node: Group | Term, weight: Callable[[int], float]
) -> list[tuple[int, float]]:
    """Return the numbers of the texts that match with their scores, best first; ties by number."""
    found = [
        (number, score(node, text) + weight(number))
        for number, text in texts
        if matches(node, text)
    ]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))
