"""Entries of arXiv's Atom feeds, as papers.

The arxiv package decodes an entry. Its parser is not used for the feed, because it reads a truncated
feed as a short one, and because one date that it cannot read costs the whole page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from state.paper import Author, Paper, canonical_id, identify
from tools.errors import PermanentError

SOURCE = "arxiv"

_ATOM = "{http://www.w3.org/2005/Atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_OUR_FAULT = re.compile(r"incorrect|malformed|invalid|must be|syntax|not allowed", re.IGNORECASE)
_WITHDRAWN = re.compile(
    r"^\W*withdrawn\b|\bwithdrawn (?:by|due|because|since|from arxiv)\b"
    r"|\b(?:paper|article|manuscript|submission|work|preprint|e-?print|it)\b[^.;]{0,40}\bwithdrawn\b",
    re.IGNORECASE,
)
_WITHDRAWN_TEXT = re.compile(
    r"^\W*(?:this|the) (?:paper|article|manuscript|submission|work|preprint|e-?print)\b"
    r"[^.;]{0,20}\b(?:is|was|been) withdrawn\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Page:
    """One answer."""

    papers: tuple[Paper, ...]
    total: int | None
    """How many records match in all, where it says."""


def read_page(body: str) -> Page:
    """Return the papers of a feed, each once.

    Raises:
        ValueError: The body is no whole Atom feed, or an empty one where there should be records,
            or says that arXiv failed: to ask again may help.
        PermanentError: arXiv rejects the query.
    """
    root = _feed_of(body)
    entries = list(root.iterfind(f"{_ATOM}entry"))
    for entry in entries:
        _raise_if_error(entry)
    total = _count(root.findtext(_TOTAL))
    if total and not entries:
        raise ValueError(f"arXiv's page is empty although {total} records match")
    papers = (read_entry(result) for result in _results(entries))
    return Page(
        papers=tuple({paper.id: paper for paper in papers if paper is not None}.values()),
        total=total,
    )


def _feed_of(body: str) -> Any:
    from lxml import etree

    if not body.rstrip().endswith("</feed>"):
        raise ValueError("arXiv's answer is no whole feed")
    # It recovers from a stray character, which may stand in any abstract; it opens no entity.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(body.encode(), parser=parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"arXiv's answer is no XML: {error}") from error
    if root is None or root.tag != f"{_ATOM}feed":
        raise ValueError("arXiv's answer is no Atom feed")
    return root


def _raise_if_error(entry: Any) -> None:
    if "/api/errors" not in (entry.findtext(f"{_ATOM}id") or ""):
        return
    said = " ".join((entry.findtext(f"{_ATOM}summary") or "no reason given").split())
    if _OUR_FAULT.search(said):
        raise PermanentError(f"arXiv rejects the query: {said}")
    raise ValueError(f"arXiv failed: {said}")


def _results(entries: list[Any]) -> Iterator[Any]:
    # Private, and the only part of the package that decodes: it has no public way to hand it a
    # body that something else has fetched. Hence the narrow version range in pyproject.toml.
    from arxiv import _feed

    for entry in entries:
        try:
            result = _feed._build_result(entry)
        except ValueError:  # a date that cannot be read
            continue
        if result is not None:
            yield result


def read_entry(result: Any) -> Paper | None:
    """Return an `arxiv.Result` as a paper, or None where it has no title or no id of a paper."""
    key = canonical_id(f"arxiv:{result.get_short_id()}").removeprefix("arxiv:")
    title = _plain(result.title)
    if key.startswith("local:") or title is None:
        return None
    doi = _doi(result.doi)
    names = (_plain(author.name) for author in result.authors)
    authors = tuple(Author(name=name) for name in names if name)
    abstract = _plain(result.summary)
    year = result.published.year
    values: dict[str, object] = {
        "title": title,
        "abstract": abstract,
        "year": year if 1000 <= year <= 2200 else None,
        "published": result.published.date(),
        "authors": authors or None,
        "venue": _plain(result.journal_ref) or "arXiv",
        "doi": doi,
        "arxiv": key,
        "url": f"https://arxiv.org/abs/{key}",
        "pdf": f"https://arxiv.org/pdf/{key}" if result.pdf_url else None,
        "retracted": _is_withdrawn(_plain(result.comment) or "", abstract or "") or None,
    }
    known = {name: value for name, value in values.items() if value is not None}
    first = authors[0].name if authors else None
    name, aliases = identify(doi=doi, arxiv=key, title=title, year=year, first_author=first)
    origin = dict.fromkeys(known, SOURCE)
    return Paper.model_validate({**known, "id": name, "aliases": aliases, "origin": origin})


def _is_withdrawn(comment: str, abstract: str) -> bool:
    return bool(_WITHDRAWN.search(comment) or _WITHDRAWN_TEXT.match(abstract))


def _doi(value: object) -> str | None:
    """Return the DOI of the published version; authors may have written several, or nonsense."""
    for part in str(value or "").split():
        if (key := canonical_id(part)).startswith("doi:"):
            return key.removeprefix("doi:")
    return None


def _plain(value: object) -> str | None:
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _count(value: object) -> int | None:
    text = str(value or "").strip()
    return int(text) if text.isdecimal() else None
