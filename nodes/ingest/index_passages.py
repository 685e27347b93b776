"""Index: make what vectors and keywords are missing, so that what was read can be found.

Reads `run`, `request`, `files`, `bulk`, `done`, `spent`, `failures`. Writes `done`, `spent`, `failures`.
"""

import asyncio
from collections.abc import Callable, MutableMapping, Sequence
from functools import partial
from threading import Event

from langgraph.runtime import Runtime

from nodes.ingest.name_keywords import name_keywords
from state.ingesting import FileSource, IngestState, IngestUpdate
from state.run import Failure, halt
from tools.context import RunContext
from tools.errors import PermanentError
from tools.ingest.ingest_file import timing
from tools.ingest.on_ray import encode_on_ray
from tools.ingest.spool import Spool
from tools.ingest.target import IngestTarget
from tools.ingest.workers import StoppedError
from tools.library.index import Encoder
from tools.library.port import Progress
from tools.retrieve.keywords import name_missing
from tools.services import Services, open_services

LARGEST = 1000
"""Files of a wave: what was read is indexed, and can be found, before the next wave."""


def wave(files: Sequence[FileSource], done: int) -> list[FileSource]:
    """Return the files to be read next: first all record files, then documents in portions.

    A document finds the record of its paper in the library only if that was read before it.
    """
    rest = files[done:]
    records = [item for item in rest if item.kind == "records"]
    return (records or list(rest))[:LARGEST]


async def index_passages(state: IngestState, runtime: Runtime[RunContext]) -> IngestUpdate:
    """Index what the last wave has read; what is indexed already costs nothing."""
    services = open_services(runtime, state["run"])
    read = wave(state["files"], state["done"])
    done = state["done"] + len(read)
    spool = Spool(services.clients.settings.home, state["run"])
    for digest in filter(None, (item.sha256 for item in read)):  # their reports are kept by now
        await asyncio.to_thread(spool.drop, digest)
    grows = done < len(state["files"]) and read[0].kind == "records"  # papers gain abstracts yet
    if grows or halt(state["failures"]):
        return {"done": done, "spent": {}, "failures": []}
    opened = await asyncio.to_thread(services.library_to_fill, state["request"].library)
    spent, failures = dict(state["spent"]), list[Failure]()
    encoder = partial(encode_on_ray, services.clients.settings) if state.get("bulk") else None
    try:
        await _indexed(services, "passages", partial(_vectors, opened, encoder), spent)
        if services.context.keywords_by_mind:
            with timing(spent, "keywords"):
                failures = await name_keywords(services, opened)
        await _indexed(services, "keywords", partial(name_missing, opened.library), spent)
    except OSError as error:
        raise PermanentError(
            f"{error.filename or opened.library.folder} cannot be written: "
            f"{error.strerror or error}; what was added is kept: make room and run the same again"
        ) from error
    return {"done": done, "spent": spent, "failures": failures}


def _vectors(opened: IngestTarget, encoder: Encoder | None, told: Progress) -> int:
    with opened.writing():
        return opened.library.index(progress=told, encoder=encoder)


async def _indexed(
    services: Services,
    stage: str,
    step: Callable[[Progress], int],
    spent: MutableMapping[str, float],
) -> None:
    """Run a step in a thread; where the run is stopped, the step ends after its next batch."""
    stopped = Event()

    def tell(done: int, total: int | None) -> None:
        if stopped.is_set():
            raise StoppedError
        services.progress(f"index_{stage}", done, total or 0)

    try:
        with timing(spent, stage):
            made = await asyncio.to_thread(step, tell)
    except asyncio.CancelledError:
        stopped.set()
        raise
    spent[f"{stage}_made"] = spent.get(f"{stage}_made", 0.0) + made
