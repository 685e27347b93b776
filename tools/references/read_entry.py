"""Reads one entry of a list of references, of any style, with a learnt tagger."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from state.bibliography import ReferenceEntry
from tools.references.names import read_names
from tools.references.tagger import MODEL, LabelledPart, tag
from tools.text.identifiers import find_identifiers

_LONGEST = 6000
"""Characters of an entry that are read; no reference is longer."""
_NUMBER_LABEL = re.compile(
    r"\s*(?:\[\s?(\d{1,4})\s?\]|\((\d{1,4})\)|(\d{1,4})[.)](?=\s*[^\s\d]))[.:]?\s*"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_KEY = re.compile(rf"[\w+*.:’'-]{{1,24}}|[^\[\]]{{2,50}}?[,( ]\s?{_YEAR}[a-z]?\)?.{{0,200}}")
_DATED = re.compile(r"(?<!\d)(1[0-9]\d\d|20\d\d|21\d\d)([a-z])?(?![^\W_])")
_DASHES = frozenset("—–―_-")
_PAIRS = ("()", "[]", "“”", "„“", "„”", "«»", "‘’", '""', "''")
_MARKS = "".join(_PAIRS)


def read_entry(
    text: str, place: int, page: int | None = None, *, model: Path = MODEL
) -> ReferenceEntry:
    """Read one entry as printed, with its label; what cannot be told is left empty.

    Args:
        text: The entry; white space is folded, and accents are composed.
        place: Its place in the list, from 0.
        page: The page on which it begins.
        model: The model of the tagger.
    """
    label, body = split_label(" ".join(unicodedata.normalize("NFC", text).split()), place)
    found = find_identifiers(body)
    rest = found.rest[:_LONGEST]
    parts = _with_title(_with_authors(tag(rest, model)))
    named = _first(parts, "author") or _first(parts, "editor")
    edited = [part for part in parts if part.label == "editor" and part is not named]
    titled = _first(parts, "title")
    authors, complete = read_names(rest[named.start : named.end]) if named else ((), True)
    year, suffix = _dated(parts)
    venue = _first(parts, "container") or _first(parts, "series")
    publisher = _first(parts, "publisher")
    told = named or year or found.doi or found.arxiv or found.url  # else it may be no reference
    sure = [part.confidence for part in (named, titled) if part and told]
    return ReferenceEntry(
        place=place,
        label=label,
        text=body or label or "—",
        authors=authors,
        authors_complete=complete,
        title=titled and _bare(rest, titled),
        year=year,
        suffix=suffix,
        venue=venue and _bare(rest, venue),
        volume=_counted(parts, "volume"),
        issue=_counted(parts, "issue"),
        pages=_counted(parts, "pages"),
        publisher=publisher and _bare(rest, publisher),
        editors=read_names(rest[edited[0].start : edited[0].end])[0] if edited else (),
        doi=found.doi,
        arxiv=found.arxiv,
        url=found.url,
        page=page,
        confidence=round(min(sure, default=0.0), 4),
    )


def split_label(text: str, place: int) -> tuple[str, str]:
    """Return the label of an entry, and the entry without it."""
    found = _NUMBER_LABEL.match(text)
    number = found and (found[1] or found[2] or found[3])
    if found and number and (not found[3] or not 1500 <= int(number) < 2100):
        return str(int(number)), text[found.end() :].strip()
    text = text.strip()
    key, closed, behind = text[1:].partition("]")
    if text.startswith("[") and closed and behind and key[:1].isalpha() and _KEY.fullmatch(key):
        return key.strip(), behind.strip()
    number, _, behind = text.partition(" ")
    if number == str(place + 1) and behind[:1].isalpha():
        return number, behind
    return "", text


def repeats(text: str) -> bool:
    """Whether an entry has a dash where its authors, those of the entry before, would stand."""
    dash = text.split(" ")[0].rstrip(".,;:")
    return dash not in {"", "-"} and _DASHES.issuperset(dash)


def _first(parts: Sequence[LabelledPart], label: str) -> LabelledPart | None:
    return next((part for part in parts if part.label == label), None)


def _with_authors(parts: list[LabelledPart]) -> list[LabelledPart]:
    """Return parts that begin with the authors, whatever the tagger took the first of these names for."""
    labels = [part.label for part in parts]
    if labels[:4] == ["author", "title", "date", "title"]:  # the last of the names
        least = min(parts[0].confidence, parts[1].confidence)
        return [parts[0]._replace(end=parts[1].end, confidence=least), *parts[2:]]
    if labels[:2] == ["title", "date"] and "title" in labels[2:] and "author" not in labels:
        return [parts[0]._replace(label="author"), *parts[1:]]  # a body
    return parts


def _with_title(parts: list[LabelledPart]) -> list[LabelledPart]:
    """Return parts whose first container is the title where there is no other, unless a journal's numbers follow."""
    labels = [part.label for part in parts]
    book = not {"publisher", "place"}.isdisjoint(labels)
    if (
        "container" not in labels
        or "title" in labels
        or not (book or {"volume", "pages"}.isdisjoint(labels))
    ):
        return parts
    at = labels.index("container")
    return [*parts[:at], parts[at]._replace(label="title"), *parts[at + 1 :]]


