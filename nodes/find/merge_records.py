"""Merge records: make one paper of all records of one work, whichever sources they come from.

Reads `run`, `hits`, `united`, `trail`, `followed`, `same`, `judged`. Writes `same` (the paper of this
run by each id that a source used), `united` and `followed`; the papers go to the run store. A paper keeps
the id under which the run first knew it, so that scores and debates stay with it when another source
turns out to know it, too.
"""

import asyncio
from collections.abc import Container, Sequence

from state.channels import FindState
from state.paper import Paper
from tools.errors import counted
from tools.scholar.same_work import merge, unite_records
from tools.services import NodeRuntime, open_services

STAGE = "merge_records"


async def merge_records(state: FindState, runtime: NodeRuntime) -> FindState:
    """Join the records that came since the last time to the papers that there are."""
    services = open_services(runtime, state["run"])
    hits, same = state["hits"], state["same"]
    trails = list(
        (await services.run_store.trails.get(state["trail"][state["followed"] :])).values()
    )
    came = [*hits[state["united"] :], *(hit for trail in trails for hit in trail.hits)]
    new = list(dict.fromkeys((hit.source, hit.paper) for hit in came))
    records = await services.run_store.records(new)
    papers = list((await services.run_store.papers.get(sorted(set(same.values())))).values())
    changed, same = await asyncio.to_thread(_join, papers, records, same, state["judged"])
    await services.run_store.papers.put(changed)
    count = len(set(same.values()))
    services.progress(
        STAGE, count, count, f"{counted(count, 'paper')} found ({counted(len(new), 'new record')})"
    )
    return {
        "same": same,
        "united": len(hits),
        "followed": len(state["trail"]),
        "failures": [],
    }


def _join(
    papers: Sequence[Paper],
    records: Sequence[Paper],
    same: dict[str, str],
    scored: Container[str],
) -> tuple[list[Paper], dict[str, str]]:
    """Return the papers that are new or changed, and the paper by each id."""
    every = [*papers, *records]
    changed: list[Paper] = []
    same = dict(same)
    for places in unite_records(every):
        members = [every[place] for place in places]
        known = [every[place].id for place in places if place < len(papers)]
        known.sort(key=lambda key: key not in scored)  # no debate is lost
        if len(known) == len(members) == 1:
            continue
        paper = merge(members, id=known[0] if known else None)
        changed.append(paper)
        same |= {key: paper.id for key, old in same.items() if old in known}
        same |= {member.id: paper.id for member in members}
        for key in paper.aliases:  # sources may ascribe one id to two works
            same.setdefault(key, paper.id)
    return changed, same | {paper.id: paper.id for paper in changed}
