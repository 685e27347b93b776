"""Find the citations in a text: numbers, Pandoc and LaTeX keys, author and year; and which entries they lead to."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from state.bibliography import ReferenceEntry
from state.paper import Author, title_key
from tools.bibliography.names import without_possessive
from tools.references.author_years import UNDATED, AuthorYearMention, find_dated

_WIDEST = 100
"""Most papers of a range such as [1-9]; a wider one is no citation."""
CITED = re.compile(
    r"\\(?!nocite|\w*citestyle)([A-Za-z]*[cC]ite[A-Za-z]*)\*?"
    r"(?:\s*(?:\[[^\[\]]*\]\s*|\([^()]*\)\s*){0,4}\{[^{}]*\})+"
)
"""A command of LaTeX that cites, with its notes and keys."""
_PANDOC_KEY = re.compile(r"(?<![\w.@/\\=])-?@(?:\{([^{}\s]+)\}|(\w[\w:.#$%&+?<>~/-]*))")
_PANDOC = re.compile(rf"\[[^\[\]]*@[^\[\]]*\]|{_PANDOC_KEY.pattern}")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!'\W)[^`]){1,500}(?<!`)\1(?!`)")
"""Code of Markdown, and no words between quotation marks of LaTeX: ``so''."""
_RANGE = re.compile(r"\[(\d{1,3})\]\s*[-–—]\s*\[(\d{1,3})\]")
_LOCATOR = (
    r"(?:,\s*(?:pp?\.?|pages?|ch\w*\.?|sec\w*\.?|§|fig\w*\.?|tab\w*\.?|thm\.?|theorem|lemma|prop\w*\.?|app\w*\.?"
    r"|eq\w*\.?|def\w*\.?|cor\w*\.?|alg\w*\.?|ex\w*\.?|part|vol\.?|no\.?|line|example)\s?[^\[\],;]{0,30})"
)
_NUMBERS = re.compile(
    r"\[\s?(?:(?:see|see also|e\.\s?g\.|cf\.|also|in),?\s){0,2}"
    rf"(\d{{1,4}}(?:\s*[-–—,;]\s*\d{{1,4}}){{0,60}}){_LOCATOR}?\s?\](?:\(#[^()\s]*\))?(?!\([^()\s]+\))",
    re.IGNORECASE,
)
_WIDEST_BRACKET = 600
_EVEN = str.maketrans(";–—", ",--")
_LEAD_IN = re.compile(
    r"[\s,;:(\[]*(?:(?:see|also|e\.\s?g\.?|cf\.?|i\.\s?e\.|for|example|instance|compare|as|in|by|of|from|and|among|others|"
    r"following|after|originally|reviewed|described|proposed|introduced|mentioned|like|such|both|or|but|especially|"
    r"most|recently|more|the|work)\b[\s,:.]*){0,6}$",
    re.IGNORECASE,
)
_AS_CITED_IN = re.compile(
    r"[\s,;([]*(?:as\s)?(?:cited|quoted|qtd\.|mentioned)\s(?:in|by)\s+", re.IGNORECASE
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
    short: str = ""
    """The abbreviation that the text gives the names: 'WHO'."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A citation of one or more papers: `text[start:end]` is what a marker may stand for."""

    start: int
    end: int
    labels: tuple[Label, ...]
    named: int = -1
    """Where the names begin that stand before it: 'Lee (2020)'; `start` where there are none."""
    secondary: tuple[Label, ...] = ()
    """Papers that it names as cited in one of its labels' papers."""


def find_mentions(
    text: str, known: Collection[str] = (), families: frozenset[str] | None = None
) -> list[Mention]:
    """Return the citations of a text, in order.

    Args:
        text: Plain text, Markdown or LaTeX.
        known: Keys and first authors' family names of the reference list: 'Kim (2020)' and '@kim' are
            citations for certain only if it has them.
        families: The family names, folded by `title_key`, where they are not among `known`.
    """
    if families is None:
        families = frozenset(map(title_key, known)) - {""}
    text = _CODE.sub(lambda code: "`" * len(code[0]), text)
    keyed = [*_by_key(text, known), *_by_number(text, known)]
    return _by_way(
        text, without_overlaps([*keyed, *_by_author(text, families, strict=bool(keyed))])
    )


