"""What an HTML page says of its article: title, authors, year, venue, identifiers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from state.document import Document
from state.paper import Author, canonical_id, title_key
from tools.documents.blocks import clean
from tools.documents.markup import Element, local
from tools.documents.visible import classes, is_hidden, text_of

_TITLES = ("citation_title", "dc.title", "dcterms.title", "og:title")
_AUTHORS = ("citation_author", "dc.creator", "dcterms.creator", "citation_authors")
_VENUES = (
    "citation_journal_title", "citation_conference_title", "citation_inbook_title", "prism.publicationname",
)  # fmt: skip
_DATES = (
    "citation_publication_date", "citation_date", "citation_online_date", "citation_year", "dc.date",
    "dcterms.date", "dcterms.issued", "article:published_time",
)  # fmt: skip
_DOIS = ("citation_doi", "dc.identifier", "prism.doi", "bepress_citation_doi")
_ABSTRACTS = ("citation_abstract", "dcterms.abstract")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_ARXIV = re.compile(
    r"arxiv(?:\.org)?[:/]\s*(?:abs/|html/|pdf/)?(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", re.I
)
_OWN_ARXIV = re.compile(
    r"^\s*\[(?:arXiv:)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\]\s*"
)
_BASE = re.compile(r"/(?:html|abs|pdf)/(\d{4}\.\d{4,5}|[a-z-]+/\d{7})(?:v\d+)?", re.I)
_MOST_AUTHORS = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What is known of the article beside its text."""

    title: str | None = None
    authors: tuple[Author, ...] = ()
    abstract: str | None = None
    year: int | None = None
    venue: str | None = None
    doi: str | None = None
    arxiv: str | None = None

    def is_title(self, words: str) -> bool:
        """Whether a heading is the title itself."""
        return bool(self.title) and title_key(words) == title_key(self.title or "")

    def document(self, **more: object) -> Document:
        """Return a document with these values, and those of `more` where they are given."""
        names = ("title", "authors", "abstract", "year", "venue", "doi", "arxiv")
        own = {name: getattr(self, name) for name in names}
        return Document.model_validate({**own, **{key: val for key, val in more.items() if val}})


def read_head(root: Element) -> Head:
    """Read the meta elements of a page, and what LaTeXML writes at the top of an article."""
    meta = _meta(root)
    page_title = (
        clean("".join(next(iter(root.iter("title")), root).itertext()))
        if any(True for _ in root.iter("title"))
        else ""
    )
    stamped = _OWN_ARXIV.match(page_title)
    title = _title(root, meta, page_title[stamped.end() :] if stamped else page_title)
    doi = next(
        (found for name in _DOIS for value in meta.get(name, []) if (found := _doi(value))), None
    )
    arxiv = _arxiv(root, meta) or (stamped[1] if stamped else None)
    return Head(
        title=title or None,
        authors=_authors(root, meta),
        abstract=clean(_first(meta, _ABSTRACTS)) or None,
        year=year_of(_first(meta, _DATES)),
        venue=clean(_first(meta, _VENUES)) or None,
        doi=doi,
        arxiv=arxiv,
    )


def year_of(text: str) -> int | None:
    """Return the year that a date in any form names."""
    found = _YEAR.search(text)
    return int(found[1]) if found else None


def _meta(root: Element) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for element in root.iter("meta"):
        name = (element.get("name") or element.get("property") or "").strip().lower()
        if name and (content := clean(element.get("content") or "")):
            values.setdefault(name, []).append(content)
    return values


def _first(meta: Mapping[str, list[str]], names: tuple[str, ...]) -> str:
    return next((meta[name][0] for name in names if name in meta), "")


def _title(root: Element, meta: Mapping[str, list[str]], page_title: str) -> str:
    tops = [one for one in root.iter("h1") if not is_hidden(one)]
    for one in tops:
        if "ltx_title_document" in classes(one):
            return clean(text_of(one, notes=False))
    if named := _first(meta, _TITLES[:3]):
        return named
    if len(tops) == 1 and (words := clean(text_of(tops[0], notes=False))):
        return words[:500]
    return (_first(meta, _TITLES[3:]) or page_title)[:500]


def _doi(value: str) -> str | None:
    key = canonical_id(value)
    return key.removeprefix("doi:") if key.startswith("doi:") else None


def _arxiv(root: Element, meta: Mapping[str, list[str]]) -> str | None:
    if named := _first(meta, ("citation_arxiv_id",)):
        return named
    for element in root.iter("base", "link"):
        address = element.get("href") or ""
        own = local(element) == "base" or (element.get("rel") or "").lower() == "canonical"
        if own and ("arxiv" in address or address.startswith("/html/")):
            found = _BASE.search(address)
            if found:
                return found[1]
    for element in root.iter("div", "a"):
        if (element.get("id") or "").startswith("watermark"):
            found = _ARXIV.search("".join(element.itertext()))
            return found[1] if found else None
    return None


def _authors(root: Element, meta: Mapping[str, list[str]]) -> tuple[Author, ...]:
    named = next((meta[name] for name in _AUTHORS if name in meta), [])
    if len(named) == 1 and ";" in named[0]:
        named = named[0].split(";")
    names = [name for one in named if (name := clean(one))] or list(_latexml_authors(root))
    return tuple(Author(name=name) for name in dict.fromkeys(names[:_MOST_AUTHORS]))


def _latexml_authors(root: Element) -> list[str]:
    """Return names only where they can be told from affiliations: one wrong name spoils identity."""
    names: list[str] = []
    for element in root.iter("span", "div"):
        if "ltx_personname" not in classes(element):
            continue
        words = element.text or ""
        for child in element:
            if local(child) in {"br", "sup", "math"} or "ltx_note" in classes(child):
                break
            words += text_of(child, notes=False) + (child.tail or "")
        for name in re.split(r"\s*(?:&|,|;|\band\b)\s*", clean(words)):
            if not name:
                continue
            if re.search(r"[\d@\\{}:/]", name) or not 2 <= len(name.split()) <= 6:
                return []
            names.append(name)
    return names
