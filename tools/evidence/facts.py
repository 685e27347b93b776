"""Numbers and proper names of a claim that stand nowhere in what was read: a matter of fact, for no judge.

Both sides are compared as a careful reader would: without accents, apostrophes and dashes, with
numbers in figures or words, rounded, in thousands and millions ('1.2M'), or only near ('over 440,000' beside
443,198). What cannot be told apart so (a name written like any word) is no fact.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:[-–‐‑/.@'’+][^\W_]+)*[+%]?")
"""A word with all that belongs to it: 'F4/80', "L'Yi", 'RecQ-class', '30ms', '0.05', 'MRR@10', '12%'."""
_NUMBER = re.compile(r"(\d+(?:[,.\s]\d{3}(?!\d))*(?:\.\d+)?)(%|[a-z]*)(?![^\W_])", re.IGNORECASE)
_ET_AL = re.compile(r"([^\W\d_][\w'’-]+),? (?:et al\b|and colleagues)")
_ROMAN = frozenset("IVXLCDM")
_SMALL = 10
"""Whole numbers up to this one count and label things, and are told in many ways."""
_NEAR = 0.15
"""Share by which a number that is only said to be near may be off."""
_HEDGED = frozenset(
    "about above almost approximately around below circa least most nearly over roughly some than under".split()  # noqa: SIM905
)
"""Words before a number that is only near."""
_TIMES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9,
}  # fmt: skip
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_WORDS = {word: float(number) for number, word in enumerate(_COUNTED.split())} | {
    "hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "half": 0.5, "third": 1 / 3,
    "quarter": 0.25,
}  # fmt: skip
_WORDS |= {
    word: 10.0 * place
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)  # noqa: SIM905
}


def standing_nowhere(claim: str, read: Iterable[str]) -> list[str]:
    """Return the numbers and names of a claim that stand in none of these texts, in words for a person.

    Small whole numbers do not count. Names are those of others before 'et al.', and words written like
    'LitLLM', 'BERT' or 'GPT-4'; an abbreviation counts as there, too, where words with its initials
    stand together, there or in the claim ('LLMs' beside large language models).

    Args:
        claim: Without citation markers.
        read: All that was read, and how those who wrote it are called.
    """
    source = "\n".join(read)
    return [
        *(f"the number {number}" for number in _numbers_nowhere(claim, source)),
        *(f"the name {name}" for name in _names_nowhere(claim, source)),
    ]


def _numbers_nowhere(claim: str, source: str) -> Iterator[str]:
    there: frozenset[float] | None = None
    for text, value, near in _numbers(claim):
        there = _values(source) if there is None else there
        decimals = len(text.rstrip("%").partition(".")[2])
        if not any(_is(value, known, decimals, near=near) for known in there):
            yield text


def _numbers(claim: str) -> Iterator[tuple[str, float, bool]]:
    """Yield the numbers of a claim that count: as written, their value, whether they are only near."""
    for found in _NUMBER.finditer(claim):
        lead = claim[: found.start()]
        before = lead.split(" ")[-1]
        if any(map(str.isalpha, before)) or before.endswith(("/", ".")):
            continue  # a part of a name, such as the 4 of GPT-4, or of a version
        following = claim[found.end() :].lstrip("- ").split(" ")[0].strip(".,;").casefold()
        unit = found[2].casefold()
        share = unit == "%" or following.startswith(("%", "percent", "per cent"))
        value = _value(found[1]) * _TIMES.get(unit, _TIMES.get(following, 1.0))
        if share or not value.is_integer() or value > _SMALL:
            hedged = bool(_HEDGED & set(lead.casefold().split()[-2:])) or before[-1:] in {"~", "≈"}
            yield f"{found[1]}{'%' if unit == '%' else ''}", value, hedged


def _value(figures: str) -> float:
    whole, point, decimals = figures.rpartition(".")
    if point and (len(decimals) != 3 or whole == "0" or "," in whole):
        return float(f"{''.join(filter(str.isdigit, whole))}.{decimals}")
    return float("".join(filter(str.isdigit, figures)))


@lru_cache(maxsize=512)
def _values(source: str) -> frozenset[float]:
    """Return what a text has of numbers: in figures, also within names, and in words."""
    values: list[float] = []
    words = re.findall(r"\d+(?:\.\d+)?|[^\W\d_]+|%", source.casefold())
    for found in _NUMBER.finditer(source):
        values.append(_value(found[1]))
    last = 0.0
    for place, word in enumerate(words):
        value = float(word) if word[0].isdigit() else _WORDS.get(word.rstrip("s"), _WORDS.get(word))
        if value is None:
            last = 0.0
            continue
        # 'twenty-four', 'two thirds', 'three hundred'; '1.2 million'.
        values += [value, last + value, last * value]
        last = value
        following = words[place + 1] if place + 1 < len(words) else ""
        values.append(value * _TIMES.get(following, 1.0))
    return frozenset(values)


def _is(value: float, known: float, decimals: int, *, near: bool) -> bool:
    if near and abs(known - value) <= _NEAR * value:
        return True
    # 'half' is told as 50 %, and 93.7 % as 93 %.
    return any(
        math.isclose(round(one, decimals), value) or (not decimals and math.floor(one) == value)
        for one in (known, 100 * known)
    )


def _names_nowhere(claim: str, source: str) -> Iterator[str]:
    there = _squashed(source)
    authors = {name for name in _ET_AL.findall(claim) if name[0].isupper()}
    words = [found.group() for found in _WORD.finditer(claim)]
    for word in dict.fromkeys(words):
        name = word.removesuffix("'s").removesuffix("’s")
        if word in authors or _is_name(name):
            wanted = [name] if word in authors else _parts(name)
            if not all(
                _is_there(part, there) or _abbreviates(part, claim, source) for part in wanted
            ):
                yield name


def _is_name(word: str) -> bool:
    capitals = sum(char.isupper() for char in word)
    if set(word) <= _ROMAN or word[0].isdigit():
        return False
    return capitals >= 2 or (capitals == 1 and any(char.isdigit() for char in word))


def _parts(name: str) -> list[str]:
    """Return what of a name must stand in a source: of 'RecQ-class' 'RecQ', of 'GPT-4' the whole."""
    pieces = re.split(r"[-–‐‑]", name)
    named = [piece for piece in pieces if _is_name(piece)]
    plain = any(len(piece) > 2 and piece.islower() for piece in pieces)
    return named if named and plain else [name]


def _is_there(name: str, there: str) -> bool:
    """Whether a name stands in what was read, with whatever signs between its letters."""
    wanted = "".join(filter(str.isalnum, _plain(name)))
    if len(wanted) >= _LONG:
        return wanted.rstrip("s") in there.replace(" ", "")
    return any(f" {form} " in there for form in (wanted, f"{wanted}s", wanted.rstrip("s")))


_LONG = 5
"""Letters from which a name is found within other letters: 'RoBERTa' in 'RoBERTa-large'."""


@lru_cache(maxsize=512)
def _squashed(text: str) -> str:
    """Return the words of a text in plain small letters and figures, each as it is and then all in their parts."""
    words = _WORD.findall(_plain(text))
    whole = ("".join(filter(str.isalnum, word)) for word in words)
    parts = (part for word in words for part in re.split(r"[\W_]+", word))
    return f" {' '.join([*whole, '|', *parts])} "


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()


def _abbreviates(name: str, claim: str, source: str) -> bool:
    letters = "".join(char for char in name if char.isupper() or char.isdigit()).casefold()
    if not (2 <= len(letters) <= 8 and name.rstrip("s").upper() == name.rstrip("s")):
        return False
    words = re.findall(r"[^\W_]+", f"{source}\n | {claim}")
    return letters in "".join(word[0] for word in words).casefold()
