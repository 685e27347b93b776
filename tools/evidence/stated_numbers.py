"""Numbers of a claim, and of what was read: in figures or words, rounded, as shares, in thousands and millions."""

import math
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－", "-") | dict.fromkeys("‘’‛′`´ʼ", "'"))
GREEK = frozenset(unicodedata.name(chr(code)).split()[-1].lower() for code in range(0x3B1, 0x3CA))
"""Names of Greek letters."""


@lru_cache(maxsize=64)
def plain_letters(text: str) -> str:
    """Return a text with plain letters, dashes and apostrophes."""
    return "".join(char if char.isascii() else _letters(char) for char in text.translate(_DASHES))


@lru_cache(maxsize=4096)
def _letters(char: str) -> str:
    """Return a letter without accents and strokes, and a Greek one by its name."""
    plain = ""
    for piece in unicodedata.normalize("NFKD", char.translate(_DASHES)):
        name = unicodedata.name(piece, "").split(" WITH ")[0].split(" ")
        if name[0] in {"GREEK", "LATIN"} and name[-2:-1] == ["LETTER"] and not piece.isascii():
            plain += name[-1].lower() if piece.islower() else name[-1].capitalize()
        elif not unicodedata.combining(piece):
            plain += piece
    return plain


_NUMBER = re.compile(
    r"((?<!\d)(?:\.(?<!\w\.))?\d++(?:[.,^]\d++|(?<!\d{4}) \d{3}(?!\d))*+)(?:[ -]?([^\W\d_]++|%))?"
    r"|[^\W\d_]++"
)
"""A number as it is written ('1,234.5', '.05', '12 000', '10^6') with the word behind it, or a word."""
_SMALL = 10
"""Whole numbers up to this one count and label things, and are told in many ways."""
_NEAR = 0.15
"""Share by which a number that is only said to be near may be off."""
_HEDGED = frozenset(
    "about above almost approximately around below circa least most nearly over roughly some than under".split()  # noqa: SIM905
)
"""Words before a number that is only near."""
_MOST_FIGURES = 24
"""Signs of a number; more are no number."""
_TIMES = {
    "%": 0.01,
    "percent": 0.01,
    "per": 0.01,
    "dozen": 12.0,
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "b": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
    "t": 1e12,
}
_SURE = frozenset(
    ("dozen", "hundred", "thousand", "million", "billion", "trillion", "M", "B", "bn")
)
"""Of these, what is no unit, such as metres."""
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_WORDS = {word: float(number) for number, word in enumerate(_COUNTED.split())} | {
    word: 10.0 * place
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)  # noqa: SIM905
}
_PARTS = {"half": 2.0, "third": 3.0, "quarter": 4.0, "fifth": 5.0}


def numbers_nowhere(claim: str, source: str) -> Iterator[str]:
    """Yield the numbers of a claim that a text has in no reading, as they are written.

    A number stands there as it is, rounded, as a share, in thousands and millions, or near where that is all that is
    said. One that is part of a name or a version is none.
    """
    for found in _NUMBER.finditer(claim):
        lead, unit = claim[max(0, found.start() - 40) : found.start()], found[2] or ""
        named = lead[-1:].isalpha() or (lead[-1:] in "-/.'" and lead[-2:-1].isalpha())
        if not found[1] or named or (unit and claim[found.end() : found.end() + 1].isdigit()):
            continue
        behind_year = lead[-1:] == "-" and lead[-5:-3] in {"19", "20"}
        if len(found[1]) == 2 and (unit == "s" or lead[-1:] == "'" or behind_year):  # 'the 90s'
            continue
        times = _TIMES.get(unit.casefold(), 1.0)
        scales = {times} if unit in _SURE else {1.0, times}
        values = _readings(found[1])
        near = bool(_HEDGED & set(lead.casefold().split()[-2:])) or lead[-1:] in {"~", "≈"}
        counts = times < 1 or any(value * times > _SMALL or value % 1 for value in values)
        if counts and not any(
            _is(known / scale, value, near=near)
            for value in values
            for scale in scales
            for known in _values(source)
        ):
            yield f"{found[1]}%" if unit == "%" else found[1]


def _is(known: float, value: float, *, near: bool) -> bool:
    """Whether a number is another one, as exactly as that one is told."""
    if near and abs(known - value) <= _NEAR * value:
        return True
    decimals = len(f"{value:.12g}".partition(".")[2])
    return math.isclose(round(known, decimals), value) or (not decimals and int(known) == value)


def _readings(figures: str) -> set[float]:
    """Return what a number may mean as it is written: '1.234' is 1234, too; nothing for a version."""
    *groups, last = figures.replace("^", "").replace(",", ".").replace(" ", ".").split(".")
    if len(figures) > _MOST_FIGURES or not all(len(group) == 3 for group in groups[1:]):
        return set()
    joined, thousands = "".join(groups), len(last) == 3
    whole = {float(joined + last)} if not groups or (joined and thousands) else set[float]()
    decimal = groups and not (thousands and (" " in figures or "," in figures))
    return whole | ({float(f"{joined or 0}.{last}")} if decimal else set())


@lru_cache(maxsize=64)
def _values(source: str) -> frozenset[float]:
    """Return what a text has of numbers: in figures, also within names, and in words."""
    values: set[float] = set()
    total = current = last = 0.0
    for found in _NUMBER.finditer(plain_letters(source)):
        word = (found[2] or "" if found[1] else found[0]).casefold()
        single = word.removesuffix("s").removesuffix("fold")
        if found[1]:
            read = _readings(found[1]) or {0.0}
            values |= read
            total, current, last = 0.0, max(read), 0.0
        if single in _WORDS:
            current = (current if _WORDS[single] < last else 0.0) + _WORDS[single]
            last = _WORDS[single]
        elif times := _TIMES.get(word) or _TIMES.get(single):
            current = last = (current or 1.0) * times
            if times >= 1e3:
                values.add(current)
                total, current, last = total + current, 0.0, times
        elif single in _PARTS:
            values |= {1 / _PARTS[single], (current or 1.0) / _PARTS[single]}
        elif word and word != "and":
            total = current = last = 0.0
        values |= {current, total + current}
    return frozenset(values)
