"""Resolve: look up the references in the sources, and say what is known against them.

Reads `run`, `request`, `entries`. Writes `entries`, `findings`, `notes`; the records go to the run_store.
A reference is called fabricated only where a source that holds works of all kinds was asked, answered,
and does not know it.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from nodes.intake import why_unknown
from nodes.retractions import retracted_now
from state.audit import ReferenceFinding
from state.paper import Paper, known_since, merge_records, title_key
from state.request import Request
from state.run import Failure
from state.verifying import Entry, VerifyState
from tools.context import RunContext
from tools.counting import counted
from tools.errors import LibraryError, PermanentError, TransientError
from tools.scholar.lookup import Looked, Wanted, look_up
from tools.scholar.opening import is_online
from tools.scholar.titles import near_titles
from tools.services import Services, open_services

STAGE = "resolve_references"
_BROAD = frozenset({"openalex", "semantic_scholar", "crossref", "google"})
"""Sources that hold works of all kinds, so that what they do not know is suspect."""


async def resolve_references(state: VerifyState, runtime: Runtime[RunContext]) -> VerifyState:
    """Ask the sources in turn for what those before them do not know."""
    services = open_services(runtime, state["run"])
    request, entries = state["request"], state["entries"]
    given = await services.run_store.papers.get([item.paper for item in entries if item.paper])
    found: dict[int, Paper] = {}
    denied: set[int] = set()
    failures: list[Failure] = []
    for name in request.sources:
        left = [place for place in range(len(entries)) if place not in found]
        if not left:
            break
        looked, failed = await _look(services, name, request, entries, given, left)
        found |= looked.found
        failures += failed
        if name in _BROAD:
            denied |= looked.asked
    unasked = {item.subject: item.cause for item in failures if item.subject in request.sources}
    held, failed = await _held(services, request, entries, given, found)
    failures += failed
    papers, failed = await _marked(services, request, entries, given, found, held)
    unknown = denied - set(found)
    await services.run_store.papers.put(papers.values())
    services.progress(STAGE, len(entries), len(entries))
    resolved: list[Entry] = []
    findings: list[ReferenceFinding] = []
    unsure = 0
    for place, entry in enumerate(entries):
        lost = place in unknown or place not in papers
        update = {"paper": "" if lost else papers[place].id, "unknown": place in unknown}
        resolved.append(entry.model_copy(update=update))
        own = given.get(entry.paper)
        if place in unknown:
            findings.append(_unknown(entry, own))
        elif place not in papers:
            cause = why_unknown(request.sources, unasked)
            failures.append(_failure(entry.wanted, cause, "send its record, or look elsewhere"))
        elif own and place in found:
            findings += compare_records(entry, own, found[place])
        unsure += not lost and place not in found
    return {
        "entries": resolved,
        "findings": findings,
        "notes": [f"{_UNSURE} {counted(unsure, 'reference')}: {_ASK}"] if unsure else [],
        "failures": [*failures, *failed],
    }


_UNSURE = "whether it exists was not checked for"
_ASK = "ask a source on the network, such as crossref"


async def _held(
    services: Services,
    request: Request,
    entries: Sequence[Entry],
    given: dict[str, Paper],
    found: dict[int, Paper],
) -> tuple[dict[int, Paper], list[Failure]]:
    """Return what the library has of works whose abstract no record and no source has brought.

    It proves of none that it exists: only the sources that were named tell that.
    """
    bare = [
        place
        for place, entry in enumerate(entries)
        if not any(one and one.abstract for one in (given.get(entry.paper), found.get(place)))
    ]
    if not bare or "library" in request.sources:
        return {}, []
    looked, failed = await _look(services, "library", request, entries, given, bare)
    return looked.found, failed


async def _look(
    services: Services,
    name: str,
    request: Request,
    entries: Sequence[Entry],
    given: dict[str, Paper],
    left: Sequence[int],
) -> tuple[Looked, list[Failure]]:
    """Look up these entries in one source, by id and then by title."""
    wanted: dict[int, Wanted] = {}
    for place in left:
        paper = given.get(entries[place].paper)
        ids = (paper.id, *paper.aliases) if paper else (entries[place].wanted,)
        # A library lists papers by such ids; no other source knows them.
        known = tuple(key for key in ids if name == "library" or not key.startswith("title:"))
        wanted[place] = Wanted(known, paper)
    try:
        looked = await look_up(await services.source(name, request), wanted)
    except (TransientError, PermanentError, LibraryError) as error:
        if name in request.sources and not is_online(name):
            raise
        return Looked(name), [_failure(name, str(error), "references were not looked up here")]
    return looked, [
        _failure(given[entries[place].paper].title[:80], cause, f"not looked up in {name}")
        for place, cause in sorted(looked.failed.items())
    ]


async def _marked(
    services: Services,
    request: Request,
    entries: Sequence[Entry],
    given: dict[str, Paper],
    found: dict[int, Paper],
    held: dict[int, Paper],
) -> tuple[dict[int, Paper], list[Failure]]:
    """Return each entry's paper: what was sent, completed by what was found and held, retractions marked."""
    papers: dict[int, Paper] = {}
    for place, entry in enumerate(entries):
        for one in (given.get(entry.paper), found.get(place), held.get(place)):
            known = papers.get(place)
            if one and known is None:
                papers[place] = one
            elif one and known and near_titles(known.title, one.title):
                papers[place] = merge_records(known, one)
    by_id = {paper.id: paper for paper in papers.values()}
    marked, failures = await retracted_now(services, request, by_id.values(), STAGE)
    return {place: marked.get(paper.id, paper) for place, paper in papers.items()}, failures


def compare_records(entry: Entry, given: Paper, found: Paper) -> list[ReferenceFinding]:
    """Say where a reference differs from the record it leads to: title, year, first author."""
    since = known_since(found.published, found.year, found.arxiv)
    published = {day.year for day in (found.published, since) if day} | {found.year}
    apart = min((abs(given.year - year) for year in published if given.year and year), default=0)
    # A preprint and its publication are often a year apart, and sources differ on which they give.
    late = apart > (0 if given.doi and given.doi == found.doi else 1)
    told: list[tuple[str, str]] = []
    if not near_titles(given.title, found.title):
        wrong = f"its title is not that of the paper it leads to (“{given.title}”)"
        told.append((wrong, f"“{found.title}”"))
    if given.year and late:
        told.append((f"its year is {given.year}", str(found.year)))
    if given.authors and found.authors and not _same_first(given, found):
        told.append((f"its first author is {given.authors[0].family}", found.authors[0].name))
    if not told:
        return []
    return [
        ReferenceFinding(
            key=entry.label, paper=given.id, cause="metadata_error",
            detail="; ".join(wrong for wrong, _ in told),
            remedy=f"the record has: {'; '.join(right for _, right in told)}",
        )
    ]  # fmt: skip


def _same_first(given: Paper, found: Paper) -> bool:
    first = title_key(given.authors[0].family)
    families = [title_key(author.family) for author in found.authors]
    return families[0].endswith(first) or first.endswith(families[0]) if first else True


def _unknown(entry: Entry, paper: Paper | None) -> ReferenceFinding:
    named = f"“{paper.title}”" if paper else entry.wanted
    return ReferenceFinding(
        key=entry.label, cause="fabricated", detail=f"{named}: no source that was asked knows it",
        remedy="check title and identifier; where there is no such work, take it out",
    )  # fmt: skip


def _failure(subject: str, cause: str, remedy: str) -> Failure:
    return Failure(stage=STAGE, subject=subject, cause=cause, remedy=remedy)
