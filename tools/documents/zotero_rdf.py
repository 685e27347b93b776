"""Zotero RDF: items, their people, containers, tags and attachments."""

import re
from collections.abc import Iterator

from state.paper import Paper
from tools.bibliography.read_record import BadRecord, RecordError, bad_record, paper_from
from tools.documents.blocks import clean
from tools.documents.head import year_of
from tools.documents.markup import Element, parse_xml
from tools.documents.zotero import arxiv_of
from tools.errors import DocumentError, InputError

_NO_ITEMS = frozenset(
    {
        "attachment",
        "journal",
        "memo",
        "collection",
        "series",
        "person",
        "organization",
        "seq",
        "mailinglist",
    }
)
_DOI = re.compile(r"(?:doi:?\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
Row = tuple[Paper | BadRecord, list[str], list[str]]


def read_rdf(data: bytes, name: str) -> Iterator[Row]:
    """Yield each item's record, the paths of its attachments, and its tags.

    Raises:
        InputError: The file is no readable RDF.
    """
    try:
        root, _ = parse_xml(data, name)
    except DocumentError as error:
        raise InputError(f"{name} cannot be read: {error}") from error
    nodes = {one.get("about", ""): one for one in root if one.tag}
    uses: dict[str, int] = {}
    for one in root:
        for container in one.iterchildren("ispartof"):
            uses[container.get("resource", "")] = uses.get(container.get("resource", ""), 0) + 1
    for number, item in enumerate(root, start=1):
        if item.tag in {"", *_NO_ITEMS} or not _said(item, "title"):
            continue
        paths = [path for note in _linked(item, nodes) if (path := _resource(note))]
        try:
            yield _paper(item, nodes, uses), paths, _tags(item)
        except RecordError as error:
            yield bad_record(number, str(error), _said(item, "title")), [], []


def _said(element: Element, name: str) -> str:
    """Return the text of a child, of the value in it where it has one."""
    for child in element.iterchildren(name):
        value = child.find(".//value")
        return clean("".join((child if value is None else value).itertext()))
    return ""


def _paper(item: Element, nodes: dict[str, Element], uses: dict[str, int]) -> Paper:
    containers: list[Element] = []
    shared = False
    for link in item.iterchildren("ispartof"):
        key = link.get("resource", "")
        shared = uses.get(key, 0) > 1
        containers += [nodes[key]] if key in nodes else [one for one in link if one.tag]
    venue = next((title for one in containers if (title := _said(one, "title"))), None)
    # Zotero writes a DOI into the journal; in a journal of several items it is anybody's.
    holders = [item] if shared else [item, *containers]
    address = _address(item)
    date = _said(item, "date")
    return paper_from(
        {
            "title": _said(item, "title"),
            "abstract": _said(item, "abstract") or None,
            "year": year_of(date),
            "published": date if re.fullmatch(r"\d{4}-\d\d-\d\d", date) else None,
            "authors": list(_people(item)),
            "venue": venue,
            "doi": next((doi for one in holders for doi in _dois(one)), None),
            "arxiv": arxiv_of({"url": address, "archiveID": _said(item, "coverage")}, {}),
            "url": address or None,
        }
    )


def _address(item: Element) -> str:
    texts = (clean("".join(one.itertext())) for one in item.iterchildren("identifier"))
    return next((text for text in texts if re.match(r"https?://", text)), "")


def _dois(element: Element) -> Iterator[str]:
    for one in element.iterchildren("identifier"):
        if found := _DOI.search("".join(one.itertext())):
            yield found[1]


def _people(item: Element) -> Iterator[dict[str, str]]:
    for group in item.iterchildren("authors"):
        for person in group.iter("person", "organization"):
            family, given = _said(person, "surname"), _said(person, "givenname")
            if family:
                yield {"family": family, "given": given}
            elif name := _said(person, "name") or given:
                yield {"literal": name}


def _linked(item: Element, nodes: dict[str, Element]) -> Iterator[Element]:
    for link in item.iterchildren("link"):
        node = nodes.get(link.get("resource", ""))
        if node is not None and node.tag == "attachment":
            yield node
        yield from link.iterchildren("attachment")


def _resource(note: Element) -> str:
    for one in note.iterchildren("resource"):
        return str(one.get("resource", ""))
    return ""


def _tags(item: Element) -> list[str]:
    return [clean("".join(one.itertext())) for one in item.iterchildren("subject")]
