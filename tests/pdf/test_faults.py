"""Whatever is done to a PDF, it is read or refused with a remedy, and the same way each time."""

import random
import zlib
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.document import Document
from tests.pdf import papers
from tests.pdf.damage import WAYS, damaged
from tests.pdf.writer import Page, pdf
from tools.errors import DocumentError
from tools.file_limits import PageLimits
from tools.pdf.damaged_files import refuse_bombs
from tools.pdf.reader import read_pdf

PAPER = papers.paper()
SHORT = pdf([papers.later_page(2), papers.last_page()])


# One page each, encrypted with RC4 of 40 bits: without a password, and under one.
OPEN = (
    "eNqdU79r1FAcxzoZu9ZRvg5dxDN5P5PAedC79kBUrtzVOhxFXpJvzmia1CRHW+mg/gfiImI3Qegguji5qNRNcCvuDm7i4OAg+HJ3"
    "9A5PKDWEx8vnfT+f98n7ft788mKzQi5yg4AFqXfbqFbBXNneQDAbqlBx2gNzWfUwB6oL2lCrGZgEZSGdIgzrzEbaTwogYF6Jghy6"
    "vOStTRDZJDEqYoRqbWKZ/1O3HDPUukMb5jUMIlVPt6BraUASCrZL18Bsp4UqUENmG/O0n/naUanUTDV3MCEwVh6gZqfvFYPPEtS+"
    "6yrH4Yr+lSzCDMylxE+DKNGHcSNKFpI8OgRqNS1Dj69ZqadxcKQw+w/hlhdHd/t4pDY/hnZne91L45I3fPVmSaHbkYP4KxZion1X"
    "MekVt8DRUs0oLsqDbMa6PYuofWBJyosM1brhvfn8/efOh7Mz973NR49vzqxWds9cWPry9NLvbydOH6zUvr7cf7bZevjuzq+dA+P8"
    "3Nu9+vqD/U8v5mZF88fz7tyT5CS8f9U7tf/63OruXuNjY7Z0M9Ie+drKMDR0Ugzr8AEpBBMQwhhzYbiSjDHhTGGEiGmMyylMuGyM"
    "FZmKYswGB9OJ7iHIMq1peVMGib6chCmw0XwRulVmMcIoY4wzwSSzmcNcSSSVTHIppKzB0SVrgxRk2xuj8I+60ClUEqhM52+1vKht"
    "favMZahwMFtQ9V3KKZWOHSofUToStXBILE/4dmBxvYklGBE0tJEiMgsJ8aWLPudU2FJ5Oh3XoUpYqB3pwXdC5MSRruSOHyohBPVR"
    "2oGgynakT31lMzt0Qte3kOsii/kBVzhKmk6IyopB82wujPn5pVbT+ANKXVyR"
)
SECRET = (
    "eNqdk89r1EAUx6HgJQcFTx6fh56kTSbzIwksi263q6Jly27VQqkyybzUlDTZJllolR4860GUgnjTg+BF8CT0XPUk4slbD0r/AA+C"
    "4MVJdukurlBqCGHynfc+eZn3fdOLzdYMmWUGAQtSf92o1cBc2u4hmHOykHG6BuaiXMMcbB3QgXrdwESVgfZEwiDOnEv7SQEEzGuR"
    "ymGFlXmrY4l0PDEqYoRafWyb/ZNbPjPU3EEZ5gKqSDbSLVixtCCIDY5nr4LZSQtZoJbMDuZpPwt0RSWplercakFgRK5Us9v3i+q1"
    "FHXdDZnjYEf/ShZhBuZ8EqQqSvRh3IqSS0keHQn1usbYJ2fONNJYHQum/wFu+3G02cdj2ewE7O72hp/GZd7g1h9LCt2OHPhftuBj"
    "7buOyVpxF1yNakVxUR5kK9btaaKuA8ukvMhQbhi13sv3p/ee/XrwaP3Czn129uvt17uNK/tvm5+n+qc+nd9N8p+/d6cWJGvPBj/c"
    "J2+W71x8vGQ/P+Afv787PDj8svfw3Iunry4v7+986J35xpbSspohe1jXVoahoZ1iWEcXCM4phxBGmgeDnWSkcXdCI4RPakxMaNyj"
    "I63IZBRjVh1MN7qHIEq3puWkVI6+moQp0OG6CSs1alFCbUopo5wK6lCXeoIIW1DBBBeiDseHrFYuyLZ7Q/MPu9AtZKJkpv13sxzU"
    "jp4qcxFmGJhtqHl2iFbIGGdSscATjAmPhpQGlhP4nIXcdVSABG3h6kgPA5SCWI4kGApqKaXdcUNTLFuJwFLCdxypMPScQJLAIcg8"
    "armBINT3iOPbUgkMHUKkFfhMY6jjeYwKa+g07RCZFVXzHMaN6en5dsv4A1I5X6U="
)


