"""Resolve: look up the references in the sources, and say what is known against them.

Reads `run`, `request`, `entries`. Writes `entries`, `findings`, `looked_up`, `notes`; the records go to the
run_store. The sources are asked in turn: the next ones for what those before do not know, and for what differs
from their records, so that a field is called wrong only where no record agrees.
"""

from collections.abc import Mapping, Sequence

from nodes.common.check_input import why_unknown
from nodes.common.publisher_notices import noticed_now
from nodes.verify.check_reference import (
    SourcesSaid,
    check_reference,
    finding_on,
    no_source_holds,
    wanted_of,
)
from state.audit import ReferenceCheck, ReferenceFinding
from state.inputs import CheckedRequest
from state.merging import merge_papers
from state.paper import Paper
from state.run import Failure
from state.verify import Entry, VerifyState
from tools.errors import LibraryError, PermanentError, TransientError, counted
from tools.scholar.lookup import LookupResult, look_up
from tools.scholar.open_source import is_online
from tools.services import NodeRuntime, Services, open_services

STAGE = "resolve_references"


async def resolve_references(state: VerifyState, runtime: NodeRuntime) -> VerifyState:
    """Ask the sources in turn for what those before them do not know."""
    services = open_services(runtime, state["run"])
    request, entries = state["request"], state["entries"]
    given = await services.run_store.papers.get([item.paper for item in entries if item.paper])
    said, failures = await _ask(services, request, entries, given)
    found = {place: next(iter(one.found.values())) for place, one in said.items() if one.found}
    unasked = {item.subject: item.cause for item in failures if item.subject in request.sources}
    held, failed = await _held(services, request, entries, given, found)
    failures += failed
    papers, failed = await _marked(services, request, entries, given, found, held)
    await services.run_store.papers.put(papers.values())
    services.progress(STAGE, len(entries), len(entries))
    resolved: list[Entry] = []
    findings: list[ReferenceFinding] = []
    checks: list[ReferenceCheck] = []
    unsure = elsewhere = 0
    for place, entry in enumerate(entries):
        stated = given.get(entry.paper)
        check = check_reference(entry, stated, said[place])
        wrong = [
            one.model_copy(update={"place": entry.fields.get(one.field)}) for one in check.wrong
        ]
        check = check.model_copy(update={"wrong": tuple(wrong)})
        checks.append(check)
        invented = check.outcome == "likely_invented"
        paper = papers[place].id if place in papers and not invented else ""
        update = {"paper": paper, "invented": invented, "stated": entry.paper}
        resolved.append(entry.model_copy(update=update))
        if place not in papers and not invented:
            failures.append(
                _failure(
                    entry.wanted,
                    why_unknown(request.sources, unasked),
                    "send its record, or look elsewhere",
                )
            )
        if no_source_holds(check, stated, entry):
            elsewhere += 1
        elif finding := finding_on(check, said[place], request.sources, paper):
            at = next((one.place for one in wrong if one.place), entry.place)
            findings.append(finding.model_copy(update={"place": at}))
        unsure += place in papers and check.outcome in {"not_asked", "incomplete"}
    notes = (
        [f"{_UNSURE} {counted(unsure, 'reference')}: {_ASK[any(map(is_online, request.sources))]}"]
        if unsure
        else []
    )
    if elsewhere:
        notes.append(f"{counted(elsewhere, 'reference was', 'references were')} {_ELSEWHERE}")
    return {
        "entries": resolved,
        "findings": findings,
        "looked_up": checks,
        "notes": notes,
        "failures": [*failures, *failed],
    }


_UNSURE = "existence not checked for"
_ASK = ("add an online source, such as crossref", "a source could not be asked; check again later")
_ELSEWHERE = "not found, but no searched source covers works of this kind"


async def _ask(
    services: Services,
    request: CheckedRequest,
    entries: Sequence[Entry],
    given: Mapping[str, Paper],
) -> tuple[dict[int, SourcesSaid], list[Failure]]:
    """Return what the sources say of each entry, and what could not be asked."""
    said = {place: SourcesSaid() for place in range(len(entries))}
    failures: list[Failure] = []
    for name in request.sources:
        left = [
            place for place, one in said.items() if not one.settles(given.get(entries[place].paper))
        ]
        if not left:
            break
        services.progress(STAGE, len(entries) - len(left), len(entries), name)
        looked, failed = await _look(services, name, request, entries, given, left)
        failures += failed
        for place in left:
            said[place].note(looked, place, general=is_online(name))
    return said, failures


async def _held(
    services: Services,
    request: CheckedRequest,
    entries: Sequence[Entry],
    given: Mapping[str, Paper],
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
    request: CheckedRequest,
    entries: Sequence[Entry],
    given: Mapping[str, Paper],
    left: Sequence[int],
) -> tuple[LookupResult, list[Failure]]:
    """Look up these entries in one source, by id and then by title."""
    wanted = {
        place: wanted_of(entries[place], given.get(entries[place].paper), local=name == "library")
        for place in left
    }
    try:
        source = await services.source(name, request)
        looked = await look_up(source, wanted, loosely=is_online(name))
    except (TransientError, PermanentError, LibraryError) as error:
        if name in request.sources and not is_online(name):
            raise
        lost = LookupResult(name, failed=dict.fromkeys(left, str(error)))
        return lost, [_failure(name, str(error), "CiteLoom did not look up references here")]
    return looked, [
        _failure(given[entries[place].paper].title[:80], cause, f"not looked up in {name}")
        for place, cause in sorted(looked.failed.items())
    ]


async def _marked(
    services: Services,
    request: CheckedRequest,
    entries: Sequence[Entry],
    given: Mapping[str, Paper],
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
            elif one and known:
                papers[place] = merge_papers(known, one)
    by_id = {paper.id: paper for paper in papers.values()}
    marked, failures = await noticed_now(services, request, by_id.values(), STAGE)
    return {place: marked.get(paper.id, paper) for place, paper in papers.items()}, failures


def _failure(subject: str, cause: str, remedy: str) -> Failure:
    return Failure(stage=STAGE, subject=subject, cause=cause, remedy=remedy)
