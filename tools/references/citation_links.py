"""Which entries of a list a citation in the text leads to."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from state.bibliography import ReferenceEntry
from state.paper import Author, title_key
from tools.references.author_years import UNDATED
from tools.references.in_text import Label

_OTHERS = re.compile(r"\bet\.?\s?al\b|\b(?:others|colleagues|co-?workers|collaborators)\b")
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
        if _OTHERS.search(label.text):
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
