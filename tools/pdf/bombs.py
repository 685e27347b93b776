"""Finds streams that unpack to far more than a paper has, before pdfium unpacks them."""

import re
import zlib
from collections.abc import Iterator

from tools.errors import DocumentError

_IMAGE = re.compile(rb"/Subtype\s*/Image")
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
        if b"FlateDecode" not in about or _IMAGE.search(about):
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
