"""Opens files with pdfium and takes the words off their pages.

pdfium is not safe to use from two threads: every call is made under `LOCK`, those of
`tools.pdf.runs`, the one other module that calls it, as well.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, NamedTuple

from tools.errors import DocumentError
from tools.pdf.repair import mended
from tools.pdf.runs import Runs
from tools.pdf.upright import Sheet, sheet_of

LOCK = RLock()
_PASSWORD = 4  # FPDF_ERR_PASSWORD


class PageFault(Exception):  # noqa: N818  # caught by the reader, which records it; never shown
    """A page cannot be read; its text says why."""


class Limits(NamedTuple):
    """What of one file is read; the rest is reported as unread."""

    pages: int = 2000
    characters: int = 10_000_000
    """Once a file has had as many, its further pages are left out."""
    page_characters: int = 100_000
    page_objects: int = 200_000
    """Paths, images, pieces of text."""
    stream: int = 256 << 20
    """Bytes to which one packed part of a file, pictures apart, may unpack; else it is refused."""


LIMITS = Limits()


@contextmanager
def opened(content: bytes, name: str) -> Iterator[Any]:
    """Open a file, as a document of pypdfium2; it is closed at the end.

    Raises:
        DocumentError: It is encrypted, or pdfium finds no document with pages in it.
    """
    from pypdfium2 import PdfDocument, PdfiumError

    # Offsets count from the header where something precedes it.
    content = content[max(0, content.find(b"%PDF-", 0, 4096)) :]
    with LOCK:
        try:
            document = PdfDocument(content)
        except PdfiumError as error:
            if error.err_code == _PASSWORD:
                raise DocumentError(
                    f"{name} is encrypted and does not open without a password",
                    remedy="save a copy without a password and add that",
                ) from error
            try:
                document = PdfDocument(mended(content) or b"")
            except PdfiumError:
                raise DocumentError(
                    f"{name} is damaged: no PDF document with pages can be found in it",
                    remedy="download it again, or save it anew from a PDF viewer",
                ) from error
    try:
        yield document
    finally:
        with LOCK:
            document.close()


def pages_and_title(document: Any) -> tuple[int, str]:
    """Return how many pages an open file has, and the title that it gives itself."""
    with LOCK:
        return len(document), document.get_metadata_value("Title")[:2048].strip("\0 ")


def read_page(document: Any, index: int, limits: Limits) -> Sheet:
    """Return one page of an open file; it is closed again.

    Raises:
        PageFault: It cannot be loaded or is beyond a limit.
    """
    import pypdfium2.raw as pdfium
    from pypdfium2 import PdfiumError

    with LOCK:
        try:
            page = document.get_page(index)
        except PdfiumError as error:
            raise PageFault("the page is damaged") from error
        try:
            if (objects := pdfium.FPDFPage_CountObjects(page)) > limits.page_objects:
                raise PageFault(
                    f"it has {objects:,} objects; at most {limits.page_objects:,} are read"
                )
            text = page.get_textpage()
            if (count := text.count_chars()) > limits.page_characters:
                raise PageFault(
                    f"it has {count:,} characters; at most {limits.page_characters:,} are read"
                )
            left, bottom, right, top = page.get_cropbox()
            if right <= left or top <= bottom:
                left, bottom, right, top = page.get_mediabox()
            runs = Runs(text.raw, count)
            sheet = sheet_of(index + 1, runs.words(), (left, right, bottom, top))
            return sheet._replace(recognised=runs.are_unseen())
        except PdfiumError as error:
            raise PageFault("its text cannot be read") from error
        finally:
            page.close()
