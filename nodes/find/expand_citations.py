"""Citation expansion: follow references and citations to papers that no query finds.

Reads `run`, `request`, `queries`, `hits`, `trail`, `same`, `similarity`, `prior`, `run_priors`, `judged`,
`settled`, `hidden`, `expanded`, `frontier`, `depth`, `hop`. Writes `trail` (what the links lead to is in
the run store), `hits` for recommendations, `expanded` and `depth`. On the run store the followed papers learn
what they cite, or that no source knows it.

Two ways, as the run says. `best_first` follows both directions from the most promising papers, and
of what is linked fetches first what a random walk from the best papers visits most. `bfs` follows
all references of the papers that the last level brought, and fetches all of them (LitLLM,
section 3.2, Algorithm 2). Either reads references that no source knows from open copies, where the run
says how many.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from nodes.cost.kept_budget import saving_services
from nodes.find.independent_runs import count_runs, followed_by_runs
from nodes.find.printed_references import follow_printed_references, read_open_copies
from nodes.find.relevance_scores import excluded_in, score_all, top_papers
from state.bibliography import Bibliography
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.run import Failure
from state.search import Hit, LinkRound
from tools.errors import CiteLoomError, PermanentError, TransientError, counted
from tools.scholar.links import GatheredLinks, citations_of, papers_without_links, references_of
from tools.scholar.open_source import is_online
from tools.scholar.source import Source
from tools.services import NodeRuntime, Services

STAGE = "expand_citations"
Via = Literal["reference", "citation"]
SEEDS = 20
"""Papers followed in one round of `best_first`."""
MIN_PRIOR_TO_FOLLOW = 25.0
"""Prior below which no links are followed, 0..100."""
NEW_PER_ROUND = 150
"""Most papers that one source brings in in one round of `best_first`, in each direction."""
EXAMPLES = 10
"""Papers after whose likeness others are recommended."""


@dataclass
class LinksFollowed:
    """What the links of one source lead to."""

    source: Source
    links: list[tuple[str, Via, str]] = field(default_factory=list)
    """Which paper led how to which."""
    came: dict[str, Paper] = field(default_factory=dict)
    """Records that came along with the links."""
    partial: bool = False
    """Whether those lack what `get` would give."""


async def expand_citations(state: FindState, runtime: NodeRuntime) -> FindState:
    """Fetch the neighbours of the papers whose turn it is."""
    services = saving_services(state, runtime)
    by_level = services.context.expansion == "bfs"
    earlier = await services.run_store.trails.values(state["trail"])
    of_runs = seeds_of_runs(state, earlier, by_level=by_level)
    done = set(state["expanded"])
    # What another search has followed before is at hand.
    chosen = [key for key in dict.fromkeys(chain(*of_runs)) if key not in done]
    seeds = state["frontier"] if by_level else chosen
    services.progress(STAGE, 0, len(seeds))
    papers = await services.run_store.papers.values(seeds)
    failed: dict[str, CiteLoomError] = {}
    sources = await _open(services, state["request"], failed)
    cited, citing = await _links(services, state["request"], papers, sources, both=not by_level)
    unread = await _from_lists(services, state, papers, sources, cited)
    await _learn(services, papers, cited)
    reached = _by_source(papers, cited, citing)
    visits = None if by_level else await _visits(services, state, reached)
    for source, error in (*cited.failures, *citing.failures):
        failed.setdefault(source.name, error)
    fetched = [await _fetch(services, one, state, visits, failed) for one in reached]
    hits = [hit for found in fetched for hit in found]
    likes: list[Hit] = []
    if not by_level and state["depth"] == 0:
        likes = await _recommended(services, papers, of_runs, sources, state["hop"], failed)
    depth = state["depth"] + 1
    trail = LinkRound(
        hop=state["hop"],
        depth=depth,
        followed=len(papers),
        hits=tuple(hits),
        seeds=tuple(map(tuple, of_runs)) if of_runs[1:] else (),
    )
    found = len({hit.paper for hit in (*hits, *likes)})
    services.progress(STAGE, len(seeds), len(seeds), counted(found, "linked paper"))
    return {
        "hits": likes,
        "trail": await services.run_store.trails.put([trail]),
        "expanded": seeds,
        "depth": depth,
        # One for each source: what follows its first failure mostly has the same cause.
        "failures": [
            *unread,
            *(
                Failure(
                    stage=STAGE,
                    subject=name,
                    cause=str(error),
                    remedy="CiteLoom skipped some links of this source; run again to retry",
                )
                for name, error in failed.items()
            ),
        ],
    }


def papers_to_follow(prior: Mapping[str, float], done: Iterable[str]) -> list[str]:
    """Return the papers whose links `best_first` follows next, best first."""
    left = {key: score for key, score in prior.items() if score >= MIN_PRIOR_TO_FOLLOW}
    return top_papers({key: left[key] for key in left.keys() - set(done)}, SEEDS)


def seeds_of_runs(
    state: FindState, trails: Sequence[LinkRound], *, by_level: bool = False
) -> list[list[str]]:
    """Return the papers that each of the run's independent searches follows next, best first."""
    priors = state.get("run_priors") or [state["prior"]]
    if by_level:
        return [[key for key in state["frontier"] if key in prior] for prior in priors]
    followed = followed_by_runs(state, trails) if priors[1:] else [set(state["expanded"])]
    out = excluded_in(state)
    return [
        papers_to_follow(prior, {*done, *out}) for prior, done in zip(priors, followed, strict=True)
    ]


