import zlib

import pytest

from tools.errors import DocumentError
from tools.pdf.damaged_files import refuse_bombs


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
