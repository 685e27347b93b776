"""GROBID, for those who run it: papers as TEI from a service, in place of our own reader of PDFs.

The process that reads a file asks the service, and reads the TEI like any other file.
"""

import time
from dataclasses import dataclass

from state.document import Document
from tools.documents.file_types import megabytes
from tools.documents.structured_article import read_tei
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS
from tools.settings import Settings

NAME = "pdf by GROBID 1"
_PATH = "/api/processFulltextDocument"
_ASKED: dict[str, str | list[str]] = {
    "consolidateHeader": "0",
    "consolidateCitations": "0",
    "includeRawCitations": "1",
    "teiCoordinates": ["p", "head", "biblStruct", "ref"],
}
"""Nothing is looked up elsewhere: an entry is what the paper prints."""
_REST = 60.0
"""Seconds for which a process does not ask a service again that did not answer."""
_PAUSES = (2.0, 5.0)
"""Seconds between tries while all of its engines are at work."""
_CONNECT = 5.0
_down: dict[str, float] = {}
"""Until when a service is left alone, by its address."""


@dataclass(frozen=True, slots=True)
class Grobid:
    """Where a service is, such as http://127.0.0.1:8070, and the seconds that it has for one file."""

    url: str
    timeout: float = 120.0


def grobid_of(settings: Settings) -> Grobid | None:
    """Return the service that is set; None where none is."""
    return Grobid(settings.grobid_url, settings.grobid_timeout) if settings.grobid_url else None


def read_by_grobid(content: bytes, *, name: str, grobid: Grobid) -> Document:
    """Return a PDF as the service reads it.

    Raises:
        DocumentError: The service does not answer, or there is no paragraph in what it answers.
    """
    document = read_tei(_tei(content, grobid), name=name)
    if not any(block.kind == "text" for block in document.blocks):
        raise DocumentError("GROBID found no paragraph in it")
    pages = max((block.page or 0 for block in document.blocks), default=0)
    return document.model_copy(update={"reader": NAME, "pages": pages or None})


def _tei(content: bytes, grobid: Grobid) -> bytes:
    import httpx

    if time.monotonic() < _down.get(grobid.url, 0.0):
        raise DocumentError("GROBID did not answer a moment ago")
    try:
        for pause in (*_PAUSES, None):
            status, body = _exchange(content, grobid)
            if status != 503 or pause is None:
                break
            time.sleep(pause)
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
        _down[grobid.url] = time.monotonic() + _REST
        why = str(error) or type(error).__name__
        raise DocumentError(f"GROBID (CITELOOM_GROBID_URL) does not answer: {why}") from error
    if status != 200 or b"<TEI" not in body[:4096]:
        raise DocumentError(f"GROBID answers without any TEI (HTTP {status})")
    return body


def _exchange(content: bytes, grobid: Grobid) -> tuple[int, bytes]:
    """Send a file and read the whole answer, within the time for one file."""
    import httpx

    ends = time.monotonic() + grobid.timeout
    files = {"input": ("paper.pdf", content, "application/pdf")}
    body = bytearray()
    # No proxy from the environment: the service is one's own, most often on this machine.
    with httpx.stream(
        "POST",
        grobid.url.rstrip("/") + _PATH,
        data=_ASKED,
        files=files,
        trust_env=False,
        timeout=httpx.Timeout(grobid.timeout, connect=min(_CONNECT, grobid.timeout)),
    ) as response:
        for part in response.iter_bytes():
            body += part
            if len(body) > FILE_LIMITS.bytes or time.monotonic() > ends:
                allowed = f"{grobid.timeout:g} s and {megabytes(FILE_LIMITS.bytes)}"
                raise httpx.ReadTimeout(f"no whole answer within {allowed}")
    return response.status_code, bytes(body)
