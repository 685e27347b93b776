"""Open copies of papers, fetched from arXiv, from the PDF that a record names, or from where indexes say.

Where the caller wants it, the indexes of open copies are asked for further places: OpenAlex, Unpaywall
(where a contact e-mail is set, which it wants) and Europe PMC, which has the text itself as XML.
"""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import quote, unquote, urljoin, urlsplit

from state.paper import Paper, id_in
from tools.documents.file_types import detect_file_type
from tools.documents.public_address import public_address_of, public_only_client
from tools.errors import DocumentError, NotInSourceError, TransientError, loggable_kind, logger_of
from tools.file_limits import FILE_LIMITS
from tools.http.hosts import Host, host_state
from tools.http.response_errors import mapping, mappings, retry_after
from tools.ledger.run_ledger import RunLedger
from tools.settings import Settings

if TYPE_CHECKING:
    import httpx

XML_OF_TEXT = "/fullTextXML"
"""How an address of Europe PMC ends that gives an article as JATS."""
INDEX_RATE = 5.0
"""Requests a second to Unpaywall and to Europe PMC."""
_MOST = 3
"""Copies of one paper that are tried for one index."""


@dataclass(frozen=True, slots=True)
class _Copy:
    host: Host
    url: str
    name: str
    secret: Mapping[str, str] = field(default_factory=dict)
    """Added to the address when it is sent, and shown nowhere."""


@dataclass(frozen=True, slots=True)
class CopyIndex:
    """A question to an index."""

    question: _Copy
    read: Callable[[bytes], list[str]]
    """Returns the addresses of copies that an answer names, the best first."""


def indexes_of(paper: Paper, settings: Settings) -> tuple[CopyIndex, ...]:
    """Return the indexes to be asked about a paper, in turn; none about one without a DOI.

    OpenAlex is not asked again what its own record has said, nor Unpaywall without an e-mail address.
    """
    if not paper.doi:
        return ()
    doi = quote(paper.doi, safe="/")
    found: list[CopyIndex] = []

    def ask(name: str, base: str, path: str, rate: float, **secret: str) -> _Copy:
        return _Copy(_host(name, base, rate), f"{base}{path}", f"{name}.json", secret)

    if not paper.openalex:
        key = settings.openalex_api_key
        secret = {"api_key": key.get_secret_value()} if key else {}
        path = f"/works/doi:{doi}?select=id,best_oa_location,locations"
        base = settings.openalex_url.rstrip("/")
        asked = ask("openalex", base, path, settings.openalex_rate, **secret)
        found.append(CopyIndex(asked, _of_openalex))
    if mail := settings.contact_email:
        base = settings.unpaywall_url.rstrip("/")
        asked = ask("unpaywall", base, f"/v2/{doi}", INDEX_RATE, email=mail)
        found.append(CopyIndex(asked, _of_unpaywall))
    base = settings.europe_pmc_url.rstrip("/")
    path = f"/search?query=DOI:%22{quote(paper.doi, safe='')}%22&format=json&pageSize=5"
    read = partial(_of_europe_pmc, base=base, doi=paper.doi.lower())
    return (*found, CopyIndex(ask("europe-pmc", base, path, INDEX_RATE), read))


def _of_openalex(content: bytes) -> list[str]:
    work = _object(content)
    free = [one for one in mappings(work.get("locations")) if one.get("is_oa") is True]
    return _addresses("pdf_url", [work.get("best_oa_location"), *free])


def _of_unpaywall(content: bytes) -> list[str]:
    work = _object(content)
    places = [work.get("best_oa_location"), *mappings(work.get("oa_locations"))]
    return _addresses("url_for_pdf", places)


def _of_europe_pmc(content: bytes, *, base: str, doi: str) -> list[str]:
    results = mappings(mapping(_object(content).get("resultList")).get("result"))
    same = [one for one in results if str(one.get("doi", "")).lower() == doi]
    ids = [str(one["pmcid"]) for one in same if one.get("pmcid")]
    return [f"{base}/{quote(key, safe='')}{XML_OF_TEXT}" for key in ids][:_MOST]


def _addresses(name: str, places: list[object]) -> list[str]:
    given = (mapping(one).get(name) for one in places)
    return [*dict.fromkeys(one for one in given if isinstance(one, str) and one)][:_MOST]


def _object(content: bytes) -> Mapping[str, object]:
    """Return the object that an answer is; one that is none knows no copy."""
    try:
        return mapping(json.loads(content))
    except ValueError:
        return {}


logger = logger_of(__name__)

MOST_REDIRECTS = 5
MOST_TRIES = 4
FIRST_PAUSE = 0.5
"""Seconds, doubled before each further try."""
LONGEST_WAIT = 60.0
"""Seconds; a host that asks for more is not waited for."""
TIMEOUT = 120.0
"""Seconds for one try, redirects and the whole body included."""
MOST_BYTES = FILE_LIMITS.bytes
RATE = 1.0
"""Requests a second to hosts that are not arXiv's."""
_BY_HAND = "download it in a browser where you may read it, and add the file"
ReadT = TypeVar("ReadT")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document from the network."""

    content: bytes
    name: str
    """As a file's: '2005.11401.html'."""
    address: str
    """Where it was in the end."""


