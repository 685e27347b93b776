"""Find the citations in a text: numbers, Pandoc and LaTeX keys, author and year."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

_WIDEST = 100
"""Most papers of a range such as [1-9]; a wider one is no citation."""
_YEAR = r"(?:1[6-9]|20)\d\d"
_PARTICLES = r"(?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|ter|ten|el|al)[ -]){0,3}"
_FAMILY = rf"{_PARTICLES}[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:[-'’.][^\W\d_]+){{0,3}}"
_LATEX = re.compile(r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?\s*(?:\[[^\[\]]*\]\s*){0,2}\{([^{}]*)\}")
_PANDOC = re.compile(r"\[([^\[\]]*@[^\[\]]*)\]")
_PANDOC_KEY = re.compile(r"(?<![\w.@])-?@\{?(\w[\w:.#$%&+?<>~/-]*)")
_RANGE = re.compile(r"\[(\d{1,3})\]\s*[-–—]\s*\[(\d{1,3})\]")
_NUMBERS = re.compile(r"\[(\d{1,3}(?:\s*[-–—,;]\s*\d{1,3}){0,40})\](?:\(#[^()\s]*\))?(?!\()")
_PARENTHESIS = re.compile(r"\(([^()\n]{4,400})\)")
_PART = re.compile(
    r"^(?:(?:see|see also|also|e\.\s?g\.|cf\.|i\.\s?e\.|for example|compare|as in|in),?\s+){0,2}"
    rf"((?:{_FAMILY}(?:\s+{_FAMILY}){{0,2}})(?:,? et al\.?|(?:, {_FAMILY}){{0,5}},? (?:and|&) {_FAMILY}|,? and others)?)"
    rf",?\s+({_YEAR}[a-z]?(?:,\s*(?:{_YEAR})?[a-z]?){{0,5}}|n\.d\.)"
    r"(?:,\s*(?:pp?\.|pages?|ch\.|chap\.|chapter|sec\.|section|§)[^;]{0,40})?$"
)
_NARRATIVE = re.compile(
    rf"\b((?:{_FAMILY})(?:,? et al\.?|,? (?:and|&) {_FAMILY}|,? and (?:colleagues|others))?)(?:['’]s?)?\s*"
    rf"\(({_YEAR}[a-z]?(?:,\s*(?:{_YEAR})?[a-z]?){{0,5}})(?:,\s*(?:pp?\.|ch\.|sec\.)[^()]{{0,40}})?\)"
)
_ONE_YEAR = re.compile(rf"({_YEAR})?([a-z])?")
_NO_NAMES = frozenset(
    """january february march april may june july august september october november december jan feb
    mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter since until before after
    in by from during around circa section figure table chapter version edition copyright updated
    accessed and early late mid""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Label:
    """One paper as a text names it."""

    kind: Literal["number", "key", "author_year"]
    text: str
    """The number or key; 'Lewis et al., 2020' for author and year."""
    names: tuple[str, ...] = ()
    """Family names, the first author's first."""
    year: int | None = None
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A citation of one or more papers: `text[start:end]` is what a marker may stand for."""

    start: int
    end: int
    labels: tuple[Label, ...]


def find_mentions(text: str, known: Collection[str] = ()) -> list[Mention]:
    """Return the citations of a text, in order.

    Args:
        text: Plain text, Markdown or LaTeX.
        known: Keys and first authors' family names of the reference list: 'Kim (2020)' and '@kim' are
            citations for certain only if it has them.
    """
    keyed = [*_by_key(text, known), *_by_number(text)]
    found = sorted(
        [*keyed, *_by_author(text, known, strict=bool(keyed))], key=lambda item: item.start
    )
    kept: list[Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _by_key(text: str, known: Collection[str]) -> Iterator[Mention]:
    for found in _LATEX.finditer(text):
        keys = [key.strip() for key in found[1].split(",") if key.strip()]
        if keys:
            yield Mention(*found.span(), tuple(Label("key", key) for key in keys))
    brackets = list(_PANDOC.finditer(text))
    for found in brackets:
        keys = [key.rstrip(".,:;?") for key in _PANDOC_KEY.findall(found[1])]
        if keys:
            yield Mention(*found.span(), tuple(Label("key", key) for key in keys))
    for found in _PANDOC_KEY.finditer(text):
        key = found[1].rstrip(".,:;?")
        inside = any(mark.start() < found.start() < mark.end() for mark in brackets)
        if not inside and (key in known or any(char.isdigit() for char in key)):
            yield Mention(
                found.start(),
                found.start() + len(found[0]) - len(found[1]) + len(key),
                (Label("key", key),),
            )


def _by_number(text: str) -> Iterator[Mention]:
    for found in _RANGE.finditer(text):
        if numbers := _spread(int(found[1]), int(found[2])):
            yield Mention(*found.span(), _numbered(numbers))
    for found in _NUMBERS.finditer(text):
        listed: list[int] = []
        for part in re.split(r"\s*[,;]\s*", found[1]):
            ends = [int(item) for item in re.findall(r"\d+", part)]
            listed += _spread(ends[0], ends[-1]) or [0]
        if all(listed):  # '[0, 1]' is an interval
            yield Mention(*found.span(), _numbered(listed))


def _spread(first: int, last: int) -> list[int]:
    return list(range(first, last + 1)) if first <= last < first + _WIDEST else []


def _numbered(numbers: list[int]) -> tuple[Label, ...]:
    return tuple(Label("number", str(number)) for number in dict.fromkeys(numbers))


def _by_author(text: str, known: Collection[str], *, strict: bool) -> Iterator[Mention]:
    families = {name.casefold() for name in known}
    for found in _PARENTHESIS.finditer(text):
        parts = [_PART.match(part.strip()) for part in found[1].split(";")]
        labels = [label for part in parts if part for label in _labels(part[1], part[2])]
        if labels:
            yield Mention(*found.span(), tuple(labels))
    for found in _NARRATIVE.finditer(text):
        labels = _labels(found[1], found[2])
        alone = len(labels[0].names) == 1 and " al" not in found[1] if labels else True
        if labels and not (alone and strict and labels[0].names[0].casefold() not in families):
            start = text.index("(", found.end(1))
            yield Mention(start, found.end(), tuple(labels))


def _labels(named: str, years: str) -> list[Label]:
    named = re.sub(r"['’]s?$", "", named)
    names = tuple(
        name for piece in re.split(r",? et al\.?|,? (?:and|&) |, ", named)
        if (name := piece.strip())
        and name not in {"others", "colleagues"}
    )  # fmt: skip
    if not names or names[0].split()[0].casefold() in _NO_NAMES:
        return []
    labels: list[Label] = []
    year: int | None = None
    for piece in years.split(","):
        found = _ONE_YEAR.match(piece.strip())
        if found and (found[1] or found[2]):
            year = int(found[1]) if found[1] else year
            labels.append(
                Label(
                    "author_year",
                    f"{named}, {year or ''}{found[2] or ''}",
                    names,
                    year,
                    found[2] or "",
                )
            )
    return labels or [Label("author_year", f"{named}, n.d.", names)]
