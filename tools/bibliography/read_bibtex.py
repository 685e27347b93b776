"""BibTeX and BibLaTeX: good entries are read, whatever stands between them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from state.paper import Paper, Record
from state.value import Place
from tools.bibliography.read_csl import csl_of, read_record
from tools.bibliography.read_record import BadRecord
from tools.text.places import Lines

if TYPE_CHECKING:
    from tools.bibliography.bibtex_parser import RawEntry

_NO_WORKS = frozenset({"xdata", "set", "control", "bibnote"})
_OWN = frozenset(
    {
        "title",
        "subtitle",
        "titleaddon",
        "shorttitle",
        "doi",
        "url",
        "urldate",
        "eprint",
        "abstract",
        "note",
        "annote",
        "annotation",
        "file",
        "keywords",
        "crossref",
        "xref",
        "xdata",
        "ids",
        "label",
        "shorthand",
        "sortkey",
        "options",
        "related",
        "entryset",
        "pages",
        "isbn",
    }
)
"""What an entry does not take from the one that holds it."""


_CHECKED = {
    "title": ("title",),
    "authors": ("author",),
    "year": ("year", "date"),
    "venue": ("journal", "journaltitle", "booktitle"),
    "doi": ("doi",),
    "arxiv": ("eprint",),
}
"""The fields of BibTeX that say what a check of a reference compares."""


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """One entry of a file, and what was made of it."""

    record: Paper | BadRecord
    key: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    """As they stand in the file, by their names in lower case."""
    places: Mapping[str, Place] = field(default_factory=dict)
    """Of its first line, under an empty name, and of its fields, by their names in lower case."""

    def checked_places(self) -> dict[str, Place]:
        """Return where each field that a check compares stands, by its name in a record."""
        found = {
            name: next((self.places[one] for one in written if one in self.places), None)
            for name, written in _CHECKED.items()
        }
        return {name: place for name, place in found.items() if place}


def read_bibtex(text: str) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a BibTeX file, and what is wrong with the entries."""
    return (entry.record for entry in read_entries(text))


def read_entries(text: str, file: str = "") -> Iterator[BibtexEntry]:
    """Yield the entries of a BibTeX file, and notes on them without key and fields. Places name the `file`.

    Entries without a key, or with another's, are entries: keys are unique in one file only, and not
    always there. An entry takes from `crossref` and `xdata` what it lacks.
    """
    from tools.bibliography.bibtex_parser import raw_entries

    entries, lines = raw_entries(text), Lines(text, file)
    by_key = {entry.key.lower(): entry for entry in reversed(entries)}
    for entry in entries:
        if entry.type.lower() in _NO_WORKS:
            continue
        own = tuple(_with_data(entry, by_key, ()))
        record = Record(format="bibtex", type=entry.type, key=entry.key, fields=own)
        above = _above(entry, own, by_key, (entry.key.lower(),))
        whole = csl_of(record.model_copy(update={"fields": (*own, *above)}))
        first = {name.lower(): value for name, value in reversed(own)}
        names = [name.lower() for name, _ in entry.fields]
        faults = [
            *entry.faults,
            *(
                f"it has more than one {name}: the first is taken"
                for name in dict.fromkeys(names)
                if names.count(name) > 1
            ),
        ]
        for read in read_record(entry.line, record, entry.text, faults, whole):
            lost = isinstance(read, BadRecord) and not read.lost
            places = {
                "": lines.place(entry.start, entry.start + len(entry.text.partition("\n")[0])),
                **{name: lines.place(*span) for name, span in entry.spans.items()},
            }
            yield BibtexEntry(read) if lost else BibtexEntry(read, entry.key, first, places)


def _with_data(
    entry: "RawEntry", by_key: Mapping[str, "RawEntry"], seen: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Yield an entry's fields, and those that it lacks of the data that it names."""
    have = {name.lower() for name, _ in entry.fields}
    for name, value in entry.fields:
        keys = [key.strip().lower() for key in value.split(",")] if name.lower() == "xdata" else []
        if not all(key in by_key and key not in seen for key in keys) or not keys:
            yield name, value
        for key in keys:
            if key in by_key and key not in seen:
                more = list(_with_data(by_key[key], by_key, (*seen, key)))
                yield from (pair for pair in more if pair[0].lower() not in have)
                have |= {name.lower() for name, _ in more}


def _above(
    entry: "RawEntry",
    own: Sequence[tuple[str, str]],
    by_key: Mapping[str, "RawEntry"],
    seen: tuple[str, ...],
) -> list[tuple[str, str]]:
    """Return what an entry takes from the one that holds it: its title as that of the book, its editors."""
    have = {name.lower(): value for name, value in own}
    key = have.get("crossref", "").strip().lower()
    parent = by_key.get(key) if key else None
    if not parent or key in seen:
        if key and not parent:
            entry.faults.append(f"its crossref {key!r} is not in the file")
        return []
    theirs = list(_with_data(parent, by_key, ()))
    theirs += _above(parent, theirs, by_key, (*seen, key))
    held = "journaltitle" if parent.type.lower() == "periodical" else "booktitle"
    theirs += [(held, value) for name, value in theirs if name.lower() == "title"]
    return [
        (name, value)
        for name, value in theirs
        if name.lower() not in _OWN and name.lower() not in have
    ]
