"""Take the papers to write about, given as ids or as records.

Reads the input of `write`. Writes `run`, `request`, `choices`, `selected`, `stop`; the papers go to the run_store.
"""

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from langgraph.runtime import Runtime
from pydantic import ValidationError

from nodes.intake import check_language, clean_text, kind_of, parse, short_note
from nodes.write.writers.registry import check_writer
from state.channels import WriteState
from state.paper import Paper, canonical_id
from state.reducers import replaced
from state.request import Choices, Request, WriteInput
from state.run import Failure
from tools.bibliography.read_record import RecordError, paper_from
from tools.bibliography.style import named_style
from tools.context import RunContext, check_settings
from tools.errors import CiteLoomError, InputError, PermanentError, TransientError
from tools.scholar.opening import is_online
from tools.services import Services, open_services

STAGE = "take_papers"


async def take_papers(state: Mapping[str, object], runtime: Runtime[RunContext]) -> WriteState:
    """Put the papers in the run store, in the caller's order; what cannot be had is a failure."""
    run = uuid4().hex
    services = open_services(runtime, run)
    request, choices = Request(text=""), Choices()
    stop: Failure | None = None
    failures: list[Failure] = []
    papers: list[Paper] = []
    try:
        check_settings(services.context)
        sent = parse(WriteInput, state)
        check_writer(services.context.writer, planned=bool(sent.plan.strip()))
        await asyncio.to_thread(named_style, sent.style)
        choices = Choices(cite=sent.cite, plan=sent.plan, style=sent.style)
        title, text = clean_text(sent.text)
        code, notes = await check_language(text, extractive=services.mind.name == "extractive")
        request = Request(
            text=text, kind=kind_of(text), title=title, language=code, library=sent.library,
            sources=tuple(dict.fromkeys(sent.sources)) or ("library",),
            notes=(*notes, *short_note(text)),
        )  # fmt: skip
        papers, failures = await _papers(sent.papers, request, services)
        if not papers:
            raise InputError(
                "there is no paper to write about: give ids that the library knows, or records with "
                "title and abstract"
            )
    except CiteLoomError as error:
        stop = Failure(stage=STAGE, subject="input", cause=str(error), fatal=True)
    await services.run_store.papers.put(papers)
    return {
        "run": run,
        "request": request,
        "choices": choices,
        "stop": stop,
        "failures": replaced([*failures, *([stop] if stop else [])]),
        "selected": list(dict.fromkeys(paper.id for paper in papers)),
    }


async def _papers(
    given: list[str | dict[str, Any]], request: Request, services: Services
) -> tuple[list[Paper], list[Failure]]:
    ids = [canonical_id(item) for item in given if isinstance(item, str) and item.strip()]
    known, failures = await _known(ids, request, services)
    places = " and ".join(
        f"the library '{request.library}'" if name == "library" else name
        for name in request.sources
    )
    papers: list[Paper] = []
    for item in given:
        try:
            papers.append(known[canonical_id(item)] if isinstance(item, str) else _record(item))
        except (KeyError, RecordError, ValueError, ValidationError) as error:
            failures.append(
                Failure(
                    stage=STAGE, subject=str(item)[:80],
                    cause=f"{places} has no such paper"
                    if isinstance(error, KeyError) else f"not a usable record: {error}"[:300],
                    remedy="check the id, look elsewhere (--source), add the paper with "
                    "`citeloom library add`, or send its record",
                )
            )  # fmt: skip
    return papers, failures


async def _known(
    ids: list[str], request: Request, services: Services
) -> tuple[dict[str, Paper], list[Failure]]:
    """Ask the sources in turn for the papers that those before them lack."""
    known: dict[str, Paper] = {}
    failures: list[Failure] = []
    for name in request.sources:
        missing = [key for key in ids if key not in known]
        if not missing:
            break
        source = await services.source(name, request)
        try:
            known |= await source.get(missing)
        except (TransientError, PermanentError) as error:
            if not is_online(name):
                raise
            failures.append(
                Failure(
                    stage=STAGE, subject=name, cause=str(error),
                    remedy="papers named by id were not looked up here",
                )
            )  # fmt: skip
    return known, failures


def _record(item: dict[str, Any]) -> Paper:
    if "authors" in item and isinstance(item["authors"], list) and "origin" in item:
        return Paper.model_validate(item)
    return paper_from(item)
