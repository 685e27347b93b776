"""Reading a file with what serves it: GROBID's TEI is had here, and read in a process of its own.

Processes that read have no network; so the service is asked in the thread that takes the file in.
"""

import logging
from concurrent.futures import Future, wait
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

from tools.documents.grobid import GrobidService
from tools.documents.limits import LIMITS
from tools.errors import DocumentError, TransientError
from tools.ingest.worker_tasks import Reading, accepted, read_file
from tools.ingest.workers import StoppedError, Workers

logger = logging.getLogger(f"citeloom.{__name__}")

_HEADER = 1024
"""Bytes at its beginning within which a PDF says that it is one."""
_LOOK = 0.2
"""Seconds between looks at whether the run was stopped."""


def read_apart(
    workers: Workers, stopped: Event, path: Path, name: str, grobid: GrobidService | None
) -> Reading:
    """Read the document in a file: a PDF by GROBID where there is one, or else by our own reader.

    That GROBID failed is in the reading's note.

    Raises:
        DocumentError: It cannot be read; or reading took too long, crashed, or needed too much memory.
        StoppedError: `stopped` was set.
    """
    tei, note = _served(grobid, path, stopped) if grobid else (b"", "")
    reading = accepted(workers.run(stopped, read_file, str(path), name, tei))
    return replace(reading, note="; ".join(filter(None, [reading.note, note])))


def _served(grobid: GrobidService, path: Path, stopped: Event) -> tuple[bytes, str]:
    """Return GROBID's TEI of a file, or nothing and why."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
            if b"%PDF-" not in head:
                return b"", ""
            content = head + file.read(LIMITS.bytes)
    except OSError:
        return b"", ""  # whoever reads it next says so
    try:
        return _unless_stopped(grobid, content, stopped), ""
    except (DocumentError, TransientError) as error:
        logger.info("%s is read without GROBID: %s", path.name, error)
        return b"", f"it was read without GROBID: {error}"


def _unless_stopped(grobid: GrobidService, content: bytes, stopped: Event) -> bytes:
    """Ask in a thread that nobody waits for once the run is stopped."""
    answer: Future[bytes] = Future()

    def ask() -> None:
        try:
            answer.set_result(grobid.tei(content))
        except BaseException as error:  # noqa: BLE001 - it is raised by whoever waits
            answer.set_exception(error)

    Thread(target=ask, name="grobid", daemon=True).start()
    while not wait([answer], timeout=_LOOK).done:
        if stopped.is_set():
            raise StoppedError
    return answer.result()
