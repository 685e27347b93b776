"""What was read of labelled references, field by field, against what their labels say."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evals.references.labelled import Reference
from state.bibliography import ReferenceEntry
from tools.references.names import read_names
from tools.references.read_entry import read_entry
from tools.references.tagger import MODEL

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
    """How many fields were read right, and what went wrong."""

    of: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    """Wrong titles by kind."""
    wrong: list[tuple[str, str, str, str]] = field(default_factory=list)
    """Field, reference, what its label says, what was read."""
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
            if not rights[name]:
                found.wrong.append((name, one.text, wanted, got))
                if name == "title":
                    found.kinds[_kind(letters(wanted), letters(got))] += 1
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


def _kind(wanted: str, got: str) -> str:
    if not got or not wanted:
        return "none read" if wanted else "read where there is none"
    if wanted.startswith(got) or wanted.endswith(got):
        return "cut short"
    if got.startswith(wanted):
        return "runs on into what follows"
    if got.endswith(wanted):
        return "begins too early"
    return "other words"
