"""A section as a Word document: the words behind each citation are comments beside it.

Citations and references are fields as Zotero's plug-in for Word makes them, with the records in them
(https://www.zotero.org/support/dev/client_coding/libreoffice_plugin_wire_protocol): it can
restyle them, and they are text for who has no Zotero.
"""

import json
import re
from collections.abc import Collection, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent

from citeloom.export.document import TITLE, SectionDocument, spaced, support_of
from state.results import CitedSentence, Reference
from tools.bibliography.text_runs import clean
from tools.bibliography.write_csl import to_csl

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.text.paragraph import Paragraph

_HYPERLINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
_AUTHOR = "CiteLoom"
_ADDRESS = r"https?://[^\s<>\"“”]*[^\s<>\"“”.,;]"
_FONT = {
    "italic": "italic",
    "bold": "bold",
    "underline": "underline",
    "sup": "superscript",
    "sub": "subscript",
    "small_caps": "small_caps",
}
_CITATION = "ADDIN ZOTERO_ITEM CSL_CITATION"
_LIST = 'ADDIN ZOTERO_BIBL {"uncited":[],"omitted":[],"custom":[]} CSL_BIBLIOGRAPHY'
_SCHEMA = "https://github.com/citation-style-language/schema/raw/master/csl-citation.json"


def to_docx(document: SectionDocument) -> bytes:
    """Return the file: headings, paragraphs, references with links, comments with the evidence."""
    import docx

    word = docx.Document()
    word.core_properties.title = TITLE
    word.core_properties.author = _AUTHOR
    word.core_properties.comments = ""
    word.add_heading(TITLE, level=1)
    for text in document.notices:
        word.add_paragraph(clean(text), style="Intense Quote")
    listed = to_csl(document.references)
    records = {
        item.marker: record for item, record in zip(document.references, listed, strict=True)
    }
    for sentences in document.paragraphs:
        paragraph = word.add_paragraph()
        for place, sentence in enumerate(sentences):
            if place:
                paragraph.add_run(" ")
            _add_sentence(word, paragraph, sentence, document, records)
    if document.references:
        word.add_heading("References", level=1)
    last = len(document.references)
    for place, item in enumerate(document.references, start=1):
        paragraph = word.add_paragraph()
        if place == 1:
            _open_field(paragraph, _LIST)
        _add_reference(paragraph, document, item)
        if place == last:
            _field_char(paragraph, "end")
    file = BytesIO()
    word.save(file)
    return file.getvalue()


def _add_sentence(
    word: "WordDocument",
    paragraph: "Paragraph",
    sentence: CitedSentence,
    document: SectionDocument,
    records: Mapping[str, dict[str, Any]],
) -> None:
    verdicts = (*sentence.citations, sentence.verdict)
    # That of a sentence that cites nobody has no key, as its pieces have no marker.
    words = {item.key: support_of(item) for item in verdicts if item}
    for piece in document.pieces(sentence):
        record = records.get(piece.marker)
        if record:
            _open_field(paragraph, f"{_CITATION} {_cited(piece.text, record)}")
        run = paragraph.add_run(spaced(piece.text))
        if record:
            _field_char(paragraph, "end")
        if support := words.pop(piece.marker, ""):
            word.add_comment(run, text=support, author=_AUTHOR, initials="CL")


def _cited(text: str, record: Mapping[str, Any]) -> str:
    """Return a citation of one record as the plug-in keeps it."""
    shown = {"formattedCitation": text, "plainCitation": text}
    item = {"id": record["id"], "uris": [record.get("URL", "")], "itemData": dict(record)}
    return json.dumps(
        {
            "citationID": record["id"],
            "properties": shown,
            "citationItems": [item],
            "schema": _SCHEMA,
        }
    )


def _open_field(paragraph: "Paragraph", code: str) -> None:
    """Begin a field; what follows is how it looks, until its end."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    _field_char(paragraph, "begin")
    told = OxmlElement("w:instrText")
    told.set(qn("xml:space"), "preserve")
    told.text = f" {clean(code)} "
    paragraph.add_run()._r.append(told)
    _field_char(paragraph, "separate")


def _field_char(paragraph: "Paragraph", kind: str) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    char = OxmlElement("w:fldChar")
    char.set(qn("w:fldCharType"), kind)
    paragraph.add_run()._r.append(char)


def _add_reference(paragraph: "Paragraph", document: SectionDocument, item: Reference) -> None:
    from docx.shared import Cm

    form = paragraph.paragraph_format
    form.left_indent, form.first_line_indent = Cm(1), Cm(-1)
    if document.numbered:
        paragraph.add_run(f"[{item.number}]\t")
        form.tab_stops.add_tab_stop(Cm(1))
    doi = item.paper.doi
    shown = f"({_ADDRESS}|{re.escape(doi)})" if doi else f"({_ADDRESS})"
    for run in document.runs(item):
        for place, text in enumerate(re.split(shown, run.text)):
            address = text if text != doi else f"https://doi.org/{percent(text, safe='/()')}"
            _add_run(paragraph, text, run.marks, address if place % 2 else "")


def _add_run(paragraph: "Paragraph", text: str, marks: Collection[str], where: str) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    added = paragraph.add_run(text)
    font: Any = added.font
    for mark, name in _FONT.items():
        setattr(font, name, mark in marks or None)
    if where:
        link = OxmlElement("w:hyperlink")
        link.set(qn("r:id"), paragraph.part.relate_to(where, _HYPERLINK, is_external=True))
        paragraph._p.replace(added._r, link)
        link.append(added._r)
