"""Resolve: look up on the network the works that will be shown, for their DOI and their full record.

Reads `run`, `request`, `references_as`, `contexts`, `lines`, `works`. Writes `lines`, `works`, `resolved`;
records and entries go to the run store. A work that turns out to be another one becomes that one, and one
that turns out to be a source becomes the source. Without sources on the network nothing happens.
"""

import asyncio
from collections.abc import Mapping, Sequence

from state.inputs import CheckedRequest
from state.merging import ids_of
from state.paper import Paper
from state.run import Failure
from state.synthesis import EntryWorks, SynthesizeState
from tools.errors import PermanentError, TransientError, counted
from tools.references.numbering import printed_only, works_of
from tools.references.resolving import (
    adds_to_record,
    known_by_sources,
    renamed_entries,
    renamed_lines,
    unite_found,
)
from tools.scholar.lookup import WorkToLookUp
from tools.scholar.open_source import is_online
from tools.services import NodeRuntime, Services, open_services

STAGE = "resolve_works"


async def resolve_works(state: SynthesizeState, runtime: NodeRuntime) -> SynthesizeState:
    """Ask the sources in turn for what those before them do not know."""
    services = open_services(runtime, state["run"])
    lines, works = state["lines"], state["works"]
    names = [name for name in state["request"].sources if is_online(name)]
    if not names or not lines:
        return {"lines": lines, "works": works, "resolved": {}, "failures": []}
    entries = await services.run_store.entries.last() or EntryWorks()
    sources, shown = await _shown(services, state, entries)
    records = await services.run_store.papers.get([*sources, *shown])
    wanted = await asyncio.to_thread(_wanted, records, sources, shown, entries)
    found, by, failures = await _look(services, state["request"], names, wanted)
    cited = await services.run_store.papers.get(works)
    own = await services.run_store.papers.get(list(dict.fromkeys([*entries.works, *sources])))
    changed, same = await asyncio.to_thread(
        unite_found, found, list(cited.values()), list(own.values())
    )
    await services.run_store.papers.put(changed)
    if same:
        await services.run_store.entries.put([renamed_entries(entries, same)])
    services.progress(STAGE, 1, 1, f"{len(found)} of {counted(len(wanted), 'work')} found")
    return {
        "lines": renamed_lines(lines, same),
        "works": [work for work in works if work not in same],
        "resolved": {same.get(key, key): name for key, name in by.items()},
        "failures": failures,
    }


async def _shown(
    services: Services, state: SynthesizeState, entries: EntryWorks
) -> tuple[list[str], list[str]]:
    """Return the sources and the works that the list of references will have."""
    origins = [origin for line in state["lines"] for origin in line.origins]
    sources = [origin.paper for origin in origins]
    works = [work for origin in origins for work in origin.works]
    if state["references_as"] == "coarse":
        ids = [item.paragraph for item in state["contexts"]]
        paragraphs = (await services.run_store.paragraphs.get(ids)).values()
        sources += [item.paper for item in paragraphs]
        works += [work for item in paragraphs for work in works_of(item, entries)]
    return list(dict.fromkeys(sources)), list(dict.fromkeys(works))


def _wanted(
    records: Mapping[str, Paper], sources: Sequence[str], works: Sequence[str], entries: EntryWorks
) -> list[WorkToLookUp]:
    """Return what is to be looked up: the works, and the sources that have no DOI."""
    printed: dict[str, list[str]] = {}
    for source, own in entries.works.items():
        for work, entry in zip(own, entries.printed.get(source, ()), strict=False):
            printed.setdefault(work, []).append(entry)
    wanted: list[WorkToLookUp] = []
    for key in dict.fromkeys([*sources, *works]):
        record = records.get(key)
        if record is None or (key in sources and record.doi):
            continue
        ids = tuple(item for item in ids_of(record) if not item.startswith(("title:", "local:")))
        # What could not be taken apart has no title to look for.
        if ids or (adds_to_record(record) and not printed_only(record, printed.get(key, []))):
            wanted.append(WorkToLookUp(ids, record))
    return wanted


async def _look(
    services: Services,
    request: CheckedRequest,
    names: Sequence[str],
    wanted: Sequence[WorkToLookUp],
) -> tuple[dict[str, Paper], dict[str, str], list[Failure]]:
    """Return the records found, the source of each, and what could not be asked."""
    found: dict[str, Paper] = {}
    by: dict[str, str] = {}
    failures: list[Failure] = []
    for name in names:
        left = [item for item in wanted if item.record and item.record.id not in found]
        try:
            known, failed = await known_by_sources(await services.source(name, request), left)
        except (TransientError, PermanentError) as error:
            known, failed = {}, dict.fromkeys(range(len(left)), str(error))
        found |= known
        by |= dict.fromkeys(known, name)
        if failed:
            failures.append(
                Failure(
                    stage=STAGE,
                    subject=name,
                    cause=next(iter(failed.values())),
                    remedy=counted(
                        len(failed),
                        "work was not looked up here; its entry is as printed",
                        "works were not looked up here; their entries are as printed",
                    ),
                )
            )
        services.progress(STAGE, len(found), len(wanted) + 1, name)
    return found, by, failures
