"""Reading the open copy of a paper: fetched as `ingest` fetches one, read in a process of its own."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from state.document import Document
from state.paper import Paper
from tools.errors import DocumentError
from tools.ingest.file_places import UploadSpool
from tools.ingest.reader_processes import read_file, run_apart
from tools.ledger.run_ledger import RunLedger
from tools.settings import Settings


@dataclass(frozen=True, slots=True)
class OpenCopy:
    """An open copy that was read."""

    document: Document
    sha256: str
    """Of its bytes."""
    host: str
    """Where it was in the end."""


async def read_open_copy(
    paper: Paper,
    *,
    run: str,
    ledger: RunLedger,
    settings: Settings,
    indexes: bool = False,
    fault: Callable[[Document], str] = lambda _: "",
) -> OpenCopy:
    """Fetch and read an open copy: the first that can be had, can be read, and has no fault.

    Args:
        paper: Whose copy.
        run: The run, below whose name the copy waits on disk to be read.
        ledger: The run's.
        settings: Where copies are, and what reading may take.
        indexes: Whether indexes of open copies are asked for more places.
        fault: Returns why a copy is of no use, such as 'is of another work', or nothing.

    Raises:
        DocumentError: There is none; or none can be had or read.
        TransientError: The hosts do not answer for now.
        BudgetError: The run may not ask for more.
        OSError: The copy cannot be kept on disk until it is read.
    """
    from tools.documents.fetch_open_copies import Fetched, read_first_copy

    spool = UploadSpool(settings.home, run)

    async def read(copy: Fetched) -> OpenCopy:
        host = urlsplit(copy.address).hostname or copy.address
        name = f"copy of {paper.id} {sha256(copy.content).hexdigest()}"
        digest = await asyncio.to_thread(spool.put, copy.content, name=name)
        path = spool.path(digest)
        try:
            reading = await run_apart(settings, read_file, str(path), copy.name, None)
        finally:
            await asyncio.to_thread(spool.drop, digest)
        if wrong := fault(reading.document):
            raise DocumentError(f"the copy at {host} {wrong}")
        return OpenCopy(reading.document, reading.sha256, host)

    return await read_first_copy(paper, read, ledger=ledger, settings=settings, indexes=indexes)
