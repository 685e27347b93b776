"""Word manuscripts, made in the tests: what their fields cite; and words of them changed."""

import base64
import json
import zipfile
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml

from tests.documents.test_docx import W, made
from tools.documents.mend_word import mend_word
from tools.documents.word_manuscript import read_word
from tools.errors import DocumentError

SNAIL = {
    "id": 7,
    "type": "article-journal",
    "title": "Snails on walls",
    "DOI": "10.5555/snail",
    "author": [{"family": "Snail", "given": "Ann"}, {"family": "Wall", "given": "Bo"}],
    "issued": {"date-parts": [[2004, 3]]},
    "container-title": "Slime",
    "abstract": "Snails climb walls.",
}
SLUG = {"id": 8, "type": "book", "title": "Slugs", "author": [{"literal": "Slug Board"}]}
CSL = json.dumps({"citationItems": [{"id": 7, "itemData": SNAIL}, {"id": 8, "itemData": SLUG}]})
ENDNOTE = (
    "<EndNote><Cite><record><titles><title><style face='normal'>Snails on walls</style></title>"
    "<secondary-title>Slime</secondary-title></titles><contributors><authors><author>Snail, Ann</author></authors>"
    "</contributors><dates><year>2004</year></dates><electronic-resource-num>10.5555/snail</electronic-resource-num>"
    "<abstract>Snails climb walls.</abstract></record></Cite></EndNote>"
)
SOURCES = (
    "<b:Sources xmlns:b='http://schemas.openxmlformats.org/officeDocument/2006/bibliography'>"
    "<b:Source><b:Tag>Sna04</b:Tag><b:SourceType>JournalArticle</b:SourceType><b:Author><b:Author><b:NameList>"
    "<b:Person><b:Last>Snail</b:Last><b:First>Ann</b:First></b:Person></b:NameList></b:Author></b:Author>"
    "<b:Title>Snails on walls</b:Title><b:Year>2004</b:Year><b:JournalName>Slime</b:JournalName></b:Source>"
    "<b:Source><b:Tag>Bo_11</b:Tag><b:Author><b:Author><b:Corporate>Slug Board</b:Corporate></b:Author></b:Author>"
    "<b:Title>Slugs</b:Title><b:Year>2011</b:Year></b:Source>"
    "<b:Source><b:Tag>Un99</b:Tag><b:Title>Uncited</b:Title></b:Source></b:Sources>"
)


def char(kind: str, data: str = "") -> str:
    inner = f"<w:fldData>{data}</w:fldData>" if data else ""
    return f"<w:r><w:fldChar w:fldCharType='{kind}'>{inner}</w:fldChar></w:r>"


def code(text: str) -> str:
    half = len(text) // 2  # programs part long codes
    return "".join(
        f"<w:r><w:instrText xml:space='preserve'>{escape(part)}</w:instrText></w:r>"
        for part in (text[:half], text[half:])
    )


def words(text: str) -> str:
    return f"<w:r><w:t xml:space='preserve'>{escape(text)}</w:t></w:r>"


def fielded(text: str, shown: str = "(Snail & Wall, 2004)", data: str = "") -> str:
    return char("begin", data) + code(text) + char("separate") + words(shown) + char("end")


def paragraph(*runs: str) -> str:
    return f"<w:p {W}>{''.join(runs)}</w:p>"


def manuscript(*bodies: str, notes: str = "", sources: str = "") -> bytes:
    def fill(word: Any) -> None:
        for place, inner in enumerate(bodies):
            word.element.body.insert(place, parse_xml(inner))
        package = word.part.package
        for name, text, kind in (
            ("/word/footnotes.xml", notes, RELATIONSHIP_TYPE.FOOTNOTES),
            ("/customXml/item9.xml", sources, RELATIONSHIP_TYPE.CUSTOM_XML),
        ):
            if text:
                part = Part(PackURI(name), "application/xml", text.encode(), package)
                word.part.relate_to(part, kind)

    return made(fill)


