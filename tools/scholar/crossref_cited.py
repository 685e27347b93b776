"""What a work of Crossref cites: DOIs, arXiv ids, and works of which only the title is known."""

import re
from collections.abc import Iterator, Mapping

from state.paper import Author, Paper, canonical_id
from tools.scholar.fields import mappings, paper_from, text_of

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
    # A reference names the first author only.
    known = {
        "title": title,
        "year": int(year[1]),
        "venue": text_of(reference.get("journal-title")),
        "authors": (Author(name=writer),) if writer else (),
    }
    return paper_from(SOURCE, known, authors_complete=False)


def doi_key(value: object) -> str | None:
    """Return the canonical id of a DOI, that of an arXiv DOI being the arXiv id."""
    text = text_of(value)
    if text is None:
        return None
    key = canonical_id(text)
    return key if key.startswith(("doi:", "arxiv:")) else None
