"""Which paper a document is of, and what its record gains from it."""

import re
from pathlib import Path

from state.document import Document
from state.paper import Author, Paper, canonical_id, identify, merge_records, title_key
from tools.bibliography.read_record import printable

_ORIGIN = "document"
_LONGEST_TITLE = 400
"""Characters; what is longer is a paragraph that was taken for a title."""
_TELLING = 15
"""Characters of a title key: 'Introduction' is the title of many works."""


def paper_of(document: Document, *, name: str, sha256: str) -> tuple[Paper, tuple[str, ...]]:
    """Return the record that a document makes of itself, and notes for a person.

    A document without a title takes its file's name, and is a paper of its own: nothing says which
    other files are of the same.
    """
    notes, untitled = document.notes, False
    title = " ".join(printable(document.title or "").split())
    if not title or len(title) > _LONGEST_TITLE:
        title = Path(name).stem.replace("_", " ").strip() or name or sha256[:16]
        notes, untitled = (*notes, "it shows no title: the file's name stands for it"), True
    doi, arxiv = _known(document.doi, "doi:"), _known(document.arxiv, "arxiv:")
    year = document.year or _year_of(arxiv)
    authors = tuple(Author(name=text) for item in document.authors if (text := _name(item)))
    unsure = untitled or (len(title_key(title)) < _TELLING and not authors)
    key, aliases = identify(
        doi=doi, arxiv=arxiv, local=sha256[:16] if unsure and not (doi or arxiv) else None,
        title=title, year=year, first_author=authors[0].name if authors else None,
    )  # fmt: skip
    fields = {
        "title": title, "abstract": document.abstract and printable(document.abstract).strip(),
        "year": year, "authors": authors, "venue": document.venue, "doi": doi,
        "arxiv": arxiv,
    }  # fmt: skip
    known = {field: value for field, value in fields.items() if value}
    paper = Paper.model_validate(
        {"id": key, "aliases": aliases, "origin": dict.fromkeys(known, _ORIGIN), **known}
    )
    return paper, notes


def _known(value: str | None, prefix: str) -> str | None:
    """Return a bare identifier if it is one of this kind."""
    key = canonical_id(f"{prefix}{value}") if value and value.strip() else ""
    return key.removeprefix(prefix) if key.startswith(prefix) else None


def _year_of(arxiv: str | None) -> int | None:
    """Return the year that an arXiv id begins with, as in 2402.01788 and cs/9301115."""
    found = re.match(r"(?:\D+/)?(\d\d)", arxiv or "")
    return found and int(found[1]) + (1900 if int(found[1]) > 90 else 2000)


def _name(author: Author) -> str:
    return " ".join(printable(author.name).split())


def under_record(record: Paper, found: Paper) -> tuple[Paper, tuple[str, ...]]:
    """Return a record with its gaps filled from what its document says, and notes for a person.

    The record wins wherever it says something, also of the paper's identity: the identifier that a
    first page shows may be that of another version, or of a work it cites.
    """
    notes = tuple(
        f"the file shows the {word} {theirs} and its record has {mine}: the record's is taken"
        for word, mine, theirs in (
            ("DOI", record.doi, found.doi),
            ("arXiv id", record.arxiv, found.arxiv),
        )
        if mine and theirs and mine.lower() != theirs.lower()
    )
    gains = found.model_copy(
        update={
            "id": record.id,
            "aliases": _new_ids(record, found),
            "authors": () if record.authors else found.authors,
        }
    )
    return merge_records(record, gains), notes


def _new_ids(record: Paper, found: Paper) -> tuple[str, ...]:
    """Return the ids of a document that are of a kind which its record lacks."""
    have = {key.partition(":")[0] for key in (record.id, *record.aliases)}
    pairs = (("doi", record.doi, found.doi), ("arxiv", record.arxiv, found.arxiv))
    return tuple(
        canonical_id(f"{kind}:{theirs}")
        for kind, mine, theirs in pairs
        if theirs and not mine and kind not in have
    )
