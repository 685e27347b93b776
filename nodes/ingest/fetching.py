"""The record of an id and its open copy, from the sources that the caller named or from its own."""

import asyncio
from collections.abc import Awaitable, Callable

from state.document import Unread
from state.ingesting import FileReport, FileSource
from state.paper import Paper
from state.request import Request
from tools.errors import DocumentError, InputError, PermanentError, TransientError
from tools.ingest.ingest_file import Given, failed
from tools.ingest.spool import Spool
from tools.ingest.target import IngestTarget
from tools.services import Services


async def fetch_copy(
    services: Services,
    request: Request,
    source: FileSource,
    opened: IngestTarget,
    spool: Spool,
    read: Callable[[Given], Awaitable[FileReport]],
) -> FileReport:
    """Fetch the record and the open copy of an id and take them in.

    A paper without an open copy is taken in by its record alone, and its report says so.
    """
    from tools.documents.fetch import open_copy

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
        Given(
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


async def _record(services: Services, request: Request, key: str) -> tuple[Paper | None, list[str]]:
    """Return the record as the first source that knows it has it, and why others failed."""
    causes: list[str] = []
    for name in _asked(request, key):
        try:
            source = await services.source(name, request)
            found = await source.get([key])
        except (TransientError, PermanentError, InputError) as error:
            causes.append(f"{name}: {error}")
            continue
        if key in found:
            return found[key], causes
    return None, causes


def _asked(request: Request, key: str) -> tuple[str, ...]:
    return request.sources or (("arxiv",) if key.startswith("arxiv:") else ("openalex", "crossref"))


def _record_only(opened: IngestTarget, source: FileSource, record: Paper, cause: str) -> FileReport:
    with opened.writing():
        opened.library.add([record], index=False)
        paper = opened.library.get([record.id])[record.id]
        if source.tags:
            opened.library.texts.tag(paper.id, source.tags)
    return FileReport(
        source=source.name, kind="record", status="partly", paper=paper.id, title=paper.title,
        unread=(Unread(where="document", cause=cause),),
        notes=("its record is in, without an open copy of its text",),
        remedy="add a copy that you have as a file",
    )  # fmt: skip
