"""Marks of citation that a list of references decides on: numbers in brackets or raised, and keys."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import dropwhile

from state.bibliography import CitationStyle
from tools.references.in_text import (
    Label,
    Mention,
    find_mentions,
    folded,
    numbered,
    numbers_in,
    without_overlaps,
)
from tools.text.words import UNITS, letters_before

_NAMES_A_PART = re.compile(
    r"(?:[∈∉≤≥=<>±×^{~]|\b(?:[Ee]qs?|[Ee]quations?|[Ff]igs?|[Ff]igures?|[Tt]ables?|[Ss]teps?|[Ll]ines?|[Ll]emma|"
    r"[Cc]lauses?|[Ii]ndex|[Aa]rray))\.?\s?$"
)
_OPENS_INTERVAL = re.compile(
    r"\b(?:(?:range[sd]?|ranging|intervals?|domain|values?|scaled?|bounded|normali[sz]ed|uniform(?:ly)?|between|lies?|"
    r"lying|clipped)(?: (?:of|from|in|to|by|over|on|between|the|within)){0,2})\s?$"
)
_INDEXED = re.compile(r"(?:(?<![^\W\d_])[^\W\d_]|[_)\]}]|\b[a-z]+[A-Z_]\w*|\b\w+_\w+)$")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT = re.compile(
    r"(?<=[\w.,;:)\]”’\"'])(?:(?:\^\{?)?[⁰¹²³⁴-⁹](?:[⁰¹²³⁴-⁹⁻,–-]|, ?(?=[⁰¹²³⁴-⁹])){0,60}"
    r"|\^\{?\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,30}\}?)(?![^\W\d_]|⁺)"
)
_ROUND = re.compile(r"(?<=\s)\((\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,30})\)(?=[\s.,;:)?!]|\Z)")
_GOES_ON = ("and", "or", ",", ";")
_POWERS = UNITS - {"in"} | set("RrxχnN")
"""What a raised number is a power of; 'as in' leads to a citation."""
_BRACKET = re.compile(r"\[([^\[\]]{2,300})\]")
_LOOKS_LIKE_KEY = re.compile(r"[A-Z][\w+*]{0,5}\d\d[a-z]?")


def citations_in(
    texts: Sequence[str],
    labels: Collection[str],
    families: frozenset[str],
    style: CitationStyle | None = None,
    most: int = 10**6,
) -> list[list[Mention]]:
    """Return the citations of the paragraphs of one text, going by its list of references.

    Args:
        texts: The paragraphs.
        labels: Numbers and keys by which entries may be cited.
        families: First authors' family names, folded by `title_key`.
        style: How the list is cited; None where that is not known.
        most: The greatest number that may be one of the list's.
    """
    found = [
        [one for one in find_mentions(text, labels, families) if marks_citation(text, one, most)]
        for text in texts
    ]
    keys = frozenset(folded(label) for label in labels if not label.isdigit())
    if style == "key" or any(_by_key(text, keys) for text in texts):
        alike = style != "number"
        found = [
            without_overlaps([*_by_key(text, keys, alike=alike), *many])
            for text, many in zip(texts, found, strict=True)
        ]
    kinds = {one.labels[0].kind for many in found for one in many}
    if (style == "number" and "number" not in kinds) or (style is None and not kinds):
        # Where some raised numbers are the list's, others are its lost ones.
        raised = any(_by_mark(text, _SUPERSCRIPT, labels) for text in texts)
        known = frozenset(map(str, range(1, min(most, 999) + 1))) if raised else frozenset()
        listed = labels if style else ()
        found = [
            without_overlaps(
                [*_by_mark(text, _SUPERSCRIPT, known), *_by_mark(text, _ROUND, listed), *many]
            )
            for text, many in zip(texts, found, strict=True)
        ]
    return _in_full(found)


def _in_full(found: list[list[Mention]]) -> list[list[Mention]]:
    """Put the names in place of the abbreviations that a text gives them: 'Fruit Board [FB]', then 'FB'."""
    labels = [label for many in found for one in many for label in one.labels]
    names: dict[tuple[str, ...], tuple[str, ...]] = {
        (label.short,): label.names for label in labels if label.short
    }

    def full(label: Label) -> Label:
        return replace(label, names=names.get(label.names, label.names))

    return (
        [[replace(one, labels=tuple(map(full, one.labels))) for one in many] for many in found]
        if names
        else found
    )


def marks_citation(text: str, mention: Mention, most: int) -> bool:
    """Whether a bracketed number cites, and is no interval, index, or number of an equation.

    Args:
        text: The text of the mention.
        mention: A citation; one of another kind than numbers is one.
        most: The greatest number that may be one of the list's.
    """
    if mention.labels[0].kind != "number":
        return True
    before = text[max(mention.start - 60, 0) : mention.start]
    if _NAMES_A_PART.search(before):
        return False
    pair = len(mention.labels) == 2 and "," in text[mention.start : mention.end]
    if pair and _OPENS_INTERVAL.search(before):
        return False
    if before and not before[-1].isspace() and _INDEXED.search(before) and before[-1] not in ")]":
        return False
    return any(int(label.text) <= most for label in mention.labels)


def _by_mark(text: str, pattern: re.Pattern[str], numbers: Collection[str]) -> list[Mention]:
    """Return raised numbers, or numbers in round brackets, that are all entries of the list."""
    found: list[Mention] = []
    last = -1, 0
    for mark in pattern.finditer(text):
        printed = mark[0].strip("^{}()").translate(_RAISED)
        listed = numbers_in(printed.strip(" ,;-–"))
        before = text[max(mark.start() - 4, 0) : mark.start()]
        if not listed or not all(str(number) in numbers for number in listed):
            continue
        # '10²' is a power; behind a year a raised number is a citation.
        power = before[-1:].isdigit() and not (len(before) == 4 and before.isdigit())
        if pattern is _ROUND and listed == [last[0] + 1] and before.rstrip().endswith(_GOES_ON):
            # '(1) wide, (2) long, and (3) deep' counts what it says.
            found = found[:-1] if found and found[-1].end == last[1] else found
        elif pattern is _ROUND or not (
            letters_before(before) in _POWERS or power or printed.endswith("-")
        ):
            found.append(Mention(*mark.span(), numbered(listed)))
        last = listed[-1] if len(listed) == 1 else -1, mark.end()
    return found


def _by_key(text: str, keys: Collection[str], *, alike: bool = False) -> list[Mention]:
    """Return what names keys of the list in square brackets; `alike`: or what looks like one."""
    found: list[Mention] = []
    for mark in _BRACKET.finditer(text):
        parts = dict.fromkeys(_without_lead(part) for part in mark[1].replace(";", ",").split(","))
        labels = tuple(
            Label("key", part)
            for part in parts
            if part.casefold() in keys or (alike and _LOOKS_LIKE_KEY.fullmatch(part))
        )
        if labels:
            found.append(Mention(*mark.span(), labels))
    return found


def _without_lead(part: str) -> str:
    return "".join(dropwhile({"see", "also", "e.g.", "cf."}.__contains__, part.split()))
