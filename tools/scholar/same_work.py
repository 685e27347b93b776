"""Identity across sources: which titles are one title, which records one work, and the record that they make.

Three grounds unite two records, in this order: a shared id; equal titles; nearly equal titles. On
no ground do works with different DOIs of published versions become one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise, product

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from state.merging import (
    ids_of,
    is_preprint,
    is_preprint_doi,
    merge,
    merge_order,
    preference,
)
from state.paper import Paper, title_key
from tools.text.markup import without_mark, without_markup

__all__ = ["merge", "unite_records"]
NEAR_RATIO = 96.0
"""Percent of equal letters from which two titles may be one."""
NEAR_LETTERS = 25
"""Fewest letters of a title that names a work by itself, even where it is written a little otherwise."""


def near_titles(first: str, second: str, *, ratio: float = NEAR_RATIO) -> bool:
    """Whether two titles differ as two spellings of one title do, and not as two titles do.

    Besides the ratio of the letters, the words that differ are compared one by one: 'colour' is
    'color', but 'mice' is not 'rats', 'Part I' not 'Part II', 'supervised' not 'unsupervised',
    which a ratio over a long title does not see. Markup and the mark of a retraction count for nothing.
    """
    first, second = bare_title(first), bare_title(second)
    if fuzz.ratio(title_key(first), title_key(second), score_cutoff=ratio) < ratio:
        return False
    words, others = _words(first), _words(second)
    if Counter(filter(_NUMBER.fullmatch, words)) != Counter(filter(_NUMBER.fullmatch, others)):
        return False
    left, right = _without(words, others), _without(others, words)
    if "".join(left) == "".join(right):
        return True
    return len(left) == len(right) and all(map(_one_word, left, right))


def bare_title(title: str) -> str:
    """Return a title without markup and without the mark of a retraction before it."""
    return without_mark(without_markup(title) if "<" in title or "&" in title else title)


def _words(title: str) -> list[str]:
    spaced = "".join(char if char.isalnum() else " " for char in title)
    return [key for word in spaced.split() if (key := title_key(word))]


def _without(words: list[str], others: list[str]) -> list[str]:
    extra = Counter(words) - Counter(others)
    kept: list[str] = []
    for word in words:
        if extra[word] > 0 and word not in _SMALL_WORDS:
            kept.append(word)
        extra[word] -= 1
    return kept


def _one_word(first: str, second: str) -> bool:

    shared = Prefix.similarity(first, second)
    return 2 * shared >= min(len(first), len(second)) and fuzz.ratio(first, second) >= 75


_NUMBER = re.compile(
    r"\w*\d\w*|[ivx]+|[b-z]|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third"
    r"|fourth|fifth|part|volume|supplement\w*|erratum|corrigendum|correction|reply|comments?"
)
_SMALL_WORDS = frozenset({"a", "an", "the", "of", "for", "in", "on", "and"})
EQUAL_LETTERS = 15
"""Fewest letters of a title that names a work together with its first author or its year."""
_COMMON_TITLE = 24  # as many works of one title say that it names none: 'Editors' introduction'
_NEIGHBOURS = 12


@dataclass
class _Work:
    """Records that are taken as one work so far."""

    titles: dict[str, str]
    dois: set[str]
    """DOIs of published versions."""
    named: set[str]
    """The sources that know it by an id of their own."""
    families: set[str]
    years: set[int]
    preprint: bool

    @classmethod
    def of(cls, paper: Paper) -> "_Work":
        ids = ids_of(paper)
        kinds = {key.split(":", 1)[0] for key in ids}
        named = kinds & {"arxiv", "openalex", "s2"}
        if "local" in kinds:
            named.add(f"local:{paper.origin.get('title', '')}")
        if "doi" in kinds and "crossref" in paper.origin.values():
            named.add("crossref")
        family = paper.authors[0].family.split() if paper.authors else []
        dois = {key for key in ids if key[:4] == "doi:" and not is_preprint_doi(key[4:])}
        return cls(
            titles={title_key(paper.title): paper.title},
            dois=dois,
            named=named,
            families={key for word in family[-1:] if (key := title_key(word))},
            years={paper.year} if paper.year is not None else set(),
            preprint=not dois and is_preprint(paper),
        )

    def take(self, other: "_Work") -> None:
        for key, title in other.titles.items():
            self.titles[key] = min(title, self.titles.get(key, title))
        for name in ("dois", "named", "families", "years"):
            getattr(self, name).update(getattr(other, name))
        self.preprint &= other.preprint

    def gap(self, other: "_Work") -> int:
        """Years between the nearest two dates, 1 where one is unknown."""
        return min((abs(one - two) for one, two in product(self.years, other.years)), default=1)


def unite_records(records: Sequence[Paper]) -> list[list[int]]:
    """Return the positions of the records that are one work, work by work.

    Every position is in exactly one group; groups and positions are in rising order. Which records
    come together does not depend on the order of `records`, and uniting the merged records of the
    groups unites nothing more. Two groups may both hold an id that a source ascribes to both.

    Two different DOIs of published versions never come together, except where one record itself
    bears both. On grounds of the title, years are at most 1 apart (a preprint may be 2 older), the
    first authors have one family name (equal titles: or are unknown on one side), and two ids of
    one source never come together, except for equal titles of which one is a preprint.
    """
    groups = [[position] for position in range(len(records))]
    papers = list(records)
    while len(found := _round(papers)) < len(papers):
        groups = [[at for one in group for at in groups[one]] for group in found]
        papers = [merge([records[at] for at in group]) for group in groups]
    return sorted(sorted(group) for group in groups)


def _round(papers: Sequence[Paper]) -> list[list[int]]:
    order = merge_order(papers)
    union = _Union([_Work.of(papers[at]) for at in order])
    _join_by_ids(union, [ids_of(papers[at]) for at in order])
    equal = _by_title(union, EQUAL_LETTERS).values()
    union.join_all(chain.from_iterable(combinations(one, 2) for one in equal), _may_be_equal)
    union.join_all(_near_titles(union), _may_be_near)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for place, at in enumerate(order):
        groups[union.root(place)].append(at)
    return list(groups.values())


class _Union:
    """Disjoint sets of works; the first of each in order stands for it."""

    def __init__(self, works: list[_Work]) -> None:
        self.works = works
        self._parents = list(range(len(works)))

    def root(self, place: int) -> int:
        while (parent := self._parents[place]) != place:
            self._parents[place] = self._parents[parent]
            place = parent
        return place

    def join(self, one: int, two: int) -> None:
        first, second = sorted((self.root(one), self.root(two)))
        if first != second:
            self.works[first].take(self.works[second])
            self._parents[second] = first

    def join_all(
        self, pairs: Iterable[tuple[int, int]], allowed: Callable[[_Work, _Work], bool]
    ) -> None:
        """Join the pairs, those nearest in time first, as far as the works grown so far allow."""
        works = self.works
        for one, two in sorted(pairs, key=lambda pair: (works[pair[0]].gap(works[pair[1]]), pair)):
            first, second = self.root(one), self.root(two)
            if first != second and allowed(works[first], works[second]):
                self.join(first, second)


def _join_by_ids(union: _Union, ids: Sequence[Sequence[str]]) -> None:
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place, keys in enumerate(ids):
        for key in keys:
            holders[key].append(place)
    for key in sorted(holders, key=preference):
        published = key.startswith("doi:") and not is_preprint_doi(key[4:])
        roots = sorted(set(map(union.root, holders[key])))
        bound = [] if published else [root for root in roots if union.works[root].dois]
        free = [root for root in roots if root not in bound]
        for one, two in pairwise(free):
            union.join(one, two)
        if bound and free:
            work = union.works[union.root(free[0])]
            union.join(free[0], min(bound, key=lambda root: _unlike(work, union.works[root])))


def _unlike(one: _Work, two: _Work) -> tuple[bool, int]:
    return one.titles.keys().isdisjoint(two.titles), one.gap(two)


def _by_title(union: _Union, letters: int) -> dict[str, list[int]]:
    """Return the works of each title that is long enough, and not common, to name one."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for root in sorted(set(map(union.root, range(len(union.works))))):
        for key in union.works[root].titles:
            if len(key) >= letters:
                found[key].append(root)
    return {key: roots for key, roots in found.items() if len(roots) < _COMMON_TITLE}


