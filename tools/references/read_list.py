"""Read the references of a file or a text that is sent for its list alone."""

from state.bibliography import ReferenceEntry
from tools.documents.file_types import decoded, detect_file_type
from tools.documents.open_document import read_document
from tools.errors import DocumentError
from tools.references.manuscript import read_manuscript
from tools.references.read_bibliography import read_entries
from tools.references.reference_list import read_listed

_TEXTS = frozenset({"text", "markdown"})
_LATEX = (".tex", ".ltx", ".bbl")
_HOW = "give a list under a heading such as References, or one reference a line"


def read_list(content: bytes, name: str) -> list[ReferenceEntry]:
    """Return the references that a file lists, at least one. Runs in a process of its own.

    A text without such a list is taken for the list itself.

    Args:
        content: The bytes of the file.
        name: Its name, which decides between kinds of text; empty for a text that is no file.

    Raises:
        DocumentError: The file cannot be read, or holds no reference.
    """
    try:
        entries = _entries(content, name)
    except (DocumentError, MemoryError):
        raise
    except Exception as error:  # a foreign one might not survive the way to the caller's process
        raise DocumentError(
            f"its reader failed: {type(error).__name__}", remedy="give the list as plain text"
        ) from error
    if not any(entry.authors or entry.year or entry.doi or entry.arxiv for entry in entries):
        raise DocumentError("CiteLoom found no reference in it", remedy=_HOW)
    return entries


def _entries(content: bytes, name: str) -> list[ReferenceEntry]:
    plain = not name or name.lower().endswith(_LATEX) or detect_file_type(content, name) in _TEXTS
    if not plain:
        return read_entries(read_document(content, name=name)[1])
    text = decoded(content)
    if "\x00" in text:
        raise DocumentError("it is not text (it looks like a binary file)", remedy=_HOW)
    return list(read_manuscript(text).entries) or read_listed(text)
