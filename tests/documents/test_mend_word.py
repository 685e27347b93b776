"""Word files with words changed: everything else stays, byte for byte."""

import zipfile
from io import BytesIO

import docx
import pytest

from tests.documents.test_docx import W
from tests.documents.test_word_manuscript import (
    CSL,
    char,
    code,
    control,
    fielded,
    manuscript,
    packed,
    paragraph,
    words,
)
from tools.documents.mend_word import mend_word
from tools.errors import DocumentError

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
    assert new[:2] == b"PK"
    assert parts(new) == parts(content)
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
