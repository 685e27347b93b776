"""A small writer of PDFs: pages of text in the standard fonts, at places, for the tests."""

import textwrap
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

PLAIN, BOLD, ITALIC, SYMBOL = "F1", "F2", "F3", "F4"
_FONTS = {PLAIN: "Courier", BOLD: "Courier-Bold", ITALIC: "Courier-Oblique", SYMBOL: "Symbol"}
_EM = 0.6
"""Width of every character of Courier, in sizes."""


@dataclass
class Page:
    """One page; `parts` are the operators of its content."""

    parts: list[str] = field(default_factory=list)
    rotated: int = 0

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 9,
        font: str = PLAIN,
        width: float | None = None,
        upward: bool = False,
    ) -> None:
        """Put a line; with `width` the spaces are stretched so that it fills it."""
        natural = len(text) * _EM * size
        spaces = text.count(" ")
        stretch = (width - natural) / spaces if width is not None and spaces else 0.0
        matrix = f"0 1 -1 0 {x} {y}" if upward else f"1 0 0 1 {x} {y}"
        quoted = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self.parts.append(f"BT /{font} {size} Tf {stretch:.4f} Tw {matrix} Tm ({quoted}) Tj ET")

    def glyphs(self, x: float, y: float, codes: Sequence[int], *, size: float = 9) -> None:
        """Put glyphs of the font whose letters `pdf` was given, from left to right."""
        shown = "".join(f"{code:04x}" for code in codes)
        self.parts.append(f"BT /F5 {size} Tf 0 Tw 1 0 0 1 {x} {y} Tm <{shown}> Tj ET")

    def paragraph(
        self,
        x: float,
        y: float,
        text: str,
        *,
        width: float = 240,
        size: float = 9,
        lead: float = 11,
        font: str = PLAIN,
        indent: float = 0,
        hang: float = 0,
        filled: bool = False,
    ) -> float:
        """Put a justified paragraph; return the y below it. `filled` stretches the last line."""
        letters = int(width / (_EM * size))
        first, others = int(indent / (_EM * size)), int(hang / (_EM * size))
        lines = textwrap.wrap(
            text, letters, initial_indent="\0" * first, subsequent_indent="\0" * others
        )
        for index, line in enumerate(lines):
            bare = line.lstrip("\0")
            at = indent if index == 0 else hang
            full = index + 1 < len(lines) or filled
            self.text(x + at, y, bare, size=size, font=font, width=width - at if full else None)
            y -= lead
        return y


def pdf(pages: Sequence[Page], *, title: str = "", letters: Sequence[str] = ()) -> bytes:
    """Return a PDF of pages; `letters` are what the glyphs stand for that `Page.glyphs` puts."""
    writer = _Writer()
    fonts = " ".join(
        f"/{name} << /Type /Font /Subtype /Type1 /BaseFont /{base} "
        f"{'' if base == 'Symbol' else '/Encoding /WinAnsiEncoding '}>>"
        for name, base in _FONTS.items()
    )
    if letters:
        fonts += f" /F5 {4 + 2 * len(pages)} 0 R"
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    writer.add(1, b"<< /Type /Catalog /Pages 2 0 R >>")
    writer.add(2, f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode())
    writer.add(3, f"<< /Title <{title.encode('latin-1').hex()}> >>".encode())
    for index, page in enumerate(pages):
        number = 4 + 2 * index
        writer.add(
            number,
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate {page.rotated} "
            f"/Resources << /Font << {fonts} >> >> /Contents {number + 1} 0 R >>".encode(),
        )
        data = zlib.compress("\n".join(page.parts).encode("latin-1"))
        head = f"<< /Length {len(data)} /Filter /FlateDecode >>\nstream\n".encode()
        writer.add(number + 1, head + data + b"\nendstream")
    if letters:
        _add_font(writer, 4 + 2 * len(pages), letters)
    return writer.finished()


def _add_font(writer: "_Writer", number: int, letters: Sequence[str]) -> None:
    """Add a font of glyphs that stand for one letter or several, as ligatures do."""
    rows = "\n".join(
        f"<{code:04x}> <{text.encode('utf-16-be').hex()}>" for code, text in enumerate(letters)
    )
    told = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def "
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(letters)} beginbfchar\n{rows}\nendbfchar endcmap end end"
    ).encode()
    writer.add(
        number,
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Some /Encoding /Identity-H /DescendantFonts "
        b"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Some /DW 600 /CIDSystemInfo << "
        b"/Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] /ToUnicode %d 0 R >>"
        % (number + 1),
    )
    writer.add(number + 1, b"<< /Length %d >>\nstream\n" % len(told) + told + b"\nendstream")


class _Writer:
    def __init__(self) -> None:
        self._out = bytearray(b"%PDF-1.4\n")
        self._offsets: dict[int, int] = {}

    def add(self, number: int, body: bytes) -> None:
        self._offsets[number] = len(self._out)
        self._out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"

    def finished(self) -> bytes:
        start, count = len(self._out), len(self._offsets) + 1
        self._out += f"xref\n0 {count}\n0000000000 65535 f \n".encode()
        for number in range(1, count):
            self._out += f"{self._offsets[number]:010d} 00000 n \n".encode()
        trailer = f"trailer\n<< /Size {count} /Root 1 0 R /Info 3 0 R >>\n"
        self._out += f"{trailer}startxref\n{start}\n%%EOF\n".encode()
        return bytes(self._out)
