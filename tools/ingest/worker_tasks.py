"""What runs in a process of its own: reading one file.

A file may be made to crash or to drown what reads it; then it is this process that ends.
"""

import logging
import sys
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from state.document import Document
from tools.errors import DocumentError

if TYPE_CHECKING:
    from tools.documents.grobid import Grobid
    from tools.documents.sniff import Kind

_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read."""

    kind: str
    document: Document
    sha256: str
    """Of the bytes that were read."""
    note: str = ""
    """Where its name promises another kind, or GROBID did not read it."""


def confine(megabytes: int) -> None:
    """Limit the memory of this process, where the system has such a limit, and leave no core dump."""
    logging.getLogger("citeloom").setLevel(logging.ERROR)
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):  # macOS has none; and it may be set lower already
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000, hard))


def read_file(path: str, name: str, grobid: "Grobid | None") -> Reading:
    """Read the document in a file: a PDF by GROBID where there is one, or else by our own reader.

    Args:
        path: Where its bytes stand.
        name: What it is called, for messages and where its contents leave its format open.
        grobid: The service; that it failed is in the reading's note.

    Raises:
        DocumentError: It cannot be read; an exception of a foreign package might not survive the way.
    """
    from tools.documents.open import LIMITS, note_on, read_document

    try:
        with open(path, "rb") as file:
            content = file.read(LIMITS.bytes + 1)  # the reader says so where that is too much
        found, fault = _by_grobid(content, name, grobid) if grobid else (None, "")
        kind, document = found or read_document(content, name=name)
    except (DocumentError, MemoryError):
        raise
    except OSError as error:
        raise DocumentError(
            f"it cannot be read: {error.strerror or error}",
            remedy="check that it is there and readable",
        ) from error
    except Exception as error:
        raise DocumentError(
            f"its reader failed: {type(error).__name__}: {error}"[:_EXCERPT],
            remedy="save it in another format (PDF, HTML, text) and add that, and report the fault",
        ) from error
    note = "; ".join(filter(None, [note_on(kind, name), fault]))
    return Reading(kind, document, sha256(content).hexdigest(), note)


def _by_grobid(
    content: bytes, name: str, grobid: "Grobid"
) -> "tuple[tuple[Kind, Document] | None, str]":
    from tools.documents.grobid import read_by_grobid

    if b"%PDF-" not in content[:1024]:
        return None, ""
    try:
        return ("pdf", read_by_grobid(content, name=name, grobid=grobid)), ""
    except Exception as error:  # noqa: BLE001 - whatever is wrong with its answer, the file is there
        return None, f"it was read without GROBID: {error}"[:_EXCERPT]
