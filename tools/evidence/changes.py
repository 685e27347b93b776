"""What a claim changes in a sentence that it nearly copies: alarms, told by the words alone.

'raises recall by 4 points' -> 'lowers recall by 40 points' has two. What it does not see proves
nothing: a claim in other words changes nothing here, whatever it says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from tools.evidence.contradiction import NEGATIONS, opposite_of
from tools.evidence.unsupported_numbers import number_of
from tools.text.words import distinct_content_stems, stem

Kind = Literal["negation", "direction", "number", "unit", "comparison", "scope", "hedge"]

_NEAR = 0.7
"""Share of the claim's words that the sentence must have."""
_FEWEST = 4
"""Distinct content words in common below which nothing is a copy."""
_TIGHT = 4
"""Words left out between two that stay; more is a clause, which a claim may leave out."""
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_][^\W_]*(?:[-'][^\W_]+)*|%")
_ALL = frozenset("all every each always any everyone everything entire never none".split())  # noqa: SIM905
_SOME = frozenset(
    """some several many most few certain often sometimes usually typically rarely partly mostly generally
    frequently""".split()  # noqa: SIM905
)
_HEDGES = frozenset(
    """may might could can possibly perhaps likely probably potentially presumably suggest suggests
    suggested suggesting appear appears appeared seem seems seemed tend tends tended preliminary""".split()  # noqa: SIM905
)
_PIVOTS = frozenset(stem(word) for word in ("than", "outperforms", "beats", "exceeds", "surpasses"))
_UNITS = {
    word: group[0]
    for row in """ms millisecond milliseconds; s sec second seconds; min minute minutes; h hour hours; day days;
    week weeks; month months; year years; decade decades; % percent; points percentage; kb kilobyte
    kilobytes; mb megabyte megabytes; gb gigabyte gigabytes; tb terabyte terabytes; hz hertz; khz; mhz; ghz;
    mm millimeter millimeters millimetre millimetres; cm centimeter centimeters; m meter meters metre metres;
    km kilometer kilometers kilometre kilometres; mile miles; mg milligram milligrams; g gram grams; kg
    kilogram kilograms; hundred hundreds; thousand thousands; million millions; billion billions""".split(";")  # noqa: SIM905
    for group in [row.split()]
    for word in group
}  # fmt: skip
_KNOWN_UNITS = frozenset(_UNITS.values())


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a claim says otherwise than the sentence."""

    kind: Kind
    claimed: str
    said: str


def changes(claim: str, sentence: str) -> list[Change]:
    """Return what a claim changes in this sentence; nothing where it is not nearly a copy of it."""
    new, old = _words(claim), _words(sentence)
    if not nearly_copies(claim, sentence):
        return []
    found = [
        change for gone, come in _replaced(old, new) for change in _turned(gone, come)
    ]  # fmt: skip
    if turned := _compared_otherwise(new, old):
        found.append(turned)
    return [*found, *_counted_otherwise(new, old)]


def nearly_copies(claim: str, sentence: str) -> bool:
    """Whether most words of a claim are those of this sentence, in whatever order."""
    new, there = _words(claim), {stem(word) for word in _words(sentence)}
    shared = distinct_content_stems(claim) & distinct_content_stems(sentence)
    near = sum(stem(word) in there for word in new)
    return len(shared) >= _FEWEST and near >= _NEAR * len(new)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("’", "'").lower())


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words left out and those put there instead, place by place."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        inside = start > 0 and end < len(old) and end - start <= _TIGHT
        if tag != "equal" and (last > first or inside):
            yield list(old[start:end]), list(new[first:last])


def _turned(gone: Sequence[str], come: Sequence[str]) -> Iterator[Change]:
    claimed, said = " ".join(come), " ".join(gone)
    negated = sum(word in NEGATIONS for word in gone) + sum(word in NEGATIONS for word in come)
    opposed = any(opposite_of(one, other) for one in come for other in gone)
    if negated % 2 and not opposed:
        yield Change("negation", claimed, said)
    elif opposed and not negated % 2:
        yield Change("direction", claimed, said)
    before, after = set(gone), set(come)
    if (after & _ALL and not before & _ALL) or (before & _SOME and not after & _SOME):
        yield Change("scope", claimed, said)
    if before & _HEDGES and not after & _HEDGES:
        yield Change("hedge", claimed, said)


def _compared_otherwise(new: Sequence[str], old: Sequence[str]) -> Change | None:
    """Return the pivot of a comparison, such as 'than', whose sides have changed places."""
    sides = [
        (distinct_content_stems(" ".join(words[:at])), distinct_content_stems(" ".join(words[at + 1 :])))
        for words in (new, old)
        for at in [next((place for place, word in enumerate(words) if stem(word) in _PIVOTS), None)]
        if at is not None
    ]  # fmt: skip
    if len(sides) < 2:
        return None
    (left, right), (was_left, was_right) = sides
    swapped = left & was_right - was_left and right & was_left - was_right
    return Change("comparison", " ".join(new), " ".join(old)) if swapped else None


def _counted_otherwise(new: Sequence[str], old: Sequence[str]) -> Iterator[Change]:
    """Yield numbers that stand elsewhere than before or nowhere, and those with another unit."""
    counted, counts = _numbers(new), _numbers(old)
    values = [value for value, _ in counts]
    left = iter(values)
    moved = not all(value in left for value, _ in counted if value in values)
    for value, behind in counted:
        theirs = [other for number, other in counts if number == value]
        units = [word for word in theirs if word in _KNOWN_UNITS]
        if units and behind not in units:
            yield Change("unit", f"{value:g} {behind}", f"{value:g} {units[0]}")
        elif counts and (not theirs or (moved and behind not in theirs)):
            yield Change("number", f"{value:g} {behind}".strip(), _told(values))


def _numbers(words: Sequence[str]) -> list[tuple[float, str]]:
    """Return the numbers in order, each with its unit, or the stem of the word behind it."""
    following = [*words[1:], ""]
    return [
        (value, _UNITS.get(following[place], stem(following[place])))
        for place, word in enumerate(words)
        if (value := number_of(word)) is not None
    ]


def _told(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
