"""What a work of Crossref cites: DOIs, arXiv ids, and works of which only the title is known."""

import re
from collections.abc import Iterator, Mapping

from state.paper import Author, Paper, canonical_id, identify
from tools.scholar.markup import plain

SOURCE = "crossref"

_DOI_IN_TEXT = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+", re.IGNORECASE)
_ARXIV_IN_TEXT = re.compile(
    r"\barxiv(?:\.org/(?:abs|pdf)/|\W{0,3})(\d{4}\.\d{4,5})\b", re.IGNORECASE
)
_YEAR = re.compile(r"\b(1\d{3}|20\d{2})(?=[a-z]?\b)")
_INITIALS_LAST = re.compile(r"(\S.*?),?\s+((?:[A-Z]\.?[ -]?){1,3})")
_FREE_TEXTS = ("unstructured", "journal-title", "volume-title")


def cited_works(work: Mapping[str, object], own: str) -> Iterator[tuple[str, Paper | None]]:
    """Yield the canonical id of each work cited, with its record where the id is its title."""
    for one in mappings(work.get("reference")):
        text = " ".join(str(one[name]) for name in _FREE_TEXTS if name in one)
        key = doi_key(one.get("DOI")) or _id_in(text)
        paper = None
        if key is None and (paper := _cited_paper(one)) is not None:
            key = paper.id
        if key is not None and key != own:
            yield key, paper


def _id_in(text: str) -> str | None:
    if found := _ARXIV_IN_TEXT.search(text):
        return canonical_id(f"arxiv:{found[1]}")
    found = _DOI_IN_TEXT.search(text)
    return doi_key(found[0].rstrip(".,;)]}")) if found else None


def _cited_paper(reference: Mapping[str, object]) -> Paper | None:
    title = text_of(reference.get("article-title"))
    year = _YEAR.search(str(reference.get("year")))
    if title is None or year is None:
        return None
    writer = text_of(reference.get("author"))
    if writer and (found := _INITIALS_LAST.fullmatch(writer)):
        writer = f"{found[1]}, {found[2].strip()}"
    known: dict[str, object] = {"title": title, "year": int(year[1])}
    if venue := text_of(reference.get("journal-title")):
        known["venue"] = venue
    if writer:
        known["authors"] = (Author(name=writer),)
    key, _ = identify(title=title, year=int(year[1]), first_author=writer)
    # A reference names the first author only.
    return Paper.model_validate(
        {**known, "id": key, "authors_complete": False, "origin": dict.fromkeys(known, SOURCE)}
    )


def doi_key(value: object) -> str | None:
    """Return the canonical id of a DOI, that of an arXiv DOI being the arXiv id."""
    text = text_of(value)
    if text is None:
        return None
    key = canonical_id(text)
    return key if key.startswith(("doi:", "arxiv:")) else None


def text_of(value: object) -> str | None:
    """Return a text without its markup, or None where there is none."""
    return plain(value) or None if isinstance(value, str) else None


def mappings(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects of a list, and nothing where it is none."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            yield one


def mapping(value: object) -> Mapping[str, object]:
    """Return an object, empty where there is none."""
    return value if isinstance(value, dict) else {}
