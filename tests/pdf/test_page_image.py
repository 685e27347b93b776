"""Pages as pictures, with the words of a quote marked."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.pdf.writer import Page, pdf
from tools.errors import DocumentError
from tools.pdf.page_image import PageImage, page_image

QUOTE = "barn owls tell the height of a sound by the loudness at either ear"
OTHER = "The study took three years and forty birds in nine barns near the river."


def drawn(tmp_path: Path, pages: list[Page], page: int | None, quote: str) -> PageImage:
    path = tmp_path / "owls.pdf"
    path.write_bytes(pdf(pages))
    return page_image(str(path), "owls.pdf", page, quote)


def page_with(text: str, *, rotated: int = 0, upward: bool = False) -> Page:
    page = Page(rotated=rotated)
    if upward:
        page.text(300, 100, text, upward=True)
    else:
        page.paragraph(60, 700, text)
    return page


def marked_box(image: PageImage) -> tuple[int, int, int, int] | None:
    """Return where a page is yellow, in points of 1,000 across and down."""
    picture = Image.open(BytesIO(image.png)).convert("RGB")
    *_, blue = picture.split()
    red = picture.split()[0]
    dark_blue = blue.point(lambda value: 255 if value < 120 else 0)
    bright_red = red.point(lambda value: 255 if value > 200 else 0)
    both = Image.composite(dark_blue, Image.new("L", picture.size), bright_red)
    box = both.getbbox()
    wide, high = picture.size
    return box and (
        box[0] * 1000 // wide,
        box[1] * 1000 // high,
        box[2] * 1000 // wide,
        box[3] * 1000 // high,
    )


def test_words_are_marked_where_they_stand_and_nothing_else_is(tmp_path: Path) -> None:
    pages = [page_with(OTHER), page_with(f"We show how {QUOTE}. {OTHER}")]
    image = drawn(tmp_path, pages, 2, QUOTE)
    assert (image.page, image.pages, image.marked) == (2, 2, True)
    box = marked_box(image)
    assert box is not None
    left, top, right, bottom = box
    assert 90 < left < 110  # 60 of 612 points
    assert right < 500
    assert 105 < top < bottom < 145  # from 700 of 792 points down, two lines and a half
    assert image.box is not None  # a viewer cuts the page to it
    assert [round(share * 1000) for share in image.box] == pytest.approx(list(box), abs=4)


@pytest.mark.parametrize("hint", [None, 1, 3, 99])
def test_page_of_a_quote_is_found_from_any_other(tmp_path: Path, hint: int | None) -> None:
    pages = [page_with(OTHER), page_with(f"We show how {QUOTE}."), page_with(OTHER)]
    parted = QUOTE.replace("height", "he-\night")
    image = drawn(tmp_path, pages, hint, f"“{parted}”")
    assert (image.page, image.marked) == (2, True)


@pytest.mark.parametrize("quote", ["", "Pelicans store fish in pouches of skin for days"])
def test_what_is_not_there_is_not_marked(tmp_path: Path, quote: str) -> None:
    image = drawn(tmp_path, [page_with(OTHER), page_with(QUOTE)], 2, quote)
    assert (image.page, image.marked, marked_box(image)) == (2, False, None)


@pytest.mark.parametrize("rotated", [0, 90, 180, 270])
@pytest.mark.parametrize("upward", [False, True])
def test_turned_pages_are_marked_on_the_words(tmp_path: Path, rotated: int, upward: bool) -> None:
    plain = drawn(tmp_path, [page_with(QUOTE, upward=upward)], 1, "")
    image = drawn(tmp_path, [page_with(QUOTE, rotated=rotated, upward=upward)], 1, QUOTE)
    assert image.marked
    picture = Image.open(BytesIO(image.png)).convert("RGB")
    if rotated:
        picture = picture.rotate(rotated, expand=True)  # upright again
    first = Image.open(BytesIO(plain.png)).convert("L")
    ink = first.point(lambda value: 255 if value < 128 else 0).getbbox()
    blue = picture.resize(first.size).split()[2]
    box = blue.point(lambda value: 255 if value < 120 else 0).getbbox()
    assert ink is not None
    assert box is not None
    assert all(abs(one - other) < 25 for one, other in zip(ink, box, strict=True))


def test_file_that_is_none_is_told(tmp_path: Path) -> None:
    path = tmp_path / "owls.pdf"
    path.write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(DocumentError, match="owls"):
        page_image(str(path), "owls.pdf", 1, QUOTE)


def test_page_of_any_size_is_a_picture_of_bounded_size(tmp_path: Path) -> None:
    path = tmp_path / "owls.pdf"
    content = pdf([page_with(QUOTE)]).replace(b"[0 0 612 792]", b"[0 0 14400 14400]")
    path.write_bytes(content)
    picture = Image.open(BytesIO(page_image(str(path), "owls.pdf", 1, QUOTE).png))
    assert picture.size[0] * picture.size[1] < 6_200_000
