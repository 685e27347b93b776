"""Opens files with pdfium and takes the words off their pages, run by run.

pdfium is not safe to use from two threads: every call is made under `LOCK`, those of `tools.pdf.page_image` too.
"""

import ctypes
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from struct import Struct
from threading import RLock
from types import SimpleNamespace
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError

from tools.errors import DocumentError
from tools.file_limits import PageLimits
from tools.pdf.damaged_files import repair_pdf
from tools.pdf.glyphs import glyph
from tools.pdf.text_directions import LAM, is_turned_ligature
from tools.pdf.upright_pages import PageWord, Style, UprightPage, quarter_of, sheet_of, turned

_BOLD = re.compile(
    r"bold|black|heavy|semibold|-?medi\b|cmbx|cmssbx|sfbx|ecbx|[^a-z]bx\d|-b$|tb$|tzb", re.I
)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|sfti|ecti|-it?$|ti$|medi?um?it", re.I)
_MATH = re.compile(
    r"cmmi|cmsy|cmex|cmbsy|cmmib|msam|msbm|eufm|math|symbol|mtsy|mtmi|mtex|rtxmi|txsy|txex|txmi|"
    r"pxsy|pxmi|rsfs|stmary|euex|lasy|wasy|esint|dsrom|bbm|ntxmi|ntxsy|mi\d+$",
    re.I,
)
_TOKEN = re.compile(r"\S+")
_PLACES = Struct("10d")
_MATRIX = Struct("6f")
_UNKNOWN = "\ufffe"
"""In the text of a page: a hyphen at the end of a line, or a character without a code."""
_SAMPLED = 8
"""Of so many text objects, one is asked how it is drawn."""
_Run = tuple[str, int, int, int, bool]
"""Text, first and last character, text object (0 for none), and whether it is glued."""


