"""Index: name keywords where a mind is to, and make what vectors and keywords are missing.

Reads `run`, `request`, `files`, `bulk`, `done`, `spent`, `failures`. Writes `done`, `spent`, `failures`.
"""

import asyncio
from collections.abc import Callable, MutableMapping, Sequence
from functools import partial
from threading import Event
from typing import Any

from nodes.common.ask_model import ask_in_batches, failures_by_cause
from nodes.common.keyword_task import NAME_KEYWORDS, KeywordNames, ShownText, shortened
from state.ingest import FileSource, IngestState, IngestUpdate
from state.passage import Passage
from state.run import Failure, fatal_failure
from tools.errors import BudgetError, PermanentError
from tools.evidence.prompt_injection import without_injections
from tools.ingest.file_places import UploadSpool
from tools.ingest.ingest_file import timing
from tools.ingest.ingest_target import IngestTarget
from tools.ingest.ray_workers import encode_on_ray
from tools.ingest.reader_processes import StoppedError
from tools.library.library_index import Encoder
from tools.library.vector_index import (
    Progress,
)
from tools.retrieve.keywords import fill_missing_keywords, put, unnamed
from tools.services import NodeRuntime, Services, open_services

LARGEST = 1000
"""Files of a wave: what was read is indexed, and can be found, before the next wave."""
STAGE = "name_keywords"
_TOGETHER = 6
"""Passages in one question."""
_REMEDY = "CiteLoom computed their keywords instead"


async def name_keywords(services: Services, opened: IngestTarget) -> list[Failure]:
    """Ask the mind for the keywords of passages that have none of a mind yet, and keep them.

    What cannot be had is a failure, and is left to be computed. The embedded engine is not asked:
    it would say what is computed anyway.
    """
    if not services.mind.composes:
        return []
    library = opened.library
    waiting = await asyncio.to_thread(
        lambda: {item.id: item for page in unnamed(library, 500, mind=True) for item in page}
    )

    def inputs(group: Sequence[str]) -> dict[str, Any]:
        return {"passages": [_shown(f"T{n}", waiting[key]) for n, key in enumerate(group, start=1)]}

    async def take(group: Sequence[str], answer: KeywordNames) -> None:
        ids = {f"T{n}": key for n, key in enumerate(group, start=1)}
        kept: dict[str, list[str]] = {}
        for item in answer.passages:
            if item.id in ids and (good := shortened(item.keywords)):
                kept[ids[item.id]] = good
        await asyncio.to_thread(put, library, kept, services.mind_name)
        services.tick(STAGE, len(group), len(waiting))

    try:
        causes = await ask_in_batches(
            services, NAME_KEYWORDS, [list(waiting)], _TOGETHER, inputs, take
        )
    except BudgetError as error:
        return [Failure(stage=STAGE, subject="budget", cause=str(error), remedy=_REMEDY)]
    return failures_by_cause(STAGE, causes, "passage", _REMEDY)


def _shown(name: str, passage: Passage) -> ShownText:
    told = (passage.title, " > ".join(passage.section), passage.text)
    title, section, text = (without_injections(part)[0] for part in told)
    return ShownText(id=name, title=title, section=section, text=text)


def next_wave(files: Sequence[FileSource], done: int) -> list[FileSource]:
    """Return the files to be read next: first all record files, then documents in portions.

    A document finds the record of its paper in the library only if that was read before it.
    """
    rest = files[done:]
    return ([item for item in rest if item.kind == "records"] or list(rest))[:LARGEST]


async def index_passages(state: IngestState, runtime: NodeRuntime) -> IngestUpdate:
    """Index what the last wave has read; what is indexed already costs nothing."""
    services = open_services(runtime, state["run"])
    read = next_wave(state["files"], state["done"])
    done = state["done"] + len(read)
    spool = UploadSpool(services.clients.settings.home, state["run"])
    for digest in filter(None, (item.sha256 for item in read)):  # their reports are kept by now
        await asyncio.to_thread(spool.drop, digest)
    grows = done < len(state["files"]) and read[0].kind == "records"  # papers gain abstracts yet
    if grows or fatal_failure(state["failures"]):
        return {"done": done, "spent": {}, "failures": []}
    opened = await asyncio.to_thread(services.library_to_fill, state["request"].library)
    spent, failures = dict(state["spent"]), list[Failure]()
    encoder = partial(encode_on_ray, services.clients.settings) if state.get("bulk") else None
    try:
        await _indexed(services, "passages", partial(_vectors, opened, encoder), spent)
        if services.context.keywords_by_mind:
            with timing(spent, "keywords"):
                failures = await name_keywords(services, opened)
        await _indexed(services, "keywords", partial(fill_missing_keywords, opened.library), spent)
    except OSError as error:
        raise PermanentError(
            f"{error.filename or opened.library.folder} is not writable: "
            f"{error.strerror or error}. Added files are safe: free disk space and run again"
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
