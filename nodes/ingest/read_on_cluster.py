"""Read on a cluster: the files and dumps of a wave, by the workers of Ray.

Reads `run`, `request` and the `sources` of its branch. Writes their reports, as `read_source` does, whose
work this is on a cluster: workers read and cut, and what they have read is taken in here.
"""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from threading import Event

from state.channels import Shared
from state.ingest import FileReport, FileSource, IngestUpdate
from state.paper import Paper
from tools.errors import DocumentError
from tools.ingest.file_places import UploadSpool, allowed_roots, check_paths
from tools.ingest.ingest_file import (
    IngestOptions,
    KnownDocument,
    ReadParts,
    failed,
    keep_parts,
    unchanged,
)
from tools.ingest.ingest_records import DumpReport
from tools.ingest.ingest_target import IngestTarget
from tools.ingest.ray_workers import Answer, read_on_ray
from tools.ingest.reader_processes import StoppedError, in_thread, limits_of, open_workers
from tools.services import NodeRuntime, Services, open_services

STAGE = "read_source"


class Branch(Shared):
    """What this node reads."""

    sources: list[FileSource]
    of: int


async def read_on_cluster(state: Branch, runtime: NodeRuntime) -> IngestUpdate:
    """Take all these files into the library."""
    services = open_services(runtime, state["run"])
    sources = state["sources"]
    check_paths([item.path for item in sources], allowed_roots(services.clients))
    opened = await asyncio.to_thread(services.library_to_fill, state["request"].library)
    workers = await asyncio.to_thread(open_workers, limits_of(services.clients.settings))
    records = await services.run_store.papers.get([one.record for one in sources if one.record])
    reports = await in_thread(
        workers,
        lambda stopped: list(_taken(services, opened, sources, records, state["of"], stopped)),
    )
    return {"reports": reports}


def _taken(
    services: Services,
    opened: IngestTarget,
    sources: list[FileSource],
    records: Mapping[str, Paper],
    of: int,
    stopped: Event,
) -> Iterator[FileReport]:
    spool = UploadSpool(services.clients.settings.home, services.run)
    named = {source.name: source for source in sources}
    dumps = {
        source.name: DumpReport(opened, source.name, source.tags)
        for source in sources
        if source.kind == "dump"
    }
    limits = limits_of(services.clients.settings)
    for name, answer, content in read_on_ray(sources, opened.known(), limits, opened.grobid):
        if stopped.is_set():
            raise StoppedError
        if name in dumps and not isinstance(answer, DocumentError):
            services.progress("take_records", dumps[name].add(answer), 0, PurePath(name).name)
            continue
        dumps.pop(name, None)
        source = named[name]
        path = spool.path(spool.put(content, name=name)) if content else Path(source.path)
        given = IngestOptions(
            source=name,
            path=path,
            name=PurePath(name).name,
            record=records.get(source.record),
            tags=source.tags,
        )
        services.tick(STAGE, 1, of, given.name)
        yield _report(opened, given, answer)
        if content:
            path.unlink()
    for name, taken in dumps.items():
        services.tick(STAGE, 1, of, PurePath(name).name)
        yield taken.report()


def _report(opened: IngestTarget, given: IngestOptions, answer: Answer) -> FileReport:
    try:
        if isinstance(answer, ReadParts):
            return keep_parts(opened, given, answer, {})
        if isinstance(answer, KnownDocument) and (entry := opened.current(answer.sha256)):
            return unchanged(opened, given, entry)
    except DocumentError as error:
        answer = error
    remedy = getattr(answer, "remedy", "") or "add another copy or format of it"
    return failed(given.source, str(answer), remedy)