def _quick(function: Any, result: Any, *arguments: Any) -> Any:
    """Return a function of pdfium that keeps other threads out: a switch costs more than a call.

    Where no types of arguments are given, addresses must come from `_pointer` or `byref`: these
    need no conversion, which otherwise costs more than the call as well.
    """
    prototype = ctypes.PYFUNCTYPE(result, *arguments)
    return prototype(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _pointer(handle: Any) -> Any:
    return ctypes.byref(ctypes.c_char.from_address(ctypes.cast(handle, ctypes.c_void_p).value or 0))


@lru_cache(maxsize=1)
def _calls() -> SimpleNamespace:
    """Return what is asked of pdfium for single characters; an address in the last has to be a number."""
    return SimpleNamespace(
        unicode=_quick(pdfium.FPDFText_GetUnicode, ctypes.c_uint),
        owner=_quick(pdfium.FPDFText_GetTextObject, ctypes.c_ssize_t),
        size=_quick(pdfium.FPDFText_GetFontSize, ctypes.c_double),
        matrix=_quick(pdfium.FPDFText_GetMatrix, None),
        box=_quick(pdfium.FPDFText_GetCharBox, None),
        origin=_quick(pdfium.FPDFText_GetCharOrigin, None),
        font=_quick(pdfium.FPDFTextObj_GetFont, ctypes.c_ssize_t, ctypes.c_void_p),
        mode=_quick(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.c_int, ctypes.c_void_p),
    )


class PageRuns:
    """Takes the runs of one page; owns the C variables that pdfium writes to.

    Args:
        text: Handle of the text of an open page.
        count: How many characters it has.
    """

    def __init__(self, text: Any, count: int) -> None:
        self._text = text
        self._count = count
        self._name = ctypes.create_string_buffer(256)
        self._flags = ctypes.c_int()
        self._matrix = pdfium.FS_MATRIX()
        self._matrix_at = ctypes.byref(self._matrix)
        self._origin = (ctypes.c_double * 2)()
        self._origin_at = ctypes.byref(self._origin), ctypes.byref(self._origin, 8)
        self._owners: dict[int, tuple[Style, float | None]] = {}
        self._looks: dict[tuple[float, ...], Style] = {}
        self._fonts: dict[int, tuple[str, bool, bool, bool, bool]] = {}
        self._page = _pointer(text)
        self._calls = _calls()

    def words(self) -> list[PageWord]:
        """Return the words of the page in the order of the file."""
        page, owners = self._page, self._owners
        box, origin = self._calls.box, self._calls.origin
        places = ctypes.create_string_buffer(_PLACES.size)
        a, b, c, d, e, f, g, h, i, j = (ctypes.byref(places, 8 * at) for at in range(10))
        values = _PLACES.unpack_from
        found: list[PageWord] = []
        for text, start, end, owner, glued in self._runs():
            known = owners.get(owner)
            if known is None:
                known = owners[owner] = self._style(start, owner)
            style, base = known
            if LAM in text:
                text = self._with_ligatures(text, start, end)
            box(page, start, a, b, c, d)
            box(page, end, e, f, g, h)
            if base is None:
                origin(page, start, i, j)
            left, right, low, high, left2, right2, low2, high2, x, y = values(places)
            left = left2 if left2 < left else left
            right = right2 if right2 > right else right
            if base is not None:
                found.append(PageWord(text, left, right, base, style, glued))
                continue
            corners = left, right, min(low, low2), max(high, high2)
            found.append(PageWord(text, *turned(style.quarter, corners, x, y), style, glued))
        return found

    def are_unseen(self) -> bool:
        """Whether the words, once taken, are drawn invisibly: as recognition of characters lays them on a scan."""
        owners = [owner for owner in self._owners if owner][::_SAMPLED]
        modes = {self._calls.mode(owner) for owner in owners}
        return modes == {pdfium.FPDF_TEXTRENDERMODE_INVISIBLE}

    def _with_ligatures(self, text: str, start: int, end: int) -> str:
        """Return a word with the letters of a glyph in their order: pdfium turns those of lam-alef."""
        if len(text) != end - start + 1:
            return text  # noise was left out
        boxes = [self._box(index) for index in range(start, end + 1)]
        letters = list(text)
        for at, (before, here) in enumerate(pairwise(boxes)):
            if before == here and is_turned_ligature(text[at : at + 2]):
                letters[at : at + 2] = letters[at + 1], letters[at]
        return "".join(letters)

    def _box(self, index: int) -> tuple[Any, ...]:
        places = ctypes.create_string_buffer(32)
        corners = (ctypes.byref(places, 8 * at) for at in range(4))
        self._calls.box(self._page, index, *corners)
        return Struct("4d").unpack(places)

    def _characters(self) -> str:
        """Return one character for each that pdfium counts on the page."""
        count = self._count
        if count <= 0:
            return ""
        buffer = ctypes.create_string_buffer(4 * count + 4)  # a character may need two units
        units = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort))
        size = pdfium.FPDFText_GetText(self._text, 0, count, units)
        whole = buffer.raw[: 2 * max(0, size - 1)].decode("utf-16-le", "surrogatepass")
        if len(whole) != count:  # pdfium leaves out what has no code, and the places do not agree
            return "".join(map(self._character, range(count)))
        return "".join(
            self._character(at) if char == _UNKNOWN else char for at, char in enumerate(whole)
        )

    def _character(self, index: int) -> str:
        code = self._calls.unicode(self._page, index)
        return chr(code) if code <= 0x10FFFF else "\0"

    def _runs(self) -> Iterator[_Run]:
        """Give the characters between white space, parted where the text object changes."""
        page, object_of, current = self._page, self._calls.owner, 0
        for match in _TOKEN.finditer(self._characters()):
            text, start, end = match[0], match.start(), match.end() - 1
            owner = object_of(page, start)
            if owner and text.isascii() and text.isprintable() and object_of(page, end) == owner:
                current = owner  # the characters of one text object stand together
                yield text, start, end, owner, False
                continue
            for run in self._parted(text, start, current):
                current = run[3]
                yield run

    def _parted(self, token: str, start: int, current: int) -> Iterator[_Run]:
        """Give the runs of one token, asking for the text object of each of its characters."""
        pieces: list[str] = []
        first = last = start
        glued = False
        for index, character in enumerate(token, start):
            piece = glyph(ord(character))
            if not piece:
                continue
            owner = self._calls.owner(self._page, index) or current
            if pieces and owner != current:
                yield "".join(pieces), first, last, current, glued
                glued, pieces = True, []
            if not pieces:
                first, current = index, owner
            last = index
            pieces.append(piece)
        if pieces:
            yield "".join(pieces), first, last, current, glued

    def _style(self, index: int, owner: int) -> tuple[Style, float | None]:
        """Return the looks of the text object that a character is of, and its base line.

        There is no base line where the text object may have several.
        """
        calls, page = self._calls, self._page
        font = owner and calls.font(owner)
        calls.matrix(page, index, self._matrix_at)
        a, b, c, d, _, y = _MATRIX.unpack_from(self._matrix)
        size = calls.size(page, index)
        key = (font, size, a, b, c, d)
        style = self._looks.get(key) if font else None
        if style is None:
            style = self._looks[key] = self._look(index, font, size)
        calls.origin(page, index, *self._origin_at)
        level = bool(font) and style.quarter == 0 and b == 0 and self._origin[1] == y
        return style, -y if level else None

    def _look(self, index: int, font: int, size: float) -> Style:
        told = self._fonts.get(font) if font else None
        if told is None:
            told = self._fonts[font] = self._told(index)
        m = self._matrix
        size *= math.hypot(m.c, m.d)
        size = abs(size) if math.isfinite(size) else 0.0  # below 0, letters stand on their heads
        name, bold, heavy, italic, maths = told
        return Style(name, round(size, 1), bold, heavy, italic, maths, quarter_of(m))

    def _told(self, index: int) -> tuple[str, bool, bool, bool, bool]:
        """Return what the font of a character tells: its name, whether it is bold, and so on."""
        pdfium.FPDFText_GetFontInfo(self._text, index, self._name, 256, self._flags)
        name = self._name.value.decode("utf-8", "replace").rpartition("+")[2]
        weight = pdfium.FPDFText_GetFontWeight(self._text, index)
        bold, italic, maths = _by_name(name)
        return name, bold, not bold and weight >= 600, italic or bool(self._flags.value & 64), maths


