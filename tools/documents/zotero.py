"""Zotero's own items: as Better BibTeX JSON and Zotero's interfaces write them, and as RDF."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from state.paper import Paper, canonical_id
from tools.bibliography.read_record import RecordError, paper_from
from tools.documents.blocks import clean
from tools.documents.head import year_of
from tools.documents.markup import Element, parse_xml
from tools.errors import DocumentError, InputError

_VENUES = (
    "publicationTitle", "proceedingsTitle", "conferenceName", "bookTitle", "university", "institution",
    "publisher",
)  # fmt: skip
_NO_PAPERS = frozenset({"attachment", "note", "annotation"})
_DAY = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_BESIDE_ITEMS = frozenset(
    ["", "attachment", "journal", "memo", "collection", "series", "person", "organization", "seq", "mailinglist"]
)  # fmt: skip
"""Elements of RDF that stand beside the items."""
_EXTRA = re.compile(r"^\s*([\w ]{2,20}):\s*(\S+)", re.MULTILINE)
_DOI = re.compile(r"(?:doi:?\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
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
            "arxiv": _arxiv_of(item, extra),
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


def _arxiv_of(item: Mapping[str, Any], extra: Mapping[str, str]) -> str | None:
    values = [_text(item, name) for name in ("archiveID", "number", "reportNumber", "url")]
    for value in [*values, extra.get("arxiv", "") and f"arXiv:{extra['arxiv']}"]:
        if found := _ARXIV.search(value):
            key = canonical_id(found[1])
            return key.removeprefix("arxiv:") if key.startswith("arxiv:") else None
    return None


def rdf_items(data: bytes, name: str) -> Iterator[dict[str, Any]]:
    """Yield the items of Zotero RDF as Zotero's JSON has them; what has no title is left out.

    Raises:
        InputError: The file is no readable RDF.
    """
    try:
        root, _ = parse_xml(data, name)
    except DocumentError as error:
        raise InputError(f"{name} cannot be read: {error}") from error
    nodes = {one.get("about", ""): one for one in root if one.tag}
    links = (link.get("resource", "") for one in root for link in one.iterchildren("ispartof"))
    uses = Counter(links)
    for item in root:
        if item.tag not in _BESIDE_ITEMS and (title := _said(item, "title")):
            yield {"itemType": item.tag, "title": title, **_rdf_fields(item, nodes, uses)}


def _rdf_fields(
    item: Element, nodes: Mapping[str, Element], uses: Mapping[str, int]
) -> dict[str, Any]:
    containers: list[Element] = []
    shared = False
    for link in item.iterchildren("ispartof"):
        key = link.get("resource", "")
        shared = uses[key] > 1
        containers += [nodes[key]] if key in nodes else [one for one in link if one.tag]
    # Zotero writes a DOI into the journal; in a journal of several items it is anybody's.
    named = [
        text
        for one in (item, *containers[: 0 if shared else None])
        for text in _all(one, "identifier")
    ]
    people = [
        one
        for group in item.iterchildren("authors")
        for one in group.iter("person", "organization")
    ]
    files = [file for link in item.iterchildren("link") for file in _linked(link, nodes)]
    return {
        "abstractNote": _said(item, "abstract"),
        "date": _said(item, "date"),
        "creators": [
            {
                "lastName": _said(one, "surname"),
                "firstName": _said(one, "givenname"),
                "name": _said(one, "name"),
            }
            for one in people
        ],
        "publicationTitle": next(filter(None, (_said(one, "title") for one in containers)), ""),
        "DOI": next((found[1] for text in named if (found := _DOI.search(text))), ""),
        "archiveID": _said(item, "coverage"),
        "url": next(
            (text for text in _all(item, "identifier") if re.match(r"https?://", text)), ""
        ),
        "tags": _all(item, "subject"),
        "attachments": [
            {"path": path.get("resource", "")}
            for file in files
            for path in file.iterchildren("resource")
        ],
    }


def _linked(link: Element, nodes: Mapping[str, Element]) -> Iterator[Element]:
    node = nodes.get(link.get("resource", ""))
    if node is not None and node.tag == "attachment":
        yield node
    yield from link.iterchildren("attachment")


def _said(element: Element, name: str) -> str:
    """Return the text of a child, of the value in it where it has one."""
    for child in element.iterchildren(name):
        value = child.find(".//value")
        return clean("".join((child if value is None else value).itertext()))
    return ""


def _all(element: Element, name: str) -> list[str]:
    return [clean("".join(child.itertext())) for child in element.iterchildren(name)]