def _by_way(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Join 'Smith (1998) (as cited in Devlin, 2019)': what is cited is Devlin, and Smith only named."""
    kept: list[Mention] = []
    for one in mentions:
        way = _AS_CITED_IN.match(text, kept[-1].end) if kept else None
        begins = (one.named, *range(one.start, one.end))
        if way and way.end() in begins and kept[-1].labels[0].kind == "author_year":
            last = kept.pop()
            one = replace(one, secondary=(*last.secondary, *last.labels, *one.secondary))
        kept.append(one)
    return kept


def without_overlaps(mentions: Iterable[Mention]) -> list[Mention]:
    """Return mentions in order of place; of two that overlap the one that begins first.

    Of two that begin at one place the one given first.
    """
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda item: item.start):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _by_key(text: str, known: Collection[str]) -> Iterator[Mention]:
    for found in CITED.finditer(text):
        several = found[1].endswith("cites")
        braced = [part.partition("}")[0] for part in found[0].split("{")[1:]]
        keys = ",".join(braced[: None if several else 1]).split(",")
        end = found.end() if several else text.index("}", found.start()) + 1
        if labels := tuple(Label("key", key.strip()) for key in keys if key.strip()):
            yield Mention(found.start(), end, labels)
    for found in _PANDOC.finditer(text):
        keys = [braced or bare.rstrip(".,:;?") for braced, bare in _PANDOC_KEY.findall(found[0])]
        bare = found[0][0] != "["
        if keys and (not bare or keys[0] in known or any(map(str.isdigit, keys[0]))):
            end = found.start() + len(found[0].rstrip(".,:;?")) if bare else found.end()
            yield Mention(found.start(), end, tuple(Label("key", key) for key in keys))


def _by_number(text: str, known: Collection[str]) -> Iterator[Mention]:
    for found in _RANGE.finditer(text):
        if numbers := numbers_in(f"{found[1]}-{found[2]}"):
            yield Mention(*found.span(), numbered(numbers))
    for found in _NUMBERS.finditer(text):
        listed = numbers_in(found[1])
        # '[0, 1]' is an interval, and '[2019]' a year.
        if listed and all(one and (one < 1000 or str(one) in known) for one in listed):
            yield Mention(*found.span(), numbered(listed))


def numbers_in(printed: str) -> list[int]:
    """Return the numbers of '1, 3-5'; none at all where a part of it is no number and no range."""
    numbers: list[int] = []
    for part in printed.translate(_EVEN).split(","):
        ends = [int(item) for item in part.split("-") if item.strip().isdecimal()]
        if not ends or not 0 <= ends[-1] - ends[0] < _WIDEST:
            return []
        numbers += range(ends[0], ends[-1] + 1)
    return numbers


def numbered(numbers: Iterable[int]) -> tuple[Label, ...]:
    """Return numbers as labels, each once."""
    return tuple(Label("number", str(number)) for number in dict.fromkeys(numbers))


def _by_author(text: str, families: frozenset[str], *, strict: bool) -> Iterator[Mention]:
    inside: dict[tuple[int, int], list[AuthorYearMention]] = {}
    for item in find_dated(text, families):
        pair = _bracket(text, item.years_start)
        strong = item.others or item.joined or item.known or item.short
        if pair is None:
            if item.known and (item.others or len(item.names) > 1):
                yield Mention(item.start, item.end, _labels(item), item.start)
            continue
        before = inside[pair][-1].end if pair in inside else pair[0]
        free = (
            not strict
            if item.opened
            else any(lead.fullmatch(text, before, item.start) for lead in (_LEAD_IN, _AS_CITED_IN))
        )
        if strong or free:
            inside.setdefault(pair, []).append(item)
    for (start, end), items in inside.items():
        own = sum(item.end - max(item.start, start) for item in items)
        opened = text[start + 1 : end].split("[")[1:]
        if end - start - own <= 60 + 8 * len(items) and not any(
            one[:1].isdecimal() for one in opened
        ):
            # The whole bracket, if it holds little else.
            named = items[0].start if items[0].opened else start
            by_way = [bool(_AS_CITED_IN.search(text, a.end, b.start)) for a, b in pairwise(items)]
            cited = [
                one
                for item, way in zip(items, [*by_way, False], strict=True)
                if not way
                for one in _labels(item)
            ]
            passed = [
                one
                for item, way in zip(items, by_way, strict=False)
                if way
                for one in _labels(item)
            ]
            yield Mention(start, end, tuple(cited), named, tuple(passed))
            continue
        for item in items:
            yield Mention(start if item.opened else item.start, item.end, _labels(item), item.start)


def _bracket(text: str, at: int) -> tuple[int, int] | None:
    """Return where the innermost bracket that a place stands in begins and ends."""
    start = _outermost(text, range(at - 1, max(at - _WIDEST_BRACKET, 0) - 1, -1), ")]", "([")
    end = _outermost(text, range(at, min(at + _WIDEST_BRACKET, len(text))), "([", ")]")
    return (start, end + 1) if start >= 0 and end >= 0 else None


def _outermost(text: str, places: range, deeper: str, out: str) -> int:
    """Return the first place that leads out of the brackets a walk begins in; -1 where none does."""
    depth = 0
    for place in places:
        if text[place] in out:
            if not depth:
                return place
            depth -= 1
        elif text[place] in deeper:
            depth += 1
    return -1


def _labels(item: AuthorYearMention) -> tuple[Label, ...]:
    named = without_possessive(item.named).rstrip(" ,")
    return tuple(
        Label(
            "author_year",
            f"{named}, {year or item.word}{suffix}",
            item.names,
            year,
            suffix,
            item.short,
        )
        for year, suffix in dict.fromkeys(item.years)
    )


_OTHERS = ("et al", "et. al", " others", " colleagues", "workers", " collaborators")
_ALIKE = 78.0
"""Percent of equal letters from which two family names are spellings of one, in one year."""
_ALIKE_WITH_OTHERS = 60.0
"""The same where the other authors agree: scanned names are misread badly."""


class Linker:
    """Finds entries by label or by names and year.

    Args:
        entries: The list, in order.
        counted: Whether entries without labels are cited by their number in the list.
        scanned: Whether names may have been misread, so that much the same name will do.
    """

    def __init__(
        self, entries: Sequence[ReferenceEntry], *, counted: bool = False, scanned: bool = True
    ) -> None:
        self._entries = entries
        self._scanned = scanned
        self._labels: defaultdict[str, list[int]] = defaultdict(list)
        self._families: defaultdict[str, list[int]] = defaultdict(list)
        self._years: defaultdict[int | None, list[int]] = defaultdict(list)
        self._others = [_family_keys(entry.authors[1:]) for entry in entries]
        for entry in entries:
            label = str(entry.place + 1) if counted and not entry.label else entry.label
            self._labels[folded(label)].append(entry.place)
            self._years[entry.year].append(entry.place)
            for key in first_keys(entry):
                self._families[key].append(entry.place)

    def link(self, label: Label) -> tuple[int, ...]:
        """Return the places of the entries that a label leads to; more only where nothing decides."""
        if label.kind == "author_year":
            return self._by_names(label)
        return tuple(self._labels.get(folded(label.text), ())[:1])

    def _by_names(self, label: Label) -> tuple[int, ...]:
        for places in self._grounds(label):
            if found := self._decide([p for p in places if not self._contradicts(p, label)], label):
                return found
        return ()

    def _grounds(self, label: Label) -> Iterator[Sequence[int]]:
        """Yield the entries that a label may lead to, on ever weaker grounds."""
        words = label.names[0].split()
        keys = (title_key("".join(words[first:])) for first in range(len(words)))
        named = next((self._families[key] for key in keys if key in self._families), [])
        yield [place for place in named if self._entries[place].year == label.year]
        if label.text.endswith(UNDATED):
            return
        if self._scanned:
            yield self._misspelt(label)
        yield [place for place in named if self._entries[place].year is None or not label.year]
        if label.year is None:
            return
        names = {title_key(name.split()[-1]) for name in label.names}
        yield [p for p in self._years[label.year] if len(names) > 1 and names <= self._others[p]]
        near = [place for place in named if self._counts(place, label) and not label.suffix]
        near = [p for p in near if abs((self._entries[p].year or 0) - label.year) == 1]
        yield near if len(near) == 1 else []  # a year off, as a preprint's is

    def _misspelt(self, label: Label) -> list[int]:
        """Return the entries of the year whose first name is much the same; with others agreeing, less."""
        name = title_key(label.names[0])
        found: list[int] = []
        for place in self._years.get(label.year, ()) if label.year and len(name) >= 3 else ():
            sure = len(label.names) > 1 and self._agreeing(place, label) == len(label.names) - 1
            first = _family_keys(self._entries[place].authors[:1])
            least = _ALIKE_WITH_OTHERS if sure else _ALIKE if len(name) > 3 else 101.0
            if _likeness([name], first) >= least:
                found.append(place)
        return found

    def _agreeing(self, place: int, label: Label) -> int:
        others = self._others[place]
        return sum(
            title_key(name) in others or title_key(name.split()[-1]) in others
            for name in label.names[1:]
        )

    def _contradicts(self, place: int, label: Label) -> bool:
        """Whether the other names of a label are none of the entry's."""
        names = [title_key(name.split()[-1]) for name in label.names[1:]]
        others = self._others[place]
        return bool(names and others) and _likeness(names, others) < _ALIKE_WITH_OTHERS

    def _counts(self, place: int, label: Label) -> bool:
        """Whether an entry has as many authors as a label says."""
        entry = self._entries[place]
        count = len(entry.authors)
        if any(words in label.text for words in _OTHERS):
            return count > 2 or not entry.authors_complete
        return entry.authors_complete and count == len(label.names)

    def _decide(self, places: Sequence[int], label: Label) -> tuple[int, ...]:
        if len(places) < 2:
            return tuple(places)
        scores = {
            place: (self._agreeing(place, label), self._counts(place, label)) for place in places
        }
        best = max(scores.values())
        left = [place for place in places if scores[place] == best]
        if label.suffix:
            lettered = [place for place in places if self._entries[place].suffix == label.suffix]
            left = lettered or left[ord(label.suffix) - ord("a") :][:1]
        return tuple(left)


def first_keys(entry: ReferenceEntry) -> frozenset[str]:
    """Return what an entry may be called by in the text, folded: the ends of its first author's name."""
    if entry.authors:
        return _family_keys(entry.authors[:1])
    words = (entry.title or "").split()[:3]
    keys = {title_key("".join(words[:count])) for count in range(1, len(words) + 1)}
    return frozenset(keys - {""})


def _family_keys(authors: Sequence[Author]) -> frozenset[str]:
    keys: set[str] = set()
    for author in authors:
        inverted = "," in author.name
        words = (author.family if inverted else author.name).split()
        # Of 'Ann Lee' the given name is none; of one word, or an organisation's three, the whole is.
        first = 1 if len(words) == 2 and not inverted else 0
        keys |= {title_key("".join(words[at:])) for at in range(first, len(words))}
        keys.add(title_key("".join(words)))
        if not inverted and len(words) > 2 and "." not in author.name:
            keys.add("".join(word[0] for word in words if word[0].isupper()).lower())
    return frozenset(keys - {""})


def _likeness(names: Iterable[str], keys: Iterable[str]) -> float:
    """Return how much the two most alike have in common, in percent of their letters."""
    from rapidfuzz import fuzz

    return max((fuzz.ratio(name, key) for name in names for key in keys), default=0.0)


def folded(label: str) -> str:
    """Return a number or key as labels are compared: without white space and case."""
    return "".join(label.split()).casefold()
