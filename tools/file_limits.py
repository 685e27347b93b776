"""How large a file may be, how much of it is read, and what reading it may take: all limits of files."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLimits:
    """What is refused before it is read."""

    bytes: int = 200_000_000
    """Of a file, on disk, sent or fetched."""
    decompressed: int = 500_000_000
    """Bytes of what is packed in it."""
    ratio: float = 200.0
    """Of decompressed to packed bytes, for what is larger than some MB."""
    entries: int = 10_000
    """Files within a packed file."""
    characters: int = 20_000_000
    """Of a document's text."""


class PageLimits(NamedTuple):
    """What of one PDF is read; the rest is reported as unread."""

    pages: int = 2000
    characters: int = 10_000_000
    """Once a file has had as many, its further pages are left out."""
    page_characters: int = 100_000
    page_objects: int = 200_000
    """Paths, images, pieces of text."""
    stream: int = 256 << 20
    """Bytes to which one packed part of a file, pictures apart, may unpack; else it is refused."""


@dataclass(frozen=True, kw_only=True)
class ReaderLimits:
    """What reading may take."""

    workers: int = 2
    seconds: float = 300.0
    """For one file; CITELOOM_INGEST_SECONDS."""
    megabytes: int = 2048
    """Of memory, for one process; CITELOOM_INGEST_MEMORY_MB."""
    files: int = 100
    """After which a process is replaced, whatever native code has leaked by then."""


FILE_LIMITS = FileLimits()
PAGE_LIMITS = PageLimits()