def control(tag: str, inner: str) -> str:
    return f"<w:sdt><w:sdtPr><w:tag w:val='{tag}'/></w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt>"


def packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


BIBLIOGRAPHY = (
    paragraph(
        char("begin"),
        code(" ADDIN ZOTERO_BIBL {} CSL_BIBLIOGRAPHY "),
        char("separate"),
        words("Snail, A. Snails."),
    ),
    paragraph(words("Slug Board. Slugs."), char("end")),
)


@pytest.mark.parametrize(
    "field",
    [
        fielded(f" ADDIN ZOTERO_ITEM CSL_CITATION {CSL} "),
        fielded(f"ADDIN CSL_CITATION {CSL}"),
        control(f"MENDELEY_CITATION_v3_{packed(CSL).rstrip('=')}", words("(Snail & Wall, 2004)")),
        f"<w:fldSimple w:instr='{escape(f' ADDIN ZOTERO_ITEM CSL_CITATION {CSL}', {chr(39): '&apos;'})}'>"
        f"{words('(1)')}</w:fldSimple>",
    ],
)
def test_fields_of_zotero_and_mendeley_say_what_is_cited(field: str) -> None:
    content = manuscript(paragraph(words("Snails climb "), field, words(".")), *BIBLIOGRAPHY)
    text, papers = read_word(content, name="a.docx")
    assert text == "Snails climb [@snail2004; @board]."
    snail, slug = papers
    assert (snail.title, snail.doi, snail.year, snail.abstract) == (
        "Snails on walls",
        "10.5555/snail",
        2004,
        "Snails climb walls.",
    )
    assert [author.family for author in snail.authors] == ["Snail", "Wall"]
    assert "local:snail2004" in snail.aliases
    assert [author.name for author in slug.authors] == ["Slug Board"]


@pytest.mark.parametrize(
    "field",
    [
        fielded(f" ADDIN EN.CITE {ENDNOTE}"),
        char("begin", packed(ENDNOTE))
        + code(" ADDIN EN.CITE ")
        + char("begin", packed(ENDNOTE))
        + code(" ADDIN EN.CITE.DATA ")
        + char("end")
        + char("separate")
        + words("(Snail 2004)")
        + char("end"),
    ],
)
def test_fields_of_endnote_say_what_is_cited(field: str) -> None:
    listed = paragraph(fielded(" ADDIN EN.REFLIST ", "Snail, A. Snails on walls."))
    text, (snail,) = read_word(
        manuscript(paragraph(words("Snails climb "), field, words(".")), listed), name="a.docx"
    )
    assert text == "Snails climb [@snail2004]."
    assert (snail.title, snail.venue, snail.doi) == ("Snails on walls", "Slime", "10.5555/snail")


def test_words_own_sources_are_cited_by_their_tags() -> None:
    own = fielded(r" CITATION Sna04 \p 3 \l 1033 \m Bo_11 ")
    listed = paragraph(fielded(r" BIBLIOGRAPHY \l 1033 ", "Snail. Snails on walls."))
    content = manuscript(
        paragraph(words("Snails climb "), own, words(".")), listed, sources=SOURCES
    )
    text, papers = read_word(content, name="a.docx")
    assert text == "Snails climb [@Sna04; @Bo\\_11]."
    assert [(paper.title, paper.year, paper.aliases) for paper in papers] == [
        ("Snails on walls", 2004, ("local:Sna04",)),
        ("Slugs", 2011, ("local:Bo_11",)),
    ]


def test_footnotes_that_cite_stand_where_they_are_called_and_others_behind_the_text() -> None:
    notes = (
        f"<w:footnotes {W}><w:footnote w:id='2'><w:p>{fielded(f' ADDIN ZOTERO_ITEM CSL_CITATION {CSL} ')}"
        f"{words('.')}</w:p></w:footnote><w:footnote w:id='3'><w:p>{words('By day.')}</w:p></w:footnote></w:footnotes>"
    )
    called = "<w:r><w:footnoteReference w:id='{}'/></w:r>"
    content = manuscript(
        paragraph(words("Snails climb."), called.format(2)),
        paragraph(words("They sleep."), called.format(3)),
        notes=notes,
    )
    text, papers = read_word(content, name="a.docx")
    assert text == "Snails climb.[@snail2004; @board]\n\nThey sleep.[^3]\n\n[^3]: By day."
    assert len(papers) == 2


