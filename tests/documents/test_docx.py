"""Word files, made in the tests."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from state.document import Document
from tools.documents.docx import read_docx
from tools.documents.open_document import read_document
from tools.errors import DocumentError
from tools.file_limits import FileLimits

Fill = Callable[[Any], None]


def made(fill: Fill) -> bytes:
    word = docx.Document()
    for style in word.styles.element.xpath("w:style[@w:type='table']"):
        style.getparent().remove(style)  # nine tenths of the template, which nobody here uses
    fill(word)
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


def read(fill: Fill) -> Document:
    kind, document = read_document(made(fill), name="a.docx")
    assert kind == "docx"
    return document


def rows(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.section, block.text) for block in document.blocks]


def packed(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def replaced(content: bytes, part: str, text: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return packed({**parts, part: text})


def test_styles_make_title_headings_lists_captions_and_tables() -> None:
    def fill(word: Any) -> None:
        word.add_paragraph("Snails on Walls", style="Title")
        word.add_heading("Abstract", 1)
        word.add_paragraph("Snails climb.")
        word.add_heading("1 Methods", 1)
        word.add_heading("1.1 Walls", 2)
        word.add_paragraph("We built\ta wall.\nOf stone.")
        word.add_paragraph("first", style="List Bullet")
        word.add_paragraph("Figure 1: a wall", style="Caption")
        table = word.add_table(rows=2, cols=2)
        for number, cell in enumerate(["wall", "snails", "east", "4"]):
            table.cell(number // 2, number % 2).text = cell
        word.add_heading("References", 1)
        word.add_paragraph("Snail, A. 2001. Slow.")

    document = read(fill)
    walls = ("1 Methods", "1.1 Walls")
    assert (document.title, document.abstract) == ("Snails on Walls", "Snails climb.")
    assert rows(document) == [
        ("abstract", ("Abstract",), "Snails climb."),
        ("text", walls, "We built a wall. Of stone."),
        ("list", walls, "first"),
        ("caption", walls, "Figure 1: a wall"),
        ("table", walls, "wall | snails ; east | 4"),
        ("reference", ("References",), "Snail, A. 2001. Slow."),
    ]


W = nsdecls("w", "m") + ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
BOX = "<w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent>"
TANGLED = (
    "<w:p {}><w:r><w:t xml:space='preserve'>We </w:t></w:r>"
    "<w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
    "<w:ins><w:r><w:t xml:space='preserve'>always </w:t></w:r></w:ins>"
    "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secretly </w:t></w:r>"
    "<w:hyperlink><w:r><w:t>measure</w:t></w:r></w:hyperlink>"
    "<w:r><w:noBreakHyphen/><w:t>ish</w:t></w:r></w:p>",
    "<w:p {}><w:r><w:t>Outside.</w:t><mc:AlternateContent><mc:Choice Requires='wps'>"
    + BOX
    + "</mc:Choice>"
    "<mc:Fallback>" + BOX + "</mc:Fallback></mc:AlternateContent></w:r></w:p>",
    "<w:sdt {}><w:sdtContent><w:p><w:r><w:t>Controlled.</w:t></w:r></w:p></w:sdtContent></w:sdt>",
    "<w:sdt {}><w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr>"
    "<w:sdtContent><w:p><w:r><w:t>1 Methods 3</w:t></w:r></w:p></w:sdtContent></w:sdt>",
    "<w:p {}><w:r><w:t xml:space='preserve'>It holds </w:t></w:r><m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath>"
    "<w:r><w:t>.</w:t></w:r></w:p>",
    "<w:p {}><w:r><w:t>Snails sleep.</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>",
    "<w:p {}><w:r><w:t>And wake.</w:t></w:r></w:p>",
)
NOTES = "<w:footnotes {}><w:footnote w:id='2'><w:p><w:r><w:t>By day.</w:t></w:r></w:p></w:footnote></w:footnotes>"


def test_changes_hidden_words_boxes_controls_formulas_and_notes_are_read_as_seen() -> None:
    def fill(word: Any) -> None:
        for place, inner in enumerate(TANGLED):
            word.element.body.insert(place, parse_xml(inner.format(W)))
        package, uri = word.part.package, PackURI("/word/footnotes.xml")
        part = Part(uri, "application/xml", NOTES.format(W).encode(), package)
        word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
        own = word.styles.add_style("Head of ours", 1)
        own.base_style = word.styles["Heading 2"]
        word.add_paragraph("Slime", style=own)
        word.add_paragraph("It shines.")
        word.core_properties.title = "Microsoft Word - draft7.docx"

    document = read(fill)
    assert document.title is None  # a file's name is none
    assert rows(document) == [
        ("text", (), "We always measure-ish"),
        ("text", (), "Outside."),
        ("text", (), "In a box."),
        ("text", (), "Controlled."),
        ("text", (), "It holds x+1."),
        ("text", (), "Snails sleep."),
        ("footnote", (), "By day."),
        ("text", (), "And wake."),
        ("text", ("Slime",), "It shines."),
    ]


SNAILS = made(lambda word: word.add_paragraph("Snails."))
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
DAMAGED = {
    "cut off early": SNAILS[:500],
    "cut off late": SNAILS[: int(len(SNAILS) * 0.97)],
    "broken part": replaced(SNAILS, "word/document.xml", b"<w:document"),
    "no word file": packed({"word/document.xml": b"<a/>"}),
    "entities": replaced(
        SNAILS,
        "word/document.xml",
        f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY l0 "HA">{LAUGHS}]><w:document {W}><w:body><w:p><w:r>'
        "<w:t>Calm &l9;</w:t></w:r></w:p></w:body></w:document>".encode(),
    ),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED.keys())
def test_damaged_file_is_said_to_be_damaged_and_entities_are_not_expanded(content: bytes) -> None:
    with pytest.raises(DocumentError, match="damaged or incomplete") as caught:
        read_document(content, name="a.docx")
    assert "again" in caught.value.remedy or "anew" in caught.value.remedy


def test_bombs_are_refused_before_they_are_unpacked() -> None:
    bomb = packed({"word/document.xml": b" " * 30_000_000})
    with pytest.raises(DocumentError, match="200 times its size"):
        read_document(bomb, name="a.docx")
    crowd = packed({"word/document.xml": b"<a/>", **{f"x{n}": b"" for n in range(40)}})
    with pytest.raises(DocumentError, match="41 files"):
        read_docx(crowd, name="a.docx", limits=FileLimits(entries=40))
    with pytest.raises(DocumentError, match="unpacks to more than"):
        read_docx(SNAILS, name="a.docx", limits=FileLimits(decompressed=1000))


def test_file_without_text_is_refused() -> None:
    with pytest.raises(DocumentError, match="no text") as caught:
        read(lambda word: word.add_paragraph("  "))
    assert "OCR" in caught.value.remedy


@pytest.mark.parametrize("heading", ["References", "Reference list", "Abstract"])
def test_heading_of_a_part_is_no_title_though_it_is_the_only_one(heading: str) -> None:
    def fill(word: Any) -> None:
        word.add_paragraph("Snails climb walls at night (Lind, 2015).")
        word.add_heading(heading, 1)
        word.add_paragraph("Lind, A. (2015). Snails on walls. Walls 4, 1-12.")

    document = read(fill)
    assert document.title is None
    assert document.blocks[-1].kind == ("abstract" if heading == "Abstract" else "reference")


def test_only_heading_of_the_first_level_is_the_title_beside_that_of_the_list() -> None:
    def fill(word: Any) -> None:
        word.add_heading("Snails on Walls", 1)
        word.add_paragraph("Snails climb walls at night (Lind, 2015).")
        word.add_heading("References", 1)
        word.add_paragraph("Lind, A. (2015). Snails on walls. Walls 4, 1-12.")

    assert read(fill).title == "Snails on Walls"
