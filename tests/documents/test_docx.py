"""Word files, made in the tests."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from state.document import Document
from tools.documents.docx import read_docx
from tools.documents.limits import Limits
from tools.documents.open import read_document
from tools.errors import DocumentError

Fill = Callable[[Any], None]


def made(fill: Fill) -> bytes:
    word = docx.Document()
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
    assert document.title == "Snails on Walls"
    assert document.abstract == "Snails climb."
    assert rows(document) == [
        ("abstract", ("Abstract",), "Snails climb."),
        ("text", walls, "We built a wall. Of stone."),
        ("list", walls, "first"),
        ("caption", walls, "Figure 1: a wall"),
        ("table", walls, "wall | snails ; east | 4"),
        ("reference", ("References",), "Snail, A. 2001. Slow."),
    ]


def test_deleted_and_hidden_words_are_left_out_and_inserted_ones_read() -> None:
    def fill(word: Any) -> None:
        space = nsdecls("w")
        for inner in (
            "<w:r><w:t xml:space='preserve'>We </w:t></w:r>"
            "<w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
            "<w:ins><w:r><w:t xml:space='preserve'>always </w:t></w:r></w:ins>"
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secretly </w:t></w:r>"
            "<w:hyperlink><w:r><w:t>measure</w:t></w:r></w:hyperlink>"
            "<w:r><w:noBreakHyphen/><w:t>ish</w:t></w:r>",
        ):
            word.element.body.insert(0, parse_xml(f"<w:p {space}>{inner}</w:p>"))

    assert rows(read(fill)) == [("text", (), "We always measure-ish")]


def test_text_in_content_controls_and_text_boxes_is_read_once() -> None:
    def fill(word: Any) -> None:
        space = (
            nsdecls("w") + ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        )
        box = "<w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent>"
        inner = (
            f"<mc:AlternateContent><mc:Choice Requires='wps'>{box}</mc:Choice>"
            f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
        )
        body = word.element.body
        body.insert(0, parse_xml(f"<w:p {space}><w:r><w:t>Outside.</w:t>{inner}</w:r></w:p>"))
        control = "<w:sdtContent><w:p><w:r><w:t>Controlled.</w:t></w:r></w:p></w:sdtContent>"
        body.insert(1, parse_xml(f"<w:sdt {space}>{control}</w:sdt>"))
        contents = (
            "<w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr>"
            "<w:sdtContent><w:p><w:r><w:t>1 Methods 3</w:t></w:r></w:p></w:sdtContent>"
        )
        body.insert(2, parse_xml(f"<w:sdt {space}>{contents}</w:sdt>"))

    assert [text for _, _, text in rows(read(fill))] == ["Outside.", "In a box.", "Controlled."]


def test_footnote_stands_behind_the_paragraph_that_calls_it() -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    def fill(word: Any) -> None:
        space = nsdecls("w")
        call = "<w:r><w:t>Snails sleep.</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>"
        word.element.body.insert(0, parse_xml(f"<w:p {space}>{call}</w:p>"))
        word.element.body.insert(
            1, parse_xml(f"<w:p {space}><w:r><w:t>And wake.</w:t></w:r></w:p>")
        )
        notes = (
            f"<w:footnotes {space}><w:footnote w:id='2'><w:p><w:r><w:t>By day.</w:t></w:r></w:p>"
            "</w:footnote></w:footnotes>"
        )
        part = Part(
            PackURI("/word/footnotes.xml"), "application/xml", notes.encode(), word.part.package
        )
        word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)

    assert rows(read(fill)) == [
        ("text", (), "Snails sleep."), ("footnote", (), "By day."), ("text", (), "And wake."),
    ]  # fmt: skip


def test_heading_by_descent_and_formula_in_a_sentence_are_read() -> None:
    def fill(word: Any) -> None:
        own = word.styles.add_style("Head of ours", 1)
        own.base_style = word.styles["Heading 2"]
        word.add_paragraph("Slime", style=own)
        space = nsdecls("w", "m")
        formula = "<m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath>"
        inner = f"<w:r><w:t xml:space='preserve'>It holds </w:t></w:r>{formula}"
        word.element.body.insert(1, parse_xml(f"<w:p {space}>{inner}<w:r><w:t>.</w:t></w:r></w:p>"))

    assert rows(read(fill)) == [("text", ("Slime",), "It holds x+1.")]


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.97])
def test_truncated_file_is_said_to_be_damaged(share: float) -> None:
    content = made(lambda word: word.add_paragraph("Snails."))
    with pytest.raises(DocumentError, match="damaged or incomplete") as caught:
        read_document(content[: int(len(content) * share)], name="a.docx")
    assert "again" in caught.value.remedy or "anew" in caught.value.remedy


def test_file_with_a_broken_part_is_said_to_be_damaged() -> None:
    content = made(lambda word: word.add_paragraph("Snails."))
    with pytest.raises(DocumentError, match="damaged or incomplete"):
        read_document(replaced(content, "word/document.xml", b"<w:document"), name="a.docx")
    with pytest.raises(DocumentError, match="damaged or incomplete"):
        read_document(packed({"word/document.xml": b"<a/>"}), name="a.docx")


def test_bombs_are_refused_before_they_are_unpacked() -> None:
    bomb = packed({"word/document.xml": b" " * 30_000_000})
    with pytest.raises(DocumentError, match="200 times its size"):
        read_document(bomb, name="a.docx")
    crowd = packed({"word/document.xml": b"<a/>", **{f"x{n}": b"" for n in range(40)}})
    with pytest.raises(DocumentError, match="41 files"):
        read_docx(crowd, name="a.docx", limits=Limits(entries=40))
    large = made(lambda word: word.add_paragraph("Snails."))
    with pytest.raises(DocumentError, match="unpacks to more than"):
        read_docx(large, name="a.docx", limits=Limits(decompressed=1000))


def test_entities_in_a_word_file_are_not_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    inner = (
        f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY l0 "HA">{laughs}]>'
        f"<w:document {nsdecls('w')}><w:body><w:p><w:r><w:t>Calm &l9;</w:t></w:r></w:p></w:body></w:document>"
    )
    content = made(lambda word: word.add_paragraph("Snails."))
    with pytest.raises(DocumentError, match="damaged"):
        read_document(replaced(content, "word/document.xml", inner.encode()), name="a.docx")


def test_file_without_text_is_refused() -> None:
    with pytest.raises(DocumentError, match="no text") as caught:
        read(lambda word: word.add_paragraph("  "))
    assert "OCR" in caught.value.remedy


def test_title_that_is_a_file_name_is_no_title() -> None:
    def fill(word: Any) -> None:
        word.core_properties.title = "Microsoft Word - draft7.docx"
        word.add_paragraph("Snails.")

    assert read(fill).title is None