async def open_copy(paper: Paper, *, ledger: RunLedger, settings: Settings) -> Fetched:
    """Return an open copy of a paper: the first that can be had; see `read_first_copy`."""

    async def taken(copy: Fetched) -> Fetched:
        return copy

    return await read_first_copy(paper, taken, ledger=ledger, settings=settings)


async def read_first_copy(
    paper: Paper,
    read: Callable[[Fetched], Awaitable[ReadT]],
    *,
    ledger: RunLedger,
    settings: Settings,
    indexes: bool = False,
) -> ReadT:
    """Return what `read` makes of the first open copy that can be had and read, the best form first.

    Only public addresses are asked, redirects included, and those that the settings name.

    Args:
        paper: Its arXiv id, and the link to its free PDF, say where copies may be.
        read: Raises DocumentError where a copy is of no use; the next one is tried then.
        ledger: The run's, which counts the requests.
        settings: Where arXiv and the indexes are, and how often they may be asked.
        indexes: Whether indexes of open copies are asked by the paper's DOI, too.

    Raises:
        DocumentError: There is no open copy that can be had; `remedy` says what a person can do.
        TransientError: The hosts do not answer for now.
        BudgetError: The run may not ask for more.
    """
    bases = (settings.arxiv_html_url, settings.ar5iv_url, settings.arxiv_pdf_url)
    asked = indexes_of(paper, settings) if indexes else ()
    trusted = {public_address_of(url) for url in (*bases, *(index.question.url for index in asked))}
    async with public_only_client(trusted, TIMEOUT) as client:
        trying = _Trying(client, ledger, settings.source_patience, read)
        if found := await trying.first(_copies(paper, bases, settings.arxiv_rate)):
            return found[0]
        for index in asked:
            if found := await trying.first(await trying.listed(index)):
                return found[0]
    raise trying.error(paper)


class _Trying(Generic[ReadT]):
    """The copies of one paper, tried in turn."""

    def __init__(
        self,
        client: "httpx.AsyncClient",
        ledger: RunLedger,
        patience: float,
        read: Callable[[Fetched], Awaitable[ReadT]],
    ) -> None:
        self._client, self._ledger, self._patience, self._read = client, ledger, patience, read
        self._seen: set[str] = set()
        self._failed: list[DocumentError | TransientError] = []
        self._unasked: list[DocumentError | TransientError] = []
        """Why indexes could not be asked."""

    async def first(self, copies: Iterable[_Copy]) -> list[ReadT]:
        """Return what is made of the first of these copies that is of use; nothing where none is."""
        for copy in copies:
            if copy.url in self._seen:
                continue
            self._seen.add(copy.url)
            try:
                return [await self._read(await self._get(copy))]
            except (NotInSourceError, DocumentError, TransientError) as error:
                logger.info("no copy from %s: %s", copy.host.name, loggable_kind(error))
                if not isinstance(error, NotInSourceError):
                    self._failed.append(error)
        return []

    async def listed(self, index: CopyIndex) -> list[_Copy]:
        """Return the copies that an index knows."""
        try:
            answer = await self._get(index.question)
        except NotInSourceError:
            return []
        except (DocumentError, TransientError) as error:
            self._unasked.append(error)
            return []
        return [copy for url in index.read(answer.content) for copy in _linked(url)]

    async def _get(self, copy: _Copy) -> Fetched:
        """Try until there is an answer, or it is hopeless, or tries and pauses have taken so many seconds.

        A host that has just failed for another copy as often as it is tried for one gets one try until it answers.
        """
        state, tries, trying = host_state(copy.host), 0, 0.0
        while True:
            state.breaker.check(copy.host.name)
            began = time.monotonic()
            try:
                async with self._ledger.pay(copy.host.name, 0.0) as spending, state.gate:
                    await state.pace.turn()
                    began = time.monotonic()  # the wait for one's turn is not the host's fault
                    spending.begin()
                    response, fetched = await _send(self._client, copy)
                    if response.status_code not in {200, 404, 410}:
                        spending.missed(TransientError(f"HTTP {response.status_code}"))
                if response.status_code < 500:
                    state.breaker.answered()
                _check(response, copy, fetched)
            except TransientError as error:
                state.breaker.failed(error)
                tries += 1
                asked_for = error.retry_after or 0.0
                wait = max(asked_for, FIRST_PAUSE * 2.0**tries)
                trying += time.monotonic() - began + wait
                hopeless = (
                    max(tries, state.breaker.failures) >= MOST_TRIES or asked_for > LONGEST_WAIT
                )
                if hopeless or trying > self._patience:
                    raise
                await asyncio.sleep(wait)
            else:
                return fetched

    def error(self, paper: Paper) -> DocumentError | TransientError:
        """Return why there is no copy: what failed may pass, or else what was wrong with the last."""
        if told := self._failed or self._unasked:
            return next((one for one in told if isinstance(one, TransientError)), told[-1])
        return DocumentError(
            f"no open copy of {paper.id} is known",
            remedy="if you have the document, add its file instead of the id",
        )


