"""GROBID, for those who run it: papers as TEI from a service, in place of our own reader of PDFs.

The service is asked where files come in; the TEI it makes is read like any other file, without network.
"""

import time
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citeloom.settings import Settings
from state.document import Document
from tools.documents.limits import LIMITS, Limits, megabytes
from tools.documents.xml_article import TEI, XmlReader
from tools.errors import DocumentError, TransientError

if TYPE_CHECKING:
    import httpx

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
"""Seconds for which a service that does not answer is not asked again."""
_PAUSES = (2.0, 5.0)
"""Seconds between tries while all of its engines are at work."""
_CONNECT = 5.0
_REMEDY = "have our own reader read it, without CITELOOM_GROBID_URL"


class GrobidService:
    """A GROBID service, which makes TEI of PDFs.

    Threads may share it: what one learns of a service that is down, the others know.

    Args:
        url: Where the service is, such as http://127.0.0.1:8070.
        timeout: Seconds for one file, sending and answer included.
        rest: Seconds for which a service that does not answer is left alone.
        pauses: Seconds between tries while it is busy.
        limits: How large a file and its TEI may be.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 120.0,
        rest: float = _REST,
        pauses: tuple[float, ...] = _PAUSES,
        limits: Limits = LIMITS,
    ) -> None:
        self._url = url.rstrip("/") + _PATH
        self._timeout = timeout
        self._rest = rest
        self._pauses = pauses
        self._limits = limits
        self._lock = Lock()
        self._down = (0.0, "")
        """Until when it is left alone, and why."""

    @property
    def place(self) -> str:
        """Host and port, without a password that the address may have."""
        try:
            parts = urlsplit(self._url)
            return f"{parts.hostname or self._url[:100]}{f':{parts.port}' if parts.port else ''}"
        except ValueError:
            return "CITELOOM_GROBID_URL"

    def tei(self, content: bytes) -> bytes:
        """Return the TEI that the service makes of a PDF.

        Raises:
            TransientError: It does not answer, or is busy beyond patience.
            DocumentError: It can make nothing of this file.
        """
        if len(content) > self._limits.bytes:
            raise DocumentError(
                f"GROBID was not given a file of {megabytes(len(content))}", remedy=_REMEDY
            )
        for pause in (*self._pauses, None):
            self._check_up()
            status, body = self._post(content)
            if status != 503 or pause is None:
                break
            time.sleep(pause)
        if status == 503:
            raise TransientError(f"GROBID at {self.place} is busy (HTTP 503)")
        if status == 204 or (status == 200 and not body.strip()):
            raise DocumentError("GROBID found nothing in it", remedy=_REMEDY)
        if status != 200:
            raise DocumentError(f"GROBID at {self.place} answers HTTP {status}", remedy=_REMEDY)
        if b"<TEI" not in body[:4096]:
            raise DocumentError(f"GROBID at {self.place} answers with no TEI", remedy=_REMEDY)
        return body

    def _check_up(self) -> None:
        with self._lock:
            until, cause = self._down
        if time.monotonic() < until:
            raise TransientError(cause)

    def _post(self, content: bytes) -> tuple[int, bytes]:
        import httpx

        try:
            # No proxy from the environment: the service is one's own, most often on this machine.
            with httpx.Client(
                timeout=httpx.Timeout(self._timeout, connect=min(_CONNECT, self._timeout)),
                trust_env=False,
            ) as client:
                return self._exchange(client, content)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
            why = str(error) or type(error).__name__
            if isinstance(error, (httpx.InvalidURL, httpx.UnsupportedProtocol)):
                why = f"CITELOOM_GROBID_URL is no address: {why}"
            cause = f"GROBID at {self.place} does not answer ({why})"
            with self._lock:
                self._down = (time.monotonic() + self._rest, cause)
            raise TransientError(cause) from error

    def _exchange(self, client: "httpx.Client", content: bytes) -> tuple[int, bytes]:
        """Send a file and read the whole answer, within the time for one file."""
        import httpx

        ends = time.monotonic() + self._timeout
        files = {"input": ("paper.pdf", content, "application/pdf")}
        with client.stream("POST", self._url, data=_ASKED, files=files) as response:
            size, parts = 0, []
            for part in response.iter_bytes():
                size += len(part)
                if size > self._limits.bytes:
                    raise DocumentError(
                        f"GROBID answers with more than {megabytes(self._limits.bytes)}",
                        remedy=_REMEDY,
                    )
                if time.monotonic() > ends:
                    raise httpx.ReadTimeout(f"no whole answer within {self._timeout:g} s")
                parts.append(part)
            return response.status_code, b"".join(parts)


def read_tei(content: bytes, *, name: str, limits: Limits = LIMITS) -> Document:
    """Return what stands in GROBID's TEI of a PDF.

    Raises:
        DocumentError: It is no TEI, or there is no paragraph in it.
    """
    document = XmlReader(TEI, limits).read(content, name=name)
    if not any(block.kind == "text" for block in document.blocks):
        raise DocumentError(f"GROBID found no paragraph in {name}", remedy=_REMEDY)
    pages = max((block.page or 0 for block in document.blocks), default=0)
    return document.model_copy(update={"reader": NAME, "pages": pages or None})


def grobid_of(settings: Settings) -> GrobidService | None:
    """Return the service that is set; None where none is."""
    if not settings.grobid_url:
        return None
    return _shared(settings.grobid_url, settings.grobid_timeout)


@cache
def _shared(url: str, timeout: float) -> GrobidService:
    return GrobidService(url, timeout=timeout)
