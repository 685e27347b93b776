"""Present: assemble what `find` found into its output, with the works that it misses and kept papers cite.

Reads what the other steps wrote. Writes `papers`, `links` (with a sentence of the citing paper, where the library has
its text), `counts`, `usage`, `mind`, `outcome`, `failures`. The kept
papers make the themes of the map; the others join the nearest.
"""

from collections import Counter
from collections.abc import Sequence

from nodes.common.citing_sentences import most_telling, sentences_between
from nodes.find.independent_runs import reached_by_runs
from nodes.find.paper_themes import paper_themes
from nodes.find.relevance_scores import excluded_in, kept_in, read_scores
from state.channels import FindOutput, FindState
from state.citing import CitingSentence
from state.paper import Paper, index_by_ids
from state.reducers import add_hits
from state.results import Link, PrismaCounts, RankedPaper
from state.run import fatal_failure, outcome_of
from state.search import Hit, LinkRound, MissingWork
from tools.errors import CiteLoomError, counted
from tools.run_store import RunStore
from tools.services import NodeRuntime, Services, open_services

STAGE = "present_papers"
_OFTEN = 3
"""Kept papers that cite a work before it is told as missing."""
_MOST = 20
SHOWN = 200
"""Most papers in the result, kept ones first; more where more are kept."""


async def present_papers(state: FindState, runtime: NodeRuntime) -> FindOutput:
    """Put the result together, also when the run stopped early."""
    services = open_services(runtime, state["run"])
    given = "judged" if services.composes else "closeness"
    result, links = await assemble(state, services.run_store, given)
    kept = sum(item.selected for item in result)
    papers = [item.paper for item in result]
    themes = await paper_themes(services, state["request"], papers, kept, state["same"])
    result = [
        item.model_copy(update={"theme": theme}) for item, theme in zip(result, themes, strict=True)
    ]
    said, failed = await sentences_between(
        services, state["request"], [one.paper for one in result if one.selected], stage=STAGE
    )
    links = [with_sentence(link, said) for link in links]
    stop = fatal_failure(state["failures"])
    return {
        "failures": failed,
        "selected": kept_in(state),
        "papers": result,
        "links": links,
        "counts": await count_papers(state, services.run_store, services.context.effective_bar),
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "stop": stop,
        "outcome": outcome_of(result, [*state["failures"], *failed]),
    }


def with_sentence(link: Link, said: Sequence[CitingSentence]) -> Link:
    """Return a link with the most telling sentence in which the one paper cites the other."""
    mine = [item for item in said if (item.citing, item.cited) == (link.citing, link.cited)]
    if not mine:
        return link
    best = most_telling(mine)[0]
    told = {"stance": best.stance or "", "by": best.by, "sentence": best.text, "place": best.place}
    return link.model_copy(update=told)


async def assemble(
    state: FindState, run_store: RunStore, given: str = "judged"
) -> tuple[list[RankedPaper], list[Link]]:
    """Fetch the records and debates from the run store, kept papers first, then by score.

    `given` is what a paper's first score tells of it.
    """
    scores = state["scores"]
    selected = {key: place for place, key in enumerate(kept_in(state))}
    hidden, same, prior = excluded_in(state), state["same"], state["prior"]
    ranked = sorted(
        (key for key in scores if key not in hidden and same.get(key, key) == key),
        key=lambda key: (selected.get(key, len(selected)), -scores[key], -prior.get(key, 0.0), key),
    )[: max(SHOWN, len(selected))]
    papers = await run_store.papers.get(ranked)
    ranked = [key for key in ranked if key in papers]  # a person may have named others
    debates = await run_store.debates.get(ranked)
    met = {key: debate.criteria for key, debate in debates.items()}
    by_paper: dict[str, list[Hit]] = {}
    shown = set(ranked)
    for hit in await all_hits(state, run_store):
        key = same.get(hit.paper, hit.paper)
        if key in shown:
            by_paper.setdefault(key, []).append(hit.model_copy(update={"paper": key}))
    known = index_by_ids(papers.values())
    links = [
        Link(citing=paper.id, cited=known[cited])
        for paper in papers.values()
        for cited in paper.references
        if cited in known
    ]
    joined = Counter[str]()
    for link in links:
        joined[link.citing] += link.cited in selected
        joined[link.cited] += link.citing in selected
    read, reached = read_scores(state), reached_by_runs(state, await trails_of(state, run_store))
    result = [
        RankedPaper(
            rank=rank,
            score=scores[key],
            judge_score=read.get(key),
            reason=_reason(given, scores[key], read.get(key), joined[key]),
            selected=key in selected,
            paper=papers[key],
            # Told once, beside the debate.
            debate=debates[key].model_copy(update={"criteria": ()}) if key in debates else None,
            criteria=met.get(key, ()),
            found_by=tuple(by_paper.get(key, ())),
            runs=sum(key in mine for mine in reached) if reached[1:] else None,
        )
        for rank, key in enumerate(ranked, start=1)
    ]
    return result, [link for link in links if {link.citing, link.cited} <= selected.keys()]


