"""Numbers that a claim gives and its source does not."""

import re

# Not the 4 of GPT-4, nor the 19 of COVID-19: those are names.
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])")
_SPACED = re.compile(r"(?<=\d)\s(?=\d{3}(?!\d))")
"""The space in '500 000'."""
_SMALL = 10
"""Whole numbers up to this one count and label things, and are told in many ways."""
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_WORDS = {word: float(number) for number, word in enumerate(_COUNTED.split())} | {
    "hundred": 100.0, "thousand": 1000.0, "million": 1e6, "half": 0.5, "single": 1.0, "both": 2.0,
}  # fmt: skip
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_WORDS |= {word: float(10 * place) for place, word in enumerate(_TENS, start=2)}
_WORD = re.compile(r"[a-z]+")
_COMPOUND = re.compile(
    rf"\b({'|'.join(_TENS)})[- ](one|two|three|four|five|six|seven|eight|nine)\b"
)
"""Twenty-four."""


def unsupported_numbers(claim: str, source: str) -> list[str]:
    """Return the numbers in figures that a claim has and its source has not.

    A number of the source may be rounded, or written as a word. Small whole numbers do not count.
    """
    wanted = [
        found.group()
        for found in _NUMBER.finditer(claim)
        if "." in found.group()
        or float(found.group().replace(",", "")) > _SMALL
        or claim[found.end() :].lstrip().startswith(("%", "percent", "per cent"))
    ]
    if not wanted:
        return []
    joined = _SPACED.sub("", source)
    there = [float(item.replace(",", "")) for item in _NUMBER.findall(f"{source}\n{joined}")]
    there += [float(item) for item in re.findall(r"\d+(?:\.\d+)?", source)]
    there += [_WORDS[word] for word in _WORD.findall(source.lower()) if word in _WORDS]
    there += [_WORDS[tens] + _WORDS[ones] for tens, ones in _COMPOUND.findall(source.lower())]
    return [item for item in wanted if not _is_there(item.replace(",", ""), there)]


def _is_there(item: str, there: list[float]) -> bool:
    decimals = len(item.partition(".")[2])
    return any(round(number, decimals) == float(item) for number in there)


def number_of(word: str) -> float | None:
    """Return the number that a word in lower case is, in figures or letters up to 'twenty', or None."""
    if word[0].isdigit():
        try:
            return float(word.replace(",", ""))
        except ValueError:  # '1.2.3'
            return None
    return _WORDS.get(word) if word in _COUNTED.split() and word != "one" else None
