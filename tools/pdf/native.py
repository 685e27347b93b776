"""Opens files with pdfium and takes the words off their pages.

pdfium is not safe to use from two threads: every call is made under `LOCK`, those of
`tools.pdf.runs`, the one other module that calls it, as well.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, NamedTuple

from tools.errors import DocumentError
from tools.pdf.repair import mended
from tools.pdf.runs import Runs
from tools.pdf.upright import Box, Sheet, sheet_of

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
    """Open a file; the handle is closed at the end.

    Raises:
        DocumentError: It is encrypted, or pdfium finds no document in it.
    """
    import pypdfium2.raw as pdfium

    start = content.find(b"%PDF-", 0, 4096)
    if start > 0:
        content = content[start:]  # offsets count from the header where something precedes it
    with LOCK:
        _initialise()
        handle = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
        if not handle:
            code = pdfium.FPDF_GetLastError()
            content = (code != _PASSWORD and mended(content)) or b""
            handle = content and pdfium.FPDF_LoadMemDocument64(content, len(content), None)
            if not handle:
                _refuse(code, name)
    try:
        yield handle
    finally:
        with LOCK:
            pdfium.FPDF_CloseDocument(handle)
        del content  # pdfium reads from it until here


def _initialise() -> None:
    import pypdfium2  # noqa: F401  # initialises the library once, and destroys it at exit


def _refuse(code: int, name: str) -> None:
    if code == _PASSWORD:
        raise DocumentError(
            f"{name} is encrypted and does not open without a password",
            remedy="save a copy without a password and add that",
        )
    raise DocumentError(
        f"{name} is damaged: no PDF document can be found in it",
        remedy="download it again, or save it anew from a PDF viewer",
    )


def page_count(handle: Any) -> int:
    """Return how many pages an open file has."""
    import pypdfium2.raw as pdfium

    with LOCK:
        return max(0, int(pdfium.FPDF_GetPageCount(handle)))


def named_title(handle: Any) -> str:
    """Return the title that an open file gives itself; empty where it gives none."""
    import pypdfium2.raw as pdfium

    with LOCK:
        size = min(4096, int(pdfium.FPDF_GetMetaText(handle, b"Title", None, 0)))
        if size <= 2:
            return ""
        buffer = ctypes.create_string_buffer(size)
        pdfium.FPDF_GetMetaText(handle, b"Title", buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", "ignore").strip("\0 ")


def read_page(handle: Any, index: int, limits: Limits) -> Sheet:
    """Return one page of an open file; it is closed again.

    Raises:
        PageFault: It cannot be loaded or is beyond a limit.
    """
    import pypdfium2.raw as pdfium

    with LOCK:
        page = pdfium.FPDF_LoadPage(handle, index)
        if not page:
            raise PageFault("the page is damaged")
        try:
            if (objects := pdfium.FPDFPage_CountObjects(page)) > limits.page_objects:
                raise PageFault(
                    f"it has {objects:,} objects; at most {limits.page_objects:,} are read"
                )
            text = pdfium.FPDFText_LoadPage(page)
            if not text:
                raise PageFault("its text cannot be read")
            try:
                count = pdfium.FPDFText_CountChars(text)
                if count > limits.page_characters:
                    raise PageFault(
                        f"it has {count:,} characters; at most {limits.page_characters:,} are read"
                    )
                words = Runs(text, count).words()
            finally:
                pdfium.FPDFText_ClosePage(text)
            return sheet_of(index + 1, words, _box(page))
        finally:
            pdfium.FPDF_ClosePage(page)


def _box(page: Any) -> Box:
    import pypdfium2.raw as pdfium

    values = [ctypes.c_float() for _ in range(4)]
    for ask in (pdfium.FPDFPage_GetCropBox, pdfium.FPDFPage_GetMediaBox):
        if ask(page, *values):
            left, bottom, right, top = (value.value for value in values)
            if right > left and top > bottom:
                return left, right, bottom, top
    return 0.0, 612.0, 0.0, 792.0
