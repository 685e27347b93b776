"""References printed from records in styles of CSL, each word labelled by the field that it comes from.

Ten kinds of lists are made without a style file: a measure that is no training data.
"""

import re
import unicodedata
from calendar import month_name
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any

from evals.references.labelled import OTHER, Part, Reference
from state.paper import Author

Name = tuple[str, str]
"""A family name, and the given names; empty for a body."""
_WORD = re.compile(r"\w+")
_GLUED = re.compile(r"(?<=\d{4})(?=[^\W\d]{3})")
_DAY = re.compile(r"(?<!\d)\d{1,2}(?:st|nd|rd|th)?(?!\w)")
_RANGE = re.compile(r"–\w?\d+")
_FIELDS = ("title", "container", "publisher", "place", "pages", "volume", "issue")


@dataclass(frozen=True)
class Record:
    """What is known of a work, as a style prints it."""

    kind: str
    """A type of CSL, such as 'article-journal'."""
    title: str
    authors: tuple[Name, ...]
    year: int
    editors: tuple[Name, ...] = ()
    container: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    place: str = ""
    month: int = 0
    day: int = 0


def print_records(xml: bytes, records: Sequence[Record]) -> Iterator[Reference]:
    """Yield the references as a style prints them, without those whose fields can't be found in them."""
    for place, (record, text) in enumerate(zip(records, _printed(xml, records), strict=True), 1):
        even = " ".join(unicodedata.normalize("NFC", text).split())
        even = _GLUED.sub(" ", re.sub(rf"^\W*{place}\b\W*", "", even))
        if parts := _labelled(record, even):
            yield Reference("printed", tuple(parts))


def _printed(xml: bytes, records: Sequence[Record]) -> Iterator[str]:
    """Yield what the processor makes of each record; nothing where it fails."""
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle
    from citeproc.formatter import plain
    from citeproc.source import BibliographySource

    # The processor stumbles over most changes of case.
    plain_case = re.sub(rb' text-case="(?!uppercase)[a-z-]*"', b"", xml)
    style, source = CitationStylesStyle(BytesIO(plain_case), validate=False), BibliographySource()
    for place, record in enumerate(records):
        source.add(_reference(f"p{place}", record))
    items = [CitationItem(f"p{place}") for place in range(len(records))]
    listed = CitationStylesBibliography(style, source, plain)
    layout = style.root.find("cs:bibliography/cs:layout", style.root.nsmap)
    for item in items:
        try:
            listed.register(Citation([item]))
            yield str((layout.render_bibliography([item]) or [""])[0])
        except (AttributeError, TypeError, LookupError, ValueError, RuntimeError):
            yield ""  # the processor can't do all that styles ask; a reference less is no loss


def _reference(key: str, record: Record) -> Any:
    from citeproc.source import Date, Name, Reference

    def names(listed: Sequence[tuple[str, str]]) -> Any:
        return [
            Name(family=family, given=given) if given else Name(literal=family)
            for family, given in listed
        ]

    date = {"year": record.year, "month": record.month, "day": record.day}
    fields: dict[str, Any] = {
        "author": names(record.authors),
        "editor": names(record.editors),
        "title": record.title,
        "container_title": record.container,
        "volume": record.volume,
        "issue": record.issue,
        "page": record.pages,
        "publisher": record.publisher,
        "publisher_place": record.place,
        "issued": Date(**{name: value for name, value in date.items() if value}),
    }
    return Reference(key, record.kind, **{name: value for name, value in fields.items() if value})


def _labelled(record: Record, text: str) -> list[Part]:
    """Return the parts of a printed record: first the fields, then the names in what is left."""
    marks = [""] * len(text)
    low = text.lower().replace("-", "–")
    if len(low) != len(text):
        return []
    for name in _FIELDS:
        value = " ".join(str(getattr(record, name)).split()).lower().replace("-", "–")
        if name == "pages":
            value = value.partition("–")[0]  # styles shorten what follows
        end = _mark(low, value, name, marks) if value else 0
        if value and not end and (name in {"title", "container"} or value in low):
            return []
        if name == "pages" and end and (more := _RANGE.match(low, end)):
            marks[end : more.end()] = ["pages"] * (more.end() - end)
    while _mark(low, str(record.year), "date", marks):
        pass
    if record.month:
        month = month_name[record.month].lower()
        end = _mark(low, month, "date", marks) or _mark(low, month[:3], "date", marks)
        day = (
            _DAY.search(low, max(end - len(month) - 4, 0), end + 5) if end and record.day else None
        )
        if day and not any(marks[day.start() : day.end()]):
            marks[day.start() : day.end()] = ["date"] * len(day[0])
    if not _mark_names(record.authors, "author", low, marks):
        return []
    _mark_names(record.editors, "editor", low, marks)
    _mark_counted(text, marks)
    return [
        (label or OTHER, "".join(text[at] for at, _ in run))
        for label, run in (
            (one, list(many)) for one, many in groupby(enumerate(marks), itemgetter(1))
        )
    ]


def _mark(low: str, value: str, label: str, marks: list[str], start: int = 0) -> int:
    """Give a label to the first place of a value that has none yet; return its end, 0 for nowhere."""
    at = low.find(value, start)
    while at >= 0:
        end = at + len(value)
        alone = not (low[at - 1 : at].isalnum() and value[0].isalnum()) and not (
            low[end : end + 1].isalnum() and value[-1].isalnum()
        )
        if alone and not any(marks[at:end]):
            marks[at:end] = [label] * len(value)
            return end
        at = low.find(value, at + 1)
    return 0


