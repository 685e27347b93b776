"""Whatever is done to a PDF, it is read or refused with a remedy, and the same way each time."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.document import Document
from tests.pdf import papers
from tests.pdf.damage import WAYS, damaged
from tests.pdf.writer import Page, pdf
from tools.errors import DocumentError
from tools.pdf.reader import read_pdf

PAPER = papers.paper()
SHORT = pdf([papers.later_page(2), papers.last_page()])
_RELAXED = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def outcome(content: bytes) -> Document | str:
    """Return the document, or the error's text; any other error fails the test."""
    try:
        document = read_pdf(content, name="some.pdf")
    except DocumentError as error:
        return f"{error}: {error.remedy or pytest.fail('it says nothing that one can do')}"
    assert all(block.text == " ".join(block.text.split()) for block in document.blocks)
    assert all(1 <= (block.page or 1) <= (document.pages or 0) for block in document.blocks)
    document.text.encode("utf-8")
    return document


@_RELAXED
@given(st.integers(0, len(PAPER)))
def test_file_cut_off_anywhere_is_read_or_refused(length: int) -> None:
    outcome(PAPER[:length])


@_RELAXED
@given(st.sampled_from(WAYS), st.integers(0, 1 << 32))
def test_file_damaged_in_any_way_is_read_or_refused(way: str, seed: int) -> None:
    content = damaged(way, PAPER, SHORT, random.Random(seed))
    first = outcome(content)
    assert outcome(content) == first


@_RELAXED
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["q", "Q", "BT", "ET", "0 Tr", "3 Tr", "T*", "/F1 9 Tf", "/F9 1 Tf", "W n"]
            ),
            st.builds(
                "{} {} {} {} {} {} {}".format,
                *[st.sampled_from([0, 1, -1, 0.001, 50, 1e9, -1e9, "1e99", "..", "-"])] * 6,
                st.sampled_from(["cm", "Tm"]),
            ),
            st.builds("({}) Tj".format, st.text("abc 12[]-", max_size=30)),
            st.builds("{} Tc {} Tw {} Tz {} TL".format, *[st.integers(-(10**6), 10**6)] * 4),
        ),
        max_size=40,
    )
)
def test_any_operators_on_a_page_are_read_or_refused(operators: list[str]) -> None:
    page = papers.first_page()
    page.parts.extend(operators)
    outcome(pdf([page, Page(operators)]))