def _dated(parts: Sequence[LabelledPart]) -> tuple[int | None, str]:
    """Return the year and its letter: of several dates that before the title, or else one in brackets."""
    dates = [
        (at, part, found)
        for at, part in enumerate(parts)
        if part.label == "date" and (found := _DATED.search(" ".join(part.words)))
    ]
    if not dates:
        return None, ""
    title = next((at for at, part in enumerate(parts) if part.label == "title"), 0)
    *_, year = min(
        dates, key=lambda date: (date[0] > title, date[1].words[0][:1] not in "([", date[0])
    )
    return int(year[1]), year[2] or ""


def _counted(parts: Sequence[LabelledPart], label: str) -> str | None:
    """Return a number as printed, without the words before and behind it."""
    words = next((part.words for part in parts if part.label == label), ())
    inner = [word.strip("()[].,;: ") for word in words]
    counted = [word for word in inner if any(map(str.isdigit, word))]
    if label == "pages" and len(counted) > 1:  # '18 - 22'
        counted = [
            "".join(inner[inner.index(counted[0]) : len(inner) - inner[::-1].index(counted[-1])])
        ]
    return next(iter(counted), next((word for word in reversed(inner) if word), None))


def _bare(text: str, part: LabelledPart) -> str | None:
    """Return the words of a part without the marks around it; a question mark belongs to it."""
    found, before = text[part.start : part.end].replace("``", "“").replace("''", "”"), ""
    while found != before:
        before = found
        found = found.strip(" ,;:/").lstrip(".")
        found = found if found.endswith("...") else found.rstrip(".")
        for pair in _PAIRS if found and (found[0] in _MARKS or found[-1] in _MARKS) else ():
            found = _unwrapped(found, *pair)
    return found if any(map(str.isalpha, found)) else None


def _unwrapped(text: str, opening: str, closing: str) -> str:
    """Take off a pair of marks around a text, or one that has no other in it."""
    first, last = text.startswith(opening), len(text) > 1 and text.endswith(closing)
    if not (first or last):
        return text
    inner, end = text.find(opening, 1), text.find(closing, 1)
    nested = 0 < inner < end if opening != closing else text[inner - 1 : inner] == " "
    if first and last and (end == len(text) - 1 or nested):
        return text[1:-1]
    odd = (
        text.count(opening) - text.count(closing) if opening != closing else text.count(closing) % 2
    )
    if last and (odd < 0 or (opening == closing and odd)):
        return text[:-1]
    return text[1:] if first and odd > 0 else text