def _mark_names(names: Sequence[Name], label: str, low: str, marks: list[str]) -> bool:
    """Give a label to all from the first name to the last, and to "et al."; false where there is none."""
    spans: list[tuple[int, int]] = []
    for family, _ in names:
        wanted, start = family.lower().replace("-", "–"), spans[-1][1] if spans else 0
        if end := _mark(low, wanted, label, marks, start):
            spans.append((end - len(wanted), end))
    if not spans:
        return not names
    given = {word for _, one in names for word in _WORD.findall(one.lower())}
    given |= {word[0] for word in given} | {
        "".join(word[0] for word in one.lower().split()) for _, one in names if one
    }
    start, end = spans[0][0], spans[-1][1]
    words = list(_WORD.finditer(low))
    before = [one for one in words if one.end() <= start]
    while before and before[-1][0] in given and not marks[before[-1].start()]:
        start = before.pop().start()
    behind = [one for one in reversed(words) if one.start() >= end]
    others = 2 * (len(spans) < len(names))
    while behind and not marks[behind[-1].start()] and (behind[-1][0] in given or others):
        others -= behind[-1][0] not in given
        end = behind.pop().end()
    if any(mark not in {"", label} for mark in marks[start:end]):
        return False
    marks[start:end] = [label] * (end - start)
    return True


def _mark_counted(text: str, marks: list[str]) -> None:
    """Give the word before a number, such as "vol.", the label of the number."""
    for word in _WORD.finditer(text):
        behind = _WORD.search(text, word.end())
        label = marks[behind.start()] if behind else ""
        if label in {"volume", "issue", "pages"} and not marks[word.start()] and word[0].isalpha():
            marks[word.start() : word.end()] = [label] * len(word[0])


@dataclass(frozen=True)
class Work:
    """A work of which the lists are made."""

    title: str
    authors: tuple[Author, ...]
    year: int
    venue: str


def _initials(one: Author, dot: str = ". ") -> str:
    return dot.join(part[0] for part in one.given.replace(".", " ").split() if part) + dot.rstrip(
        " "
    )


def _turned(one: Author) -> str:
    return f"{one.family}, {_initials(one)}" if one.given else one.family


def _full(one: Author) -> str:
    return f"{one.family}, {one.given}" if one.given else one.family


def _straight(one: Author) -> str:
    return f"{_initials(one)} {one.family}" if one.given else one.family


def _plain(one: Author) -> str:
    return f"{one.given} {one.family}".strip()


def _capitals(one: Author) -> str:
    return f"{one.family.upper()}, {one.given}" if one.given else one.family.upper()


def _close(one: Author) -> str:
    return f"{one.family} {_initials(one, '')}".strip()


def _listed(names: Sequence[str], last: str, between: str = ", ") -> str:
    if len(names) < 3:
        return (
            last.replace(",", "", 1).join(names) if last.startswith(", and") else last.join(names)
        )
    return f"{between.join(names[:-1])}{last}{names[-1]}"


def _chicago(work: Work, form: Callable[[Author], str], rest: Callable[[Author], str]) -> str:
    names = [form(work.authors[0]), *map(rest, work.authors[1:])]
    return _listed(names, ", and ") if len(names) != 2 else ", and ".join(names)


def ended(text: str) -> str:
    """Return a text with a full stop, unless a mark ends it."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


STYLES: dict[str, Callable[[Work], list[Part]]] = {
    "APA": lambda one: _parts(
        _listed([*map(_turned, one.authors)], ", & "), f" ({one.year}). ", ended(one.title), " ",
        one.venue, ", 12(3), 45–67."),
    "Harvard": lambda one: _parts(
        _listed([*map(_turned, one.authors)], " and "), f", {one.year}. ", ended(one.title), " ",
        one.venue, ", 12(3), pp.45-67."),
    "IEEE": lambda one: _parts(
        _listed([*map(_straight, one.authors)], ", and "), ", “", one.title, ",” ",
        one.venue, f", vol. 12, no. 3, pp. 45–67, {one.year}."),
    "MLA": lambda one: _parts(
        ended(_chicago(one, _full, _plain)), " “", ended(one.title), "” ", one.venue,
        f", vol. 12, no. 3, {one.year}, pp. 45–67."),
    "plain": lambda one: _parts(
        ended(_listed([*map(_plain, one.authors)], ", and ")), " ", ended(one.title), " ", one.venue, f", {one.year}."),
    "Vancouver": lambda one: _parts(
        ended(", ".join(map(_close, one.authors))), " ", ended(one.title), " ", one.venue,
        f". {one.year};12(3):45-67."),
    "Gick": lambda one: _parts(
        ended(_chicago(one, _turned, _straight)), " ", ended(one.title), " ", one.venue, f" 12 ({one.year}): 45–67."),
    "Chicago": lambda one: _parts(
        ended(_chicago(one, _full, _plain)), f" {one.year}. ", ended(one.title), " ", one.venue, " 12 (3): 45–67."),
    "ISO 690": lambda one: _parts(
        ended(_listed([*map(_capitals, one.authors)], " and ")), " ", ended(one.title), " ", one.venue,
        f". {one.year}, vol. 12, no. 3, p. 45–67."),
    "decomposed": lambda one: [
        (label, unicodedata.normalize("NFD", text)) for label, text in STYLES["APA"](one)
    ],
}  # fmt: skip


def print_works(works: Sequence[Work]) -> dict[str, list[Reference]]:
    """Return the references of works by style."""
    return {
        style: [Reference(style, tuple(printed(work))) for work in works]
        for style, printed in STYLES.items()
    }


def _parts(names: str, behind: str, title: str, gap: str, venue: str, rest: str) -> list[Part]:
    return [
        ("author", names),
        ("other", behind),
        ("title", title),
        ("other", gap),
        ("container", venue),
        ("other", rest),
    ]
