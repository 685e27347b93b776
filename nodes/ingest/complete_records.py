"""Complete: ask the sources that were named for the year and venue of papers that lack one.

Reads `run`, `request`, `files`, `done`, `reports`, `notes`. Writes `notes`, `failures`. A document often
prints neither. What it says of itself stands; only gaps are filled, with the identifiers and the
references that a source has. A source that fails costs nothing that was read.
"""

import asyncio

from nodes.ingest.index_passages import next_wave
from state.ingest import IngestState, IngestUpdate
from state.merging import ids_of, merge_papers
from state.paper import Paper
from state.run import Failure, fatal_failure
from tools.errors import PermanentError, TransientError, counted
from tools.ingest.ingest_target import IngestTarget
from tools.references.resolving import adds_to_record, known_by_sources
from tools.scholar.lookup import WorkToLookUp
from tools.scholar.open_source import is_online
from tools.scholar.same_work import unite_records
from tools.services import NodeRuntime, open_services

STAGE = "complete_records"
_REMEDY = "some years and venues are missing; run again to retry"


async def complete_records(state: IngestState, runtime: NodeRuntime) -> IngestUpdate:
    """Ask the sources in turn for what those before them do not know."""
    services = open_services(runtime, state["run"])
    request, notes = state["request"], state["notes"]
    names = [name for name in request.sources if is_online(name)]
    if not names or fatal_failure(state["failures"]):
        return {"notes": notes}
    read = {item.name for item in next_wave(state["files"], state["done"])}
    keys = [item.paper for item in state["reports"] if item.source in read and item.paper]
    opened = await asyncio.to_thread(services.library_to_fill, request.library)
    known = await asyncio.to_thread(opened.library.get, list(dict.fromkeys(keys)))
    lacking = {one.id: one for one in known.values() if not (one.year and one.venue)}
    failures: list[Failure] = []
    for name in names:
        wanted = [one for paper in lacking.values() if (one := _wanted(paper))]
        if not wanted:
            break
        try:
            found, failed = await known_by_sources(await services.source(name, request), wanted)
        except (TransientError, PermanentError) as error:
            found, failed = {}, {0: str(error)}
        if failed:
            cause = next(iter(failed.values()))
            failures.append(Failure(stage=STAGE, subject=name, cause=cause, remedy=_REMEDY))
        gains = [
            merge_papers(lacking[key], paper)
            for key, paper in found.items()
            if len(unite_records([lacking[key], paper])) == 1  # another work may have the title
        ]
        await asyncio.to_thread(_keep, opened, gains)
        lacking |= {paper.id: paper for paper in gains}
        lacking = {key: one for key, one in lacking.items() if not (one.year and one.venue)}
        if gains:
            what = counted(len(gains), "paper was", "papers were")
            notes = [*notes, f"{what} completed by {name}"]
        services.progress(STAGE, len(gains), len(wanted), name)
    return {"notes": notes, "failures": failures}


def _wanted(paper: Paper) -> WorkToLookUp | None:
    """Return what is to be looked up; nothing of a paper that its file's name stands for."""
    ids = tuple(key for key in ids_of(paper) if not key.startswith(("title:", "local:")))
    named = adds_to_record(paper) and not paper.id.startswith("local:")
    return WorkToLookUp(ids, paper) if ids or named else None


def _keep(opened: IngestTarget, gains: list[Paper]) -> None:
    with opened.writing():
        opened.library.add(gains, index=False)
