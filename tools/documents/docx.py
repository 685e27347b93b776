"""Documents of Word (.docx): styles make headings, lists and captions; text boxes come last."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from state.document import BlockKind, Document
from tools.documents.blocks import Blocks, clean, is_abstract
from tools.documents.docx_text import Styles, footnotes, note_ids, paragraph_text
from tools.documents.limits import LIMITS, Limits, check_zip
from tools.documents.markup import Element, children, find_all, local
from tools.documents.tables import rows_text
from tools.errors import DocumentError

_KINDS: dict[str, BlockKind] = {
    "caption": "caption", "abstract": "abstract", "bibliography": "reference",
    "references": "reference", "footnote text": "footnote", "code": "code", "source code": "code",
    "html preformatted": "code", "table of figures": "text",
}  # fmt: skip
_REFERENCE = re.compile(r"endnote bibliography|^(?:bibliograph|reference)", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"^toc(?: |$)|^(?:header|footer)$|^table of (?:contents|figures)", re.IGNORECASE
)
_DAMAGED = "open it in Word or LibreOffice, save it anew as .docx or PDF, and add that file"


class DocxReader:
    """Reads .docx files (tools.documents.port.Reader)."""

    name = "docx 1"

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits

    def read(self, content: bytes, *, name: str) -> Document:
        """Return the document with its insertions accepted; see Reader.read."""
        word = self._open(content, name)
        walk = _Walk(Blocks(name, self._limits), Styles(word), footnotes(word))
        walk.body(word.element.body)
        if not walk.out.blocks:
            raise DocumentError(
                f"{name} has no text in it",
                remedy="if it holds pictures of pages, run text recognition (OCR) and add the result",
            )
        properties = word.core_properties
        title = walk.title or _no_file_name(clean(properties.title or ""))
        return Document(
            title=title or None,
            abstract=walk.out.abstract(),
            blocks=walk.out.blocks,
            reader=self.name,
        )

    def _open(self, content: bytes, name: str) -> Any:
        import docx
        from docx.opc.exceptions import OpcError
        from lxml import etree

        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                check_zip(archive, len(content), name, self._limits)
            return docx.Document(io.BytesIO(content))
        except _foreign(OpcError, etree.LxmlError) as error:
            cause = str(error) or type(error).__name__
            raise DocumentError(
                f"{name} is a damaged or incomplete Word file: {cause}", remedy=_DAMAGED
            ) from error


def _foreign(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what zipfile and python-docx raise over a damaged file."""
    own = (zipfile.BadZipFile, zlib.error, KeyError, ValueError, AttributeError, EOFError, OSError)
    return (*own, IndexError, TypeError, NotImplementedError, RuntimeError, *more)


def _no_file_name(title: str) -> str:
    """Return a title, or '' where the program that wrote the file put a file name there."""
    junk = re.search(
        r"\.(?:docx?|pdf|rtf|tex)$|^microsoft word|^document ?\d*$|^untitled", title, re.I
    )
    return "" if junk else title


class _Walk:
    """Goes through the body."""

    def __init__(self, out: Blocks, styles: Styles, notes: dict[str, str]) -> None:
        self.out = out
        self.title = ""
        self._styles = styles
        self._notes = notes

    def body(self, body: Element) -> None:
        """Take in what stands in a body, or in a content control."""
        for element in _in_order(body):
            if local(element) == "tbl":
                self._table(element)
            else:
                self._paragraph(element)

    def _paragraph(self, element: Element) -> None:
        style, level = self._styles.of(element)
        text = clean(paragraph_text(element))
        if _LEFT_OUT.search(style):
            return
        if style == "title" and not self.title:
            self.title = text
        elif level and text:
            self.out.heading(level, text)
        elif is_abstract(text):
            self.out.heading(1, text)
        else:
            self.out.add(text, self._kind(style, element))
        for number in note_ids(element):
            self.out.add(self._notes.pop(number, ""), "footnote")
        for box in find_all(element, "txbxcontent"):
            if not any(local(one) == "fallback" for one in box.iterancestors()):
                self.body(box)

    def _kind(self, style: str, element: Element) -> BlockKind:
        if style in _KINDS:
            return _KINDS[style]
        if _REFERENCE.search(style):
            return "reference"
        numbered = any(True for _ in find_all(element, "numpr"))
        return "list" if style.startswith("list") or numbered else "text"

    def _table(self, element: Element) -> None:
        rows = [
            [
                " ".join(paragraph_text(one) for one in find_all(cell, "p"))
                for cell in _parts(row, "tc")
            ]
            for row in _parts(element, "tr")
        ]
        if len(rows) == 1 and len(rows[0]) == 1:  # a frame around text
            for paragraph in find_all(element, "p"):
                self._paragraph(paragraph)
        else:
            self.out.add(rows_text(rows), "table")


def _parts(element: Element, name: str) -> Iterator[Element]:
    """Yield a table's rows or a row's cells, those in content controls too, but none of a table in it."""
    for child in element:
        if local(child) == name:
            yield child
        elif local(child) in {"sdt", "sdtcontent", "customxml"}:
            yield from _parts(child, name)


def _in_order(body: Element) -> Iterator[Element]:
    """Yield paragraphs and tables, those in content controls and custom XML too."""
    waiting = [iter(body)]
    while waiting:
        element = next(waiting[-1], None)
        if element is None:
            waiting.pop()
        elif local(element) in {"p", "tbl"}:
            yield element
        elif local(element) in {
            "sdt",
            "sdtcontent",
            "customxml",
            "ins",
            "smarttag",
        } and not _is_toc(element):
            waiting.append(iter(element))


def _is_toc(element: Element) -> bool:
    for properties in children(element, "sdtpr"):
        for gallery in find_all(properties, "docpartgallery"):
            return any("Table of" in str(value) for value in gallery.values())
    return False
