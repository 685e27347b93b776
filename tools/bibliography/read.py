"""Reading records of papers from a file, whatever its kind."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar, cast

from state.paper import Paper
from tools.bibliography.read_bibtex import read_bibtex
from tools.bibliography.read_csl import read_csl
from tools.bibliography.read_jsonl import read_jsonl
from tools.bibliography.read_record import BadRecord, paper_from
from tools.errors import InputError

T = TypeVar("T")
Kind = Literal["jsonl", "bibtex", "csl"]

KINDS = "JSON Lines (.jsonl, .ndjson), BibTeX (.bib) and CSL JSON (.json), each also as .gz"
_SUFFIXES: dict[str, Kind] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".bib": "bibtex", ".bibtex": "bibtex",
}  # fmt: skip
_OF_CSL = (b'"items"', b'"references": [{', b'"issued"', b'"author"', b'"container-title"')
_HEAD = 65_536
_LARGEST = 256_000_000  # bytes of a file that is read as a whole


def read_records(path: Path) -> Iterator[Paper | BadRecord]:
    """Return an iterator over the papers of a file and the records that could not be read.

    JSON Lines are read in constant memory. Bad records never cost the good ones.

    Raises:
        InputError: The file is absent, empty, binary or of no kind that is read; raised at once,
            before the first record is asked for.
    """
    head = _first(path, _HEAD)
    kind = _kind(path, head)
    if kind == "jsonl":
        return read_lines(path, paper_from)
    data = read_whole(path)
    if kind == "bibtex":
        if b"@" not in data:
            raise InputError(f"{path.name} has no BibTeX entry in it")
        return read_bibtex(data)
    return read_csl(data)


def _kind(path: Path, head: bytes) -> Kind:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise InputError(f"{path.name} is empty: give a file of {KINDS}")
    if b"\0" in head or head.startswith((b"%PDF", b"PK\x03\x04")):
        raise InputError(
            f"{path.name} is a binary file (a text in UTF-16 should be saved as UTF-8): the kinds "
            f"that are read are {KINDS}"
        )
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    named = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if named:
        return named
    first, _, rest = text.partition(b"\n")
    whole = first.rstrip().endswith(b"}") and (
        rest.lstrip().startswith(b"{") or not any(name in first for name in _OF_CSL)
    )
    if text.startswith((b"[", b"{")):
        return "jsonl" if whole and text.startswith(b"{") else "csl"
    if text.startswith(b"@") or b"\n@" in text:
        return "bibtex"
    raise InputError(f"{path.name} is of no known kind: the kinds that are read are {KINDS}")


def read_whole(path: Path) -> bytes:
    """Return the bytes of a file, those of a gzip file unpacked.

    Raises:
        InputError: It is absent, damaged, or unpacks to more than is read as a whole.
    """
    data = _first(path, _LARGEST + 1)
    if len(data) > _LARGEST:
        raise InputError(
            f"{path.name} is larger than {_LARGEST // 1_000_000} MB: split it, or convert it to "
            "JSON Lines, which may be of any size"
        )
    return data


def _first(path: Path, size: int) -> bytes:
    try:
        with _open(path) as stream:
            return stream.read(size)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}") from error
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def read_lines(path: Path, read: Callable[[dict[str, Any]], T]) -> Iterator[T | BadRecord]:
    """Yield what `read` makes of each JSON object of a file of JSON Lines, in constant memory."""
    with _open(path) as stream:
        yield from read_jsonl(stream, read)


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")
