"""Works that several of the kept papers cite, and that the search has not come to."""

from collections import Counter

from nodes.find.hidden import hidden_in, selected_in
from state.channels import FindState
from state.finding import MissingWork
from state.paper import Paper, by_any_id
from state.run import halt
from tools.errors import CiteLoomError
from tools.services import Services

_OFTEN = 3
"""Kept papers that cite a work before it is told as missing."""
_MOST = 20


async def missing_works(state: FindState, services: Services) -> list[MissingWork]:
    """Return them, the most cited first, with the records of those that a source of the run knows.

    What the run saw and did not keep, and what may not appear, is not missing.
    """
    seen = await services.run_store.papers.values(sorted(set(state["same"].values())))
    known = {*by_any_id(seen), *state["same"], *hidden_in(state)}
    kept = set(selected_in(state))
    citing: dict[str, list[str]] = {}
    for paper in seen:
        for work in paper.references if paper.id in kept else ():
            if work not in known:
                citing.setdefault(work, []).append(paper.id)
    often = Counter({work: len(by) for work, by in citing.items() if len(by) >= _OFTEN})
    wanted = [work for work, _ in sorted(often.items(), key=lambda item: (-item[1], item[0]))]
    found = await _records(wanted[:_MOST], state, services)
    return [
        MissingWork(id=work, cited_by=tuple(sorted(citing[work])), paper=found.get(work))
        for work in wanted[:_MOST]
        if work not in found or state["request"].admits(found[work])
    ]


async def _records(ids: list[str], state: FindState, services: Services) -> dict[str, Paper]:
    """Return what the sources know of these works; one that fails costs their names and nothing else."""
    found: dict[str, Paper] = {}
    for name in state["request"].sources if not halt(state["failures"]) else ():
        if left := [key for key in ids if key not in found]:
            try:
                source = await services.source(name, state["request"])
                found |= await source.get(left)
            except CiteLoomError:
                continue
    return found
