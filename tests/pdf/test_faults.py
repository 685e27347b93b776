import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.document import Document
from tests.pdf import papers
from tests.pdf.writer import Page, pdf
from tools.errors import DocumentError
from tools.pdf.native import Limits
from tools.pdf.reader import read_pdf

PAPER = papers.paper()
SHORT = pdf([papers.later_page(2), papers.last_page()])


def outcome(content: bytes) -> Document | None:
    """Read bytes; anything but a document or a DocumentError is a failure."""
    with suppress(DocumentError):
        return read_pdf(content, name="some.pdf")
    return None


def test_file_under_a_password_is_refused_with_a_remedy() -> None:
    with pytest.raises(DocumentError, match=r"^locked\.pdf is encrypted") as caught:
        read_pdf(pdf([papers.first_page()], password="secret"), name="locked.pdf")
    assert "without a password" in caught.value.remedy


def test_file_with_an_empty_password_is_opened() -> None:
    document = read_pdf(pdf([papers.first_page()], password=""), name="open.pdf")
    assert document.title == papers.TITLE


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b" \r\n\t "])
def test_empty_file_is_refused(content: bytes) -> None:
    with pytest.raises(DocumentError, match="is empty"):
        read_pdf(content, name="empty.pdf")


@pytest.mark.parametrize("content", [b"%PDF-1.7\n", b"<html>no paper</html>", b"\x89PNG\r\n" * 99])
def test_what_is_no_pdf_is_refused(content: bytes) -> None:
    with pytest.raises(DocumentError, match="damaged"):
        read_pdf(content, name="no.pdf")


def test_file_without_pages_is_refused() -> None:
    with pytest.raises(DocumentError, match="with pages"):
        read_pdf(pdf([]), name="bare.pdf")


def test_scanned_file_is_refused_with_a_remedy() -> None:
    with pytest.raises(DocumentError, match="no text layer") as caught:
        read_pdf(pdf([Page(), Page()]), name="scan.pdf")
    assert "OCR" in caught.value.remedy


def test_bytes_before_the_header_do_not_matter() -> None:
    document = read_pdf(b"junk of a mail\r\n" + PAPER, name="mail.pdf")
    assert document.title == papers.TITLE


def test_file_that_lost_its_end_is_read_as_far_as_it_goes() -> None:
    document = read_pdf(PAPER[: int(len(PAPER) * 0.6)], name="cut.pdf")
    assert document.title == papers.TITLE


def test_pages_beyond_the_limit_are_told() -> None:
    pages = [papers.later_page(number) for number in range(1, 7)]
    document = read_pdf(pdf(pages), name="long.pdf", limits=Limits(pages=4))
    assert document.pages == 6
    assert max(block.page or 0 for block in document.blocks) == 4
    assert [(part.where, part.cause) for part in document.unread] == [
        ("pages 5 to 6", "only the first 4 are read")
    ]


def test_page_with_too_many_characters_costs_only_itself() -> None:
    crowded = Page()
    for index in range(60):
        crowded.text(40, 780 - 12 * index, "crowded " * 12)
    content = pdf([papers.first_page(), crowded, papers.later_page(2)])
    document = read_pdf(content, name="crowd.pdf", limits=Limits(page_characters=5_000))
    assert [part.where for part in document.unread] == ["page 2"]
    assert "characters" in document.unread[0].cause
    assert "crowded" not in document.text
    assert "The other valleys" in document.text


def test_page_with_too_many_objects_costs_only_itself() -> None:
    drawn = Page(["0 0 m 9 9 l S"] * 3000)
    content = pdf([papers.first_page(), drawn])
    document = read_pdf(content, name="drawn.pdf", limits=Limits(page_objects=2_000))
    assert [part.where for part in document.unread] == ["page 2"]
    assert "objects" in document.unread[0].cause


def test_file_with_too_many_characters_is_read_so_far() -> None:
    content = pdf([papers.later_page(number) for number in range(1, 6)])
    document = read_pdf(content, name="endless.pdf", limits=Limits(characters=2_000))
    assert [part.where for part in document.unread] == ["page 3", "page 4", "page 5"]


def test_stream_that_unpacks_without_end_is_refused() -> None:
    packed = zlib.compress(b"0 0 m 9 9 l S\n" * 6_000_000, 9)
    bomb = b"%%PDF-1.4\n1 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed)
    content = bomb + packed + b"\nendstream\nendobj\n" + PAPER
    with pytest.raises(DocumentError, match="unpacks to more than 16 MiB"):
        read_pdf(content, name="bomb.pdf", limits=Limits(stream=16 << 20))


def test_thousand_pages_are_read() -> None:
    page = Page()
    page.paragraph(60, 400, "One page is like another in this book. " * 3)
    document = read_pdf(pdf([page] * 1000), name="thousand.pdf")
    assert document.pages == 1000
    assert document.unread == ()
    assert document.blocks[-1].page == 1000


def test_threads_may_read_at_the_same_time() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: outcome(SHORT), range(8)))
    assert all(document == outcome(SHORT) for document in found)
    assert found[0] is not None


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=2000))
def test_any_bytes_behind_a_header_are_read_or_refused(tail: bytes) -> None:
    outcome(b"%PDF-1.5\n" + tail)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.floats(-2000, 2000),
            st.floats(-2000, 2000),
            st.text(st.characters(max_codepoint=255), max_size=30),
            st.sampled_from([0.1, 1, 7, 9, 12, 40, 900]),
            st.sampled_from(["F1", "F2", "F3", "F4", "F9"]),
            st.booleans(),
        ),
        max_size=60,
    )
)
def test_text_at_any_place_is_read_or_refused(
    parts: list[tuple[float, float, str, float, str, bool]],
) -> None:
    page = Page()
    for x, y, text, size, font, upward in parts:
        page.text(round(x, 2), round(y, 2), text, size=size, font=font, upward=upward)
    document = outcome(pdf([page, page]))
    if document is not None:
        assert all(block.text == " ".join(block.text.split()) for block in document.blocks)
        document.text.encode("utf-8")


def test_text_far_outside_the_page_is_left_out_at_once() -> None:
    page = papers.first_page()
    for index in range(40):
        page.text(50_000_000 + index, -30_000_000 * index, "nobody sees this line of text")
    document = read_pdf(pdf([page]), name="far.pdf")
    assert "nobody" not in document.text
    assert document.title == papers.TITLE
