"""Resolve: look up the references in the sources, and say what is known against them.

Reads `run`, `request`, `entries`. Writes `entries`, `findings`, `notes`; the records go to the shelf.
A reference is called fabricated only where a source that holds works of all kinds was asked, answered,
and does not know it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from state.audit import ReferenceFinding
from state.paper import Paper, merge_records, title_key
from state.query import SearchQuery
from state.request import Request
from state.run import Failure
from state.verifying import Entry
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.errors import PermanentError, TransientError
from tools.scholar.opening import is_online
from tools.scholar.port import Source, TitleFinder
from tools.scholar.titles import near_titles

STAGE = "resolve_references"
_BROAD = frozenset({"openalex", "semantic_scholar", "crossref", "google"})
"""Sources that hold works of all kinds, so that what they do not know is suspect."""
_AT_ONCE = 8


@dataclass
class Looked:
    """What one source answered."""

    name: str
    found: dict[int, Paper] = field(default_factory=dict)
    """By the entry's place."""
    asked: set[int] = field(default_factory=set)
    failures: list[Failure] = field(default_factory=list)


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    entries: list[Entry]


class Update(TypedDict):
    """What this node writes."""

    entries: list[Entry]
    findings: list[ReferenceFinding]
    notes: list[str]
    failures: list[Failure]


