"""A section as a Word document: the words behind each citation are comments beside it.

Citations and references are fields as Zotero's plug-in for Word makes them, with the records in them
(https://www.zotero.org/support/dev/client_coding/libreoffice_plugin_wire_protocol): it can
restyle them, and they are text for who has no Zotero.
"""

import json
import re
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent

from citeloom.report.escaping import spaced
from citeloom.report.result_report import ReportSentence, ResultReport
from state.results import Reference
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
_LIST = 'ADDIN ZOTERO_BIBL {"uncited":[],"omitted":[],"custom":[]} CSL_BIBLIOGRAPHY'
_SCHEMA = "https://github.com/citation-style-language/schema/raw/master/csl-citation.json"


def word(report: ResultReport) -> bytes:
    """Return the file: headings, paragraphs, references with links, comments with the evidence."""
    import docx

    made = docx.Document()
    about = made.core_properties
    about.title, about.author, about.comments = report.title, _AUTHOR, ""
    made.add_heading(report.title, level=1)
    for text in report.notices:
        made.add_paragraph(clean(text), style="Intense Quote")
    records = dict(
        zip((item.marker for item in report.references), to_csl(report.references), strict=True)
    )
    for sentences in report.paragraphs:
        paragraph = made.add_paragraph()
        for place, sentence in enumerate(sentences):
            if place:
                paragraph.add_run(" ")
            _add_sentence(made, paragraph, sentence, records)
    if report.references:
        made.add_heading("References", level=1)
    for item in report.references:
        paragraph = made.add_paragraph()
        if item is report.references[0]:
            _open_field(paragraph, _LIST)
        _add_reference(paragraph, report, item)
        if item is report.references[-1]:
            _close_field(paragraph)
    file = BytesIO()
    made.save(file)
    return file.getvalue()


def _add_sentence(
    made: "WordDocument",
    paragraph: "Paragraph",
    sentence: ReportSentence,
    records: Mapping[str, dict[str, Any]],
) -> None:
    words = dict(sentence.support)
    for piece in sentence.pieces:
        record = records.get(piece.marker)
        if record:
            _open_field(paragraph, f"ADDIN ZOTERO_ITEM CSL_CITATION {_cited(piece.text, record)}")
        run = paragraph.add_run(spaced(piece.text))
        if record:
            _close_field(paragraph)
        if support := words.pop(piece.marker, ""):
            made.add_comment(run, text=support, author=_AUTHOR, initials="CL")


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
    _add(paragraph.add_run()._r, "w:fldChar", {"w:fldCharType": "begin"})
    told = _add(paragraph.add_run()._r, "w:instrText", {"xml:space": "preserve"})
    told.text = f" {clean(code)} "
    _add(paragraph.add_run()._r, "w:fldChar", {"w:fldCharType": "separate"})


def _close_field(paragraph: "Paragraph") -> None:
    _add(paragraph.add_run()._r, "w:fldChar", {"w:fldCharType": "end"})


def _add(parent: Any, tag: str, attributes: Mapping[str, str]) -> Any:
    """Append an element of Word's own to another, and return it."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    made = OxmlElement(tag)
    for name, value in attributes.items():
        made.set(qn(name), value)
    parent.append(made)
    return made


def _add_reference(paragraph: "Paragraph", report: ResultReport, item: Reference) -> None:
    from docx.shared import Cm

    form = paragraph.paragraph_format
    form.left_indent, form.first_line_indent = Cm(1), Cm(-1)
    if report.is_numbered:
        paragraph.add_run(f"[{item.number}]\t")
        form.tab_stops.add_tab_stop(Cm(1))
    doi = item.paper.doi
    shown = f"({_ADDRESS}|{re.escape(doi)})" if doi else f"({_ADDRESS})"
    for run in report.runs[item.marker]:
        for place, text in enumerate(re.split(shown, run.text)):
            added = paragraph.add_run(text)
            font: Any = added.font
            for mark, name in _FONT.items():
                setattr(font, name, mark in run.marks or None)
            if place % 2:
                where = text if text != doi else f"https://doi.org/{percent(text, safe='/()')}"
                target = paragraph.part.relate_to(where, _HYPERLINK, is_external=True)
                _add(paragraph._p, "w:hyperlink", {"r:id": target}).append(added._r)
