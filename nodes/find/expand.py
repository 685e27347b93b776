"""Expand: follow the references and citations of the papers judged relevant.

Reads `request`, `scores`, `same`, `expanded`, `depth`, `hits`, `hop`. Writes `hits` for what the
links lead to, `expanded` and `depth` (LitLLM, section 3.2, Algorithm 2; both directions of a link).
On the shelf the followed papers learn what they cite, or that no source knows it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from state.paper import Paper
from state.query import Hit
from state.request import Request
from state.run import Failure
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.errors import CiteLoomError, PermanentError, TransientError
from tools.scholar.links import Gathered, citations_of, references_of
from tools.scholar.opening import is_online
from tools.scholar.port import Recommender, Source

STAGE = "expand"
Via = Literal["reference", "citation"]
SEEDS = 20
"""Papers followed in one round, the best first."""
NEW_PER_ROUND = 300
"""Most papers that one source brings in in one round, those with the most links first."""
EXAMPLES = 10
"""Papers after whose likeness others are recommended."""


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    hits: list[Hit]
    same: dict[str, str]
    scores: dict[str, float]
    hidden: list[str]
    expanded: list[str]
    depth: int
    hop: int


class Update(TypedDict):
    """What this node writes."""

    hits: list[Hit]
    expanded: list[str]
    depth: int
    failures: list[Failure]


@dataclass
class _Reached:
    """What the links of one source lead to."""

    source: Source
    links: list[tuple[str, Via, str]] = field(default_factory=list)
    """Which paper led how to which."""
    came: dict[str, Paper] = field(default_factory=dict)
    """Records that came along with the links."""
    partial: bool = False
    """Whether those lack what `get` would give."""


async def expand(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Fetch the neighbours of the best papers that were not followed yet."""
    desk = open_desk(runtime, state["run"])
    request, done = state["request"], {*state["expanded"], *state["hidden"]}
    scores = {
        key: score
        for key, score in state["scores"].items()
        if score >= desk.context.bar and key not in done and state["same"].get(key, key) == key
    }
    seeds = sorted(scores, key=lambda key: (-scores[key], key))[:SEEDS]
    desk.progress(STAGE, 0, len(seeds))
    papers = list((await desk.shelf.papers(seeds)).values())
    sources, failures = await _open(desk, request)
    last = None
    if any(is_online(name) for name in request.sources) and "crossref" not in request.sources:
        last = await desk.crossref(request)
    cited = await references_of(papers, sources, last=last)
    citing = await citations_of(papers, sources, limit=desk.context.citing)
    await _learn(desk, papers, cited)
    hits: list[Hit] = []
    lost: list[tuple[Source, CiteLoomError]] = []
    for reached in _by_source(cited, citing):
        more, error = await _fetch(desk, reached, state)
        hits += more
        if error is not None:
            lost.append((reached.source, error))
    likes, refused = await _recommended(desk, papers[:EXAMPLES], sources, state["hop"])
    failed = [*cited.failures, *citing.failures, *lost, *refused]
    found = len({hit.paper for hit in (*hits, *likes)})
    desk.progress(STAGE, len(seeds), len(seeds), f"{found} linked papers")
    return {
        "hits": [*hits, *likes],
        "expanded": seeds,
        "depth": state["depth"] + 1,
        "failures": [*failures, *_failures(failed)],
    }


async def _open(desk: Desk, request: Request) -> tuple[list[Source], list[Failure]]:
    sources: list[Source] = []
    failures: list[Failure] = []
    for name in request.sources:
        try:
            sources.append(await desk.source(name, request))
        except (TransientError, PermanentError) as error:
            failures.append(_failure(name, error))
    return sources, failures


def _by_source(cited: Gathered, citing: Gathered) -> list[_Reached]:
    found: dict[str, _Reached] = {}
    ways: tuple[tuple[Via, Gathered], ...] = (("reference", cited), ("citation", citing))
    for via, gathered in ways:
        for answer in gathered.answers:
            reached = found.setdefault(answer.source.name, _Reached(answer.source))
            reached.links += [
                (seed, via, paper) for seed, ends in answer.linked.links.items() for paper in ends
            ]
            reached.came |= answer.linked.papers
            reached.partial |= answer.linked.partial
    return list(found.values())


async def _learn(desk: Desk, papers: Iterable[Paper], cited: Gathered) -> None:
    """Write what the papers cite into their records on the shelf."""
    ends: dict[str, list[str]] = {}
    for answer in cited.answers:
        for key, found in answer.linked.links.items():
            ends.setdefault(key, []).extend(found)
    missing = set(cited.missing)
    await desk.shelf.put_papers(
        paper.model_copy(
            update={
                "references": tuple(dict.fromkeys([*paper.references, *ends.get(paper.id, ())])),
                "references_missing": paper.id in missing,
            }
        )
        for paper in papers
        if paper.id in ends or paper.id in missing
    )


async def _fetch(
    desk: Desk, reached: _Reached, state: Branch
) -> tuple[list[Hit], CiteLoomError | None]:
    """Get the records of what is linked most, and say how each was reached.

    Where the source fails, what came along with the links must do.
    """
    source, known = reached.source, state["same"]
    weight: dict[str, float] = {}
    for seed, _, paper in reached.links:
        weight[paper] = weight.get(paper, 0.0) + state["scores"][seed]
    new = sorted((key for key in weight if key not in known), key=lambda key: (-weight[key], key))
    new = new[:NEW_PER_ROUND]
    have = {key: reached.came[key] for key in new if key in reached.came}
    asked = new if reached.partial else [key for key in new if key not in have]
    failed: CiteLoomError | None = None
    try:
        have |= await source.get(asked)
    except (TransientError, PermanentError) as error:
        failed = error
    await desk.shelf.put_records(source.name, have.values())
    hits = [
        Hit(
            paper=have[paper].id if paper in have else paper, via=via, by=seed,
            source=source.name, hop=state["hop"],
        )
        for seed, via, paper in reached.links
        if paper in have or paper in known
    ]  # fmt: skip
    return hits, failed


async def _recommended(
    desk: Desk, examples: list[Paper], sources: list[Source], hop: int
) -> tuple[list[Hit], list[tuple[Source, CiteLoomError]]]:
    hits: list[Hit] = []
    refused: list[tuple[Source, CiteLoomError]] = []
    for source in sources:
        if not isinstance(source, Recommender) or not examples:
            continue
        try:
            papers = await source.recommend(examples, limit=desk.context.per_query)
        except (TransientError, PermanentError) as error:
            refused.append((source, error))
            continue
        await desk.shelf.put_records(source.name, papers)
        hits += [
            Hit(
                paper=paper.id, via="recommendation", by="the best papers so far",
                source=source.name, rank=rank, hop=hop,
            )
            for rank, paper in enumerate(papers, start=1)
        ]  # fmt: skip
    return hits, refused


def _failures(failed: Iterable[tuple[Source, CiteLoomError]]) -> list[Failure]:
    # One for each source: what follows its first failure mostly has the same cause.
    first: dict[str, CiteLoomError] = {}
    for source, error in failed:
        first.setdefault(source.name, error)
    return [_failure(name, error) for name, error in first.items()]


def _failure(name: str, error: CiteLoomError) -> Failure:
    return Failure(
        stage=STAGE, subject=name, cause=str(error),
        remedy="some links of this source were not followed; run again to ask it once more",
    )  # fmt: skip