async def resolve_references(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Ask the sources in turn for what those before them do not know."""
    desk = open_desk(runtime, state["run"])
    request, entries = state["request"], state["entries"]
    given = await desk.shelf.papers([item.paper for item in entries if item.paper])
    found: dict[int, Paper] = {}
    denied: set[int] = set()
    failures: list[Failure] = []
    for name in request.sources:
        left = [place for place in range(len(entries)) if place not in found]
        looked = await _look(desk, name, request, entries, given, left)
        found |= looked.found
        failures += looked.failures
        if name in _BROAD:
            denied |= looked.asked
    papers, failed = await _marked(desk, request, entries, given, found)
    unknown = denied - set(found)
    await desk.shelf.put_papers(papers.values())
    desk.progress(STAGE, len(entries), len(entries))
    unsure = [place for place in papers if place not in found and place not in unknown]
    missing = [
        _missing(entry, request)
        for place, entry in enumerate(entries)
        if place not in papers and place not in unknown
    ]
    return {
        "entries": [
            entry.model_copy(update={"paper": papers[place].id})
            if place in papers and place not in unknown
            else entry.model_copy(update={"paper": "", "unknown": place in unknown})
            for place, entry in enumerate(entries)
        ],
        "findings": _findings(entries, given, found, unknown),
        "notes": [_UNSURE.format(count=len(unsure))] if unsure else [],
        "failures": [*failures, *failed, *missing],
    }


def _findings(
    entries: Sequence[Entry], given: dict[str, Paper], found: dict[int, Paper], unknown: set[int]
) -> list[ReferenceFinding]:
    findings: list[ReferenceFinding] = []
    for place, entry in enumerate(entries):
        if place in unknown:
            findings += _unknown(entry, given.get(entry.paper))
        elif entry.paper in given and place in found:
            findings += compare_records(entry, given[entry.paper], found[place])
    return findings


_UNSURE = (
    "whether they exist was not checked for {count} references: ask a source on the network "
    "(--source crossref)"
)


async def _look(
    desk: Desk,
    name: str,
    request: Request,
    entries: Sequence[Entry],
    given: dict[str, Paper],
    left: Sequence[int],
) -> Looked:
    """Look up these entries in one source, by id and then by title."""
    looked = Looked(name)
    if not left:
        return looked
    ids = {place: _ids(entries[place], given) for place in left}
    try:
        source = await desk.source(name, request)
        known = await source.get(list(dict.fromkeys(key for own in ids.values() for key in own)))
    except (TransientError, PermanentError) as error:
        if not is_online(name):
            raise
        looked.failures.append(_failure(name, str(error), "references were not looked up here"))
        return looked
    for place, own in ids.items():
        if paper := next((known[key] for key in own if key in known), None):
            looked.found[place] = paper
    rest = {
        place: given[entries[place].paper]
        for place in left
        if place not in looked.found and entries[place].paper in given
    }
    limit = asyncio.Semaphore(_AT_ONCE)
    await asyncio.gather(
        *(_look_up(source, looked, limit, place, record) for place, record in rest.items())
    )
    looked.asked |= {
        place
        for place in left
        if entries[place].paper not in given and _holds(name, entries[place].wanted)
    }
    return looked


def _holds(source: str, key: str) -> bool:
    """Whether a source would know a work by an id of this kind, if there were such a work."""
    kind = "arxiv" if key.startswith(_ARXIV_DOI) else key.partition(":")[0]
    return kind in _KINDS.get(source, ())


_ARXIV_DOI = "doi:10.48550/"
_KINDS: dict[str, tuple[str, ...]] = {
    "openalex": ("doi", "openalex"), "semantic_scholar": ("doi", "arxiv", "s2"),
    "crossref": ("doi",),
}  # fmt: skip


async def _look_up(
    source: Source, looked: Looked, limit: asyncio.Semaphore, place: int, record: Paper
) -> None:
    """Look up one reference by its title."""
    async with limit:
        try:
            paper = await _by_title(source, record)
        except (TransientError, PermanentError) as error:
            remedy = f"not looked up in {looked.name}"
            looked.failures.append(_failure(record.title[:80], str(error), remedy))
            return
    if not _only_preprint(record) or looked.name != "crossref":  # which holds no preprints of arXiv
        looked.asked.add(place)
    if paper:
        looked.found[place] = paper


def _only_preprint(record: Paper) -> bool:
    """Whether a record is known as a preprint of arXiv alone."""
    doi = record.doi or ""
    return bool(record.arxiv or record.id.startswith(("arxiv:", _ARXIV_DOI))) and (
        not doi or f"doi:{doi.lower()}".startswith(_ARXIV_DOI)
    )


def _ids(entry: Entry, given: dict[str, Paper]) -> list[str]:
    if entry.wanted:
        return [entry.wanted]
    paper = given[entry.paper]
    return [key for key in (paper.id, *paper.aliases) if not key.startswith("title:")]


async def _by_title(source: Source, record: Paper) -> Paper | None:
    """Return the source's paper of this title; one that is only alike does not count."""
    if isinstance(source, TitleFinder):
        found = await source.by_title(record.title, year=record.year)
        return found if found and near_titles(record.title, found.title) else None
    query = SearchQuery(text=record.title, facet="all", reason="A reference's title.")
    answer = await source.search(query, before=None, limit=5)
    return next((item for item in answer.papers if near_titles(record.title, item.title)), None)


async def _marked(
    desk: Desk,
    request: Request,
    entries: Sequence[Entry],
    given: dict[str, Paper],
    found: dict[int, Paper],
) -> tuple[dict[int, Paper], list[Failure]]:
    """Return each entry's paper: what was sent, completed by what was found, retractions marked."""
    papers: dict[int, Paper] = {}
    for place, entry in enumerate(entries):
        own, other = given.get(entry.paper), found.get(place)
        if own and other:
            same = near_titles(own.title, other.title)
            papers[place] = merge_records(own, other) if same else own
        elif one := own or other:
            papers[place] = one
    if not papers or not any(is_online(name) for name in request.sources):
        return papers, []
    try:
        notices = await (await desk.crossref(request)).retractions(list(papers.values()))
    except (TransientError, PermanentError) as error:
        remedy = "retractions are known only as far as the sources mark them"
        return papers, [_failure("crossref", str(error), remedy)]
    return {
        place: paper.model_copy(update={"retracted": True}) if paper.id in notices else paper
        for place, paper in papers.items()
    }, []


def compare_records(entry: Entry, given: Paper, found: Paper) -> list[ReferenceFinding]:
    """Say where a reference differs from the record it leads to: title, year, first author."""
    wrong: list[str] = []
    right: list[str] = []
    if not near_titles(given.title, found.title):
        wrong.append(f"its title is not that of the paper it leads to (“{given.title}”)")
        right.append(f"“{found.title}”")
    published = {found.year, found.published.year if found.published else found.year}
    apart = min((abs(given.year - year) for year in published if given.year and year), default=0)
    # A preprint and its publication are often a year apart, and sources differ on which they give.
    if given.year and apart > (0 if given.doi and given.doi == found.doi else 1):
        wrong.append(f"its year is {given.year}")
        right.append(str(found.year))
    if given.authors and found.authors and not _same_first(given, found):
        wrong.append(f"its first author is {given.authors[0].family}")
        right.append(found.authors[0].name)
    if not wrong:
        return []
    return [
        ReferenceFinding(
            key=entry.label, paper=given.id, cause="metadata_error", detail="; ".join(wrong),
            remedy=f"the record has: {'; '.join(right)}",
        )
    ]  # fmt: skip


def _same_first(given: Paper, found: Paper) -> bool:
    first = title_key(given.authors[0].family)
    families = [title_key(author.family) for author in found.authors]
    return families[0].endswith(first) or first.endswith(families[0]) if first else True


def _unknown(entry: Entry, paper: Paper | None) -> list[ReferenceFinding]:
    named = f"“{paper.title}”" if paper else entry.wanted
    return [
        ReferenceFinding(
            key=entry.label, cause="fabricated",
            detail=f"no source that was asked knows {named}",
            remedy="check title and identifier; where there is no such work, take it out",
        )
    ]  # fmt: skip


def _missing(entry: Entry, request: Request) -> Failure:
    places = ", ".join(request.sources)
    return _failure(
        entry.wanted, f"{places} has no such paper", "send its record, or look elsewhere"
    )


def _failure(subject: str, cause: str, remedy: str) -> Failure:
    return Failure(stage=STAGE, subject=subject, cause=cause, remedy=remedy)
