"""Several papers that are bound in one file."""

import pytest

from tests.pdf.writer import BOLD, Page, pdf
from tools.errors import DocumentError
from tools.pdf.reader import read_pdf

_RIVERS = "How Rivers Remember the Floods of the Last Century"
_OWLS = "Owls Hear Voles below a Metre of Fresh Snow"
_BEES = "Bees Count the Landmarks on their Way to Clover"
_WORK = "{} A. 2015. Counting {} by hand in small valleys. Journal of Counting 4, 1-12."


def prose(subject: str, sentences: int) -> str:
    """Return prose whose words do not stand below one another, as the gutter of two columns would."""
    return " ".join(
        f"Much was said of {subject} in the years{' and years' * (at % 4)} before, and little counted."
        for at in range(sentences)
    )


def paper(title: str, authors: str, subject: str, opens: str = "Abstract") -> list[Page]:
    """Return a paper of two pages: its head and some prose, then its list of references."""
    first, last = Page(), Page()
    first.text(60, 740, title, size=15, font=BOLD)
    first.text(60, 714, authors, size=10)
    first.text(60, 680, opens, size=11, font=BOLD)
    first.paragraph(60, 664, prose(subject, 30), size=10, lead=12, width=480)
    y = last.paragraph(60, 740, prose(subject, 9), size=10, lead=12, width=480)
    last.text(60, y - 24, "References", size=11, font=BOLD)
    for name in ("Lind", "Holm", "Moss", "Orr", "Reyes"):
        y = last.paragraph(60, y - 40, _WORK.format(name, subject), size=9, hang=12) + 28
    return [first, last]


RIVERS = paper(_RIVERS, "Ann Lee and Bo Wu", "silt")
OWLS = paper(_OWLS, "Cleo Roe", "voles", "1 Introduction")
BEES = paper(_BEES, "Dan Fox and Eva Ash", "clover")


def test_second_paper_is_left_out_of_the_first_and_told() -> None:
    document = read_pdf(pdf([*RIVERS, *OWLS]), name="two.pdf")
    assert document.title == _RIVERS
    assert [author.name for author in document.authors] == ["Ann Lee", "Bo Wu"]
    assert "silt" in document.text
    assert "voles" not in document.text
    assert [(part.where, part.cause) for part in document.unread] == [
        ("pages 3 to 4", f"another paper begins there, “{_OWLS}”: save it as a file of its own")
    ]


def test_volume_is_not_taken_for_one_paper() -> None:
    cover = Page()
    cover.text(60, 640, "Proceedings of the Valley", size=20, font=BOLD)
    with pytest.raises(
        DocumentError, match=rf"^three\.pdf holds several papers.*{_RIVERS}"
    ) as caught:
        read_pdf(pdf([cover, *RIVERS, *OWLS, *BEES]), name="three.pdf")
    assert "split it" in caught.value.remedy


def test_paper_behind_a_cover_of_the_same_title_is_one_paper() -> None:
    cover = Page()
    cover.text(60, 640, _OWLS, size=20, font=BOLD)
    document = read_pdf(pdf([cover, *OWLS]), name="cover.pdf")
    assert document.unread == ()
    assert "voles" in document.text


def test_paper_that_is_there_twice_is_no_other_paper() -> None:
    preprint = paper(f"{_OWLS} (V2)", "Cleo Roe", "voles")
    assert read_pdf(pdf([*OWLS, *preprint]), name="twice.pdf").unread == ()


def test_two_lists_of_references_are_told_where_no_second_head_is_seen() -> None:
    pages = [*RIVERS]
    for subject in ("voles", "owls"):
        page = Page()
        page.text(60, 740, f"1 {subject.title()}", size=11, font=BOLD)
        y = 716.0
        for _ in range(12):
            y = page.paragraph(60, y, prose(subject, 3), size=10, lead=12, width=480) - 12
        pages.append(page)
    document = read_pdf(pdf([*pages, OWLS[1]]), name="lists.pdf")
    assert document.unread == ()
    assert document.notes == (
        "it has lists of references on pages 2 and 5: it may hold more than one paper",
    )
