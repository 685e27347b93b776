"""The one module that calls pdfium: opens files and takes the words off their pages.

pdfium is not safe to use from two threads: every call is made under `LOCK`.
"""

import ctypes
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import RLock
from typing import Any, NamedTuple

from tools.errors import DocumentError
from tools.pdf.glyphs import glyph
from tools.pdf.repair import mended
from tools.pdf.upright import Box, Sheet, Style, Word, quarter_of, sheet_of, turned

LOCK = RLock()
_PASSWORD = 4  # FPDF_ERR_PASSWORD
_BOLD = re.compile(
    r"bold|black|heavy|semibold|-?medi\b|cmbx|cmssbx|sfbx|ecbx|[^a-z]bx\d|-b$|tb$|tzb", re.I
)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|sfti|ecti|-it?$|ti$|medi?um?it", re.I)
_MATH = re.compile(
    r"cmmi|cmsy|cmex|cmbsy|cmmib|msam|msbm|eufm|math|symbol|mtsy|mtmi|mtex|rtxmi|txsy|txex|txmi|"
    r"pxsy|pxmi|rsfs|stmary|euex|lasy|wasy|esint|dsrom|bbm|ntxmi|ntxsy|mi\d+$",
    re.I,
)


class PageFault(Exception):  # noqa: N818  # caught by the reader, which records it; never shown
    """A page cannot be read; its text says why."""


class Limits(NamedTuple):
    """What one page may have."""

    characters: int
    objects: int


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
            if (objects := pdfium.FPDFPage_CountObjects(page)) > limits.objects:
                raise PageFault(f"it has {objects:,} objects; at most {limits.objects:,} are read")
            text = pdfium.FPDFText_LoadPage(page)
            if not text:
                raise PageFault("its text cannot be read")
            try:
                count = pdfium.FPDFText_CountChars(text)
                if count > limits.characters:
                    raise PageFault(
                        f"it has {count:,} characters; at most {limits.characters:,} are read"
                    )
                words = _Runs(text, max(0, count)).words()
            finally:
                pdfium.FPDFText_ClosePage(text)
            return sheet_of(index + 1, words, _box(page))
        finally:
            pdfium.FPDF_ClosePage(page)


def _quick(function: Any, result: Any) -> Any:
    prototype = ctypes.PYFUNCTYPE(result, ctypes.c_void_p, ctypes.c_int)
    return prototype(ctypes.cast(function, ctypes.c_void_p).value or 0)


class _Runs:
    """Takes the runs of one page; owns the C variables that pdfium writes to."""

    def __init__(self, text: Any, count: int) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._text = text
        self._count = count
        self._doubles = [ctypes.c_double() for _ in range(4)]
        self._name = ctypes.create_string_buffer(256)
        self._flags = ctypes.c_int()
        self._matrix = pdfium.FS_MATRIX()
        self._styles: dict[int, Style] = {}
        # called for every character: pointers as plain numbers, and no switch of threads
        self._unicode_of = _quick(pdfium.FPDFText_GetUnicode, ctypes.c_uint)
        self._object_of = _quick(pdfium.FPDFText_GetTextObject, ctypes.c_void_p)
        self._address = ctypes.cast(text, ctypes.c_void_p)

    def words(self) -> list[Word]:
        found: list[Word] = []
        pieces: list[str] = []
        start = end = 0
        current, glued = 0, False
        page, unicode_of, object_of = self._address, self._unicode_of, self._object_of
        for index in range(self._count):
            piece = glyph(unicode_of(page, index))
            if not piece:
                continue
            blank = piece == " "
            owner = 0 if blank else object_of(page, index) or current
            if pieces and (blank or owner != current):
                found.append(self._word("".join(pieces), start, end, current, glued))
                glued = True
                pieces = []
            if blank:
                glued = False
                continue
            if not pieces:
                start, current = index, owner
            end = index
            pieces.append(piece)
        if pieces:
            found.append(self._word("".join(pieces), start, end, current, glued))
        return found

    def _word(self, text: str, start: int, end: int, owner: int, glued: bool) -> Word:
        style = self._styles.get(owner)
        if style is None:
            style = self._styles[owner] = self._style(start)
        left, right, bottom, top = self._doubles
        box = self._pdfium.FPDFText_GetCharBox
        box(self._text, start, left, right, bottom, top)
        first = (left.value, right.value, bottom.value, top.value)
        box(self._text, end, left, right, bottom, top)
        self_last = (left.value, right.value, bottom.value, top.value)
        x, y = self._doubles[0], self._doubles[1]
        self._pdfium.FPDFText_GetCharOrigin(self._text, start, x, y)
        corners = turned(style.quarter, first, self_last, x.value, y.value)
        return Word(text, *corners, style, glued)

    def _style(self, index: int) -> Style:
        pdfium = self._pdfium
        pdfium.FPDFText_GetFontInfo(self._text, index, self._name, 256, self._flags)
        pdfium.FPDFText_GetMatrix(self._text, index, self._matrix)
        m = self._matrix
        size = pdfium.FPDFText_GetFontSize(self._text, index) * math.hypot(m.c, m.d)
        name = self._name.value.decode("utf-8", "replace").rpartition("+")[2]
        weight = pdfium.FPDFText_GetFontWeight(self._text, index)
        bold, italic, maths = _by_name(name)
        heavy = not bold and weight >= 600
        italic = italic or bool(self._flags.value & 64)
        size = size if math.isfinite(size) else 0.0
        return Style(name, round(size, 1), bold, heavy, italic, maths, quarter_of(m))


@lru_cache(maxsize=1024)
def _by_name(font: str) -> tuple[bool, bool, bool]:
    """Return whether a font is bold, italic, or of mathematics by its name."""
    return bool(_BOLD.search(font)), bool(_ITALIC.search(font)), bool(_MATH.search(font))


def _box(page: Any) -> Box:
    import pypdfium2.raw as pdfium

    values = [ctypes.c_float() for _ in range(4)]
    for ask in (pdfium.FPDFPage_GetCropBox, pdfium.FPDFPage_GetMediaBox):
        if ask(page, *values):
            left, bottom, right, top = (value.value for value in values)
            if right > left and top > bottom:
                return left, right, bottom, top
    return 0.0, 612.0, 0.0, 792.0
