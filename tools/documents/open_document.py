"""The one way to read a document: by its contents, within limits, whatever its name says."""

from importlib import import_module

from state.document import Document
from tools.documents.file_types import (
    LABELS,
    READ,
    SUFFIXES,
    Kind,
    check_size,
    detect_file_type,
    gunzip,
    note_on,
)
from tools.errors import DocumentError, logger_of
from tools.file_limits import FILE_LIMITS, FileLimits

__all__ = ["READ", "SUFFIXES", "Kind", "note_on", "read_document"]
logger = logger_of(__name__)

READERS: dict[Kind, tuple[str, str, str]] = {
    "pdf": ("pdf 5", "tools.pdf.reader", "read_pdf"),
    "html": ("html 3", "tools.documents.html", "read_html"),
    "jats": ("jats 2", "tools.documents.structured_article", "read_jats"),
    "tei": ("tei 3", "tools.documents.structured_article", "read_tei"),
    "docx": ("docx 3", "tools.documents.docx", "read_docx"),
    "markdown": ("markdown 2", "tools.documents.markdown", "read_markdown"),
    "text": ("text 3", "tools.documents.plain_text", "read_text"),
}
"""What reads each kind: its name and version (another version reads a file anew), and where it stands.

A reader is deterministic, works without network, and takes the bytes and the file's name; it gives a
document, of which `unread` says what could not be read, or raises DocumentError.
"""


def read_document(
    content: bytes, *, name: str, limits: FileLimits = FILE_LIMITS
) -> tuple[Kind, Document]:
    """Return what a file is, and what stands in it.

    Args:
        content: The bytes of the file, packed by gzip or not.
        name: Its name: for messages, and to tell Markdown from plain text. `note_on` says where it
            promises another kind.
        limits: How large it may be.

    Raises:
        DocumentError: Nothing of it can be read; the message says why, `remedy` what to do.
    """
    check_size(content, name, limits)
    if content.startswith(b"\x1f\x8b"):
        content = gunzip(content, name, limits)
    kind = detect_file_type(content, name, limits)
    reader, place, function = READERS[kind]
    read = getattr(import_module(place), function)
    try:  # that of PDFs has limits of its own, by page
        document: Document = (
            read(content, name=name) if kind == "pdf" else read(content, name=name, limits=limits)
        )
    except RecursionError as error:
        raise DocumentError(
            f"{name} is nested too deeply to be read", remedy="give the document as a PDF"
        ) from error
    more: dict[str, object] = {"reader": reader}
    if "text" not in document.confidence:
        from tools.pdf.reader import legibility

        more["confidence"] = {**document.confidence, "text": round(legibility(document.blocks), 2)}
    logger.debug("a document is %s: %d blocks", LABELS[kind], len(document.blocks))
    return kind, document.model_copy(update=more)