async def _open(
    services: Services, request: CheckedRequest, failed: dict[str, CiteLoomError]
) -> list[Source]:
    sources: list[Source] = []
    for name in request.sources:
        try:
            sources.append(await services.source(name, request))
        except (TransientError, PermanentError) as error:
            failed[name] = error
    return sources


async def _links(
    services: Services,
    request: CheckedRequest,
    papers: list[Paper],
    sources: list[Source],
    *,
    both: bool,
) -> tuple[GatheredLinks, GatheredLinks]:
    """Ask what the papers cite, and where `both` ways are followed, what cites them."""
    last = None
    if any(is_online(name) for name in request.sources) and "crossref" not in request.sources:
        last = await services.crossref(request)
    cited = await references_of(papers, sources, last=last)
    if not both:
        return cited, GatheredLinks()
    return cited, await citations_of(papers, sources, limit=services.context.citing)


async def _from_lists(
    services: Services,
    state: FindState,
    papers: Sequence[Paper],
    sources: Sequence[Source],
    cited: GatheredLinks,
) -> list[Failure]:
    """Add what lists of references name that no source on the network knows the links of.

    Lists that the library keeps are followed on the network by their DOIs and arXiv ids; by titles too,
    and from open copies, for as many papers as the run allows.
    """
    most = services.context.read_copies
    known = sorted(set(state["same"].values()))
    online = [source for source in sources if is_online(source.name)]
    asked = GatheredLinks([one for one in cited.answers if one.source in online])
    kept: dict[str, Bibliography] = {}
    for source in sources if online else ():
        kept |= await source.lists(papers_without_links(papers, asked))
    titled = dict(list(kept.items())[:most])
    by_id = {key: one for key, one in kept.items() if key not in titled}
    lacking = [
        one
        for one in papers_without_links(papers, cited)
        if one.id not in kept and (one.pdf or one.arxiv)
    ]
    read, failures = await read_open_copies(services, STAGE, lacking[: most - len(titled)])
    for lists, ways, titles in (
        (by_id, online, False),
        (titled, online, True),
        (read, sources, True),
    ):
        answers, failed = await follow_printed_references(
            services, STAGE, lists, known, ways, titles=titles
        )
        cited.answers += answers
        failures += failed
    unknown = {paper.id for paper in papers_without_links(papers, cited)}
    cited.missing = [key for key in cited.missing if key in unknown]
    return failures


