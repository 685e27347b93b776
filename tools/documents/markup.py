"""Markup safely parsed, and what readers of markup share."""

import re
from html import unescape
from typing import Any

from state.document import Unread
from tools.documents.blocks import clean
from tools.documents.decode import decoded
from tools.errors import DocumentError

Element = Any
"""An element of lxml, which ships no types."""
DEEPEST = 200
"""Levels of nesting that are walked; a parser without huge trees goes to 255."""
_PROLOG = re.compile(r"\s*(?:<\?xml.*?\?>)?", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_DAMAGED = "open it in a browser to see whether it is whole, and fetch it again; or give the PDF"


def parse_xml(content: bytes, name: str) -> tuple[Element, list[Unread]]:
    """Parse XML; its document type is not read, so that no entity of its own is ever expanded.

    Elements have their names in lower case, they and attributes without namespace.

    Raises:
        DocumentError: There is no element in it.
    """
    from lxml import etree

    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False,
        huge_tree=False, recover=True, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    text = _PROLOG.sub("", decoded(content).replace("\0", "").lstrip("\ufeff"), count=1)
    text = _known_entities(_DOCTYPE.sub("", text, count=1))
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError) as error:
        raise DocumentError(f"{name} is no readable XML: {error}", remedy=_DAMAGED) from error
    if root is None:
        raise DocumentError(f"{name} is no readable XML", remedy=_DAMAGED)
    etree.strip_elements(root, etree.Entity, with_tail=False)
    for element in root.iter():  # names in lower case, without namespaces
        element.tag = element.tag.rpartition("}")[2].lower()
        for key in [key for key in element.attrib if key[0] == "{"]:
            element.set(key.rpartition("}")[2], element.attrib.pop(key))
    return root, _lost(parser)


def parse_html(content: bytes, name: str) -> tuple[Element, list[Unread]]:
    """Parse HTML as browsers do, whatever is wrong with it.

    Raises:
        DocumentError: There is no element in it.
    """
    from lxml import etree, html

    text = decoded(content).replace("\0", "")
    parser = html.HTMLParser(
        encoding="utf-8", huge_tree=True, no_network=True, recover=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError) as error:
        raise DocumentError(f"{name} is no readable HTML: {error}", remedy=_DAMAGED) from error
    return root, _lost(parser)


def _lost(parser: Any) -> list[Unread]:
    """Say where the parser gave up; other faults of markup it mends."""
    for entry in parser.error_log:
        if "LIMIT" in entry.type_name or entry.type_name == "ERR_DOCUMENT_END":
            cause = entry.message.split(", ")[0].strip()
            return [Unread(where=f"what follows line {entry.line}", cause=cause)]
    return []


def _known_entities(text: str) -> str:
    """Replace the named entities that HTML knows: XML itself knows five."""
    return re.sub(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w{1,30};", _entity, text)


def _entity(found: re.Match[str]) -> str:
    char = unescape(found[0])
    return char if char != found[0] and char not in "<>&" else " "


def tex(source: str) -> str:
    """Return TeX without what surrounds a formula."""
    body = source
    if "\\begin{document}" in body:
        body = body.split("\\begin{document}", 1)[1].split("\\end{document}", 1)[0]
    body = " ".join(re.sub(r"%\s*\n", "", body).split()).strip("$ ")
    body = re.sub(r"^\{\\(?:display|text)style\b(.*)\}$", r"\1", body)
    return re.sub(r"\\(?:display|text)style\b\s*", "", body).strip()


def math_of(element: Element) -> str:
    """Return a formula: its TeX where it is there, else its signs, apart by spaces."""
    for one in element.iter():
        if alternative := one.get("alttext"):
            return tex(alternative)
        if one.tag == "tex-math" or "tex" in one.get("encoding", "").lower():
            return tex("".join(one.itertext()))
    return clean(" ".join(one.text for one in element.iter() if one.text))