def test_raised_numbers_stay_raised_and_deleted_fields_cite_nothing() -> None:
    raised = "<w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>1,2</w:t></w:r>"
    gone = f"<w:del>{fielded(f' ADDIN ZOTERO_ITEM CSL_CITATION {CSL} ')}</w:del>"
    content = manuscript(paragraph(words("Snails climb."), raised, gone, words(" They sleep.")))
    assert read_word(content, name="a.docx") == ("Snails climb.¹,² They sleep.", [])


def test_other_fields_and_marks_of_markdown_are_left_as_they_look() -> None:
    runs = (fielded(" PAGEREF a ", "12"), words(" # a*b_c* `d` [1] <i>"))
    text, papers = read_word(manuscript(paragraph(*runs)), name="a.docx")
    assert text == "12 \\# a\\*b\\_c\\* \\`d\\` [1] \\<i>"
    assert papers == []
    plain, _ = read_word(manuscript(paragraph(*runs)), name="a.docx", plain=True)
    assert plain == "12 # a*b_c* `d` [1] <i>"


@pytest.mark.parametrize(
    "broken", ["ADDIN ZOTERO_ITEM CSL_CITATION {", "ADDIN EN.CITE <EndNote>", "CITATION Gone \\l 1"]
)
def test_field_that_cannot_be_read_stays_as_it_is_printed(broken: str) -> None:
    text, papers = read_word(manuscript(paragraph(words("So "), fielded(broken))), name="a.docx")
    assert (text, papers) == ("So (Snail & Wall, 2004)", [])


def test_damaged_file_is_told_as_a_word_file() -> None:
    with pytest.raises(DocumentError, match="damaged or incomplete Word file"):
        read_word(b"PK\x03\x04 no archive", name="a.docx")


ZOTERO = f" ADDIN ZOTERO_ITEM CSL_CITATION {CSL} "
BOLD = "<w:r><w:rPr><w:b/></w:rPr><w:t>voles</w:t></w:r>"


def parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def main(content: bytes) -> str:
    return parts(content)["word/document.xml"].decode()


def texts(content: bytes) -> list[str]:
    return [one.text for one in docx.Document(BytesIO(content)).paragraphs if one.text]


def mended(content: bytes, *fixes: tuple[str, str]) -> tuple[bytes, list[int]]:
    return mend_word(content, fixes, name="draft.docx")


def test_only_the_words_change_and_other_parts_stay_byte_for_byte() -> None:
    content = manuscript(
        paragraph(words("Owls hear "), BOLD, words(" in 2013, far off.")),
        paragraph(words("Moths steer by the moon.")),
        sources="<b/>",
    )
    new, left = mended(
        content, ("Owls hear voles in 2013, far off.", "Owls hear voles in 2014, far off.")
    )
    assert left == []
    assert texts(new) == ["Owls hear voles in 2014, far off.", "Moths steer by the moon."]
    assert BOLD[len("<w:r>") :].removesuffix("</w:r>") in main(new)
    before, after = parts(content), parts(new)
    assert list(after) == list(before)
    assert [name for name in before if before[name] != after[name]] == ["word/document.xml"]
    again, _ = mended(new, ("2014, far", "2013, far"))
    same, _ = mended(content, ("Owls", "Owls"))
    assert main(again).replace(' xml:space="preserve"', "") == main(same).replace(
        ' xml:space="preserve"', ""
    )


