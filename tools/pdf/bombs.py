"""Finds streams that unpack to far more than a paper has, before pdfium unpacks them."""

import re
import zlib

from tools.errors import DocumentError

_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_IMAGE = re.compile(rb"/Subtype\s*/Image")
_PIECE = 1 << 20
_LEAST = 64 << 10
"""Streams with less packed are not looked at: they cannot unpack to more than 64 MiB."""


def refuse_bombs(content: bytes, name: str, *, most: int) -> None:
    """Stop at a file whose streams, pictures apart, unpack to more than `most` bytes each.

    Raises:
        DocumentError: One of them does.
    """
    for match in _STREAM.finditer(content):
        start = match.end()
        end = content.find(b"endstream", start)
        end = len(content) if end < 0 else end
        head = content[max(0, match.start() - 400) : match.start()]
        about = head[head.rfind(b" obj") + 1 :]
        if end - start < _LEAST or b"FlateDecode" not in about or _IMAGE.search(about):
            continue
        if _unpacks_to(content[start:end], most) > most:
            raise DocumentError(
                f"{name} has a part that unpacks to more than {most >> 20} MiB, as no paper does",
                remedy="if it is one, print it to a new PDF and add that",
            )


def _unpacks_to(packed: bytes, most: int) -> int:
    """Return to how many bytes a stream unpacks, counted until it is more than `most`."""
    unpacker = zlib.decompressobj()
    total, rest = 0, packed
    try:
        while rest and total <= most and not unpacker.eof:
            total += len(unpacker.decompress(rest, _PIECE))
            rest = unpacker.unconsumed_tail
    except zlib.error:
        return total  # damaged: pdfium recovers no more of it than this
    return total
