"""Take what is to be added: check it, expand folders and record files, make the library.

Reads the input of `ingest`. Writes `run`, `request`, `made`, `files`, `stop`, reports of what cannot be read
at all, and resets what an earlier run on the same thread may have left. Contents of uploads go to
the spool, records that name files to the run store.
"""

import asyncio
from collections.abc import Mapping
from uuid import uuid4

from nodes.common.check_input import check_sources, parse_input, refusing
from state.ingest import FileSource, IngestInput, IngestState
from state.inputs import CheckedRequest
from state.paper import canonical_id
from state.reducers import begin_run
from tools.errors import InputError
from tools.ingest.discover_files import DiscoveredFiles
from tools.ingest.file_places import UploadSpool, allowed_roots
from tools.ingest.ray_workers import on_ray
from tools.ingest.uploads import collect_sources
from tools.library.open_library import folder_of
from tools.run_settings import check_settings
from tools.services import NodeRuntime, Services, open_services

STAGE = "take_sources"
_MOST_TAGS = 50
_LONGEST_TAG = 100


async def take_sources(state: Mapping[str, object], runtime: NodeRuntime) -> IngestState:
    """List what there is to be read; what cannot be used at all stops the run before any work."""
    run = uuid4().hex
    services = open_services(runtime, run)
    request, found, made = CheckedRequest(text=""), DiscoveredFiles(), False
    with refusing(STAGE, services.clients.settings.home) as stopped:
        check_settings(services.context)
        sent = parse_input(IngestInput, state)
        sent = sent.model_copy(update={"tags": [" ".join(tag.split()) for tag in sent.tags]})
        request = _request(sent)
        made = not await asyncio.to_thread(services.has_library, sent.library)
        found = await asyncio.to_thread(_gathered, services, sent)
        await services.run_store.papers.put(found.records.values())
    files = sorted(found.files, key=lambda item: item.kind != "records")
    services.progress(STAGE, len(files), len(files))
    return begin_run(
        IngestState,
        run=run,
        request=request,
        files=[] if stopped else files,
        bulk=on_ray(),
        made=made,
        reports=found.reports,
        notes=found.notes,
        stop=next(iter(stopped), None),
        failures=stopped,
    )


def _request(sent: IngestInput) -> CheckedRequest:
    if not sent.library.strip():
        raise InputError("no library given: name the library to add to")
    if not (sent.uploads or sent.ids or sent.paths):
        raise InputError("nothing to add: give uploads, or arXiv ids and DOIs")
    if len(sent.tags) > _MOST_TAGS or any(not 0 < len(tag) <= _LONGEST_TAG for tag in sent.tags):
        raise InputError(
            f"the tags cannot be used: give at most {_MOST_TAGS} of 1 to {_LONGEST_TAG} characters"
        )
    return CheckedRequest(text="", library=sent.library, sources=check_sources(sent.sources))


def _gathered(services: Services, sent: IngestInput) -> DiscoveredFiles:
    """List the sources and make the library; all of it reads the disk."""
    clients = services.clients
    # Before files are read and uploads kept for a name that no library can have.
    folder_of(sent.library, clients.settings)
    spool = UploadSpool(clients.settings.home, services.run)
    found = collect_sources(spool, allowed_roots(clients), sent.paths, sent.uploads, sent.tags)
    services.library_to_fill(sent.library).bad_records.unlink(missing_ok=True)
    for key, given in {canonical_id(one) if one.strip() else "": one for one in sent.ids}.items():
        if key.startswith(("doi:", "arxiv:")):
            found.files.append(FileSource(name=key, kind="id", tags=tuple(sent.tags)))
        else:
            found.fail(
                given or "an empty id",
                "not an arXiv id or DOI",
                "write it as arxiv:2005.11401 or 10.1145/1571941.1572114",
            )
    return found
