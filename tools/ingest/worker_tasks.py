"""What runs in a process of its own: reading one file, and cutting one document into passages.

A file may be made to crash or to drown what reads it; then it is this process that ends.
Nothing but plain values goes back: an exception of a foreign package might not survive the way.
"""

import logging
import sys
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from state.document import Document
from state.passage import Passage

if TYPE_CHECKING:
    from tools.documents.sniff import Kind

T = TypeVar("T")
logger = logging.getLogger(f"citeloom.{__name__}")

_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read."""

    kind: str
    document: Document
    sha256: str
    """Of the bytes that were read."""
    note: str = ""
    """Where its name promises another kind."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that was not read, and why."""

    cause: str
    remedy: str = ""


def accepted(answer: T | Refused) -> T:
    """Return what a process answers.

    Raises:
        DocumentError: It refused the file.
    """
    from tools.errors import DocumentError

    if isinstance(answer, Refused):
        raise DocumentError(answer.cause, remedy=answer.remedy)
    return answer


def confine(megabytes: int) -> None:
    """Limit the memory of this process, where the system has such a limit, and leave no core dump."""
    logging.getLogger("citeloom").setLevel(logging.ERROR)
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # macOS refuses the first and heeds neither much; its own memory pressure then decides.
    for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        try:
            _, hard = resource.getrlimit(limit)
            wanted = megabytes * 1_000_000
            if hard != resource.RLIM_INFINITY:
                wanted = min(wanted, hard)
            resource.setrlimit(limit, (wanted, hard))
        except (OSError, ValueError):
            continue
        return


def read_file(path: str, name: str, tei: bytes = b"") -> Reading | Refused:
    """Read the document in a file.

    Args:
        path: Where its bytes stand.
        name: What it is called, for messages and where its contents leave its format open.
        tei: What GROBID made of it, if it is a PDF that GROBID was given.
    """
    from tools.documents.open import LIMITS, note_on, read_document
    from tools.errors import DocumentError

    try:
        with open(path, "rb") as file:
            content = file.read(LIMITS.bytes + 1)  # the reader says so where that is too much
        served, fault = _of_tei(tei, name)
        kind, document = served or read_document(content, name=name)
    except DocumentError as error:
        return Refused(str(error), error.remedy)
    except OSError as error:
        return Refused(
            f"it cannot be read: {error.strerror or error}", "check that it is there and readable"
        )
    except MemoryError:
        return Refused(*OUT_OF_MEMORY)
    except Exception as error:  # noqa: BLE001 - a fault of a reader costs this file alone; it is told
        return Refused(
            f"its reader failed: {type(error).__name__}: {error}"[:_EXCERPT],
            "save it in another format (PDF, HTML, text) and add that, and report the fault",
        )
    note = "; ".join(filter(None, [note_on(kind, name), fault]))
    return Reading(str(kind), document, sha256(content).hexdigest(), note)


def _of_tei(tei: bytes, name: str) -> tuple[tuple["Kind", Document] | None, str]:
    """Return what stands in GROBID's TEI of a file, or nothing and why."""
    from tools.documents.grobid import read_tei
    from tools.errors import DocumentError

    if not tei:
        return None, ""
    try:
        return ("pdf", read_tei(tei, name=name)), ""
    except DocumentError as error:
        return None, f"it was read without GROBID: {error}"
    except Exception as error:  # noqa: BLE001 - whatever is wrong with its TEI, the file is there
        cause = f"{type(error).__name__}: {error}"[:_EXCERPT]
        return None, f"it was read without GROBID, whose answer cannot be read: {cause}"


OUT_OF_MEMORY = (
    "reading it took more memory than is allowed",
    "split it into smaller files, or allow more with CITELOOM_INGEST_MEMORY_MB",
)


def cut_document(
    document: Document, paper: str, title: str, digest: str
) -> list[Passage] | Refused:
    """Cut a document into passages."""
    from tools.documents.passages import cut

    try:
        return cut(document, paper=paper, title=title, sha256=digest)
    except MemoryError:
        return Refused(*OUT_OF_MEMORY)
