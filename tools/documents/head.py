"""What a file says of its paper beside the text: title, authors, year, venue, identifiers."""

import re
from collections.abc import Mapping, Sequence

from state.document import Document
from state.paper import Author, canonical_id
from tools.documents.blocks import clean

_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_MOST_AUTHORS = 5000
Said = Mapping[str, Sequence[str]]
"""Values by name, such as those of HTML's meta elements or of Markdown's front matter."""
_NAMES = {
    "title": ("citation_title", "dc.title", "dcterms.title", "title"),
    "abstract": ("citation_abstract", "dcterms.abstract", "abstract"),
    "year": ("citation_publication_date", "citation_date", "citation_online_date", "citation_year", "dc.date",
             "dcterms.date", "dcterms.issued", "article:published_time", "date", "year", "published"),
    "venue": ("citation_journal_title", "citation_conference_title", "citation_inbook_title",
              "prism.publicationname", "journal", "venue", "booktitle"),
    "doi": ("citation_doi", "dc.identifier", "prism.doi", "bepress_citation_doi", "doi"),
    "arxiv": ("citation_arxiv_id", "arxiv", "eprint"),
    "authors": ("citation_author", "dc.creator", "dcterms.creator", "citation_authors", "author", "authors", "by"),
}  # fmt: skip
"""Under which names a field is given, the surest first."""


def head_of(said: Said) -> Document:
    """Return a document without text of what values by name say: of a page, or of front matter."""

    def every(field: str) -> list[str]:
        given = (said[name] for name in _NAMES[field] if said.get(name))
        return [words for value in next(given, ()) if (words := clean(value))]

    def one(field: str) -> str | None:
        return next(iter(every(field)), None)

    authors = every("authors")
    if len(authors) == 1:
        authors = re.split(r"\s*;\s*|\s+and\s+", authors[0])
    every_doi = [value for name in _NAMES["doi"] for value in said.get(name, ())]
    return Document(
        title=one("title"),
        authors=authors_of(authors),
        abstract=one("abstract"),
        year=next((year for date in every("year") if (year := year_of(date))), None),
        venue=one("venue"),
        doi=next((key for value in every_doi if (key := _bare("doi", value))), None),
        arxiv=_bare("arxiv", one("arxiv") or ""),
    )


def authors_of(names: Sequence[str]) -> tuple[Author, ...]:
    """Return authors of names, each once."""
    found = dict.fromkeys(name for name in names if name.strip())
    return tuple(Author(name=name) for name in [*found][:_MOST_AUTHORS])


def year_of(text: str) -> int | None:
    """Return the year that a date in any form names."""
    found = _YEAR.search(text)
    return int(found[1]) if found else None


def _bare(kind: str, value: str) -> str | None:
    """Return a bare identifier where a value is one of this kind."""
    plain = value.strip().split("[")[0]
    forms = (plain, f"{kind}:{plain}") if plain else ()
    keys = (canonical_id(form) for form in forms)
    return next((key.partition(":")[2] for key in keys if key.startswith(f"{kind}:")), None)
