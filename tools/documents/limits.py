"""How large a file may be, and unpacking within these limits."""

import gzip
import io
import zipfile
import zlib
from dataclasses import dataclass

from tools.counting import counted
from tools.errors import DocumentError

_SMALL = 10_000_000
"""Bytes up to which no ratio is suspicious: a page of spaces shrinks to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is refused before it is read."""

    bytes: int = 200_000_000
    """Of a file."""
    decompressed: int = 500_000_000
    """Bytes of what is packed in it."""
    ratio: float = 200.0
    """Of decompressed to packed bytes, for what is larger than some MB."""
    entries: int = 10_000
    """Files within a packed file."""
    characters: int = 20_000_000
    """Of a document's text."""


LIMITS = Limits()


def megabytes(size: int) -> str:
    """Return a number of bytes for people."""
    return f"{size / 1_000_000:.0f} MB" if size >= 1_000_000 else f"{size / 1000:.0f} kB"


def check_size(content: bytes, name: str, limits: Limits = LIMITS) -> None:
    """Check the size of a file.

    Raises:
        DocumentError: It is empty or too large.
    """
    if not content:
        raise DocumentError(
            f"{name} is empty: it has no bytes",
            remedy="fetch or copy the file again; a download may have broken off",
        )
    if len(content) > limits.bytes:
        raise DocumentError(
            f"{name} has {megabytes(len(content))}; at most {megabytes(limits.bytes)} are read",
            remedy="split the file, or give a smaller version without its images",
        )


def gunzip(content: bytes, name: str, limits: Limits = LIMITS) -> bytes:
    """Unpack a gzip file, never further than the limits.

    Raises:
        DocumentError: It is damaged, or unpacks to too much.
    """
    most = min(limits.decompressed, max(_SMALL, int(limits.ratio * len(content))))
    try:
        with gzip.open(io.BytesIO(content)) as stream:
            plain = stream.read(most + 1)
    except (zlib.error, EOFError, OSError) as error:
        raise DocumentError(
            f"{name} is a damaged gzip file: {error}", remedy="fetch or copy the file again"
        ) from error
    check_unpacked(len(plain), len(content), name, limits)
    return plain


def check_zip(archive: zipfile.ZipFile, size: int, name: str, limits: Limits = LIMITS) -> None:
    """Check what a zip file says of itself; zipfile never unpacks more of an entry than that.

    Raises:
        DocumentError: It has too many entries, unpacks to too much, or is encrypted.
    """
    entries = archive.infolist()
    if len(entries) > limits.entries:
        raise DocumentError(
            f"{name} holds {counted(len(entries), 'file')}; at most {limits.entries} are read",
            remedy="save the document anew, or give it as a PDF",
        )
    check_unpacked(sum(entry.file_size for entry in entries), size, name, limits)
    if any(entry.flag_bits & 0x1 for entry in entries):
        raise encrypted(name)


def encrypted(name: str) -> DocumentError:
    """Say that a file needs a password."""
    return DocumentError(
        f"{name} is encrypted",
        remedy="open it with its password, save it without one, and add that file",
    )


def check_unpacked(size: int, packed: int, name: str, limits: Limits) -> None:
    """Check how much something unpacks to.

    Raises:
        DocumentError: It is more than the limits allow.
    """
    if size > limits.decompressed:
        raise DocumentError(
            f"{name} unpacks to more than {megabytes(limits.decompressed)}",
            remedy="unpack it yourself, and add the documents in it that you trust",
        )
    if size > _SMALL and size > limits.ratio * packed:
        raise DocumentError(
            f"{name} unpacks to more than {limits.ratio:g} times its size, as bombs do",
            remedy="if you trust it, save the document anew, or give it as a PDF",
        )
