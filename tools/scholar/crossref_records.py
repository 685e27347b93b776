"""Works of Crossref, as papers, with what they cite and what was said of them later.

Publishers deposit what they like: every field may be missing, null, or of another type.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from state.paper import Author, Paper
from tools.scholar.crossref_cited import SOURCE, cited_works, doi_key
from tools.scholar.fields import address_of, count_of, mapping, mappings, paper_from, text_of
from tools.scholar.markup import retracted_title

_NO_PAPERS = frozenset(
    {
        *("journal", "journal-issue", "journal-volume", "book-series", "book-set", "book-track"),
        *("proceedings-series", "report-series", "standard-series", "component", "grant"),
        *("peer-review", "database"),
    }
)
_RETRACTIONS = frozenset({"retraction", "withdrawal", "removal"})
_HEADING = re.compile(
    r"<(?:jats:)?title[^>]*>\s*(?:abstract|summary)[\s:.]*</(?:jats:)?title>", re.I
)
_SHORTEST_ABSTRACT, _LONGEST_ABSTRACT = 20, 10_000
_DATES = ("published", "issued", "published-online", "published-print", "posted")


@dataclass(frozen=True, kw_only=True)
class Update:
    """One notice about a work."""

    work: str
    """Canonical id of the work that is corrected or retracted."""
    notice: str
    """Bare DOI of the notice."""
    retracts: bool


@dataclass(frozen=True, kw_only=True)
class Work:
    """One record."""

    id: str
    """`doi:…`"""
    paper: Paper | None
    """None for what cannot be a paper."""
    main_title: str
    """Without the subtitle, which many leave out."""
    cited: Mapping[str, Paper]
    """The cited works that are known by their title only, by id."""
    updates: tuple[Update, ...]


@dataclass(frozen=True)
class Page:
    """One answer with many works."""

    works: tuple[Work, ...]
    total: int | None


def read_page(body: str) -> Page:
    """Return the works of a list.

    Raises:
        ValueError: The body is no list of Crossref.
    """
    message = _message(body)
    items = message.get("items")
    if not isinstance(items, list):
        raise ValueError("Crossref's answer has no list of items")  # noqa: TRY004 - garbled, not misused
    works = tuple(work for item in items if (work := read_work(item)) is not None)
    return Page(works, count_of(message.get("total-results")))


def read_single(body: str) -> Page:
    """Return the page of one work.

    Raises:
        ValueError: The body is no work of Crossref.
    """
    work = read_work(_message(body))
    if work is None:
        raise ValueError("Crossref's answer is no work")
    return Page((work,), 1)


def read_work(record: object) -> Work | None:
    """Return a record, or None where it has no DOI."""
    work = mapping(record)
    key = doi_key(work.get("DOI"))
    if key is None:
        return None
    cited = dict(cited_works(work, key))
    return Work(
        id=key,
        paper=_paper(work, key, tuple(cited)),
        main_title=next(_texts(work.get("title")), ""),
        cited={name: paper for name, paper in cited.items() if paper is not None},
        updates=tuple(_updates(work, key)),
    )


def _paper(work: Mapping[str, object], key: str, references: tuple[str, ...]) -> Paper | None:
    title = _title(work)
    if title is None or str(work.get("type")) in _NO_PAPERS:
        return None
    doi = key.removeprefix("doi:") if key.startswith("doi:") else None
    arxiv = key.removeprefix("arxiv:") if key.startswith("arxiv:") else None
    year, published = _dates(work)
    authors = tuple(_authors(work.get("author")))
    retracted = any(update.retracts and update.work == key for update in _updates(work, key))
    values: dict[str, object] = {
        "title": title,
        "abstract": _abstract(work.get("abstract")),
        "year": year,
        "published": published,
        "authors": authors,
        "venue": _venue(work),
        "doi": doi,
        "arxiv": arxiv,
        "url": f"https://doi.org/{doi}" if doi else f"https://arxiv.org/abs/{arxiv}",
        "pdf": _pdf(work),
        "cited_by": count_of(work.get("is-referenced-by-count")),
        "retracted": retracted or retracted_title(title),
        "references": references,
    }
    return paper_from(SOURCE, values, aliases=_versions(work, key))


def _title(work: Mapping[str, object]) -> str | None:
    title = next(_texts(work.get("title")), None)
    subtitle = next(_texts(work.get("subtitle")), None)
    if title is None or subtitle is None or subtitle.casefold() in title.casefold():
        return title
    return f"{title}{' ' if title[-1] in ':?!.' else ': '}{subtitle}"


def _abstract(value: object) -> str | None:
    text = text_of(_HEADING.sub(" ", value)) if isinstance(value, str) else None
    return text if text and _SHORTEST_ABSTRACT <= len(text) <= _LONGEST_ABSTRACT else None


def _dates(work: Mapping[str, object]) -> tuple[int | None, date | None]:
    """Return the first year of publication, and its first day that is known."""
    parts = [_date_parts(work.get(name)) for name in _DATES]
    year = min((one[0] for one in parts if one and 1000 <= one[0] <= 2200), default=None)
    days: list[date] = []
    for one in parts:
        if len(one) >= 3 and one[0] == year:
            try:
                days.append(date(*one[:3]))
            except (ValueError, OverflowError):
                continue
    return year, min(days, default=None)


def _date_parts(value: object) -> list[int]:
    listed = mapping(value).get("date-parts")
    first = listed[0] if isinstance(listed, list) and listed else None
    parts = first if isinstance(first, list) else []
    return [part for part in parts if type(part) is int] if None not in parts else []


def _authors(value: object) -> Iterator[Author]:
    for one in mappings(value):
        family, given = text_of(one.get("family")), text_of(one.get("given"))
        if family is None:
            if name := text_of(one.get("name")) or given:
                yield Author(name=name)
            continue
        author = Author(name=f"{given} {family}" if given else family)
        # Written so that a family name of several words stays whole.
        yield author if author.family == family or not given else Author(name=f"{family}, {given}")


def _venue(work: Mapping[str, object]) -> str | None:
    names = [next(_texts(work.get("container-title")), None)]
    if work.get("type") == "posted-content":
        names += [text_of(one.get("name")) for one in mappings(work.get("institution"))]
        names.append(text_of(work.get("group-title")))
    return next(filter(None, names), None)


def _pdf(work: Mapping[str, object]) -> str | None:
    """Return the link to a PDF where the licence makes it free to read; most links lead to a wall."""
    licences = (str(one.get("URL")) for one in mappings(work.get("license")))
    if not any("creativecommons.org" in licence for licence in licences):
        return None
    for link in mappings(work.get("link")):
        if link.get("content-type") == "application/pdf" and (
            address := address_of(link.get("URL"))
        ):
            return address
    return None


def _versions(work: Mapping[str, object], own: str) -> Iterator[str]:
    """Yield the ids of the published version of a preprint, and of the preprints of a work."""
    relation = mapping(work.get("relation"))
    for kind in ("is-preprint-of", "has-preprint"):
        for one in mappings(relation.get(kind)):
            key = doi_key(one.get("id"))
            if key is not None and key != own:
                yield key


def _updates(work: Mapping[str, object], own: str) -> Iterator[Update]:
    for one in mappings(work.get("updated-by")):
        if notice := doi_key(one.get("DOI")):
            yield _update(own, notice, one)
    for one in mappings(work.get("update-to")):
        if target := doi_key(one.get("DOI")):
            yield _update(target, own, one)


def _update(work: str, notice: str, record: Mapping[str, object]) -> Update:
    kind = str(record.get("type")).lower()
    return Update(work=work, notice=notice.partition(":")[2], retracts=kind in _RETRACTIONS)


def _message(body: str) -> Mapping[str, object]:
    answer = mapping(json.loads(body))
    message = answer.get("message")
    if answer.get("status") != "ok" or not isinstance(message, dict):
        raise ValueError("Crossref's answer holds no message")
    return message


def _texts(value: object) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if text := text_of(one):
            yield text
