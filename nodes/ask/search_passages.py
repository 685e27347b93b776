"""Search: retrieve the passages that may answer the query of this hop.

Reads `run`, `request`, `wanted`, `standalone`, `query`, `why`, `hop`, `hops`. Writes `hops`; the
passages go to the run store. Passages read in an earlier hop are not found again. A question for authors,
year or venue is also shown the records of the papers found, since passages seldom tell those.
"""

import asyncio
from collections.abc import Sequence

from nodes.judge.full_text import SOURCE, search_full_texts
from state.ask import AskState, AskUpdate, Hop, PassageConditions
from state.paper import Paper
from state.passage import OF_RECORD, Passage, PassageHit, passage_id
from state.run import Failure
from tools.errors import counted
from tools.library.library import Library
from tools.library.search_types import PassageFilter, RetrieverName
from tools.retrieve.retriever import Retriever
from tools.run_settings import RunSettings
from tools.services import NodeRuntime, Services, open_services
from tools.text.questions import question_parts, read_question

STAGE = "search_passages"
USUAL, MOST = 20, 200
"""Passages of a search, and of one that is to fill the model's window."""
_RECORDS = 3
"""Papers whose records are shown."""


async def search_passages(state: AskState, runtime: NodeRuntime) -> AskUpdate:
    """Retrieve passages for the query."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1, state["query"])
    library = await services.library(state["request"].library)
    hits, passages = await retrieve_passages(
        services, library, state["query"], state["wanted"], passages_seen(state["hops"])
    )
    found, failures = await _in_full_texts(services, state, library)
    hits += _after(hits, found)
    passages += found
    parts = question_parts(state["standalone"])
    if any(read_question(part).for_record for part in parts):
        records = await asyncio.to_thread(_records, library, passages)
        hits += _after(hits, records)
        passages += records
    await services.run_store.passages.put(passages)
    services.progress(STAGE, 1, 1, counted(len(hits), "passage"))
    hop = Hop(number=state["hop"], query=state["query"], why=state["why"], retrieved=tuple(hits))
    return {"hops": [*state["hops"], hop], "failures": failures}


def _after(hits: Sequence[PassageHit], passages: Sequence[Passage]) -> list[PassageHit]:
    """Return passages as hits that come after those there are."""
    return [
        PassageHit(passage=item.id, score=0.0, rank=rank)
        for rank, item in enumerate(passages, start=len(hits) + 1)
    ]


async def _in_full_texts(
    services: Services, state: AskState, library: Library
) -> tuple[list[Passage], list[Failure]]:
    """Return what the full texts of the papers that the question names say, where the run asks for that."""
    if not services.context.snippets or not state["wanted"].papers:
        return [], []
    papers = list((await asyncio.to_thread(library.get, state["wanted"].papers)).values())
    request = state["request"].model_copy(update={"sources": (SOURCE,)})
    found, failures = await search_full_texts(
        services, request, {state["query"]: papers}, stage=STAGE
    )
    seen = passages_seen(state["hops"])
    return [one for items in found.values() for one in items if one.id not in seen], failures


def passages_seen(hops: list[Hop]) -> frozenset[str]:
    """Return the passages that earlier hops have read."""
    return frozenset(key for hop in hops for key in (*hop.read, *hop.chosen))


async def retrieve_passages(
    services: Services,
    library: Library,
    query: str,
    wanted: PassageConditions,
    exclude: frozenset[str] = frozenset(),
) -> tuple[list[PassageHit], list[Passage]]:
    """Return what the run's retriever finds, and the passages themselves."""
    chosen = PassageFilter(
        papers=frozenset(wanted.papers),
        first_year=wanted.first_year,
        last_year=wanted.last_year,
        before=wanted.before,
        tags=frozenset(wanted.tags),
        exclude=exclude,
    )

    context = services.context
    whole_window = context.method == "kar" and services.mind.composes
    limit = context.retrieved or (MOST if whole_window else USUAL)

    def search() -> tuple[list[PassageHit], list[Passage]]:
        retriever = Retriever(retriever_of(services.context), library)
        hits = retriever.retrieve(query, limit=limit, wanted=chosen)
        found = library.texts.get([hit.passage for hit in hits])
        return [hit for hit in hits if hit.passage in found], [
            found[hit.passage] for hit in hits if hit.passage in found
        ]

    return await asyncio.to_thread(search)


def retriever_of(context: RunSettings) -> RetrieverName:
    """Return how passages are found: by keywords where that is the method."""
    return "keywords" if context.method == "kar" else context.retriever


def _records(library: Library, passages: list[Passage]) -> list[Passage]:
    ids = list(dict.fromkeys(item.paper for item in passages))[:_RECORDS]
    papers = library.get(ids)
    return [record_passage(papers[key]) for key in ids if key in papers]


def record_passage(paper: Paper) -> Passage:
    """Return a paper's record as a sentence: 'X' is by A and B and appeared in V in 2020."""
    names = [author.name for author in paper.authors]
    if not paper.authors_complete:
        names.append("others")
    by = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    venue = f" in {paper.venue}" if paper.venue else ""
    year = f" in {paper.year}" if paper.year else ""
    appeared = f"appeared{venue}{year}" if venue or year else ""
    said = " and ".join(part for part in (f"is by {by}" if by else "", appeared) if part)
    text = f"“{paper.title}” {said or 'has no known authors'}."
    return Passage(
        id=passage_id(paper.id, text),
        paper=paper.id,
        title=paper.title,
        section=OF_RECORD,
        start=0,
        end=len(text),
        text=text,
    )