@lru_cache(maxsize=1024)
def _by_name(font: str) -> tuple[bool, bool, bool]:
    """Return whether a font is bold, italic, or of mathematics by its name."""
    return bool(_BOLD.search(font)), bool(_ITALIC.search(font)), bool(_MATH.search(font))


LOCK = RLock()
_PASSWORD = 4  # FPDF_ERR_PASSWORD


class PageFault(Exception):  # noqa: N818  # caught by the reader, which records it; never shown
    """A page cannot be read; its text says why."""


@contextmanager
def opened(content: bytes, name: str) -> Iterator[Any]:
    """Open a file, as a document of pypdfium2; it is closed at the end.

    Raises:
        DocumentError: It is encrypted, or pdfium finds no document with pages in it.
    """
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
                document = PdfDocument(repair_pdf(content) or b"")
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


def read_page(document: Any, index: int, limits: PageLimits) -> UprightPage:
    """Return one page of an open file; it is closed again.

    Raises:
        PageFault: It cannot be loaded or is beyond a limit.
    """
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
            runs = PageRuns(text.raw, count)
            sheet = sheet_of(index + 1, runs.words(), (left, right, bottom, top))
            return sheet._replace(recognised=runs.are_unseen())
        except PdfiumError as error:
            raise PageFault("its text cannot be read") from error
        finally:
            page.close()
