"""Read one source: a file, an upload, a record file, or an id, whose record and open copy are fetched.

Reads `run`, `request` and the `source` of its branch. Writes its report. What cannot be read is in
the report and costs nothing else; a library that cannot be written stops the run.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import PurePath

from state.channels import Shared
from state.document import Unread
from state.ingest import FileReport, FileSource, IngestUpdate
from state.inputs import CheckedRequest
from state.paper import Paper
from tools.errors import DocumentError, InputError, PermanentError, TransientError
from tools.ingest.file_places import UploadSpool, place_of_file
from tools.ingest.ingest_file import IngestOptions, failed, ingest_file
from tools.ingest.ingest_records import take_records
from tools.ingest.ingest_target import IngestTarget
from tools.ingest.reader_processes import Workers, in_thread, limits_of, open_workers
from tools.services import NodeRuntime, Services, open_services

STAGE = "read_source"


class Branch(Shared):
    """What this node reads."""

    source: FileSource
    of: int


async def read_source(state: Branch, runtime: NodeRuntime) -> IngestUpdate:
    """Take one source into the library."""
    services = open_services(runtime, state["run"])
    source = state["source"]
    clients = services.clients
    opened = await asyncio.to_thread(services.library_to_fill, state["request"].library)
    workers = await asyncio.to_thread(open_workers, limits_of(clients.settings))
    spool = UploadSpool(clients.settings.home, state["run"])
    try:
        report = await _taken(services, state["request"], source, opened, workers, spool)
    except OSError as error:
        raise PermanentError(
            f"{error.filename or clients.settings.home} is not usable: "
            f"{error.strerror or error}. Added files are safe: free disk space and run again"
        ) from error
    services.tick(STAGE, 1, state["of"], PurePath(source.name).name)
    return {"reports": [report]}


async def _taken(
    services: Services,
    request: CheckedRequest,
    source: FileSource,
    opened: IngestTarget,
    workers: Workers,
    spool: UploadSpool,
) -> FileReport:
    try:
        path = await asyncio.to_thread(
            place_of_file, services.clients, source.path, spool, source.sha256 or source.kind
        )
    except InputError as error:
        return failed(source.name, str(error), "check that you may read it, and add it again")
    papers = await services.run_store.papers.get([source.record]) if source.record else {}
    given = IngestOptions(
        source=source.name,
        path=path,
        name=PurePath(source.name).name,
        record=papers.get(source.record),
        tags=source.tags,
    )
    if source.kind in {"records", "dump"}:
        return await in_thread(
            workers,
            lambda stopped: take_records(
                opened,
                workers,
                source.name,
                path,
                source.tags,
                stopped,
                lambda done: services.progress("take_records", done, 0, given.name),
            ),
        )

    def read(given: IngestOptions) -> Awaitable[FileReport]:
        return in_thread(workers, lambda stopped: ingest_file(opened, workers, given, stopped))

    if source.kind == "id":
        return await fetch_open_copy(services, request, source, opened, spool, read)
    return await read(given)


async def fetch_open_copy(
    services: Services,
    request: CheckedRequest,
    source: FileSource,
    opened: IngestTarget,
    spool: UploadSpool,
    read: Callable[[IngestOptions], Awaitable[FileReport]],
) -> FileReport:
    """Fetch the record and the open copy of an id and take them in.

    A paper without an open copy is taken in by its record alone, and its report says so.
    """
    from tools.documents.fetch_open_copies import open_copy

    record, causes = await _record(services, request, source.name)
    if record is None:
        cause = "; ".join(causes) or f"{', '.join(_asked(request, source.name))} does not know it"
        return failed(
            source.name, cause, "check the id and the network, name another source, and try again"
        )
    try:
        copy = await open_copy(record, ledger=services.ledger, settings=services.clients.settings)
    except (DocumentError, TransientError, PermanentError, InputError) as error:
        return await asyncio.to_thread(_record_only, opened, source, record, str(error))
    # Two ids may lead to one copy.
    digest = await asyncio.to_thread(spool.put, copy.content, name=source.name)
    report = await read(
        IngestOptions(
            source=source.name,
            path=spool.path(digest),
            name=copy.name,
            record=record,
            tags=source.tags,
        )
    )
    await asyncio.to_thread(spool.drop, digest)
    if report.status == "failed":
        return await asyncio.to_thread(_record_only, opened, source, record, report.cause)
    return report


async def _record(
    services: Services, request: CheckedRequest, key: str
) -> tuple[Paper | None, list[str]]:
    """Return the record as the first source that knows it has it, and why others failed."""
    causes: list[str] = []
    for name in _asked(request, key):
        try:
            found = await (await services.source(name, request)).get([key])
        except (TransientError, PermanentError, InputError) as error:
            causes.append(f"{name}: {error}")
            continue
        if key in found:
            return found[key], causes
    return None, causes


def _asked(request: CheckedRequest, key: str) -> tuple[str, ...]:
    return request.sources or (("arxiv",) if key.startswith("arxiv:") else ("openalex", "crossref"))


def _record_only(opened: IngestTarget, source: FileSource, record: Paper, cause: str) -> FileReport:
    with opened.writing():
        opened.library.add([record], index=False)
        paper = opened.library.get([record.id])[record.id]
        if source.tags:
            opened.library.texts.tag(paper.id, source.tags)
    return FileReport(
        source=source.name,
        kind="record",
        status="partly",
        paper=paper.id,
        title=paper.title,
        unread=(Unread(where="document", cause=cause),),
        notes=("CiteLoom added its record, but found no open copy of its text",),
        remedy="add your own copy as a file",
    )
