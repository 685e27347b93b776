"""Search: put one query to one source.

Reads `run`, `request` and, per branch, one query and one source's name. Writes `hits`,
`search_log`; a source that fails is a failure, never an empty result.
"""

from time import monotonic
from typing import NotRequired

from nodes.cost.kept_budget import saving_services
from state.channels import FindState, Shared
from state.inputs import WriteChoices
from state.run import Failure
from state.search import Hit, SearchLogEntry, SearchQuery
from tools.errors import PermanentError, TransientError, counted
from tools.ranking.discovery_channels import BY_INPUT
from tools.services import NodeRuntime

STAGE = "search_source"


class Branch(Shared):
    """What one branch of this node reads."""

    query: SearchQuery
    source: str
    limit: int
    """How many papers to take: this query's share of what the hop takes from the source."""
    of: int
    """How many branches there are."""
    choices: NotRequired[WriteChoices]
    """How a section will be written, where one will be."""


async def search_source(state: Branch, runtime: NodeRuntime) -> FindState:
    """Keep what the source returns in the run store, and how it was reached in the state."""
    services = saving_services(state, runtime)
    query, request = state["query"], state["request"]
    started = monotonic()
    services.tick(STAGE, 0, state["of"], _label(query))
    try:
        source = await services.source(state["source"], request)
        found = await source.search(
            query, before=request.before, after=request.after, limit=state["limit"]
        )
    except (PermanentError, TransientError) as error:
        failure = Failure(
            stage=STAGE,
            subject=f"{state['source']}: {query.text[:80]}",
            cause=str(error),
            remedy="the run continued without this answer; run again to retry",
        )
        services.tick(STAGE, 1, state["of"], _label(query))
        return {"hits": [], "search_log": [], "failures": [failure]}
    papers = found.papers
    # Another query's record of the same paper, without the words found in its text, must not replace this one.
    name = f"{source.name}:full_text" if any(one.snippets for one in papers) else source.name
    await services.run_store.put_records(name, [*(one.paper for one in found.cited), *papers])
    hits = [
        Hit(
            paper=paper.id,
            via="query",
            by=_label(query),
            source=name,
            rank=rank,
            hop=query.hop,
            runs=query.runs,
        )
        for rank, paper in enumerate(papers, start=1)
    ]
    hits += [
        Hit(
            paper=one.paper.id,
            via="reference",
            by=one.by,
            source=name,
            hop=query.hop,
            sentence=one.sentence,
            runs=query.runs,
        )
        for one in found.cited
    ]
    entry = SearchLogEntry(
        source=source.name,
        query=_label(query),
        hop=query.hop,
        returned=len(papers),
        sent=found.sent,
        matches=found.matches,
        after_cutoff=sum(not request.admits(paper) for paper in papers),
        seconds=round(monotonic() - started, 3),
    )
    services.tick(STAGE, 1, state["of"], f"{_label(query)}: {counted(len(papers), 'paper')}")
    failures = [
        Failure(
            stage=STAGE,
            subject=f"{state['source']}: {query.text[:80]}",
            cause=found.cut,
            remedy="CiteLoom keeps what it found so far; run again for the rest",
        )
    ]
    return {"hits": hits, "search_log": [entry], "failures": failures if found.cut else []}


def _label(query: SearchQuery) -> str:
    if query.facet != "whole":
        return query.text
    return BY_INPUT + (f", search {query.runs[0]}" if query.runs[:1] > (1,) else "")
