"""Take the question and the stack of papers: check what was sent, and list what is to be read.

Reads the input of `synthesize`. Writes `run`, `request`, `references_as`, `stack`, `stacked` (what cannot
be read at all), `stop`, and resets what an earlier run on the same thread has left. Contents of uploads
go to the spool.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from uuid import uuid4

from langchain_core.messages import AnyMessage, HumanMessage

from nodes.ask.take_question import last_question, papers_by_id, question_text
from nodes.common.check_input import check_language, check_sources, parse_input, refusing
from state.inputs import CheckedRequest
from state.reducers import begin_run
from state.synthesis import Granularity, PaperToRead, SourcePaper, SynthesizeInput, SynthesizeState
from tools.errors import InputError, counted
from tools.ingest.discover_files import DiscoveredFiles
from tools.ingest.file_places import UploadSpool, allowed_roots
from tools.ingest.uploads import collect_sources
from tools.run_settings import check_settings, route_options_of
from tools.services import NodeRuntime, Services, open_services
from tools.text.words import question_language

STAGE = "take_question_and_papers"
MOST_PAPERS = 500


async def take_question_and_papers(
    state: Mapping[str, object], runtime: NodeRuntime
) -> SynthesizeState:
    """Check question and papers; an error becomes `stop`, for a person to read."""
    run = uuid4().hex
    services = open_services(runtime, run)
    request = CheckedRequest(text="", kind="question")
    granularity: Granularity = "fine"
    messages: list[AnyMessage] = []
    stack, bad = list[PaperToRead](), list[SourcePaper]()
    with refusing(STAGE, services.clients.settings.home) as stopped:
        check_settings(services.context)
        sent = parse_input(SynthesizeInput, state)
        granularity = sent.granularity
        question, earlier = last_question(sent.question, sent.messages)
        if sent.question.strip() and len(earlier) == len(sent.messages):
            messages = [HumanMessage(question)]
        request = await _request(question, sent, composes=services.mind.composes)
        stack, bad, notes = await _stack(services, sent)
        request = request.model_copy(update={"notes": (*request.notes, *notes)})
    return begin_run(
        SynthesizeState,
        settings=route_options_of(services.context),
        run=run,
        request=request,
        references_as=granularity,
        messages=messages,
        stack=[] if stopped else stack,
        stacked=bad,
        stop=next(iter(stopped), None),
        failures=stopped,
    )


async def _request(question: str, sent: SynthesizeInput, *, composes: bool) -> CheckedRequest:
    text = question_text(question)
    if not (sent.uploads or sent.paths or sent.papers):
        raise InputError("no papers given: give files, or ids of papers of a library")
    code, notes = await check_language(text, composes=composes, told_by=question_language)
    return CheckedRequest(
        text=text,
        kind="question",
        language=code,
        notes=notes,
        library=sent.library,
        sources=check_sources(sent.sources),
    )


async def _stack(
    services: Services, sent: SynthesizeInput
) -> tuple[list[PaperToRead], list[SourcePaper], list[str]]:
    """Return what is to be read, what cannot be, each in its place, and notes for the caller."""
    clients = services.clients
    spool = UploadSpool(clients.settings.home, services.run)
    found = await asyncio.to_thread(
        collect_sources, spool, allowed_roots(clients), sent.paths, sent.uploads, []
    )
    files = [file for file in found.files if file.kind in {"file", "upload"}]
    names = Counter(PurePath(file.name).name for file in files)
    readable = [
        PaperToRead(  # under its last name, where no other has the same
            name=last if names[last := PurePath(file.name).name] == 1 else file.name,
            kind="upload" if file.sha256 else "file",
            path=file.path,
            sha256=file.sha256,
        )
        for file in files
    ]
    if sent.papers:  # else no library is opened, or made
        keys = await papers_by_id(services, sent.library, sent.papers)
        readable += [PaperToRead(name=key, kind="paper") for key in keys]
    if len(readable) > MOST_PAPERS:
        raise InputError(
            f"{counted(len(readable), 'paper is', 'papers are')} too many: give at most {MOST_PAPERS}"
        )
    bad = _unreadable(found, len(readable))
    if not readable:
        causes = "; ".join(f"{item.name}: {item.cause}" for item in bad[:5])
        raise InputError(f"no paper to read: {causes or 'the folders have none'}")
    return readable, bad, found.notes


def _unreadable(found: DiscoveredFiles, after: int) -> list[SourcePaper]:
    """Return what is no paper, behind the stack."""
    told = [
        (file.name, "it has records of papers, not a paper", "give the papers' own files")
        for file in found.files
        if file.kind == "records"
    ]
    told += [
        (item.source, item.cause or "; ".join(item.notes), item.remedy)
        for item in found.reports
        if item.status in {"failed", "unchanged"}
    ]
    return [
        SourcePaper(place=place, name=name, cause=cause, remedy=remedy)
        for place, (name, cause, remedy) in enumerate(told, start=after)
    ]
