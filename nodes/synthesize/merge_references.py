"""Merge: make one list of what all sources cite, and one of their paragraphs.

Reads `run`, `stacked`. Writes `stacked`, `paragraphs`, `works`, `failures`. The same work cited by two
papers, under whatever number or name, is one work, and a source that another one cites is the source itself. Papers
that could not be read are failures; where none could, the run ends.
"""

import asyncio
from collections.abc import Sequence

from state.run import Failure
from state.synthesis import SourcePaper, SynthesizeState
from tools.errors import counted
from tools.references.works import merge_works
from tools.services import NodeRuntime, open_services

STAGE = "merge_references"


async def merge_references(state: SynthesizeState, runtime: NodeRuntime) -> SynthesizeState:
    """Unite what the sources cite, and list their paragraphs in the order of the stack."""
    services = open_services(runtime, state["run"])
    failures = [
        Failure(stage="read_stack_paper", subject=item.name, cause=item.cause, remedy=item.remedy)
        for item in state["stacked"]
        if item.cause
    ]
    first, again = _distinct([item for item in state["stacked"] if not item.cause])
    if not first:
        failures.append(
            Failure(
                stage=STAGE,
                subject="run",
                cause="none of the papers could be read",
                fatal=True,
                remedy="see the notes on each paper",
            )
        )
        return {"stacked": [], "paragraphs": [], "works": [], "failures": failures}
    papers = await services.run_store.papers.get(list(first))
    found = await services.run_store.bibliographies.get([source.key for source in first.values()])
    bibliographies = {key: found[source.key] for key, source in first.items()}
    entries, works = await asyncio.to_thread(merge_works, bibliographies, list(papers.values()))
    await services.run_store.papers.put(works)
    await services.run_store.entries.put([entries])
    services.progress(STAGE, 1, 1, f"{counted(len(works), 'work')} cited")
    texts = dict.fromkeys(key for source in first.values() for key in source.paragraphs)
    return {
        "stacked": again,
        "paragraphs": list(texts),
        "works": [paper.id for paper in works],
        "failures": failures,
    }


def _distinct(read: Sequence[SourcePaper]) -> tuple[dict[str, SourcePaper], list[SourcePaper]]:
    """Return the sources by the ids of their papers, and those, noted, whose paper is there already."""
    first: dict[str, SourcePaper] = {}
    again: list[SourcePaper] = []
    for source in read:
        if source.paper in first:
            note = f"same paper as {first[source.paper].name}; CiteLoom read that one"
            again.append(source.model_copy(update={"notes": (*source.notes, note)}))
        else:
            first[source.paper] = source
    return first, again
