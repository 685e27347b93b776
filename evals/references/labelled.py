"""Labelled references: the sets of AnyStyle and GROBID with one set of labels, and how rightly they are read."""

import gzip
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from state.bibliography import ReferenceEntry
from tools.references.names import read_names
from tools.references.read_entry import read_entry
from tools.references.tagger import MODEL
from tools.references.tokens import Token
from tools.text.identifiers import find_identifiers

OTHER = "other"
Part = tuple[str, str]
"""A label, and the text that has it."""

_ANYSTYLE = {
    "author": "author", "director": "author", "title": "title", "journal": "container",
    "container-title": "container", "source": "container", "collection-title": "series", "date": "date",
    "volume": "volume", "pages": "pages", "publisher": "publisher", "producer": "publisher",
    "location": "place", "editor": "editor", "translator": "note", "note": "note", "genre": "note",
    "edition": "note", "medium": "note", "isbn": "note", "citation-number": "number",
}  # fmt: skip
_SCOPES = {"vol": "volume", "volume": "volume", "issue": "issue", "pp": "pages", "page": "pages"}
_TEI = {
    "author": "author",
    "authors": "author",
    "date": "date",
    "publisher": "publisher",
    "orgName": "publisher",
    "pubPlace": "place",
    "editor": "editor",
    "note": "note",
    "notes": "note",
    "idno": "note",
}
_LEAD = frozenset({"In", "in", "IN", "En", "Dans", "Em"})
_ROLE = re.compile(
    r"[(\[]*(?:eds?|edd|editors?|edited|by|hrsg|hg|coords?|dirs?|comps?)\b[.)\],:;]*", re.IGNORECASE
)
_ISSUE = re.compile(
    r"^(.*?\d\)?\s?[.,:]?(?:\s?jg\b\.?/?)?\s*)(\([^)]*\d[^)]*\)(?=:\s?\d)|\([^)]*\d.*|(?<=, |\d:)\d[\d/–-]*[.,:;)]*$"
    r"|\b(?:nos?|nr|n|num|issue|heft|h|iss|fasc|núm|suppl|part)\b[^a-z]*\d.*)(.*)$",
    re.IGNORECASE,
)
_DATED = re.compile(r"((?:19|20)\d\d ?; ?)(\S.*)")
"""A year that stands before a volume, and is labelled with it."""
_COUNTED = frozenset({"volume", "issue", "pages"})


@dataclass(frozen=True)
class Reference:
    """One reference, cut into its labelled parts."""

    set: str
    parts: tuple[Part, ...]
    """In order; together they are the reference."""

    @cached_property
    def text(self) -> str:
        """The reference as printed."""
        return "".join(text for _, text in self.parts)

    @property
    def held_out(self) -> bool:
        """Whether it is of the fifth that is kept back for the measure, told by its own letters."""
        return sha256("".join(filter(str.isalnum, self.text.lower())).encode()).digest()[0] % 5 == 0

    def first(self, *labels: str) -> str:
        """Return the first part of a label, as printed; of several labels the first that there is."""
        return next(
            (text for label in labels for one, text in self.parts if one == label), ""
        ).strip()

    def labels(self, tokens: Sequence[Token]) -> list[str]:
        """Return the label of each of its words: that of the first letter or digit in it."""
        by_place = [label for label, text in self.parts for _ in text]
        found = []
        for token in tokens:
            at = next((at for at, char in enumerate(token.text) if char.isalnum()), 0)
            found.append(by_place[token.start + at])
        return found


def read_set(path: Path, name: str) -> list[Reference]:
    """Read a set of AnyStyle (<sequence>s of labelled parts) or GROBID (TEI <bibl>s, with text between labels)."""
    from lxml import etree

    packed = path.read_bytes()
    root = etree.fromstring(gzip.decompress(packed) if path.suffix == ".gz" else packed)
    tag, parts = ("sequence", _sequence) if name == "anystyle" else ("bibl", _bibl)
    found = [tuple(_tidy(parts(item))) for item in root.iter(tag)]
    return [Reference(name, one) for one in found if one]


def _tidy(parts: Iterator[Part]) -> Iterator[Part]:
    """Yield parts with single spaces, and none where the reference begins or ends."""
    before = " "
    for label, many in groupby(parts, itemgetter(0)):
        even = " ".join(f"|{''.join(text for _, text in many)}|".split())[1:-1]
        even = even[1:] if before == " " and even[:1] == " " else even
        if even:
            before = even[-1]
            yield label, unicodedata.normalize("NFC", even)