def locked(packed: str) -> bytes:
    return zlib.decompress(b64decode(packed))


def outcome(content: bytes) -> Document | None:
    """Read bytes; anything but a document or a DocumentError is a failure."""
    with suppress(DocumentError):
        return read_pdf(content, name="some.pdf")
    return None


REFUSED = {
    "encrypted": (locked(SECRET), "is encrypted", "without a password"),
    "empty": (b" \r\n\t\0", "is empty", "again"),
    "header alone": (b"%PDF-1.7\n", "damaged", "again"),
    "page of the web": (b"<html>no paper</html>", "damaged", "again"),
    "no pages": (pdf([]), "with pages", "again"),
    "scanned": (pdf([Page(), Page()]), "no text layer", "OCR"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_cannot_be_read_is_named_with_a_remedy(fault: str) -> None:
    content, cause, remedy = REFUSED[fault]
    with pytest.raises(DocumentError, match=rf"^some\.pdf .*{cause}") as caught:
        read_pdf(content, name="some.pdf")
    assert remedy in caught.value.remedy


def test_file_without_an_end_behind_other_bytes_or_under_an_empty_password_is_read() -> None:
    for content in (b"junk of a mail\r\n" + PAPER, PAPER[: int(len(PAPER) * 0.6)]):
        assert read_pdf(content, name="some.pdf").title == papers.TITLE
    assert read_pdf(locked(OPEN), name="some.pdf").text == "Under lock and key, rivers run."


@pytest.mark.parametrize("share", [0.6, 0.99])
def test_file_without_its_end_is_told(share: float) -> None:
    document = read_pdf(PAPER[: int(len(PAPER) * share)], name="some.pdf")
    assert next((part.where, part.cause) for part in document.unread) == (
        "the end of the file",
        "the file is cut off; download it again",
    )


def test_file_shorter_than_it_says_is_told_though_its_part_has_an_end() -> None:
    head, rest = PAPER.split(b"\n", 1)
    content = head + b"\n99 0 obj\n<< /Linearized 1 /L 999999 /O 4 >>\nendobj\n" + rest
    document = read_pdf(content, name="some.pdf")
    assert document.title == papers.TITLE
    assert [part.cause for part in document.unread] == [
        f"the file is cut off: {len(content):,} of its 999,999 bytes are there; download it again"
    ]


def test_whole_file_with_something_behind_its_end_is_not_called_cut_off() -> None:
    assert read_pdf(PAPER + b"\r\n\0\0--boundary--\r\n", name="some.pdf").unread == ()


def test_pages_beyond_the_limit_are_told() -> None:
    pages = [papers.later_page(number) for number in range(1, 7)]
    document = read_pdf(pdf(pages), name="long.pdf", limits=PageLimits(pages=4))
    assert document.pages == 6
    assert max(block.page or 0 for block in document.blocks) == 4
    assert [(part.where, part.cause) for part in document.unread] == [
        ("pages 5 to 6", "only the first 4 are read")
    ]


def test_page_with_too_many_characters_or_objects_costs_only_itself() -> None:
    crowded = Page()
    for index in range(60):
        crowded.text(40, 780 - 12 * index, "crowded " * 12)
    drawn = Page(["0 0 m 9 9 l S"] * 3000)
    content = pdf([papers.first_page(), crowded, drawn, papers.later_page(2)])
    limits = PageLimits(page_characters=5_000, page_objects=2_000)
    document = read_pdf(content, name="crowd.pdf", limits=limits)
    assert [part.where for part in document.unread] == ["page 2", "page 3"]
    assert "characters" in document.unread[0].cause
    assert "objects" in document.unread[1].cause
    assert "crowded" not in document.text
    assert "The other valleys" in document.text


def test_file_with_too_many_characters_is_read_so_far() -> None:
    content = pdf([papers.later_page(number) for number in range(1, 6)])
    document = read_pdf(content, name="endless.pdf", limits=PageLimits(characters=2_000))
    assert [part.where for part in document.unread] == ["page 3", "page 4", "page 5"]


def test_stream_that_unpacks_without_end_is_refused() -> None:
    packed = zlib.compress(b"0 0 m 9 9 l S\n" * 6_000_000, 9)
    bomb = b"%%PDF-1.4\n1 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed)
    content = bomb + packed + b"\nendstream\nendobj\n" + PAPER
    with pytest.raises(DocumentError, match="unpacks to more than 16 MiB"):
        read_pdf(content, name="bomb.pdf", limits=PageLimits(stream=16 << 20))


def test_threads_may_read_at_the_same_time() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: outcome(SHORT), range(8)))
    assert all(document == outcome(SHORT) for document in found)
    assert found[0] is not None


