"""The one way to read a document: by its contents, within limits, whatever its name says."""

import logging

from state.document import Document
from tools.documents.limits import LIMITS, Limits, check_size, gunzip
from tools.documents.port import Reader
from tools.documents.sniff import LABELS, READ, SUFFIXES, Kind, note_on, sniff
from tools.errors import DocumentError

__all__ = [
    "LIMITS", "READ", "SUFFIXES", "Kind", "Limits", "kind_of", "note_on", "read_document", "reader_of",
]  # fmt: skip
logger = logging.getLogger(f"citeloom.{__name__}")


def kind_of(content: bytes, name: str, limits: Limits = LIMITS) -> Kind:
    """Return what a file is by its contents; one packed by gzip is what is in it.

    Raises:
        DocumentError: It is empty, too large, damaged or of a kind that is not read.
    """
    return sniff(unpacked(content, name, limits), name, limits)


def reader_of(kind: Kind, limits: Limits = LIMITS) -> Reader:
    """Return the reader of a kind of file; its `name` tells its version before anything is read."""
    if kind == "pdf":
        from tools.pdf.reader import PdfReader

        return PdfReader()
    if kind == "html":
        from tools.documents.html import HtmlReader

        return HtmlReader(limits)
    if kind in {"jats", "tei"}:
        from tools.documents.xml_article import JATS, TEI, XmlReader

        return XmlReader(JATS if kind == "jats" else TEI, limits)
    if kind == "docx":
        from tools.documents.docx import DocxReader

        return DocxReader(limits)
    if kind == "markdown":
        from tools.documents.markdown import MarkdownReader

        return MarkdownReader(limits)
    from tools.documents.text import TextReader

    return TextReader(limits)


def read_document(content: bytes, *, name: str, limits: Limits = LIMITS) -> tuple[Kind, Document]:
    """Return what a file is, and what stands in it.

    Args:
        content: The bytes of the file, packed by gzip or not.
        name: Its name: for messages, and to tell Markdown from plain text. `note_on` says where it
            promises another kind.
        limits: How large it may be.

    Raises:
        DocumentError: Nothing of it can be read; the message says why, `remedy` what to do.
    """
    plain = unpacked(content, name, limits)
    kind = sniff(plain, name, limits)
    try:
        document = reader_of(kind, limits).read(plain, name=name)
    except RecursionError as error:
        raise DocumentError(
            f"{name} is nested too deeply to be read", remedy="give the document as a PDF"
        ) from error
    size = sum(len(block.text) for block in document.blocks)
    if size > limits.characters:
        raise DocumentError(
            f"{name} has more than {limits.characters / 1_000_000:g} million characters",
            remedy="split it into documents of which each is one paper or book",
        )
    if "text" not in document.confidence:
        from tools.pdf.confidence import legibility

        sure = {**document.confidence, "text": round(legibility(document.blocks), 2)}
        document = document.model_copy(update={"confidence": sure})
    logger.debug("%s is %s: %d blocks", name, LABELS[kind], len(document.blocks))
    return kind, document


def unpacked(content: bytes, name: str, limits: Limits = LIMITS) -> bytes:
    """Return a file's bytes, those of a gzip file unpacked.

    Raises:
        DocumentError: It is empty or too large, packed or unpacked, or damaged.
    """
    check_size(content, name, limits)
    if not content.startswith(b"\x1f\x8b"):
        return content
    plain = gunzip(content, name, limits)
    if not plain:
        check_size(plain, name, limits)
    return plain
