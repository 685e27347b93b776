"""nodes/find/present_papers.py: what kept papers cite, and the search has not come to."""

from pathlib import Path
from typing import Any

import numpy as np
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.paper_themes import shared_references
from nodes.find.present_papers import missing_works
from state.inputs import CheckedRequest
from state.paper import Paper
from tests.graphs.sources import Sources
from tests.scholar.table import Table
from tools.errors import TransientError
from tools.run_settings import RunSettings
from tools.services import Services, open_services

GONE, LATER, SEEN, OWN, RARE = (
    f"doi:10.1000/{name}" for name in ("gone", "later", "seen", "own", "rare")
)
CITING = [
    Paper(
        id=f"doi:10.1000/{at}",
        title=f"Pears {at}",
        references=(GONE, LATER, "openalex:W9", OWN, *((RARE,) if at < 2 else ())),
    )
    for at in range(4)
]
SEEN_PAPER = Paper(id=SEEN, title="Seen and not kept", aliases=("openalex:W9",))


async def services_with(home: Path, *tables: Table) -> Services:
    context = RunSettings(mind="extractive")
    vars(context)["clients"] = Sources(home, *tables)
    runtime: Runtime[RunSettings] = Runtime(context=context, store=InMemoryStore())
    services = open_services(runtime, "run")
    await services.run_store.papers.put([*CITING, SEEN_PAPER])
    return services


def state(**more: Any) -> Any:
    kept = [paper.id for paper in CITING[:3]]
    request = CheckedRequest(
        text="pears", sources=("openalex", "arxiv"), before=more.pop("before", None)
    )
    same = {paper.id: paper.id for paper in [*CITING, SEEN_PAPER]}
    given = {"request": request, "same": same, "hidden": [OWN], "selected": kept, "failures": []}
    return {**given, **more}


async def test_work_that_three_kept_papers_cite_is_missing_and_named_by_whoever_knows_it(
    tmp_path: Path,
) -> None:
    failing = Table([], "openalex")
    failing.get_error = TransientError("openalex is busy")
    knowing = Table(
        [], "arxiv", records=[Paper(id=GONE, title="The pear that all cite", year=1990)]
    )
    services = await services_with(tmp_path, failing, knowing)
    gone, later = await missing_works(state(), services)
    assert (gone.id, gone.paper and gone.paper.title) == (GONE, "The pear that all cite")
    assert gone.cited_by == tuple(paper.id for paper in CITING[:3])
    assert (later.id, later.paper) == (LATER, None)


async def test_work_past_the_cutoff_is_not_missing(tmp_path: Path) -> None:
    records = [Paper(id=LATER, title="Pears of tomorrow", year=2024)]
    services = await services_with(
        tmp_path, Table([], "openalex", records=records), Table([], "arxiv")
    )
    found = await missing_works(state(before="2020-01-01"), services)
    assert [item.id for item in found] == [GONE]


# nodes/find/present_papers.py: what papers cite together is a part of what they are about.


def paper(number: int, *references: str) -> Paper:
    return Paper(id=f"doi:10.1/{number}", title=f"Pears {number}", references=references)


def test_works_that_two_cite_count_and_rare_ones_more() -> None:
    rows = shared_references(
        [
            paper(1, "doi:10.2/a", "doi:10.2/b"),
            paper(2, "doi:10.2/a", "doi:10.2/b"),
            paper(3, "doi:10.2/b", "doi:10.2/alone"),
            paper(4),
        ]
    )
    near = rows @ rows.T
    assert np.allclose(np.diag(near), [1, 1, 1, 0])
    assert np.isclose(near[0, 1], 1)
    assert 0 < near[0, 2] < 0.7, "what three of four cite joins less than what two do"
    assert not near[3].any()
