"""Expand: follow the references and citations of the papers judged relevant.

Reads `request`, `scores`, `expanded`, `depth`, `hits`, `hop`. Writes `hits` for what the links lead
to, `expanded` and `depth` (LitLLM, section 3.2, Algorithm 2; both directions of a link).
"""

from collections.abc import Mapping
from typing import Literal

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from state.query import Hit
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.errors import PermanentError, TransientError
from tools.scholar.port import Source

STAGE = "expand"
Via = Literal["reference", "citation"]
SEEDS = 20
"""Papers followed in one round, the best first."""
NEW_PER_ROUND = 300
"""Most papers that one round brings in, those with the most links first."""


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    hits: list[Hit]
    scores: dict[str, float]
    expanded: list[str]
    depth: int
    hop: int


class Update(TypedDict):
    """What this node writes."""

    hits: list[Hit]
    expanded: list[str]
    depth: int
    failures: list[Failure]


async def expand(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Fetch the neighbours of the best papers that were not followed yet."""
    desk = open_desk(runtime, state["run"])
    done = set(state["expanded"])
    relevant = [key for key, score in state["scores"].items() if score >= desk.context.bar]
    seeds = sorted(
        (key for key in relevant if key not in done), key=lambda key: -state["scores"][key]
    )
    seeds = seeds[:SEEDS]
    desk.progress(STAGE, 0, len(seeds))
    failures: list[Failure] = []
    hits: list[Hit] = []
    for source in await desk.sources(state["request"]):
        try:
            hits += await _follow(desk, source, seeds, state)
        except (PermanentError, TransientError) as error:
            failures.append(
                Failure(
                    stage=STAGE, subject=source.name, cause=str(error),
                    remedy="links of this source were not followed",
                )
            )  # fmt: skip
    desk.progress(
        STAGE, len(seeds), len(seeds), f"{len({hit.paper for hit in hits})} linked papers"
    )
    return {"hits": hits, "expanded": seeds, "depth": state["depth"] + 1, "failures": failures}


async def _follow(desk: Desk, source: Source, seeds: list[str], state: Branch) -> list[Hit]:
    links = [
        *_links(await source.references(seeds), "reference"),
        *_links(await source.citations(seeds), "citation"),
    ]
    known = {hit.paper for hit in state["hits"]}
    counts: dict[str, float] = {}
    for seed, _, paper in links:
        counts[paper] = counts.get(paper, 0.0) + state["scores"].get(seed, 0.0)
    new = sorted((paper for paper in counts if paper not in known), key=lambda key: -counts[key])
    wanted = {*new[:NEW_PER_ROUND], *(paper for paper in counts if paper in known)}
    papers = await source.get(new[:NEW_PER_ROUND])
    await desk.shelf.put_papers(papers.values())
    return [
        Hit(paper=paper, via=via, by=seed, source=source.name, hop=state["hop"])
        for seed, via, paper in links
        if paper in wanted and (paper in papers or paper in known)
    ]


def _links(found: Mapping[str, tuple[str, ...]], via: Via) -> list[tuple[str, Via, str]]:
    return [(seed, via, paper) for seed, papers in found.items() for paper in papers]
