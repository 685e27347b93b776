"""Take the papers to write about, given as ids or as records.

Reads the input of `write`. Writes `run`, `request`, `choices`, `selected`, `themes`, `stop`; the papers go to the
run store.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from pydantic import ValidationError

from nodes.common.check_input import (
    by_its_key,
    check_language,
    clean_text,
    input_kind,
    notes_on_input,
    parse_input,
    refusing,
    why_unknown,
)
from nodes.common.publisher_notices import noticed_now
from nodes.write.writers.writers import check_writer
from state.channels import WriteState
from state.inputs import CheckedRequest, WriteChoices, WriteInput
from state.merging import merge_papers
from state.paper import Paper, canonical_id
from state.reducers import overwriting
from state.run import Failure
from tools.bibliography.citation_style import named_style
from tools.bibliography.read_record import RecordError, paper_from
from tools.errors import PROGRAM, InputError, PermanentError, TransientError
from tools.run_settings import check_settings, route_options_of
from tools.scholar.agreement import same_title
from tools.scholar.open_source import is_online
from tools.services import NodeRuntime, Services, open_services

STAGE = "take_papers"
_MARKS = str.maketrans("{}[]\n", "()() ")
"""What could pass for a citation in the name of a theme."""


async def take_papers(state: Mapping[str, object], runtime: NodeRuntime) -> WriteState:
    """Put the papers in the run store, in the caller's order; what cannot be had is a failure."""
    run = uuid4().hex
    services = open_services(runtime, run)
    request, choices = CheckedRequest(text=""), WriteChoices()
    failures: list[Failure] = []
    papers: list[Paper] = []
    themes: dict[str, str] = {}
    with refusing(STAGE) as stopped:
        check_settings(services.context)
        sent = parse_input(WriteInput, state)
        check_writer(services.context.writer, planned=bool(sent.plan.strip()))
        await asyncio.to_thread(named_style, sent.style)
        choices = WriteChoices(cite=sent.cite, plan=sent.plan, style=sent.style)
        title, text = clean_text(sent.text)
        code, notes = await check_language(text, composes=services.mind.composes)
        request = CheckedRequest(
            text=text,
            kind=input_kind(text),
            title=title,
            language=code,
            library=sent.library,
            sources=tuple(dict.fromkeys(sent.sources)) or ("library",),
            notes=(*notes, *notes_on_input(text)),
        )
        themes = _themes_of(sent.papers)
        given = [
            item if isinstance(item, str) else {n: item[n] for n in item if n != "theme"}
            for item in sent.papers
        ]
        papers, failures = await given_papers(given, request, services, STAGE)
        marked, unasked = await noticed_now(services, request, papers, STAGE)
        papers = [marked.get(paper.id, paper) for paper in papers]
        failures += unasked
        if not papers:
            whys = dict.fromkeys(item.cause for item in failures if item.remedy == _LATER)
            raise InputError(
                f"no paper to write about: {'; '.join(whys)}"
                if whys
                else "no paper to write about: give ids from the library, or records with title and "
                "abstract"
            )
    await services.run_store.papers.put(papers)
    return {
        "settings": route_options_of(services.context),
        "run": run,
        "request": request,
        "choices": choices,
        "stop": next(iter(stopped), None),
        "failures": overwriting([*failures, *stopped]),
        "selected": list(dict.fromkeys(paper.id for paper in papers)),
        "themes": themes,
    }


def _themes_of(given: Sequence[str | dict[str, Any]]) -> dict[str, str]:
    """Return the themes that a caller gave with papers, by id."""
    told = {
        canonical_id(str(item.get("id"))): str(item.get("theme") or "")
        for item in given
        if isinstance(item, dict)
    }
    named = {key: name.translate(_MARKS)[:80].strip() for key, name in told.items()}
    return {key: name for key, name in named.items() if len(name) > 2}


async def given_papers(
    given: Sequence[str | dict[str, Any]], request: CheckedRequest, services: Services, stage: str
) -> tuple[list[Paper], list[Failure]]:
    """Return the papers that a caller gave as ids or records, in order, and what could not be had of them."""
    failures: list[Failure] = []

    def fail(subject: str, cause: str, remedy: str) -> None:
        failures.append(Failure(stage=stage, subject=subject, cause=cause[:300], remedy=remedy))

    ids = [canonical_id(item) for item in given if isinstance(item, str) and item.strip()]
    known, unasked = await _known(ids, request, services)
    for name, why in unasked.items():
        fail(name, why, "CiteLoom did not look up papers named by id here")
    names = [
        f"the library '{request.library}'" if name == "library" else name
        for name in request.sources
    ]
    papers: dict[str, Paper] = {}
    for number, item in enumerate(given, start=1):
        try:
            if isinstance(item, str):
                paper = known[canonical_id(item)]
            else:
                paper = Paper.model_validate(item) if "origin" in item else paper_from(item)
            bearing = [one for one in papers.values() if paper.id in (one.id, *one.aliases)]
            if earlier := next((one for one in bearing if same_title(one, paper)), None):
                paper = merge_papers(earlier, paper)
            elif bearing:  # another work under the same id, one of them wrongly
                paper = by_its_key(paper, papers, number)
            papers[paper.id] = paper
        except KeyError:
            fail(str(item)[:80], why_unknown(names, unasked), _LATER if unasked else _ELSEWHERE)
        except (RecordError, ValueError, ValidationError) as error:
            fail(str(item)[:80], f"not a usable record: {error}", _ELSEWHERE)
    return list(papers.values()), failures


async def _known(
    ids: Sequence[str], request: CheckedRequest, services: Services
) -> tuple[dict[str, Paper], dict[str, str]]:
    """Return the papers of these ids, each from the first source that has it, and why others did not answer."""
    known: dict[str, Paper] = {}
    unasked: dict[str, str] = {}
    for name in request.sources if ids else ():
        source = await services.source(name, request)
        try:
            # Those that the sources before it lack.
            known |= await source.get([key for key in ids if key not in known])
        except (TransientError, PermanentError) as error:
            if not is_online(name):
                raise
            unasked[name] = str(error)
        if known.keys() >= {*ids}:
            break
    return known, unasked


_LATER = "write again when it answers, use another source, or send its record"
_ELSEWHERE = f"check the id, look in other sources, add the paper with `{PROGRAM} library add`, or send its record"