def test_text_far_outside_the_page_is_left_out_at_once() -> None:
    page = papers.first_page()
    for index in range(40):
        page.text(50_000_000 + index, -30_000_000 * index, "nobody sees this line of text")
    document = read_pdf(pdf([page]), name="far.pdf")
    assert "nobody" not in document.text
    assert document.title == papers.TITLE


def test_words_that_were_recognised_in_pictures_are_told() -> None:
    scan = papers.first_page()
    scan.parts.insert(0, "3 Tr")  # drawn invisibly, as programs lay words on the picture of a page
    (note,) = read_pdf(pdf([scan]), name="scan.pdf").notes
    assert "comes from scanned pages (OCR)" in note
    assert read_pdf(PAPER, name="some.pdf").notes == ()


def stream(data: bytes, head: bytes = b"/Filter /FlateDecode", line: bytes = b"\n") -> bytes:
    return b"1 0 obj\n<< %s >>\nstream%s%s\nendstream\nendobj\n" % (head, line, data)


PACKED = zlib.compress(bytes(3 << 20), 9)


@pytest.mark.parametrize("line", [b"\n", b"\r\n"])
def test_stream_that_unpacks_to_more_is_refused_however_small_it_is(line: bytes) -> None:
    content = stream(b"q Q", b"") + stream(PACKED, line=line)
    with pytest.raises(
        DocumentError, match=r"bomb\.pdf has a part that unpacks to more than 2 MiB"
    ):
        refuse_bombs(content, "bomb.pdf", most=2 << 20)


@pytest.mark.parametrize(
    "content",
    [
        stream(PACKED[: len(PACKED) // 3]),
        stream(PACKED, b"/Subtype /Image /Filter /FlateDecode"),
        stream(PACKED, b""),
        stream(bytes(100_000)),
        stream(zlib.compress(b"0 0 m 9 9 l S\n" * 5000)),
        b"stream\n" * 50_000,
        b"",
    ],
    ids=["cut", "picture", "unpacked", "damaged", "small", "endless", "empty"],
)
def test_other_streams_are_let_through(content: bytes) -> None:
    refuse_bombs(content, "paper.pdf", most=2 << 20)


_RELAXED = settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])


def fuzz_outcome(content: bytes) -> Document | str:
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
    fuzz_outcome(PAPER[:length])


@_RELAXED
@given(st.sampled_from(WAYS), st.integers(0, 1 << 32))
def test_file_damaged_in_any_way_is_read_or_refused(way: str, seed: int) -> None:
    content = damaged(way, PAPER, SHORT, random.Random(seed))
    first = fuzz_outcome(content)
    assert fuzz_outcome(content) == first


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
    fuzz_outcome(pdf([page, Page(operators)]))
