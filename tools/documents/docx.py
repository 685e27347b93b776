"""Documents of Word (.docx): made HTML by mammoth, and read like a page."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from lxml import etree

from state.document import Document
from tools.documents.file_types import check_zip, decoded
from tools.documents.html import read_article
from tools.documents.markup import BlockCollector, Element, clean, parse_html, parse_xml
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS, FileLimits

_STYLES = """
p[style-name='Title'] => h1.ltx_title_document:fresh
p[style-name='Caption'] => p.ltx_caption:fresh
p[style-name='Abstract'] => p.ltx_abstract:fresh
p[style-name^='Bibliograph'] => p.ltx_bibitem:fresh
p[style-name^='Reference'] => p.ltx_bibitem:fresh
p[style-name='EndNote Bibliography'] => p.ltx_bibitem:fresh
p[style-name^='List'] => ul > li:fresh
p[style-name='Code'] => pre:fresh
p[style-name='Source Code'] => pre:fresh
p[style-name='HTML Preformatted'] => pre:fresh
p[style-name^='TOC'] => !
p[style-name^='Table of'] => !
"""
_OF_A_FILE = (".doc", ".docx", ".pdf", ".rtf", ".tex")
_W = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main"}
_OFF = "[not(@w:val='0' or @w:val='false' or @w:val='off')]"
_UNSEEN = (
    f"//w:r[w:rPr/w:vanish{_OFF} or w:rPr/w:specVanish{_OFF}]"
    "|//w:sdt[w:sdtPr//w:docPartGallery[contains(@w:val, 'Table of')]]"
)
_FORMULA = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    ValueError,
    AttributeError,
    EOFError,
    OSError,
    IndexError,
    TypeError,
    NotImplementedError,
    RuntimeError,
)
"""What zipfile and mammoth raise over a damaged file."""


def read_docx(content: bytes, *, name: str, limits: FileLimits = FILE_LIMITS) -> Document:
    """Return the document with its insertions accepted; see tools.documents.open_document.read_document."""
    from xml.sax import SAXException

    try:
        html, title = _html(content, name, limits)
    except (*_FAULTS, etree.LxmlError, SAXException) as error:
        cause = str(error) or type(error).__name__
        raise DocumentError(
            f"{name} is a damaged or incomplete Word file: {cause}",
            remedy="open it in Word or LibreOffice, save it anew as .docx or PDF, and add that file",
        ) from error
    out = BlockCollector(name, limits)
    root, _ = parse_html(f"<body>{html}</body>".encode(), name)
    place_notes(root)
    document = read_article(root, out, Document(title=title or None))
    if not out.blocks:
        raise DocumentError(
            f"{name} has no text in it",
            remedy="if it holds pictures of pages, run text recognition (OCR) and add the result",
        )
    return document


def _html(content: bytes, name: str, limits: FileLimits) -> tuple[str, str]:
    """Return the document as HTML, and its title where one is named."""
    import mammoth

    parts, main = unpacked(content, name, limits)
    for entry, part in parts.items():
        if entry.endswith((".xml", ".rels")) and "<!DOCTYPE" in decoded(part):
            raise ValueError(f"{entry} declares a document type, as no Word file does")
    parts[main] = _seen(parts[main])
    found = mammoth.convert_to_html(
        io.BytesIO(packed(parts)),
        style_map=_STYLES + _heading_styles(parts.get("word/styles.xml", b"")),
        convert_image=mammoth.images.img_element(lambda image: {}),
    )
    return str(found.value), _title(found.value, parts.get("docProps/core.xml", b""))


def unpacked(content: bytes, name: str, limits: FileLimits) -> tuple[dict[str, bytes], str]:
    """Return the parts of a Word file, and the name of the one that holds its text.

    Raises:
        zipfile.BadZipFile, StopIteration: It is damaged, or is no Word file.
        DocumentError: It is too large.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_zip(archive, len(content), name, limits)
        parts = {entry: archive.read(entry) for entry in archive.namelist()}
    return parts, next(one for one in ("word/document.xml", "word/document2.xml") if one in parts)


def packed(parts: Mapping[str, bytes]) -> bytes:
    """Return a Word file of these parts."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for entry, part in parts.items():
            archive.writestr(entry, part)
    return content.getvalue()


def _seen(part: bytes) -> bytes:
    """Return the main part without hidden text and contents; formulas as text, which mammoth reads."""
    root = etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True))
    for element in root.xpath(_UNSEEN, namespaces=_W):
        element.getparent().remove(element)
    for element in [*root.iter(_FORMULA)]:
        run = etree.Element(f"{{{_W['w']}}}r")
        etree.SubElement(run, f"{{{_W['w']}}}t").text = "".join(element.itertext())
        element.getparent().replace(element, run)
    return bytes(etree.tostring(root))


def _heading_styles(part: bytes) -> str:
    """Return a line of mammoth's style map for each style that is a heading by outline or descent."""
    if not part.strip():
        return ""
    styles = {one.get("styleId"): one for one in parse_xml(part, "styles")[0].iter("style")}

    def level(style: Element | None, left: int = 20) -> int:
        if style is None or not left or _value(style, "name").lower() in {"title", "subtitle"}:
            return 0
        name, _, number = _value(style, "name").lower().rpartition(" ")
        if name == "heading" and number in set("123456789"):
            return int(number)
        outline = _value(style, ".//outlinelvl")
        if outline.isdecimal():  # counted from 0; 9 is body text
            return int(outline) + 1 if int(outline) < 9 else 0
        return level(styles.get(_value(style, "basedon")), left - 1)

    levels = {key: level(style) for key, style in styles.items() if key and "'" not in key}
    return "\n".join(f"p.{key} => h{min(n, 6)}:fresh" for key, n in levels.items() if n)


def _value(style: Element, path: str) -> str:
    found = style.find(path)
    return "" if found is None else found.get("val", "")


def _title(html: str, properties: bytes) -> str:
    """Return the named title, unless the text has one or a program put a file's name there."""
    if "ltx_title_document" in html or not properties.strip():
        return ""
    title = clean(parse_xml(properties, "properties")[0].findtext(".//title") or "")
    lower = title.lower()
    junk = lower.endswith(_OF_A_FILE) or lower.startswith(("microsoft word", "untitled"))
    return "" if junk or lower.rstrip("0123456789 ") == "document" else title


def place_notes(root: Element) -> None:
    """Put each footnote that stands at the end of a page where it is called."""
    notes: dict[str, Any] = {f"#{one.get('id')}": one for one in root.iter("li") if one.get("id")}
    for link in [*root.iter("a")]:
        note = notes.pop(link.get("href", ""), None)
        if note is not None:
            text = clean("".join(note.itertext())).rstrip("↑↩ ")
            note.getparent().remove(note)
            for child in [*link]:
                link.remove(child)
            link.tag, link.text = "span", text
            link.set("class", "ltx_note")
