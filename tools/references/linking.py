"""Which entries of a list a citation in the text leads to."""

import re
from collections import defaultdict
from collections.abc import Sequence

from state.bibliography import ReferenceEntry
from state.paper import Author, title_key
from tools.references.in_text import Label

_OTHERS = re.compile(r"\bet\.?\s?al\b|\b(?:others|colleagues|co-?workers|collaborators)\b")
_ALIKE = 78.0
"""Percent of equal letters from which two family names are spellings of one, in one year."""
_ALIKE_WITH_OTHERS = 60.0
"""The same where the other authors agree: scanned names are misread badly."""


class Linker:
    """Finds entries by label or by names and year; every answer is kept.

    Args:
        entries: The list, in order.
        counted: Whether entries without labels are cited by their number in the list.
        blocks: For each entry the place of its block in the document; of two entries with one label,
            as where an appendix has a list of its own, the one that follows the citation is meant.
    """

    def __init__(
        self,
        entries: Sequence[ReferenceEntry],
        *,
        counted: bool = False,
        blocks: Sequence[int] = (),
    ) -> None:
        self._entries = entries
        self._blocks = blocks
        self._labels: defaultdict[str, list[int]] = defaultdict(list)
        self._families: defaultdict[str, list[int]] = defaultdict(list)
        self._years: defaultdict[int | None, list[int]] = defaultdict(list)
        self._others = [_all_keys(entry.authors[1:]) for entry in entries]
        self._kept: dict[Label, tuple[int, ...]] = {}
        for entry in entries:
            label = str(entry.place + 1) if counted and not entry.label else entry.label
            self._labels[_folded(label)].append(entry.place)
            self._years[entry.year].append(entry.place)
            for key in first_keys(entry):
                self._families[key].append(entry.place)

    def link(self, label: Label, block: int = 0) -> tuple[int, ...]:
        """Return the places of the entries that a label leads to; more only where nothing decides.

        Args:
            label: What is cited.
            block: Place of the block that cites it.
        """
        if label.kind != "author_year":
            return self._labelled(self._labels.get(_folded(label.text), ()), block)
        if label not in self._kept:
            self._kept[label] = self._by_names(label)
        return self._kept[label]

    def _labelled(self, places: Sequence[int], block: int) -> tuple[int, ...]:
        if len(places) < 2 or not self._blocks:
            return tuple(places[:1])
        following = [place for place in places if self._blocks[place] > block]
        first = following[0] if following else places[-1]
        return (first,)

    def _by_names(self, label: Label) -> tuple[int, ...]:
        named = self._named(label.names[0])
        exact = [place for place in named if self._entries[place].year == label.year]
        grounds = (
            exact,
            self._misspelt(label),
            [place for place in named if self._entries[place].year is None],
            self._anywhere(label),
            self._near_year(named, label),
        )
        for places in grounds:
            if found := self._decide([p for p in places if not self._contradicts(p, label)], label):
                return found
        return ()

    def _named(self, name: str) -> list[int]:
        words = name.split()
        for first in range(len(words)):
            if found := self._families.get(title_key("".join(words[first:]))):
                return found
        return []

    def _misspelt(self, label: Label) -> list[int]:
        from rapidfuzz import fuzz

        name = title_key(label.names[0])
        found: list[int] = []
        for place in self._years.get(label.year, ()) if label.year and len(name) >= 3 else ():
            sure = len(label.names) > 1 and self._agreeing(place, label) == len(label.names) - 1
            least = _ALIKE_WITH_OTHERS if sure else _ALIKE if len(name) >= 4 else 101.0
            if any(
                fuzz.ratio(name, key, score_cutoff=least) >= least
                for key in _family_keys(self._entries[place].authors[:1])
            ):
                found.append(place)
        return found

    def _anywhere(self, label: Label) -> list[int]:
        """Return entries of the year that have all names of the label, in whatever place."""
        names = [title_key(name.split()[-1]) for name in label.names]
        if len(names) < 2 or label.year is None:
            return []
        return [
            place
            for place in self._years[label.year]
            if all(n in self._others[place] for n in names)
        ]

    def _near_year(self, named: Sequence[int], label: Label) -> list[int]:
        """Return the one entry of these names that is a year off, as a preprint's is."""
        if label.year is None:
            return list(named) if len(named) == 1 else []
        near = [
            place for place in named
            if abs((self._entries[place].year or 0) - label.year) == 1 and not label.suffix
            and self._counts(place, label)
        ]  # fmt: skip
        return near if len(near) == 1 else []

    def _agreeing(self, place: int, label: Label) -> int:
        others = self._others[place]
        return sum(
            title_key(name) in others or title_key(name.split()[-1]) in others
            for name in label.names[1:]
        )

    def _contradicts(self, place: int, label: Label) -> bool:
        """Whether the other names of a label are none of the entry's."""
        from rapidfuzz import fuzz

        others = self._others[place]
        if len(label.names) < 2 or not others or self._agreeing(place, label):
            return False
        names = [title_key(name.split()[-1]) for name in label.names[1:]]
        return not any(
            fuzz.ratio(name, key) >= _ALIKE_WITH_OTHERS for name in names for key in others
        )

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
            if lettered:
                left = [place for place in lettered if place in left] or lettered
            elif not any(self._entries[place].suffix for place in left):
                left = left[ord(label.suffix) - ord("a") :][:1]
        return tuple(left)


def first_keys(entry: ReferenceEntry) -> set[str]:
    """Return what an entry may be called by in the text, folded: the ends of its first author's name."""
    if entry.authors:
        return _family_keys(entry.authors[:1])
    words = (entry.title or "").split()[:3]
    return {title_key("".join(words[:count])) for count in range(1, len(words) + 1)} - {""}


def _family_keys(authors: Sequence[Author]) -> set[str]:
    keys: set[str] = set()
    for author in authors:
        inverted = "," in author.name
        words = (author.family if inverted else author.name).split()
        # Of 'Ann Lee' the given name is none; of one word, or an organisation's three, the whole is.
        whole = inverted or len(words) == 1 or len(words) > 2
        keys |= {title_key("".join(words[at:])) for at in range(0 if whole else 1, len(words))}
        keys.add(title_key("".join(words)))
        if not inverted and len(words) > 2 and "." not in author.name:
            keys.add("".join(word[0] for word in words if word[0].isupper()).lower())
    return keys - {""}


def _all_keys(authors: Sequence[Author]) -> frozenset[str]:
    return frozenset(_family_keys(authors))


def _folded(label: str) -> str:
    return "".join(label.split()).casefold()