def _near_titles(union: _Union) -> Iterator[tuple[int, int]]:
    """Yield pairs of one first author whose titles are neighbours in either reading direction."""
    works = union.works
    blocks: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for key, roots in _by_title(union, NEAR_LETTERS).items():
        for root in roots:
            for family in works[root].families:
                blocks[f"{key[:6]} {family}"].append((key, root))
                blocks[f"{family} {key[-6:]}"].append((key[::-1], root))
    for entries in blocks.values():
        entries.sort()
        for at, (key, root) in enumerate(entries):
            for other, second in entries[at + 1 : at + 1 + _NEIGHBOURS]:
                titles = product(works[root].titles.values(), works[second].titles.values())
                if (
                    key != other
                    and fuzz.ratio(key, other, score_cutoff=NEAR_RATIO)
                    and _may_be_near(works[root], works[second])
                    and any(near_titles(one, two) for one, two in titles)
                ):
                    yield min(root, second), max(root, second)


def _may_be_equal(one: _Work, two: _Work) -> bool:
    shared = one.named & two.named
    if "arxiv" in shared or (shared and not (one.preprint or two.preprint)):
        return False
    if one.dois and two.dois:
        return False
    if one.families and two.families and one.families.isdisjoint(two.families):
        return False
    if not (one.years and two.years):
        return bool(one.families and two.families)
    years = one.years | two.years
    spans = [max(work.years) - min(work.years) for work in (one, two)]
    if max(years) - min(years) > max(2, *spans):
        return False
    # A preprint may be up to two years older than what was published of it.
    before = 2 if one.preprint and not two.preprint else 1
    after = 2 if two.preprint and not one.preprint else 1
    return any(-before <= mine - its <= after for mine, its in product(one.years, two.years))


def _may_be_near(one: _Work, two: _Work) -> bool:
    return (
        not one.named & two.named
        and not one.families.isdisjoint(two.families)
        and bool(one.years and two.years)
        and one.gap(two) <= 1
        and _may_be_equal(one, two)
    )