def _copies(paper: Paper, bases: tuple[str, str, str], rate: float) -> Iterator[_Copy]:
    ids = (f"arxiv:{paper.arxiv}" if paper.arxiv else "", paper.id, *paper.aliases)
    number = next((key.removeprefix("arxiv:") for key in ids if key.startswith("arxiv:")), "")
    for base, form in zip(bases, ("html", "html", "pdf"), strict=True) if number else ():
        host = _host(f"arxiv-{form}", base, rate)
        name = f"{number.replace('/', '_')}.{form}"
        yield _Copy(host, f"{host.url}/{form}/{quote(number, safe='/')}", name)
    if paper.pdf and not (number and id_in(paper.pdf) == f"arxiv:{number}"):
        yield from _linked(paper.pdf)


def _linked(url: str) -> Iterator[_Copy]:
    """Yield the copy at an address that a record or an index gives, where it is one of the web."""
    try:
        name, port = public_address_of(url)
    except DocumentError:
        return
    host = _host(name, f"{urlsplit(url).scheme}://{name}:{port}", RATE)
    yield _Copy(host, url, _file_name(url))


def _host(name: str, url: str, rate: float) -> Host:
    return Host(name=name, url=url.rstrip("/"), setting="", rate=rate, concurrency=1)


def _file_name(url: str) -> str:
    last = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
    plain = re.sub(r"[^\w.-]+", "_", last).strip("._")[-120:] or "document"
    if urlsplit(url).path.endswith(XML_OF_TEXT):
        return f"{plain}.xml"
    return plain if plain.lower().endswith(".pdf") else f"{plain}.pdf"


async def _send(client: "httpx.AsyncClient", copy: _Copy) -> tuple["httpx.Response", Fetched]:
    """Return an answer and what is in it; redirects are followed, each to a checked address."""
    import httpx

    url, name = copy.url, copy.host.name
    try:
        async with asyncio.timeout(TIMEOUT):
            for _ in range(MOST_REDIRECTS + 1):
                public_address_of(url)
                params = copy.secret if url == copy.url else {}
                sent = httpx.URL(url).copy_merge_params(params) if params else url
                async with client.stream("GET", sent) as response:
                    target = response.headers.get("location", "")
                    if response.status_code in {301, 302, 303, 307, 308} and target:
                        url = urljoin(url, target)
                        continue
                    body = bytearray()
                    async for part in response.aiter_bytes():
                        body += part
                        if len(body) > MOST_BYTES:
                            raise DocumentError(
                                f"what {name} sends is larger than {MOST_BYTES / 1e6:g} MB",
                                remedy="download it yourself, and add the file if you need it",
                            )
                    return response, Fetched(bytes(body), copy.name, url)
    except httpx.InvalidURL as error:
        raise DocumentError(f"{url[:200]} is not an address: {error}", remedy=_BY_HAND) from error
    except (httpx.HTTPError, httpx.StreamError, OSError) as error:
        raise TransientError(
            f"{name} cannot be reached, breaks off or takes longer than {TIMEOUT:g} s "
            f"({str(error) or type(error).__name__}): check the network, or add the file itself"
        ) from error
    raise DocumentError(f"{name} redirects more than {MOST_REDIRECTS} times", remedy=_BY_HAND)


def _check(response: "httpx.Response", copy: _Copy, fetched: Fetched) -> None:
    """Check that an answer is the document.

    Raises:
        NotInSourceError: There is none, or it is a page that says so.
        DocumentError: It is not given to programs, or it is a page where a PDF should be.
        TransientError: The host is busy or broken, or there is nothing in its answer.
    """
    status, name, address = response.status_code, copy.host.name, fetched.address[:200]
    if status in {404, 410}:
        raise NotInSourceError(f"{name} does not have it (HTTP {status})")
    if status in {408, 425, 429} or status >= 500 or not fetched.content.strip():
        cause = f"{name} is busy or not working right now (HTTP {status})"
        raise TransientError(cause, retry_after=retry_after(response.headers))
    if status != 200:
        raise DocumentError(
            f"{name} does not give {address} to programs, or only after a login (HTTP {status})",
            remedy=_BY_HAND,
        )
    if copy.name.endswith(".html"):
        # Where there is no HTML of a paper, its abstract's page is shown, or an error's.
        if b"ltx_document" not in fetched.content and b"ltx_page_main" not in fetched.content:
            raise NotInSourceError(f"{address} is not the paper but a page about it")
    elif copy.name.endswith(".json"):
        return
    elif detect_file_type(fetched.content, copy.name) in {"html", "markdown", "text", "docx"}:
        raise DocumentError(
            f"{address} answers with a web page where a PDF should be: a landing page, a log-in, "
            "or a check for robots",
            remedy=_BY_HAND,
        )
