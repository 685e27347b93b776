"""Open copies of papers: arXiv's HTML, else its PDF; else the free PDF that the record names."""

import asyncio
import logging
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, unquote, urlsplit

from state.paper import Paper
from tools.documents.guarded import Place, get_whole, guarded_client, is_loopback, place_of
from tools.documents.limits import LIMITS
from tools.documents.sniff import sniff
from tools.errors import DocumentError, MissingError, TransientError
from tools.http.host import Host, state_of
from tools.ledger.ledger import RunLedger
from tools.retry_after import retry_after

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(f"citeloom.{__name__}")

MOST_REDIRECTS = 5
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds between tries; they double from the first to the longest."""
MOST_TRIES = 4
LONGEST_WAIT = 60.0
"""Seconds; a host that asks for more is not waited for."""
_BY_HAND = "download it in a browser where you may read it, and add the file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where copies are fetched, and how patiently."""

    arxiv_html: str = "https://arxiv.org"
    """arXiv's own HTML stands below /html/."""
    ar5iv: str = "https://ar5iv.labs.arxiv.org"
    """HTML of older papers stands below /html/."""
    arxiv_pdf: str = "https://arxiv.org"
    """PDFs stand below /pdf/."""
    arxiv_rate: float = 0.33
    """Requests a second to each of arXiv's hosts; its terms ask for one in three."""
    rate: float = 1.0
    """Requests a second to any other host."""
    timeout: float = 120.0
    """Seconds for one try, redirects and the whole body included."""
    most_bytes: int = LIMITS.bytes


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document from the network."""

    content: bytes
    name: str
    """As a file's: '2005.11401.html'."""
    address: str
    """Where it was in the end."""


@dataclass(frozen=True, slots=True)
class _Copy:
    host: Host
    url: str
    expected: Literal["html", "pdf"]
    name: str


async def open_copy(paper: Paper, *, ledger: RunLedger, places: Places | None = None) -> Fetched:
    """Return an open copy of a paper: of those that there are, the one that is read best.

    Only public addresses are asked, redirects included; this machine's own only where one of
    `places` is configured to it.

    Args:
        paper: Its arXiv id, and the link to its free PDF, say where copies may be.
        ledger: The run's, which counts the requests.
        places: Where and how; as arXiv has it unless given.

    Raises:
        DocumentError: There is no open copy that can be had; `remedy` says what a person can do.
        TransientError: The hosts do not answer for now.
        BudgetError: The run may not ask for more.
    """
    at = places or Places()
    trusted = _trusted(at)
    failed: list[DocumentError | TransientError] = []
    async with guarded_client(trusted, at.timeout) as client:
        for copy in _copies(paper, at):
            try:
                return await _persist(client, copy, at, ledger)
            except MissingError as error:
                logger.info("no copy at %s: %s", copy.url, error)
            except (DocumentError, TransientError) as error:
                logger.info("no copy from %s: %s", copy.url, error)
                failed.append(error)
    passing = [one for one in failed if isinstance(one, TransientError)]
    if failed:
        raise (passing or failed)[-1]
    raise DocumentError(
        f"no open copy of {paper.id} is known",
        remedy="if you have the document, add its file instead of the id",
    )


def arxiv_id(paper: Paper) -> str | None:
    """Return the arXiv id of a paper by whatever names it, a version kept where it is given."""
    if paper.arxiv:
        return paper.arxiv.removeprefix("arXiv:").removeprefix("arxiv:")
    ids = (paper.id, *paper.aliases)
    return next((key.removeprefix("arxiv:") for key in ids if key.startswith("arxiv:")), None)


def _trusted(places: Places) -> frozenset[Place]:
    bases = [place_of(url) for url in (places.arxiv_html, places.ar5iv, places.arxiv_pdf)]
    return frozenset(place for place in bases if is_loopback(place[0]))


def _copies(paper: Paper, places: Places) -> Iterator[_Copy]:
    if number := arxiv_id(paper):
        part, plain = quote(number, safe="/"), number.replace("/", "_")
        for base, setting in (
            (places.arxiv_html, "CITELOOM_ARXIV_HTML_URL"),
            (places.ar5iv, "CITELOOM_AR5IV_URL"),
        ):
            host = _host("arxiv-html", base, setting, places.arxiv_rate, places)
            yield _Copy(host, f"{host.url}/html/{part}", "html", f"{plain}.html")
        host = _host(
            "arxiv-pdf", places.arxiv_pdf, "CITELOOM_ARXIV_PDF_URL", places.arxiv_rate, places
        )
        yield _Copy(host, f"{host.url}/pdf/{part}", "pdf", f"{plain}.pdf")
    if paper.pdf and not (number and re.match(r"https?://(?:www\.)?arxiv\.org/", paper.pdf)):
        try:
            name, port = place_of(paper.pdf)
        except DocumentError:
            return
        base = f"{urlsplit(paper.pdf).scheme}://{name}:{port}"
        host = _host(name, base, "", places.rate, places)
        yield _Copy(host, paper.pdf, "pdf", _file_name(paper.pdf))


