"""Report: say what became of each source, and of all together.

Reads `run`, `request`, `made`, `reports`, `spent`, `notes`, `failures`. Writes the output of `ingest`, and
clears what the run left in the spool, and a library that it made and that nothing came into.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from state.ingest import FileReport, IngestCounts, IngestState, IngestUpdate
from state.run import fatal_failure, outcome_of
from tools.errors import CiteLoomError
from tools.ingest.file_places import UploadSpool
from tools.services import NodeRuntime, open_services


async def report_ingest(state: IngestState, runtime: NodeRuntime) -> IngestUpdate:
    """Count what was added; a run that was stopped early reports what it has."""
    services = open_services(runtime, state["run"])
    await asyncio.to_thread(UploadSpool(services.clients.settings.home, state["run"]).clear)
    stop = fatal_failure(state.get("failures", []))
    reports = state.get("reports", [])
    outcome = outcome_of(
        [item for item in reports if item.status != "failed"],
        state.get("failures", []),
        whole=all(item.status not in {"failed", "partly"} for item in reports),
    )
    if outcome == "nothing" and state.get("made"):
        with suppress(CiteLoomError):  # another process adds to it: then it is not empty for long
            await asyncio.to_thread(services.drop_if_empty, state["request"].library)
    return {
        "counts": counts_of(reports),
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": outcome,
        "stop": stop,
    }


def counts_of(reports: Sequence[FileReport]) -> IngestCounts:
    """Return how many files became what."""
    status = Counter(item.status for item in reports)
    records = sum((Counter(item.records) for item in reports), Counter[str]())
    read = [item for item in reports if item.status in {"added", "updated", "partly"}]
    return IngestCounts(
        added=status["added"],
        updated=status["updated"],
        unchanged=status["unchanged"],
        partly=status["partly"],
        failed=status["failed"],
        pages=sum(item.pages or 0 for item in read),
        passages=sum(item.passages for item in read),
        records=dict(records),
    )
