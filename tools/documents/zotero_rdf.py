"""Zotero RDF: the items of an export, with the files and tags of each."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tools.documents.blocks import clean
from tools.documents.head import year_of
from tools.documents.markup import Element, parse_xml
from tools.errors import DocumentError, InputError

_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_BESIDE_ITEMS = frozenset(
    ["", "attachment", "journal", "memo", "collection", "series", "person", "organization", "seq", "mailinglist"]
)  # fmt: skip
"""Elements that stand beside the items."""
_DOI = re.compile(r"(?:doi:?\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf)/|:)\s*(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", re.IGNORECASE
)


def rdf_items(data: bytes, name: str) -> Iterator[tuple[dict[str, Any], list[str], list[str]]]:
    """Yield of each item the fields of a record, the paths of its files, and its tags.

    What has no title is left out.

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
        if item.tag not in _BESIDE_ITEMS and _said(item, "title"):
            targets = [link.get("resource", "") for link in item.iterchildren("link")]
            files = [
                nodes[key] for key in targets if key in nodes and nodes[key].tag == "attachment"
            ]
            paths = [path.get("resource", "") for file in files for path in file.iter("resource")]
            yield _fields(item, nodes, uses), paths, _all(item, "subject")


def _fields(item: Element, nodes: Mapping[str, Element], uses: Mapping[str, int]) -> dict[str, Any]:
    containers: list[Element] = []
    own = _all(item, "identifier")
    named = list(own)
    for link in item.iterchildren("ispartof"):
        key = link.get("resource", "")
        inside = [nodes[key]] if key in nodes else [one for one in link if one.tag]
        containers += inside
        # Zotero writes a DOI into the journal; in a journal of several items it is anybody's.
        named += [text for one in inside if uses[key] < 2 for text in _all(one, "identifier")]
    people = (
        one
        for group in item.iterchildren("authors")
        for one in group.iter("person", "organization")
    )
    date, coverage = _said(item, "date"), _said(item, "coverage")
    day, arxiv_id = _DAY.search(date), _ARXIV.search(" ".join([coverage, *own]))
    return {
        "title": _said(item, "title"),
        "abstract": _said(item, "abstract"),
        "year": year_of(date),
        "published": day and day[0],
        "authors": [
            {
                "family": _said(one, "surname"),
                "given": _said(one, "givenname"),
                "literal": _said(one, "name"),
            }
            for one in people
        ],
        "venue": next(filter(None, (_said(one, "title") for one in containers)), ""),
        "doi": next((found[1] for text in named if (found := _DOI.search(text))), None),
        "arxiv": arxiv_id and arxiv_id[1],
        "url": next((text for text in own if re.match(r"https?://", text)), None),
    }


def _said(element: Element, name: str) -> str:
    """Return the text of a child, of the value in it where it has one."""
    for child in element.iterchildren(name):
        value = child.find(".//value")
        return clean("".join((child if value is None else value).itertext()))
    return ""


def _all(element: Element, name: str) -> list[str]:
    return [clean("".join(child.itertext())) for child in element.iterchildren(name)]