def _bare(text: str) -> str:
    """Return a part without addresses and DOIs, which no tagger needs to read."""
    return find_identifiers(text).rest if "/" in text or "www" in text else text


def _sequence(item: Any) -> Iterator[Part]:
    for part in item:
        label = _ANYSTYLE.get(part.tag)
        text = _bare(" ".join("".join(part.itertext()).split()))
        if label == "volume" and (dated := _DATED.fullmatch(text)):
            yield "date", dated[1]
            text = dated[2]
        if label is None or not text:
            continue
        words = text.split()
        if (
            label in {"editor", "container"}
            and len(words) > 1
            and words[0].removesuffix(":") in _LEAD
        ):
            yield OTHER, f"{words.pop(0)} "
        if label == "volume" and (cut := _ISSUE.match(text)):
            yield "volume", cut[1]
            yield "issue", cut[2]
            yield "pages" if cut[3] else "issue", f"{cut[3]} "
        elif label in {"author", "editor"}:
            for word in words:
                yield OTHER if _ROLE.fullmatch(word) else label, f"{word} "
        else:
            yield label, f"{' '.join(words)} "


def _bibl(item: Any) -> Iterator[Part]:
    levels = {one.get("level") for one in item.iter("title")}
    parts: list[Part] = [(OTHER, item.text or "")]
    for part in item:
        label = _tei_label(part, levels)
        before = parts[-1][1]
        if label in _COUNTED and (word := re.search(r"[^\W\d]+\.?\s*$", before)):
            parts[-1] = (OTHER, before[: word.start()])
            parts.append((label, word[0]))
        parts += [(label, _bare("".join(part.itertext()))), (OTHER, _bare(part.tail or ""))]
    yield from parts


def _tei_label(part: Any, levels: set[str]) -> str:
    if part.tag == "title":
        level = part.get("level")
        if level == "a" or (level == "m" and "a" not in levels):
            return "title"
        if level == "s" or (level == "j" and "m" in levels):
            return "series"
        return "container"
    if part.tag == "biblScope":
        return _SCOPES.get(part.get("type") or part.get("unit"), "note")
    return _TEI.get(part.tag, OTHER)


FIELDS = (
    "title",
    "first author",
    "authors",
    "container",
    "year",
    "volume",
    "issue",
    "pages",
    "publisher",
)


@dataclass
class Measured:
    """How many fields were read right."""

    of: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    sure: list[tuple[float, bool]] = field(default_factory=list)
    """The confidence in each reference, and whether title and first author were read right."""


def measure(references: Iterable[Reference], model: Path = MODEL) -> Measured:
    """Read references and compare each field that is labelled; a title that is read must be labelled."""
    found = Measured()
    for one in references:
        entry = read_entry(one.text, 0, model=model)
        rights = {}
        for name, wanted, got in _compared(one, entry):
            if not wanted and (name != "title" or not got):
                continue
            rights[name] = letters(wanted) == letters(got)
            found.of[name] += 1
            found.right[name] += rights[name]
        found.sure.append(
            (entry.confidence, rights.get("title", True) and rights.get("first author", True))
        )
    return found


def letters(text: str) -> str:
    """Return a text as it is compared: its letters and digits."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _compared(one: Reference, entry: ReferenceEntry) -> Iterator[tuple[str, str, str]]:
    named = [name.family for name in read_names(one.first("author", "editor"))[0]]
    read = [name.family for name in entry.authors]
    yield "title", one.first("title"), entry.title or ""
    yield "first author", named[0] if named else "", read[0] if read else ""
    yield "authors", "; ".join(named), "; ".join(read)
    yield "container", one.first("container", "series"), entry.venue or ""
    yield "year", _year(one.first("date")), str(entry.year or "")
    for name, got in (("volume", entry.volume), ("issue", entry.issue), ("pages", entry.pages)):
        yield name, _number(one.first(name)), _number(got or "")
    yield "publisher", one.first("publisher"), entry.publisher or ""


def _year(text: str) -> str:
    runs = "".join(char if char.isdigit() else " " for char in text).split()
    return next((run for run in runs if len(run) == 4 and "1000" < run < "2200"), "")


def _number(text: str) -> str:
    """Return the digits of a number or a range, with the letters that touch them."""
    words = "".join(char if char.isalnum() else " " for char in text).split()
    return " ".join(word for word in words if any(map(str.isdigit, word)))
