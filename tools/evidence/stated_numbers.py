"""Numbers of a claim, and of what was read: in figures or words, rounded, as shares, in thousands and millions."""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－", "-") | dict.fromkeys("‘’‛′`´ʼ", "'"))
GREEK = frozenset(unicodedata.name(chr(code)).split()[-1].lower() for code in range(0x3B1, 0x3CA))
"""Names of Greek letters."""


@lru_cache(maxsize=64)
def plain_letters(text: str) -> str:
    """Return a text with plain letters, dashes and apostrophes; raised figures are told as powers."""
    chars: list[str] = []
    for char in text.translate(_DASHES):
        if char.isascii():
            chars.append(char)
            continue
        power = (
            chars[-1:]
            and chars[-1].isdigit()
            and (unicodedata.decomposition(char).startswith("<super>") and char.isdigit())
        )
        chars += ("^" if power else "", _letters(char))
    return "".join(chars)


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


_TOKEN = re.compile(
    r"(?<!\d)(?:\.(?<!\w\.))?\d++(?:[.,^]\d++|(?<!\d{4}) \d{3}(?!\d))*+|[^\W\d_]++|%"
)
"""A number as it is written ('1,234.5', '.05', '12 000', '10^6'), a run of letters, or a percent sign."""
_SMALL = 10
"""Whole numbers up to this one count and label things, and are told in many ways."""
_NEAR = 0.15
"""Share by which a number that is only said to be near may be off."""
_MOST_FIGURES = 24
"""Signs of a number; more are no number."""
_HEDGED = frozenset(
    "about above almost approximately around below circa least most nearly over roughly some than under".split()  # noqa: SIM905
)
"""Words before a number that is only near."""
_TIMES = {
    "dozen": 12.0,
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12}
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_WORDS = {word: float(number) for number, word in enumerate(_COUNTED.split())} | {
    word: 10.0 * place
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)  # noqa: SIM905
}
_ORDINALS = (
    {f"{word}th": value for word, value in _WORDS.items()}
    | {f"{word[:-1]}ieth": value for word, value in _WORDS.items() if word[-1] == "y"}
    | {
        "first": 1.0,
        "second": 2.0,
        "half": 2.0,
        "third": 3.0,
        "quarter": 4.0,
        "fifth": 5.0,
        "eighth": 8.0,
        "ninth": 9.0,
        "twelfth": 12.0,
    }
)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of a claim, in all its readings."""

    written: str
    values: frozenset[float]
    scales: frozenset[float]
    """By which the values may be meant: 0.01 for a share, a million."""
    decimals: int
    near: bool

    def stands(self, known: Iterable[float]) -> bool:
        """Whether one of these numbers is this one: exactly, rounded, or near where that is all that is said."""
        return any(
            self._is(one / scale, value, cut=scale <= 1)
            for one in known
            for scale in self.scales
            for value in self.values
        )

    def _is(self, known: float, value: float, *, cut: bool) -> bool:
        if self.near and abs(known - value) <= _NEAR * value:
            return True
        rounded = math.isclose(round(known, self.decimals), value)
        return rounded or (cut and not self.decimals and math.floor(known) == value)


def numbers_nowhere(claim: str, source: str) -> Iterator[str]:
    """Yield the numbers of a claim that a text has in no reading, as they are written."""
    for number in _numbers(claim):
        if not number.stands(_values(source)):
            yield number.written


def _numbers(claim: str) -> Iterator[_Number]:
    """Yield the numbers of a claim that count, and are no part of a name or a version."""
    for found in _TOKEN.finditer(claim):
        values = _readings(found[0], claim[max(0, found.start() - 1) : found.start()])
        lead = claim[max(0, found.start() - 40) : found.start()]
        if not values or lead[-1:].isalpha() or (lead[-1:] in "-/.'" and lead[-2:-1].isalpha()):
            continue
        following = _TOKEN.match(
            claim, found.end() + (claim[found.end() : found.end() + 1] in {" ", "-"})
        )
        unit = following[0] if following else ""
        attached = following is not None and following.start() == found.end()
        if (
            following and attached and claim[following.end() : following.end() + 1].isdigit()
        ):  # '3T3'
            continue
        scales = {1.0}
        if unit == "%" or unit.casefold() in {"percent", "per"}:
            scales = {1.0, 0.01}
        elif times := _TIMES.get(unit.casefold()) or _LETTERS.get(unit.casefold()):
            sure = unit.casefold() in _TIMES or (attached and unit in {"M", "B", "bn"})
            scales = {times} if sure else {1.0, times}
        if attached and unit == "s":  # a decade
            values |= _years(found[0])
        if 0.01 in scales or any(
            value * max(scales) > _SMALL or not value.is_integer() for value in values
        ):
            near = bool(_HEDGED & set(lead.casefold().split()[-2:])) or lead[-1:] in {"~", "≈"}
            shown = f"{found[0]}%" if unit == "%" else found[0]
            decimals = max(len(f"{value:.12g}".partition(".")[2]) for value in values)
            written = len(found[0].replace(",", ".").rpartition(".")[2]) if decimals else 0
            yield _Number(shown, frozenset(values), frozenset(scales), min(decimals, written), near)


def _readings(figures: str, before: str) -> set[float]:
    """Return what a number may mean as it is written: '1.234' is 1234, too; nothing for a version."""
    if not figures[-1:].isdecimal() or len(figures) > _MOST_FIGURES:
        return set()
    base, power, exponent = figures.partition("^")
    if power:
        joined = {float(base + exponent)} if (base + exponent).isdecimal() else set[float]()
        small = exponent.isdecimal() and len(exponent) < 3 and base.isdecimal()
        return joined | ({float(base) ** int(exponent)} if small else set())
    *groups, last = figures.replace(",", ".").replace(" ", ".").split(".")
    found = {float(last)} if not groups or " " in figures else set[float]()
    even = all(len(group) == 3 for group in groups[1:])
    if groups and groups[0] and even and len(last) == 3:
        found.add(float("".join((*groups, last))))
    if "," in figures and found:  # thousands, in the way of most
        return found
    if (
        groups
        and even
        and " " not in figures
        and (len(groups) == 1 or len({*figures} & {*".,"}) > 1)
    ):
        found.add(float(f"{''.join(groups) or 0}.{last}"))
    return found | (_years(figures) if before in {"'", "-"} else set())


def _years(figures: str) -> set[float]:
    """Return the years that two figures may stand for."""
    two = figures.isdecimal() and len(figures) == 2
    return {1900 + float(figures), 2000 + float(figures)} if two else set()


@lru_cache(maxsize=64)
def _values(source: str) -> frozenset[float]:
    """Return what a text has of numbers: in figures, also within names, and in words."""
    text = plain_letters(source)
    values: set[float] = set()
    total = current = last = 0.0
    for found in _TOKEN.finditer(text):
        word = found[0].casefold()
        if read := _readings(word, text[max(0, found.start() - 1) : found.start()]):
            values |= read
            total, current, last = 0.0, max(read), 0.0
        elif word in {"%", "percent"}:
            values.add(current / 100)
        elif times := _TIMES.get(word.rstrip("s")) or _LETTERS.get(word):
            current = (current or 1.0) * times
            values |= {current, total + current}
            total, current, last = (
                (total, current, times) if times < 1e3 else (total + current, 0.0, times)
            )
        elif (number := _in_words(word)) is not None:
            current = current + number if number < last else number
            last = number
            values |= {number, current, total + current}
        elif ordinal := _ORDINALS.get(word) or _ORDINALS.get(word.rstrip("s")):
            tens = current if ordinal < last else 0.0
            values |= {
                ordinal,
                tens + ordinal,
                total + tens + ordinal,
                1 / ordinal,
                (current or 1) / ordinal,
            }
        elif word != "and":
            total = current = last = 0.0
            if {*found[0]} <= _ROMAN.keys():
                values.add(_roman(found[0]))
    return frozenset(values)


def _in_words(word: str) -> float | None:
    if word.endswith("ties"):
        return 1900 + _WORDS.get(f"{word[:-3]}y", 0.0)
    return _WORDS.get(word.removesuffix("fold"))


def _roman(letters: str) -> float:
    values = [_ROMAN[letter] for letter in letters]
    return float(sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True)))
