"""A section as a Word document: the words behind each citation are comments beside it.

Citations and references are fields as Zotero's plug-in for Word makes them, with the records in them
(https://www.zotero.org/support/dev/client_coding/libreoffice_plugin_wire_protocol): it can
restyle them, and they are text for who has no Zotero.
"""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent

from citeloom.report.escaping import spaced
from citeloom.report.result_report import ReportSentence, ResultReport
from state.results import Reference
from tools.bibliography.text_runs import on_one_line
from tools.bibliography.write_records import to_csl

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.text.paragraph import Paragraph
    from docx.text.run import Run

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


def word(report: ResultReport) -> bytes:
    """Return the file: headings, paragraphs, references with links, comments with the evidence."""
    import docx

    made = docx.Document()
    about = made.core_properties
    about.title, about.author, about.comments = report.title, _AUTHOR, ""
    made.add_heading(report.title, level=1)
    for text in report.notices:
        made.add_paragraph(on_one_line(text), style="Intense Quote")
    sources = {
        item.marker: (
            record,
            [*report.zotero_uris.get(item.paper.id, ())] or [f"urn:citeloom:{item.paper.id}"],
        )
        for item, record in zip(report.references, to_csl(report.references), strict=True)
    }
    for sentences in report.paragraphs:
        paragraph = made.add_paragraph()
        for place, sentence in enumerate(sentences):
            if place:
                paragraph.add_run(" ")
            _add_sentence(made, paragraph, sentence, sources, by_author=not report.is_numbered)
    if report.references:
        made.add_heading("References", level=1)
    for item in report.references:
        paragraph = made.add_paragraph()
        if item is report.references[0]:
            _open_field(
                paragraph,
                'ADDIN ZOTERO_BIBL {"uncited":[],"omitted":[],"custom":[]} CSL_BIBLIOGRAPHY',
            )
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
    sources: Mapping[str, tuple[dict[str, Any], list[str]]],
    *,
    by_author: bool,
) -> None:
    """Add a sentence; each of its citations, brackets included, is one field, with a comment for each paper."""
    words = dict(sentence.support)
    parts = groupby(sentence.pieces, key=lambda piece: piece.group)
    for at, (group, pieces) in enumerate(parts):
        printed = list(pieces)
        if group is None:
            for piece in printed:
                paragraph.add_run(spaced(piece.text))
            continue
        text = "".join(spaced(piece.text) for piece in printed)
        cited = [
            {
                "id": sources[marker][0]["id"],
                "uris": sources[marker][1],
                "itemData": sources[marker][0],
                **({"suppress-author": True} if by_author and marker in group.named else {}),
            }
            for marker in group.markers
        ]
        # The same each time the file is written, and no other citation's, which Zotero would rename.
        named = f"{sentence.number}\n{at}\n{sentence.marked}"
        told = {
            "citationID": sha256(named.encode()).hexdigest()[:12],
            "properties": {"formattedCitation": text, "plainCitation": text, "noteIndex": 0},
            "citationItems": cited,
            "schema": "https://github.com/citation-style-language/schema/raw/master/csl-citation.json",
        }
        begin = _open_field(paragraph, f"ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps(told)}")
        for piece in printed:
            paragraph.add_run(spaced(piece.text))
        end = _close_field(paragraph)
        shown = {piece.marker: piece.text for piece in printed}
        for marker in group.markers:
            # Around the field, since Zotero replaces what is in it.
            if support := words.pop(marker, ""):
                whose = f"{shown.get(marker, marker)}: " if len(group.markers) > 1 else ""
                made.add_comment(
                    [begin, end], text=f"{whose}{support}", author=_AUTHOR, initials="CL"
                )


def _open_field(paragraph: "Paragraph", code: str) -> "Run":
    """Begin a field, and return its first run; what follows is how it looks, until its end."""
    begin = paragraph.add_run()
    _add(begin._r, "w:fldChar", {"w:fldCharType": "begin"})
    _add(
        paragraph.add_run()._r, "w:instrText", {"xml:space": "preserve"}
    ).text = f" {on_one_line(code)} "
    _add(paragraph.add_run()._r, "w:fldChar", {"w:fldCharType": "separate"})
    return begin


def _close_field(paragraph: "Paragraph") -> "Run":
    end = paragraph.add_run()
    _add(end._r, "w:fldChar", {"w:fldCharType": "end"})
    return end


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
                target = paragraph.part.relate_to(
                    where,
                    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink",
                    is_external=True,
                )
                _add(paragraph._p, "w:hyperlink", {"r:id": target}).append(added._r)