def _by_source(
    papers: Sequence[Paper], cited: GatheredLinks, citing: GatheredLinks
) -> list[LinksFollowed]:
    """Return the links by source, those of earlier papers first."""
    found: dict[str, LinksFollowed] = {}
    directions: tuple[tuple[Via, GatheredLinks], ...] = (("reference", cited), ("citation", citing))
    for via, gathered in directions:
        for answer in gathered.answers:
            reached = found.setdefault(answer.source.name, LinksFollowed(answer.source))
            reached.links += [
                (paper.id, via, end)
                for paper in papers
                for end in answer.linked.links.get(paper.id, ())
            ]
            reached.came |= answer.linked.papers
            reached.partial |= answer.linked.partial
    return list(found.values())


async def _learn(services: Services, papers: Iterable[Paper], cited: GatheredLinks) -> None:
    """Write what the papers cite into their records in the run store."""
    ends: dict[str, list[str]] = {}
    for answer in cited.answers:
        for key, found in answer.linked.links.items():
            ends.setdefault(key, []).extend(found)
    missing = set(cited.missing)
    await services.run_store.papers.put(
        paper.model_copy(
            update={
                "references": tuple(dict.fromkeys([*paper.references, *ends.get(paper.id, ())])),
                "references_missing": paper.id in missing,
            }
        )
        for paper in papers
        if paper.id in ends or paper.id in missing
    )


async def _visits(
    services: Services, state: FindState, reached: Sequence[LinksFollowed]
) -> Mapping[str, float]:
    """Return how often a walk from the best papers visits each paper, known or not."""
    same = state["same"]
    new = [
        (seed, same.get(end, end)) if via == "reference" else (same.get(end, end), seed)
        for one in reached
        for seed, via, end in one.links
    ]
    return (await score_all(state, services.run_store, new=new)).visits


async def _fetch(
    services: Services,
    reached: LinksFollowed,
    state: FindState,
    visits: Mapping[str, float] | None,
    failed: dict[str, CiteLoomError],
) -> list[Hit]:
    """Get the records of what is visited most, or of all, and say how each was reached.

    Where the source fails, what came along with the links must do.
    """
    source, known = reached.source, state["same"]
    new: list[str] = []
    for way in ("reference", "citation"):
        ends = dict.fromkeys(
            end for _, via, end in reached.links if via == way and end not in known
        )
        most = NEW_PER_ROUND * count_runs(state) if visits is not None else None
        new += sorted(ends, key=lambda end: (-visits.get(end, 0.0), end) if visits else 0)[:most]
    have = {key: reached.came[key] for key in new if key in reached.came}
    asked = new if reached.partial else [key for key in new if key not in have]
    try:
        have |= await source.get(list(dict.fromkeys(asked)))
    except (TransientError, PermanentError) as error:
        failed.setdefault(source.name, error)
    await services.run_store.put_records(source.name, have.values())
    return [
        Hit(
            paper=have[paper].id if paper in have else paper,
            via=via,
            by=seed,
            source=source.name,
            hop=state["hop"],
        )
        for seed, via, paper in reached.links
        if paper in have or paper in known
    ]


async def _recommended(
    services: Services,
    papers: Sequence[Paper],
    of_runs: Sequence[Sequence[str]],
    sources: list[Source],
    hop: int,
    failed: dict[str, CiteLoomError],
) -> list[Hit]:
    """Return what the sources recommend after the likeness of the papers that each search follows first."""
    hits: list[Hit] = []
    known = {paper.id: paper for paper in papers}
    for run, seeds in enumerate(of_runs, start=1):
        examples = [known[key] for key in seeds[:EXAMPLES] if key in known]
        for source in sources if examples else ():
            try:
                alike = await source.recommend(examples, limit=services.context.results // 3)
            except (TransientError, PermanentError) as error:
                failed.setdefault(source.name, error)
                continue
            await services.run_store.put_records(source.name, alike)
            hits += [
                Hit(
                    paper=paper.id,
                    via="recommendation",
                    by="the best papers so far" + (f", search {run}" if run > 1 else ""),
                    source=source.name,
                    rank=rank,
                    hop=hop,
                    runs=(run,) if of_runs[1:] else (),
                )
                for rank, paper in enumerate(alike, start=1)
            ]
    return hits