@pytest.mark.parametrize(
    "field",
    [
        fielded(ZOTERO, "[1]"),
        control(f"MENDELEY_CITATION_v3_{packed(CSL)}", words("[1]")),
        f"<w:fldSimple w:instr=' CITATION Sna04 '>{words('[1]')}</w:fldSimple>",
    ],
    ids=["zotero", "mendeley", "word"],
)
def test_field_stays_in_a_rewritten_sentence_and_goes_with_a_removed_one(field: str) -> None:
    content = manuscript(paragraph(words("First. Owls hear voles "), field, words(". Last.")))
    quoted, left = mended(content, ("Owls hear voles [1].", "“Owls listen for voles” [1]."))
    assert left == []
    whole = f"<w:p>{field}</w:p>"
    assert main(quoted).count("[1]") == 1
    assert ("ADDIN" in whole) == ("ADDIN" in main(quoted))
    assert ("MENDELEY" in whole) == ("MENDELEY" in main(quoted))
    assert ("w:fldSimple" in whole) == ("w:fldSimple" in main(quoted))
    assert "“Owls listen for voles” " in main(quoted)
    # Other words for what the field shows would be lost at its next update.
    assert mended(content, ("Owls hear voles [1].", "Owls hear voles [2]."))[1] == [0]
    removed, left = mended(content, ("Owls hear voles [1].", ""))
    assert left == []
    assert texts(removed) == ["First. Last."]
    for trace in ("[1]", "fldChar", "fldSimple", "MENDELEY", "instrText"):
        assert trace not in main(removed)


def test_words_that_no_fix_may_change_are_told_and_stay() -> None:
    listed = (
        paragraph(
            char("begin"),
            code(" ADDIN ZOTERO_BIBL {} CSL_BIBLIOGRAPHY "),
            char("separate"),
            words("Snail, A. 2003."),
        ),
        paragraph(words("Slug, B. 2001."), char("end")),
    )
    called = paragraph(
        words("Owls hear voles."), "<w:r><w:footnoteReference w:id='2'/></w:r>", words(" More.")
    )
    content = manuscript(called, *listed)
    new, left = mended(
        content,
        ("Snail, A. 2003.", "Snail, A. 2004."),
        ("Slug, B. 2001.", ""),
        ("Owls hear voles.", ""),
        ("", "x"),
        ("nowhere", "x"),
    )
    assert left == [0, 1, 2, 3, 4]
    assert (new[:2], parts(new)) == (b"PK", parts(content))
    moved, left = mended(content, ("Owls hear voles.", "Owls hear mice."))
    assert left == []
    assert "footnoteReference" in main(moved)
    assert "Owls hear mice." in texts(moved)[0]


def test_words_are_found_across_runs_spaces_and_raised_digits_and_notes_are_mended() -> None:
    inner = f"<w:footnote w:id='2'><w:p>{words('Crabs, 1999.')}</w:p></w:footnote>"
    note = f"<w:footnotes {W}>{inner}</w:footnotes>"
    content = manuscript(
        paragraph(
            words("Ow"),
            words("ls"),
            "<w:r><w:tab/></w:r>",
            words("hear\u00a0voles"),
            "<w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>2</w:t></w:r>",
            words(" far."),
        ),
        notes=note,
    )
    new, left = mended(
        content, ("Owls hear voles² far.", "Owls hear mice² far."), ("Crabs, 1999.", "Crabs, 1998.")
    )
    assert left == []
    assert texts(new) == ["Owls\thear\u00a0mice2 far."]
    assert b"Crabs, 1998." in parts(new)["word/footnotes.xml"]


def test_same_words_twice_are_mended_at_both_places_by_two_fixes() -> None:
    content = manuscript(paragraph(words("Owls hear. Owls hear.")))
    assert texts(mended(content, ("Owls hear.", "A."), ("Owls hear.", "B."))[0]) == ["A. B."]


@pytest.mark.parametrize("content", [b"", b"PK nothing", b"%PDF-1.4"])
def test_file_that_is_no_word_file_is_refused(content: bytes) -> None:
    with pytest.raises(DocumentError, match=r"draft\.docx"):
        mended(content, ("a", "b"))
