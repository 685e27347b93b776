"""Files that would unpack to far more than a paper has are refused; those that lost their end get a new one."""

import re
import zlib
from collections.abc import Iterator

from state.document import Unread
from tools.errors import DocumentError

_PIECE = 1 << 16
_RATIO = 1032
"""Bytes to which one byte of a packed stream can unpack at most."""


def refuse_bombs(content: bytes, name: str, *, most: int) -> None:
    """Stop at a file whose streams, pictures apart, unpack to more than `most` bytes each.

    Raises:
        DocumentError: One of them does.
    """
    end = -1
    for at, start in _streams(content):
        if end < start:
            end = content.find(b"endstream", start)
            end = len(content) if end < 0 else end
        if end - start <= most // _RATIO:
            continue
        head = content[max(0, at - 400) : at]
        about = head[head.rfind(b" obj") + 1 :]
        if b"FlateDecode" not in about or b"/Image" in about:
            continue
        if _unpacks_to(memoryview(content)[start:end], most) > most:
            raise DocumentError(
                f"{name} has a part that unpacks to more than {most >> 20} MiB, as no paper does",
                remedy="if it is one, print it to a new PDF and add that",
            )


def _streams(content: bytes) -> Iterator[tuple[int, int]]:
    """Give where the word before each stream stands, and where its data begins."""
    at = content.find(b"stream")
    while at >= 0:
        start = at + len(b"stream")
        start += content.startswith(b"\r", start)
        if content.startswith(b"\n", start) and not content.endswith(b"end", 0, at):
            yield at, start + 1
        at = content.find(b"stream", start)


def _unpacks_to(packed: memoryview, most: int) -> int:
    """Return to how many bytes a stream unpacks, counted until it is more than `most`."""
    unpacker = zlib.decompressobj()
    total = 0
    try:
        for at in range(0, len(packed), _PIECE):
            rest: bytes | memoryview = packed[at : at + _PIECE]
            while rest and total <= most and not unpacker.eof:
                total += len(unpacker.decompress(rest, 16 * _PIECE))
                rest = unpacker.unconsumed_tail
    except zlib.error:
        return total  # damaged: pdfium recovers no more of it than this
    return total


_CATALOG = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b[^\0]{0,300}?/Type\s*/Catalog\b")
_PAGE = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b(?:(?!endobj)[^\0]){0,300}?/Type\s*/Page\b")
_STATED = re.compile(rb"/Linearized[^>]{0,200}?/L\s+(\d{1,12})\b")
"""The size of the whole file, as the beginning of some tells it."""
_TAIL = 4096
"""Bytes among which the mark stands at which a PDF ends; some programs write something behind it."""
_MOST = 5000
"""Pages taken into a new list."""


def repair_pdf(content: bytes) -> bytes | None:
    """Return a file with an end by which its pages can be found; None where it shows no page."""
    content += b"\nendstream\nendobj\n"  # whatever it is that was cut off ends here
    pages = list(dict.fromkeys(_PAGE.findall(content)))[:_MOST]
    if not pages:
        return None
    catalog = _CATALOG.search(content)
    if catalog and b"/Type /Pages" in content:
        return content + b"\ntrailer\n<< /Root %s %s R >>\n" % catalog.groups()
    kids = b" ".join(b"%s %s R" % page for page in pages)
    first = max(int(number) for number, _ in pages) + 1_000_000
    return content + (
        b"\n%d 0 obj\n<< /Type /Pages /Count %d /Kids [%s] >>\nendobj\n"
        b"%d 0 obj\n<< /Type /Catalog /Pages %d 0 R >>\nendobj\n"
        b"trailer\n<< /Root %d 0 R >>\n"
    ) % (first, len(pages), kids, first + 1, first, first + 1)


def cut_off(content: bytes) -> tuple[Unread, ...]:
    """Say that a file is not whole, where its size or its end shows it: pdfium reads what is left in silence."""
    stated = _STATED.search(content, 0, 2048)
    size = int(stated[1]) if stated else 0
    if len(content) < size:
        cause = f"the file is cut off: {len(content):,} of its {size:,} bytes are there"
    elif b"%%EOF" not in content.rstrip(b"\0 \t\r\n")[-_TAIL:]:
        cause = "the file is cut off"
    else:
        return ()
    return (Unread(where="the end of the file", cause=f"{cause}; download it again"),)
