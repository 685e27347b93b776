"""A section as a Word document: the words behind each citation are comments beside it."""

from io import BytesIO
from typing import TYPE_CHECKING, Any

from citeloom.cli.export.document import TITLE, Document, linked, spaced, support_of
from state.results import CitedSentence, Reference
from tools.bibliography.runs import Run, clean

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.text.paragraph import Paragraph

_HYPERLINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
_AUTHOR = "CiteLoom"


def to_docx(document: Document) -> bytes:
    """Return the file: headings, paragraphs, references with links, comments with the evidence."""
    import docx

    word = docx.Document()
    word.core_properties.title = TITLE
    word.core_properties.author = _AUTHOR
    word.core_properties.comments = ""
    word.add_heading(TITLE, level=1)
    for text in document.notices:
        word.add_paragraph(clean(text), style="Intense Quote")
    for sentences in document.paragraphs:
        paragraph = word.add_paragraph()
        for place, sentence in enumerate(sentences):
            if place:
                paragraph.add_run(" ")
            _add_sentence(word, paragraph, sentence, document)
    if document.references:
        word.add_heading("References", level=1)
    for item in document.references:
        _add_reference(word, document, item)
    file = BytesIO()
    word.save(file)
    return file.getvalue()


def _add_sentence(
    word: "WordDocument", paragraph: "Paragraph", sentence: CitedSentence, document: Document
) -> None:
    words = {item.key: support_of(item) for item in sentence.citations}
    for piece in document.pieces(sentence):
        run = paragraph.add_run(spaced(piece.text))
        if support := words.pop(piece.marker, ""):
            word.add_comment(run, text=support, author=_AUTHOR, initials="CL")


def _add_reference(word: "WordDocument", document: Document, item: Reference) -> None:
    from docx.shared import Cm

    paragraph = word.add_paragraph()
    form = paragraph.paragraph_format
    form.left_indent, form.first_line_indent = Cm(1), Cm(-1)
    if document.numbered:
        paragraph.add_run(f"[{item.number}]\t")
        form.tab_stops.add_tab_stop(Cm(1))
    for run, where in linked(document, item):
        _add_run(paragraph, run, where)


def _add_run(paragraph: "Paragraph", run: Run, where: str) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    added = paragraph.add_run(run.text)
    font: Any = added.font
    font.italic = "italic" in run.marks or None
    font.bold = "bold" in run.marks or None
    font.underline = "underline" in run.marks or None
    font.superscript = "sup" in run.marks or None
    font.subscript = "sub" in run.marks or None
    font.small_caps = "small_caps" in run.marks or None
    if where:
        link = OxmlElement("w:hyperlink")
        link.set(qn("r:id"), paragraph.part.relate_to(where, _HYPERLINK, is_external=True))
        paragraph._p.replace(added._r, link)
        link.append(added._r)
