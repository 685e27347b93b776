"""Markup safely parsed, and the blocks of a document collected from it: sections, cleaned and counted words."""

import re
import unicodedata
from typing import Any

from lxml import etree, html

from state.document import Block, BlockKind, Unread
from tools.documents.file_types import PROLOG, decoded
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS, FileLimits
from tools.text.headings import is_abstract, is_references
from tools.text.markup import unescaped

_UNSEEN = (0xAD, 0x200B, 0x2060, 0xFEFF, 0x7F, *range(9), 11, 12, *range(14, 28))
_EVEN = dict.fromkeys((*_UNSEEN, *range(0xD800, 0xE000)), "") | {0x2011: "-"}
_LONGEST_HEADING = 250  # characters; what is longer was a paragraph set like a heading
_DEEPEST = 8
ABSTRACT = ("Abstract",)


def clean(text: str) -> str:
    """Return text with white space folded, without control characters and lone surrogates."""
    text = unicodedata.normalize("NFC", text)
    return " ".join(text.translate(_EVEN).split())


class BlockCollector:
    """The blocks of one document, in reading order."""

    def __init__(self, name: str, limits: FileLimits = FILE_LIMITS) -> None:
        """Begin a document; `name` is the file's, for messages."""
        self._name = name
        self._most = limits.characters
        self._size = 0
        self._blocks: list[Block] = []
        self._path: list[tuple[int, str]] = []
        self.page: int | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What there is so far."""
        return tuple(self._blocks)

    @property
    def section(self) -> tuple[str, ...]:
        """The headings above what comes next."""
        return tuple(heading for _, heading in self._path)

    @property
    def in_references(self) -> bool:
        """Whether what comes next stands below the heading of the references."""
        return any(is_references(heading) for _, heading in self._path)

    def heading(self, level: int, text: str) -> None:
        """Begin a section; those of the same and deeper levels end."""
        words = clean(text)
        if len(words) > _LONGEST_HEADING:
            self.add(words)
        elif words:
            self.end(level)
            if len(self._path) < _DEEPEST:
                self._path.append((level, words))

    def end(self, level: int) -> None:
        """End the sections of this and of deeper levels."""
        while self._path and self._path[-1][0] >= level:
            self._path.pop()

    def add(self, text: str, kind: BlockKind = "text") -> None:
        """Add a block to the section; text below 'Abstract' or 'References' is of that kind.

        Raises:
            DocumentError: The document has grown larger than the limit.
        """
        words = clean(text)
        if not words:
            return
        self._size += len(words) + 2
        if self._size > self._most:
            raise DocumentError(
                f"{self._name} has more than {self._most / 1_000_000:g} million characters",
                remedy="split it into documents of which each is one paper or book",
            )
        section = self.section
        if kind in {"text", "list"}:
            if self.in_references:
                kind = "reference"
            elif section and is_abstract(section[0]):
                kind = "abstract"
        if kind == "abstract" and not section:
            section = ABSTRACT
        self._blocks.append(Block(text=words, section=section, page=self.page, kind=kind))

    def abstract(self) -> str | None:
        """Return the text of the abstract's blocks."""
        return " ".join(one.text for one in self._blocks if one.kind == "abstract") or None


Element = Any
"""An element of lxml, which ships no types."""
DEEPEST = 200
"""Levels of nesting that are walked; a parser without huge trees goes to 255."""
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_OF_XML = "<>&\"'"
_DAMAGED = "open it in a browser to see whether it is whole, and fetch it again; or give the PDF"


def parse_xml(content: bytes, name: str) -> tuple[Element, list[Unread]]:
    """Parse XML; its document type is not read, so that no entity of its own is ever expanded.

    Elements have their names in lower case, they and attributes without namespace.

    Raises:
        DocumentError: There is no element in it.
    """
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    text = PROLOG.sub("", decoded(content).replace("\0", "").lstrip("\ufeff"), count=1)
    text = unescaped(_DOCTYPE.sub("", text, count=1), spare=_OF_XML)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError) as error:
        raise DocumentError(f"{name} is not readable XML: {error}", remedy=_DAMAGED) from error
    if root is None:
        raise DocumentError(f"{name} is not readable XML", remedy=_DAMAGED)
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
    text = decoded(content).replace("\0", "")
    parser = html.HTMLParser(
        encoding="utf-8",
        huge_tree=True,
        no_network=True,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError) as error:
        raise DocumentError(f"{name} is not readable HTML: {error}", remedy=_DAMAGED) from error
    return root, _lost(parser)


def _lost(parser: Any) -> list[Unread]:
    """Say where the parser gave up; other faults of markup it mends."""
    for entry in parser.error_log:
        if "LIMIT" in entry.type_name or entry.type_name == "ERR_DOCUMENT_END":
            cause = entry.message.split(", ")[0].strip()
            return [Unread(where=f"what follows line {entry.line}", cause=cause)]
    return []


def tex(source: str) -> str:
    """Return TeX without what surrounds a formula."""
    body = source
    if "\\begin{document}" in body:
        body = body.split("\\begin{document}", 1)[1].split("\\end{document}", 1)[0]
    body = " ".join(body.replace("%\n", "").split()).strip("$ ")
    if body.startswith(("{\\displaystyle", "{\\textstyle")) and body.endswith("}"):
        body = body[1:-1]
    for style in ("\\displaystyle", "\\textstyle"):
        body = body.replace(f"{style} ", "").replace(style, "")
    return body.strip()


def math_of(element: Element) -> str:
    """Return a formula: its TeX where it is there, else its signs, apart by spaces."""
    for one in element.iter():
        if alternative := one.get("alttext"):
            return tex(alternative)
        if one.tag == "tex-math" or "tex" in one.get("encoding", "").lower():
            return tex("".join(one.itertext()))
    return clean(" ".join(one.text for one in element.iter() if one.text))
