"""What a claim changes in a sentence that it nearly copies: alarms, told by the words alone.

'raises recall by 4 points' -> 'lowers recall by 40 points' has two. Nobody who judges a near copy sees
such a change easily, for all else is right. What is not seen here proves nothing: a claim in other
words changes nothing, whatever it says.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from tools.evidence.contradiction import NEGATIONS, opposite_of
from tools.evidence.unsupported_numbers import number_of
from tools.text.words import distinct_content_stems, stem, tokens

Kind = Literal[
    "negation",
    "direction",
    "number",
    "unit",
    "comparison",
    "scope",
    "hedge",
    "exchange",
    "addition",
]
"""'exchange': one word in the place of another; 'addition': words that stand nowhere near."""

_NEAR = 0.7
"""Share of the claim's words that the sentence must have."""
_WHOLE = 0.5
"""Share of the claim's words that the sentence must have in order before new words are told."""
_FEWEST = 4
"""Distinct content words in common below which nothing is a copy."""
_FEWEST_IN_ORDER = 5
"""Words in common, in order, below which nothing is one either."""
_FUNCTION = frozenset(
    """a an the this these of in on at to for from with by as and or that which who is are was were be been has have
    had it its itself their they them themselves those ones such then so also we our can do does did whereas while although though but find finds found report reports
    reported show shows shown note notes noted state states stated say says""".split()  # noqa: SIM905
)
_OPENERS = frozenset(
    """after although another before besides beyond both building contrary conversely earlier finally following
    furthermore here however later like likewise moreover recently similarly since there though turning unlike
    whereas while""".split()  # noqa: SIM905
)
"""Words with which a sentence takes up the one before it, capital or not: no names."""
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
_VOWEL = re.compile(r"[aeiou]")
_KNOWN_UNITS = frozenset(_UNITS.values())


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a claim says otherwise than the sentence."""

    kind: Kind
    claimed: str
    said: str


def changes(claim: str, sentence: str, around: str | None = None) -> list[Change]:
    """Return what a claim changes in this sentence; nothing where it is not nearly a copy of it.

    Args:
        claim: What is said.
        sentence: What it may be a copy of, without citations.
        around: Where the words that it puts in may come from; None where that is not asked.
    """
    new, old = _words(claim), _words(sentence)
    found: list[Change] = []
    if nearly_copies(claim, sentence):
        found = [change for gone, come in _replaced(old, new) for change in _turned(gone, come)]
        if turned := _compared_otherwise(new, old):
            found.append(turned)
        found += _counted_otherwise(new, old)
    return found if around is None else [*found, *_put_in(claim, sentence, around)]


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


def _put_in(claim: str, sentence: str, around: str) -> Iterator[Change]:
    """Yield words in the place of others ('right' for 'left', 'third' for 'second'), and new ones.

    A near copy may leave words out; those that it puts in must stand near the sentence.
    """
    new, old = tokens(claim), tokens(sentence)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    same = sum(end - start for kind, start, end, *_ in steps if kind == "equal")
    if same < max(_FEWEST_IN_ORDER, _NEAR * min(len(new), len(old))):
        return
    # A claim much longer than the words shown for it says more than they do; that is no copy altered.
    whole = same >= _WHOLE * len(new)
    known = {stem(word) for word in (*tokens(around), *_FUNCTION)}
    spelt = {_spelling(word) for word in tokens(around)}
    for kind, start, end, first, last in steps:
        if kind not in ("insert", "replace"):
            continue
        gone, come = old[start:end], new[first:last]
        if kind == "insert" and not start:
            come = come[_speaker(come, claim, known) :]
        if len(gone) == len(come) == 1 and _differ(gone[0], come[0]):
            yield Change("exchange", come[0], gone[0])
        elif whole and (
            strange := [
                word
                for word in come
                if (stem(word) not in known and _spelling(word) not in spelt) or _negates(word, old)
            ]
        ):
            yield Change("addition", " ".join(strange), " ".join(gone))


def _differ(first: str, second: str) -> bool:
    alike = stem(first) == stem(second) or _spelling(first) == _spelling(second)
    return not alike and not {first, second} & _FUNCTION


def _spelling(word: str) -> str:
    """Return what 'judgement' and 'judgment', 'synthesise' and 'synthesize' have in common."""
    bare = word[:1] + _VOWEL.sub("", word[1:]).replace("z", "s")
    return bare if len(bare) >= _FEWEST else word


def _negates(word: str, sentence: Collection[str]) -> bool:
    return word in NEGATIONS and word not in sentence


def _speaker(lead: Sequence[str], claim: str, known: Collection[str]) -> int:
    """Return how many words before the copy say who says it ('Lee et al. show that'), names known."""
    names = [word for word in claim.split()[: len(lead)] if word[0].isupper()]
    called = [word for name in names for word in tokens(name) if word not in _OPENERS]
    known_all = all(stem(word) in known for word in called)
    return len(lead) if lead[-1] == "that" and known_all else 0


def _told(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
