"""Read the input: check it, look up the papers that it names, recognise its own paper, start the run afresh.

Reads the input. Writes `run`, `request`, `stop`, and resets what an earlier run on the same thread
may have left.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from nodes.common.check_input import (
    MOST_CRITERIA,
    check_date,
    check_language,
    clean_text,
    input_kind,
    notes_on_input,
    parse_input,
    plain_criteria,
    refusing,
    why_unknown,
)
from state.channels import FindState
from state.inputs import CheckedRequest, FindInput
from state.paper import Paper, canonical_id
from state.quote import Criterion
from state.reducers import begin_run
from state.run import Failure
from state.search import Hit
from tools.errors import InputError, PermanentError, TransientError
from tools.run_settings import check_settings, route_options_of
from tools.scholar.open_source import check_source, is_online
from tools.services import NodeRuntime, Services, open_services

STAGE = "read_input"
_LONGEST = 300
"""Characters beyond which nothing is an id."""


async def read_input(state: Mapping[str, object], runtime: NodeRuntime) -> FindState:
    """Check the input and the library; an error becomes `stop`, for a person to read."""
    run = uuid4().hex
    services = open_services(runtime, run)
    services.progress(STAGE, 0, 1)
    request, named = CheckedRequest(text=""), _Named()
    with refusing(STAGE) as stopped:
        check_settings(services.context)
        request, named = await _request(parse_input(FindInput, state), services)
    services.progress(STAGE, 1, 1)
    hits = [
        Hit(paper=key, via="must_include", by="the caller", source=source)
        for key, sources in named.sources.items()
        for source in sources
    ]
    return begin_run(
        FindState,
        run=run,
        request=request,
        settings=route_options_of(services.context),
        hits=hits,
        stop=next(iter(stopped), None),
        failures=[*named.failures, *stopped],
    )


def _notes_on(criteria: Sequence[Criterion], services: Services) -> Iterator[str]:
    if criteria and not services.mind.judges:
        yield (
            "no model is configured, so CiteLoom did not judge which papers meet what you ask for; it shows "
            "the closest sentence of each"
        )
        if len(criteria) > MOST_CRITERIA:
            yield f"the input lists {len(criteria)} conditions; CiteLoom compares the first {MOST_CRITERIA}"


@dataclass
class _Named:
    """The papers that the caller named by id, as the sources know them."""

    found: dict[str, Paper] = field(default_factory=dict)
    """By the id as it was given."""
    sources: dict[str, list[str]] = field(default_factory=dict)
    """Which sources know it, by canonical id there."""
    failures: list[Failure] = field(default_factory=list)


async def _request(sent: FindInput, services: Services) -> tuple[CheckedRequest, _Named]:
    sources = tuple(dict.fromkeys(sent.sources)) or ("library",)
    for name in sources:
        check_source(name, services.clients.settings)
    written = sent.text
    if key := paper_id_of_input(written):
        places = CheckedRequest(text="", library=sent.library, sources=sources)
        written = await abstract_of_paper(key, places, services)
    title, text = clean_text(written)
    code, notes = await check_language(text, composes=services.mind.composes)
    criteria = plain_criteria(written)
    request = CheckedRequest(
        text=text,
        kind=input_kind(text),
        title=title,
        language=code,
        library=sent.library,
        sources=sources,
        include_retracted=sent.include_retracted,
        before=check_date(sent.before),
        after=check_date(sent.after, "first day"),
        added_after=datetime.fromisoformat(sent.added_after).timestamp()
        if sent.added_after
        else 0.0,
        keep=sent.keep,
        notes=(*notes, *notes_on_input(text), *_notes_on(criteria, services)),
        criteria=criteria[:MOST_CRITERIA],
    )
    named = await _resolve([*sent.must_include, *sent.exclude], request, services)
    found = named.found
    missing = [raw for raw in sent.must_include if raw not in found]
    own = await _own_paper(request, services)
    failed = {item.subject: item.cause for item in named.failures}
    extra = [
        f"CiteLoom did not find the paper to include '{raw}': {why_unknown(sources, failed)}"
        if failed
        else f"no source knows the paper to include '{raw}'; check its id"
        for raw in missing
    ]
    if own:
        extra.append(
            f"the input is the title or abstract of {own}: CiteLoom leaves that paper out of "
            "the results"
        )
    musts = [found[raw].id for raw in sent.must_include if raw in found]
    known = [found[raw] for raw in sent.exclude if raw in found]
    excluded = {canonical_id(raw) for raw in sent.exclude if raw.strip()}
    excluded |= {key for paper in known for key in (paper.id, *paper.aliases)}
    named.sources = {key: names for key, names in named.sources.items() if key in musts}
    request = request.model_copy(
        update={
            "must_include": tuple(dict.fromkeys(musts)),
            "exclude": tuple(sorted(excluded)),
            "own": own,
            "notes": (*request.notes, *extra),
        }
    )
    return request, named


async def _resolve(ids: list[str], request: CheckedRequest, services: Services) -> _Named:
    """Ask every source for the papers named; one that fails is a failure, not an answer."""
    wanted = {raw: canonical_id(raw) for raw in ids if raw.strip()}
    named = _Named()
    for name in request.sources if wanted else ():
        source = await services.source(name, request)
        try:
            papers = await source.get(list(dict.fromkeys(wanted.values())))
        except (TransientError, PermanentError) as error:
            if not is_online(name):
                raise
            named.failures.append(
                Failure(
                    stage=STAGE,
                    subject=name,
                    cause=str(error),
                    remedy="CiteLoom did not look up the papers named by id here",
                )
            )
            continue
        await services.run_store.put_records(source.name, papers.values())
        for raw, key in wanted.items():
            if key in papers:
                named.found.setdefault(raw, papers[key])
                named.sources.setdefault(papers[key].id, []).append(source.name)
    return named


async def _own_paper(request: CheckedRequest, services: Services) -> str | None:
    for source in await services.sources(request):
        if own := await source.same_work(request.title or "", request.text):
            return own
    return None


def paper_id_of_input(text: str) -> str | None:
    """Return the id that the text consists of, or the one that an address names, or None."""
    named = text.strip()
    if not named or len(named) > _LONGEST or len(named.split()) > 1:
        return None
    key = canonical_id(named)
    return None if key.startswith(("local:", "title:")) else key


async def abstract_of_paper(key: str, request: CheckedRequest, services: Services) -> str:
    """Return the title, as a heading, and the abstract of a paper, from the first source that has both.

    Raises:
        InputError: No source has its abstract; the message says what to do.
        LibraryError: There is no such library.
    """
    known: Paper | None = None
    failed: list[str] = []
    for name in request.sources:
        source = await services.source(name, request)
        try:
            found = (await source.get([key])).get(key)
        except (TransientError, PermanentError) as error:
            failed.append(f"{name} did not answer ({error})")
            continue
        if found and found.abstract and found.abstract_kind == "abstract":
            return f"# {found.title}\n\n{found.abstract}"
        known = known or found
    told = f"no source has the abstract of {key}" if known else f"no source knows the paper {key}"
    why = f": {'; '.join(failed)}" if failed else f"; asked: {', '.join(request.sources)}"
    raise InputError(
        f"{told}{why}. Name another source (such as openalex or arxiv), or give its abstract as the input"
    )
