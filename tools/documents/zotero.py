"""Zotero's own items, as Better BibTeX JSON and Zotero's interfaces write them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from state.paper import Paper, canonical_id
from tools.bibliography.read_record import RecordError, paper_from
from tools.documents.head import year_of

_VENUES = (
    "publicationTitle", "proceedingsTitle", "conferenceName", "bookTitle", "university", "institution",
    "publisher",
)  # fmt: skip
_NO_PAPERS = frozenset({"attachment", "note", "annotation"})
_DAY = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_EXTRA = re.compile(r"^\s*([\w ]{2,20}):\s*(\S+)", re.MULTILINE)
_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf)/|:)\s*(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", re.IGNORECASE
)


def paper_of(item: Mapping[str, Any]) -> Paper:
    """Return the paper that an item describes.

    Raises:
        RecordError: It has no title, or is none of a paper.
    """
    if item.get("itemType") in _NO_PAPERS:
        raise RecordError(f"it is no paper but {item.get('itemType')}")
    extra = {key.lower(): value for key, value in _EXTRA.findall(_text(item, "extra"))}
    date = _text(item, "date")
    day = _DAY.search(date)
    return paper_from(
        {
            "title": _text(item, "title"),
            "abstract": _text(item, "abstractNote") or None,
            "year": year_of(date),
            "published": day[1] if day else None,
            "authors": list(_authors(item.get("creators"))),
            "venue": next((value for name in _VENUES if (value := _text(item, name))), None),
            "doi": _text(item, "DOI") or extra.get("doi"),
            "arxiv": arxiv_of(item, extra),
            "url": _text(item, "url") or None,
        }
    )


def tags_of(item: Mapping[str, Any]) -> list[str]:
    """Return the tags and keywords of an item of Zotero or CSL."""
    tags: list[str] = []
    for name in ("tags", "categories", "keywords", "keyword"):
        value = item.get(name)
        if isinstance(value, str):
            tags += re.split(r"[,;]", value)
        for one in value if isinstance(value, list) else []:
            tag = one.get("tag") if isinstance(one, Mapping) else one
            tags += [tag] if isinstance(tag, str) else []
    return tags


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _authors(creators: object) -> Iterator[dict[str, str]]:
    for one in creators if isinstance(creators, list) else []:
        if isinstance(one, Mapping) and one.get("creatorType", "author") == "author":
            family, given = _text(one, "lastName"), _text(one, "firstName")
            yield (
                {"family": family, "given": given}
                if family
                else {"literal": _text(one, "name") or given}
            )


def arxiv_of(item: Mapping[str, Any], extra: Mapping[str, str]) -> str | None:
    """Return the arXiv id that an item names in one of several places."""
    values = [_text(item, name) for name in ("archiveID", "number", "reportNumber", "url")]
    for value in [*values, extra.get("arxiv", "") and f"arXiv:{extra['arxiv']}"]:
        if found := _ARXIV.search(value):
            key = canonical_id(found[1])
            return key.removeprefix("arxiv:") if key.startswith("arxiv:") else None
    return None