def _reason(given: str, score: float, judged: float | None, links: int) -> str:
    """Say why a score is not the one first given: 'judged 60; +7 for shared words, age and 4 links ...'."""
    if judged is None and score == 0:
        return "you added it; CiteLoom did not judge it"
    if judged is None:
        return "not judged: scored by words, links and age"
    if round(score - judged) == 0:
        return ""
    return (
        f"{given} {judged:.0f}; "
        f"{score - judged:+.0f} for shared words, age and "
        f"{counted(links, 'link')} to kept papers"
    )


async def all_hits(state: FindState, run_store: RunStore) -> list[Hit]:
    """Return how papers were reached, by searches and then by links, each way once."""
    trails = await trails_of(state, run_store)
    return add_hits(state["hits"], [hit for trail in trails for hit in trail.hits])


async def trails_of(state: FindState, run_store: RunStore) -> list[LinkRound]:
    """Return what following links led to, round by round."""
    return await run_store.trails.values(state["trail"])


async def count_papers(state: FindState, run_store: RunStore, bar: float) -> PrismaCounts:
    """Count papers at each step, in the terms of PRISMA 2020.

    A source's record that several links lead to is identified once, as one that is found by
    several queries is not: those are separate answers.
    """
    same = state["same"]
    hits = await all_hits(state, run_store)
    records = dict.fromkeys(
        (hit.source, hit.paper, hit.by if hit.via in {"query", "recommendation"} else "")
        for hit in hits
    )
    found = [same[key] for _, key, _ in records if key in same]
    distinct = set(found)
    late = set(state["past_cutoff"])
    retracted = set(state["retracted"])
    dropped = {key for key in state["scores"] if same.get(key, key) == key} - set(kept_in(state))
    left_out = dropped & retracted
    return PrismaCounts(
        identified=len(found),
        duplicates_removed=len(found) - len(distinct),
        screened=len(distinct),
        excluded_by_cutoff=len(late & distinct),
        excluded_by_request=len((excluded_in(state) - late) & distinct),
        not_assessed=len(distinct - excluded_in(state) - set(state["scores"])),
        assessed=len(state["scores"]),
        excluded_as_retracted=len(left_out),
        excluded_by_debate=sum(state["scores"][key] < bar for key in dropped - left_out),
        excluded_by_number=sum(state["scores"][key] >= bar for key in dropped - left_out),
        included=len(kept_in(state)),
    )


async def missing_works(state: FindState, services: Services) -> list[MissingWork]:
    """Return them, the most cited first, with the records of those that a source of the run knows.

    What the run saw and did not keep, and what may not appear, is not missing.
    """
    seen = await services.run_store.papers.values(sorted(set(state["same"].values())))
    known = {*index_by_ids(seen), *state["same"], *excluded_in(state)}
    kept = set(kept_in(state))
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
    for name in state["request"].sources if not fatal_failure(state["failures"]) else ():
        if left := [key for key in ids if key not in found]:
            try:
                source = await services.source(name, state["request"])
                found |= await source.get(left)
            except CiteLoomError:
                continue
    return found
