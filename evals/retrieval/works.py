"""The papers of a citation graph as OpenAlex holds them, as of the year of a query paper.

Records, filters, and the local source on loopback that serves them, beside a Crossref that knows of none.
"""

import gzip
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import numpy as np
from numpy.typing import NDArray
from pydantic import SecretStr

from evals.retrieval.corpus import FIRST_WORK, Corpus
from evals.retrieval.search_index import Index, Mask, Search, parse
from state.paper import canonical_id
from tools.scholar.snapshot_building import Filters, build

SITE = "https://openalex.org/"
_NO_YEAR = 9999


@dataclass(frozen=True)
class View:
    """What the source shows: the works before a year, but for some that are hidden."""

    visible: Mask
    cited_by: NDArray[np.int64]
    """How many visible works cite each."""


class Works:
    """Works by place, their links, and the text of each record, which is made once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        records, positions = corpus.records, corpus.positions
        self.years = np.array(
            [record.year if record.year is not None else _NO_YEAR for record in records]
        )
        links = [
            (at, positions[key])
            for at, record in enumerate(records)
            for key in dict.fromkeys(map(canonical_id, record.references))
            if key in positions
        ]
        self._citing = np.array([citing for citing, _ in links], dtype=np.int64)
        self._cited = np.array([cited for _, cited in links], dtype=np.int64)
        self._head = cache(lambda at: json.dumps(self._fields(at), ensure_ascii=False)[:-1])
        self.view = lru_cache(maxsize=64)(self._view)

    @cached_property
    def index(self) -> Index:
        """The words of all works."""
        return Index((record.title, record.abstract or "") for record in self._corpus.records)

    def prepare(self) -> None:
        """Make all records and the index now, so that no request pays for it."""
        for at in range(len(self.years)):
            self._head(at)
        _ = self.index

    def _view(self, year: int | None, hidden: tuple[int, ...]) -> View:
        """Return the works that appeared before `year` and are not hidden."""
        visible = np.ones(len(self.years), dtype=np.bool_)
        if year is not None:
            visible &= self.years < year
        visible[list(hidden)] = False
        return View(
            visible, np.bincount(self._cited[visible[self._citing]], minlength=len(self.years))
        )

    def place_of(self, name: str) -> int | None:
        """Return the place of a work by its `W…`, its address or its DOI."""
        short = name.rsplit("/", 1)[-1].upper().removeprefix("OPENALEX:")
        if short[:1] == "W" and short[1:].isdigit() and "10." not in name:
            at = int(short[1:]) - FIRST_WORK
            return at if 0 <= at < len(self.years) else None
        return self._corpus.positions.get(canonical_id(name)) if name.strip() else None

    def citing(self, places: Sequence[int]) -> Mask:
        """Return which works cite one of these."""
        return np.isin(np.arange(len(self.years)), self._citing[np.isin(self._cited, list(places))])

    def text_of(self, at: int, view: View) -> str:
        """Return the record of a work as JSON."""
        return f'{self._head(at)}, "cited_by_count": {int(view.cited_by[at])}}}'

    def _fields(self, at: int) -> dict[str, object]:
        record, positions = self._corpus.records[at], self._corpus.positions
        kind, _, value = self._corpus.name_of(at).partition(":")
        doi = {"doi": value, "arxiv": f"10.48550/arxiv.{value}"}.get(kind)
        places: dict[str, list[int]] = {}
        for place, word in enumerate((record.abstract or "").split()):
            places.setdefault(word, []).append(place)
        return {
            "id": work_id(at),
            "doi": f"https://doi.org/{doi}" if doi else None,
            "title": record.title,
            "publication_year": record.year,
            # OpenAlex writes the first of January where only the year is known.
            "publication_date": f"{record.year:04}-01-01" if record.year is not None else None,
            "authorships": [{"author": {"display_name": name}} for name in record.authors],
            "primary_location": {
                "is_oa": False,
                "source": {"display_name": record.venue, "type": "journal"},
            }
            if record.venue is not None
            else None,
            "best_oa_location": None,
            "locations": [],
            "abstract_inverted_index": places if record.abstract is not None else None,
            "is_retracted": False,
            "referenced_works": [
                work_id(positions[key])
                for key in dict.fromkeys(map(canonical_id, record.references))
                if key in positions
            ],
        }


def work_id(at: int) -> str:
    """Return the address by which OpenAlex would name the work at a place."""
    return f"{SITE}W{FIRST_WORK + at}"


def key_for(year: int | None, hidden: Sequence[int], name: str) -> str:
    """Return an API key whose holder sees the works before a year, or all, without the hidden ones.

    So one server serves all query papers at once: to each, its future does not exist. `name` tells
    the holder from others, as each has an allowance of its own.
    """
    return f"trial-{year or ''}-{'.'.join(map(str, hidden))}-{name}"


def served_at(url: str, key: str) -> dict[str, Any]:
    """Return the settings by which the local source is asked, and nobody else."""
    nowhere = f"{url}/nowhere"
    return {
        "openalex_url": url,
        "openalex_api_key": SecretStr(key),
        "openalex_rate": 1000.0,  # the local source needs no patience
        "crossref_url": f"{url}/crossref",
        "crossref_rate": 1000.0,
        "contact_email": None,
        "semantic_scholar_url": nowhere,
        "arxiv_url": nowhere,
        "serpapi_url": nowhere,
    }


def view_for(works: Works, key: str) -> View:
    """Return what the holder of a key sees: everything, unless the key says less."""
    kind, year, hidden, *_ = *key.split("-"), "", "", ""
    if kind != "trial":
        return works.view(None, ())
    return works.view(int(year) if year else None, tuple(map(int, filter(None, hidden.split(".")))))


def wanted(works: Works, view: View, query: Mapping[str, str]) -> tuple[Mask, tuple[Search, ...]]:
    """Return what a list request leaves, and the searches by which it may be ordered.

    Raises:
        ValueError: A filter is unknown, or a value or a search cannot be read.
    """
    if "search.semantic" in query:
        raise ValueError("search.semantic is not a valid parameter.")
    mask = view.visible.copy()
    searches: list[Search] = []
    for part in filter(None, query.get("filter", "").split(",")):
        name, _, value = part.partition(":")
        if name in ("title.search", "display_name.search", "default.search"):
            searches.append(parse(value))
            mask &= works.index.matching(searches[-1], in_title=name != "default.search")
        elif value and name in _FILTERS:
            mask &= _FILTERS[name](works, value)
        else:
            raise ValueError(f"Invalid query parameter in filter: {part}.")
    if text := query.get("search"):
        searches.append(parse(text))
        mask &= works.index.matching(searches[-1])
    return mask, tuple(searches)


def _places(works: Works, value: str) -> list[int]:
    return [at for one in value.split("|") if (at := works.place_of(one)) is not None]


def _among(works: Works, value: str) -> Mask:
    return np.isin(np.arange(len(works.years)), _places(works, value))


def _until(works: Works, value: str) -> Mask:
    # All works are of the first of January, so the year of the day decides.
    return np.asarray(works.years <= date.fromisoformat(value).year)


def _since(works: Works, value: str) -> Mask:
    day = date.fromisoformat(value)
    return np.asarray(works.years >= day.year + ((day.month, day.day) != (1, 1)))


_FILTERS: Mapping[str, Callable[[Works, str], Mask]] = {
    "openalex": _among,
    "openalex_id": _among,
    "ids.openalex": _among,
    "doi": _among,
    "cites": lambda works, value: works.citing(_places(works, value)),
    "to_publication_date": _until,
    "from_publication_date": _since,
}


def ordered(
    works: Works, view: View, mask: Mask, searches: Sequence[Search], sort: str
) -> list[int]:
    """Return the places of the works in the order asked for; ties in the order of the data.

    Raises:
        ValueError: There is no such order, or there is no search to order by relevance.
    """
    name = sort or ("relevance_score:desc" if searches else "id")
    places = np.flatnonzero(mask)
    weight = np.zeros(len(places), dtype=np.float64)
    if name == "relevance_score:desc" and searches:
        score = sum((works.index.relevance(node) for node in searches), start=np.zeros(1))
        # OpenAlex weighs the match of the words with the number of citations.
        weight = (score * np.log(2 + view.cited_by))[places]
    elif name in ("cited_by_count:desc", "cited_by_count"):
        weight += view.cited_by[places] * (1 if name.endswith("desc") else -1)
    elif name != "id":
        raise ValueError(f"{name} is not a valid order here.")
    return [int(at) for at in places[np.argsort(-weight, kind="stable")]]


def write_dump(corpus: Corpus, path: Path) -> None:
    """Write the works of a corpus as OpenAlex writes them, a line each."""
    works = Works(corpus)
    everything = works.view(None, ())
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        file.writelines(f"{works.text_of(at, everything)}\n" for at in range(len(corpus.records)))


def sliced(corpus: Corpus, folder: Path) -> Path:
    """Make a slice of all works of a corpus, and return its folder."""
    dump = folder / "works.gz"
    write_dump(corpus, dump)
    build([dump], folder / "slice", Filters(), lambda _: None)
    dump.unlink()
    return folder / "slice"


PRICES = {"single": 0.0, "list": 0.0001, "search": 0.001}
"""USD for one call (https://developers.openalex.org/api-reference/authentication)."""
_SEARCHES = ("search=", "title.search:", "display_name.search:", "default.search:")


Answer = tuple[int, str, Mapping[str, str]]
"""Status, body and headers."""


def answer(works: Works, target: str, key: str) -> Answer:
    """Answer a GET of a path with its query, asked with an API key or with ''; safe to call from several threads."""
    path, _, text = target.partition("?")
    query = dict(parse_qsl(text, keep_blank_values=True))
    kind, body = "single", ""
    if path == "/crossref/works":
        return 200, json.dumps(_CROSSREF), {}
    try:
        view = view_for(works, key)
        if path == "/works":
            kind, body = _list(works, view, query)
        elif path.startswith("/works/"):
            at = works.place_of(unquote(path.removeprefix("/works/")))
            body = works.text_of(at, view) if at is not None and view.visible[at] else ""
    except ValueError as error:
        return _error(400, str(error))
    cost = {"X-RateLimit-Cost-USD": f"{PRICES[kind]:.6g}"}
    return (200, body, cost) if body else _error(404, "not found")


def _list(works: Works, view: View, query: Mapping[str, str]) -> tuple[str, str]:
    """Return of which kind a list request is, and its answer."""
    asked = (f"search={query.get('search', '')}", *query.get("filter", "").split(","))
    searching = any(one.startswith(_SEARCHES) and one != "search=" for one in asked)
    kind = "search" if searching else "list"
    size = int(query.get("per_page", query.get("per-page", "25")))
    start = int(query.get("cursor", "*").replace("*", "0"))
    mask, searches = wanted(works, view, query)
    places = ordered(works, view, mask, searches, query.get("sort", ""))
    shown = places[start : start + size]
    # As OpenAlex pages: the page after the last is empty and has no cursor.
    following = {"next_cursor": str(start + size) if shown else None} if "cursor" in query else {}
    meta = {"count": len(places), "per_page": size, **following, "cost_usd": PRICES[kind]}
    texts = ", ".join(works.text_of(at, view) for at in shown)
    return kind, f'{{"meta": {json.dumps(meta)}, "results": [{texts}], "group_by": []}}'


_CROSSREF = {
    "status": "ok",
    "message-type": "work-list",
    "message": {"total-results": 0, "items": [], "items-per-page": 0, "facets": {}},
}


def _error(status: int, text: str) -> Answer:
    body = json.dumps({"error": "Invalid query parameters error.", "message": text})
    return status, body, {}


class _Server(ThreadingHTTPServer):
    request_queue_size = 256


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    works: Works

    def do_GET(self) -> None:
        """Answer."""
        key = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        status, text, headers = answer(self.works, self.path, key)
        body = text.encode()
        try:
            self.send_response(status)
            for name, value in (
                {"Content-Type": "application/json", "Content-Length": str(len(body))} | {**headers}
            ).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up waiting

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Stay silent."""


@contextmanager
def serving(works: Works) -> Iterator[str]:
    """Serve in a thread of this process while the block runs; the value is the base URL."""
    works.prepare()
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"works": works}))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
