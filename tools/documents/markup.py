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
LARGE = 8_000_000
"""Characters from which a parser without huge trees may meet its limits."""
_DATA = re.compile(
    r"data:[a-z/+.-]{0,60}(?:;[a-z0-9=-]{1,40})*;base64,[A-Za-z0-9+/=%\s]{200,}", re.I
)
_SIGN = re.compile(r"<!--|<\?|[\[\]<>\"']")
_CLOSED_BY = {"<!--": "-->", "<?": "?>", '"': '"', "'": "'"}
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
    text = _known_entities(_without_prolog(decoded(content).replace("\0", "")))
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
    if len(text) > LARGE:
        text = _without(_without(text, "<script", "</script"), "<style", "</style")
        text = _DATA.sub("", text)
    parser = html.HTMLParser(
        encoding="utf-8", huge_tree=False, no_network=True, recover=True,
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


def _without(text: str, begin: str, end: str) -> str:
    """Return the text without what stands from `begin` to `end`, in linear time."""
    low = text.lower()
    if len(low) != len(text):  # a few capitals have a longer small form
        low = text
    parts, position = [], 0
    while (start := low.find(begin, position)) >= 0:
        parts.append(text[position:start])
        stop = low.find(end, start)
        if stop < 0:
            return "".join(parts)
        position = low.find(">", stop) + 1
        if not position:
            return "".join(parts)
    parts.append(text[position:])
    return "".join(parts)


def _without_prolog(text: str) -> str:
    """Return XML without its declaration and document type."""
    text = text.lstrip("\ufeff \t\r\n")
    if text.startswith("<?xml"):
        text = text[text.find("?>") + 2 :] if "?>" in text else ""
    start = text.find("<!DOCTYPE", 0, 20_000)
    if start < 0 or re.search(r"<\w", text[:start]):
        return text
    return text[:start] + text[_end_of_doctype(text, start) :]


def _end_of_doctype(text: str, start: int) -> int:
    """Return where a document type ends; what is never closed goes to the end of the text."""
    depth, position = 0, start + 1
    while found := _SIGN.search(text, position):
        sign, position = found[0], found.end()
        if sign in _CLOSED_BY:
            position = text.find(_CLOSED_BY[sign], position) + len(_CLOSED_BY[sign])
            if position < found.end():
                break
        elif sign in "[<":
            depth += 1
        elif depth == 0 and sign == ">":
            return position
        else:
            depth -= 1
    return len(text)


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
    body = re.sub(r"\\(?:displaystyle|textstyle)\b\s*|%\s*\n", "", body)
    body = " ".join(body.split()).strip("$ ")
    return body[1:-1].strip() if _in_one_pair(body) else body


def _in_one_pair(body: str) -> bool:
    """Whether the brace at the beginning is closed by the one at the end."""
    if not (body.startswith("{") and body.endswith("}")):
        return False
    depth = 0
    for at, char in enumerate(body):
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return at == len(body) - 1
    return False


def math_of(element: Element) -> str:
    """Return a formula: its TeX where it is there, else its signs, apart by spaces."""
    for one in element.iter():
        if alternative := one.get("alttext"):
            return tex(alternative)
        if one.tag == "tex-math" or "tex" in one.get("encoding", "").lower():
            return tex("".join(one.itertext()))
    return clean(" ".join(one.text for one in element.iter() if one.text))
