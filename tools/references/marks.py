"""Marks of citation that a list of references decides on: numbers in brackets or raised, and keys."""

import re
from collections.abc import Collection, Sequence

from tools.references.in_text import Label, Mention, numbered, numbers_in, without_overlaps

_NAMES_A_PART = re.compile(
    r"(?:[∈∉≤≥=<>±×^{~]|\b(?:[Ee]qs?|[Ee]quations?|[Ff]igs?|[Ff]igures?|[Tt]ables?|[Ss]teps?|[Ll]ines?|[Ll]emma|"
    r"[Cc]lauses?|[Ii]ndex|[Aa]rray))\.?\s?$"
)
_OPENS_INTERVAL = re.compile(
    r"\b(?:(?:range[sd]?|ranging|intervals?|domain|values?|scaled?|bounded|normali[sz]ed|uniform(?:ly)?|between|lies?|"
    r"lying|clipped)(?: (?:of|from|in|to|by|over|on|between|the|within)){0,2})\s?$"
)
_PAIR = re.compile(r"\[\s?\d+\s?,\s?\d+\s?\]")
_INDEXED = re.compile(r"(?:(?<![^\W\d_])[^\W\d_]|[_)\]}]|\b[a-z]+[A-Z_]\w*|\b\w+_\w+)$")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT = re.compile(
    r"(?<=[\w.,;:)\]”’\"'])(?:\^\{?)?[⁰¹²³⁴-⁹](?:[⁰¹²³⁴-⁹⁻,–-]|, ?(?=[⁰¹²³⁴-⁹])){0,60}"
)
_CARET = re.compile(r"(?<=[\w.,;:)\]”’\"'])\^\{?(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,30})\}?")
_ROUND = re.compile(r"(?<=\s)\((\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,30})\)(?=[\s.,;:)])")
_UNIT = re.compile(r"(?:\b(?:k?m|cm|mm|µm|nm|s|R|r|x|χ|[nN]))$")
_BRACKET = re.compile(r"\[([^\[\]]{2,300})\]")
_LOOKS_LIKE_KEY = re.compile(r"[A-Z][\w+*]{0,5}\d\d[a-z]?")


def marks_citation(text: str, mention: Mention, most: int) -> bool:
    """Whether a bracketed number cites, and is no interval, index, or number of an equation.

    Args:
        text: The text of the mention.
        mention: One of numbers.
        most: The greatest number that may be one of the list's.
    """
    before = text[max(mention.start - 60, 0) : mention.start]
    if _NAMES_A_PART.search(before):
        return False
    if _PAIR.fullmatch(text, mention.start, mention.end) and _OPENS_INTERVAL.search(before):
        return False
    if before and not before[-1].isspace() and _INDEXED.search(before) and before[-1] not in ")]":
        return False
    return any(int(label.text) <= most for label in mention.labels)


def raised_mentions(text: str, keys: Collection[str]) -> list[Mention]:
    """Return raised numbers and numbers in round brackets that are entries of the list.

    For a numbered list whose numbers never stand in square brackets.
    """
    found: list[Mention] = []
    for pattern in (_SUPERSCRIPT, _CARET, _ROUND):
        for mark in pattern.finditer(text):
            printed = mark[0].strip("^{}()").translate(_RAISED)
            numbers = numbers_in(printed.strip(" ,;-–"))
            unit = pattern is not _ROUND and _UNIT.search(
                text[max(mark.start() - 3, 0) : mark.start()]
            )
            if numbers and not unit and all(str(number) in keys for number in numbers):
                found.append(Mention(*mark.span(), numbered(numbers)))
    return without_overlaps(found)


def with_keys(text: str, mentions: Sequence[Mention], keys: Collection[str]) -> list[Mention]:
    """Return the mentions, and those that name a key of the list in square brackets."""
    folded = {"".join(key.split()).casefold() for key in keys}
    found: list[Mention] = []
    for mark in _BRACKET.finditer(text):
        parts = dict.fromkeys(_without_lead(part) for part in re.split(r"[,;]", mark[1]))
        labels = tuple(
            Label("key", part) for part in parts
            if part.casefold() in folded or _LOOKS_LIKE_KEY.fullmatch(part)
        )  # fmt: skip
        if labels:
            found.append(Mention(*mark.span(), labels))
    return without_overlaps([*found, *mentions])


def _without_lead(part: str) -> str:
    return "".join(re.sub(r"^\s*(?:(?:see|also|e\.g\.|cf\.)\s*)+", "", part).split())
