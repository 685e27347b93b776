"""What every reader of documents offers."""

from typing import Protocol

from state.document import Document


class Reader(Protocol):
    """Reads files of one format. Deterministic, synchronous, CPU-bound, without network.

    Only tools.documents.grobid.GrobidService asks a service, which decides what is found.
    """

    @property
    def name(self) -> str:
        """Name and version, such as 'pdf 1'; another version reads a file anew."""
        ...

    def read(self, content: bytes, *, name: str) -> Document:
        """Return what stands in a file; what could not be read of it is in `unread`.

        Args:
            content: The bytes of the file.
            name: Its name, for messages only.

        Raises:
            DocumentError: Nothing of it can be read; the message says why and what to do.
        """
        ...