def _host(name: str, url: str, setting: str, rate: float, places: Places) -> Host:
    return Host(
        name=name, url=url.rstrip("/"), setting=setting, rate=rate, concurrency=1, timeout=places.timeout
    )  # fmt: skip


def _file_name(url: str) -> str:
    last = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
    plain = re.sub(r"[^\w.-]+", "_", last).strip("._")[-120:] or "document"
    return plain if plain.lower().endswith(".pdf") else f"{plain}.pdf"


async def _persist(
    client: "httpx.AsyncClient", copy: _Copy, places: Places, ledger: RunLedger
) -> Fetched:
    """Try until there is an answer, or it is hopeless."""
    line = state_of(copy.host)
    tries = 0
    fetched: Fetched | MissingError
    while True:
        line.breaker.check(copy.host.name)
        try:
            async with ledger.pay(copy.host.name, 0.0) as spending, line.gate:
                await line.pace.turn()
                spending.begin()
                try:
                    fetched = await _fetch(client, copy, places)
                except MissingError as error:  # an answer like any other
                    fetched = error
        except TransientError as error:
            line.breaker.failed(error)
            tries += 1
            wait = error.retry_after or 0.0
            if tries >= MOST_TRIES or wait > LONGEST_WAIT:
                raise
            longest = min(FIRST_PAUSE * 2.0 ** (tries - 1), LONGEST_PAUSE)
            await asyncio.sleep(max(wait, random.uniform(longest / 4, longest)))
        else:
            line.breaker.answered()
            if isinstance(fetched, MissingError):
                raise fetched
            return fetched


async def _fetch(client: "httpx.AsyncClient", copy: _Copy, places: Places) -> Fetched:
    import httpx

    started = time.monotonic()
    name = copy.host.name
    try:
        async with asyncio.timeout(places.timeout):
            status, headers, body, address = await get_whole(
                client,
                copy.url,
                most_bytes=places.most_bytes,
                most_redirects=MOST_REDIRECTS,
                name=name,
            )
    except TimeoutError as error:
        raise TransientError(f"{name} gave no whole answer within {places.timeout:g} s") from error
    except httpx.InvalidURL as error:
        raise DocumentError(f"{copy.url[:200]} is no address: {error}", remedy=_BY_HAND) from error
    except (httpx.HTTPError, httpx.StreamError, OSError) as error:
        cause = str(error) or type(error).__name__
        raise TransientError(
            f"{name} cannot be reached or breaks off ({cause}): check the network, or add the file itself"
        ) from error
    if status != 200:
        raise _status_error(name, status, retry_after(headers), copy.url)
    _check(body, copy, address)
    logger.info("%s: %d bytes in %.1f s", address, len(body), time.monotonic() - started)
    return Fetched(body, copy.name, address)


def _status_error(name: str, status: int, wait: float | None, url: str) -> Exception:
    if status in {404, 410}:
        return MissingError(f"{name} does not have it (HTTP {status})")
    if status in {401, 402, 403, 407, 451}:
        return DocumentError(
            f"{name} does not give {url[:200]} to programs, or only after a login (HTTP {status})",
            remedy=_BY_HAND,
        )
    if status in {408, 425, 429} or status >= 500:
        return TransientError(f"{name} is busy or broken for now (HTTP {status})", retry_after=wait)
    return DocumentError(f"{name} answers HTTP {status} for {url[:200]}", remedy=_BY_HAND)


def _check(body: bytes, copy: _Copy, address: str) -> None:
    """Check that a body is the document.

    Raises:
        MissingError: It is a page that says that there is none.
        DocumentError: It is a page where a PDF should be.
        TransientError: There is nothing in it.
    """
    if not body.strip():
        raise TransientError(f"{copy.host.name} answers with nothing")
    if copy.expected == "html":
        # Where there is no HTML of a paper, its abstract's page is shown, or an error's.
        if b"ltx_document" not in body and b"ltx_page_main" not in body:
            raise MissingError(f"{address} is not the paper but a page about it")
        return
    kind = sniff(body, copy.name)
    if kind in {"html", "markdown", "text", "docx"}:
        raise DocumentError(
            f"{address[:200]} answers with a web page where a PDF should be: a landing page, a log-in, "
            "or a check for robots",
            remedy=_BY_HAND,
        )
