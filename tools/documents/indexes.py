"""Indexes of open copies: OpenAlex, Unpaywall and Europe PMC, asked by DOI for where a paper can be read."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import quote

from state.paper import Paper
from tools.settings import Settings

XML_OF_TEXT = "/fullTextXML"
"""How an address of Europe PMC ends that gives an article as JATS."""
RATE = 5.0
"""Requests a second to Unpaywall and to Europe PMC."""
_MOST = 3
"""Copies of one paper that are tried for one index."""


@dataclass(frozen=True, slots=True)
class Index:
    """One index, and the question to it."""

    name: str
    url: str
    """Its base, without a slash at its end."""
    address: str
    """Of the question."""
    rate: float
    read: Callable[[bytes], list[str]]
    """Returns the addresses of copies that an answer names, the best first."""
    secret: Mapping[str, str] = field(default_factory=dict)
    """Sent with the question, and shown nowhere."""


def indexes_of(paper: Paper, settings: Settings) -> tuple[Index, ...]:
    """Return the indexes to be asked about a paper, in turn; none about one without a DOI.

    OpenAlex is not asked again what its own record has said, nor Unpaywall without an e-mail address.
    """
    if not paper.doi:
        return ()
    doi = quote(paper.doi, safe="/")
    found: list[Index] = []
    if not paper.openalex:
        base = settings.openalex_url.rstrip("/")
        key = settings.openalex_api_key
        secret = {"api_key": key.get_secret_value()} if key else {}
        address = f"{base}/works/doi:{doi}?select=id,best_oa_location,locations"
        rate = settings.openalex_rate
        found.append(Index("openalex", base, address, rate, _of_openalex, secret))
    if settings.contact_email:
        base = settings.unpaywall_url.rstrip("/")
        secret = {"email": settings.contact_email}
        found.append(Index("unpaywall", base, f"{base}/v2/{doi}", RATE, _of_unpaywall, secret))
    base = settings.europe_pmc_url.rstrip("/")
    address = f"{base}/search?query=DOI:%22{quote(paper.doi, safe='')}%22&format=json&pageSize=5"
    read = partial(_of_europe_pmc, base=base, doi=paper.doi.lower())
    return (*found, Index("europe-pmc", base, address, RATE, read))


def _of_openalex(content: bytes) -> list[str]:
    work = _object(content)
    free = [one for one in _objects(work.get("locations")) if one.get("is_oa") is True]
    return _addresses("pdf_url", [work.get("best_oa_location"), *free])


def _of_unpaywall(content: bytes) -> list[str]:
    work = _object(content)
    places = [work.get("best_oa_location"), *_objects(work.get("oa_locations"))]
    return _addresses("url_for_pdf", places)


def _of_europe_pmc(content: bytes, *, base: str, doi: str) -> list[str]:
    results = _objects(_as_object(_object(content).get("resultList")).get("result"))
    same = [one for one in results if str(one.get("doi", "")).lower() == doi]
    ids = [str(one["pmcid"]) for one in same if one.get("pmcid")]
    return [f"{base}/{quote(key, safe='')}{XML_OF_TEXT}" for key in ids][:_MOST]


def _addresses(name: str, places: list[object]) -> list[str]:
    given = (_as_object(one).get(name) for one in places)
    return [*dict.fromkeys(one for one in given if isinstance(one, str) and one)][:_MOST]


def _object(content: bytes) -> Mapping[str, object]:
    """Return the object that an answer is; one that is none knows no copy."""
    try:
        return _as_object(json.loads(content))
    except ValueError:
        return {}


def _as_object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()
