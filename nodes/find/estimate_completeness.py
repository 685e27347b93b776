"""Estimate: how many relevant papers there may be, how the search reached them, and why it ended.

A share is estimated only where the estimate was held against the truth in several fields: in embedded mode, with the
default ranking and way of following links (decision 11). Elsewhere papers are counted.

Reads `request`, `queries`, `hits`, `trail`, `same`, `scores`, `prior`, `run_priors`, `judged`, `settled`, `selected`,
`hidden`, `retracted`, `rounds`, `hop`, `sufficiency`, `failures`. Writes `completeness`.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from nodes.find.independent_runs import count_runs, overlap_of, reached_by_runs
from nodes.find.present_papers import missing_works
from nodes.find.relevance_scores import excluded_in, kept_in, read_scores
from state.channels import FindState
from state.run import fatal_failure
from state.search import Completeness, LinkRound
from tools.errors import counted
from tools.ranking.completeness import METHOD, CompletenessEstimate, chance_of, estimate_total
from tools.ranking.discovery_channels import captures, discovery, steps_of
from tools.services import NodeRuntime, Services, open_services

STAGE = "estimate_completeness"
_SEARCHING = {"search_source", "expand_citations"}


async def estimate_completeness(state: FindState, runtime: NodeRuntime) -> FindState:
    """Hold the channels of the search against each other, over all papers that were seen."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    trails = await services.run_store.trails.values(state["trail"])
    steps = steps_of(state["hits"], trails, state["same"])
    kept, scores = set(kept_in(state)), _scores(state)
    found = captures([hit for _, made in steps for hit in made], list(scores))
    often = Counter(len(found[key]) for key in scores if key in kept)
    untested = _untested(services, count_runs(state))
    estimate = (
        CompletenessEstimate(reason=untested)
        if untested
        else await asyncio.to_thread(
            estimate_total,
            [found[key] for key in scores],
            [chance_of(score) for score in scores.values()],
            [key in kept for key in scores],
        )
    )
    judged = len(read_scores(state).keys() & scores.keys())
    counts = (
        f"{counted(len(kept), 'paper')} kept, of {judged} "
        f"{'judged' if services.mind.composes else 'ranked'} and {len(scores)} found"
    )
    if kept:
        twice = sum(number for ways, number in often.items() if ways > 1)
        counts += f"; two ways or more found {twice} of the kept"
    runs = _by_runs(state, trails, kept)
    overlap = overlap_of(state.get("run_priors", []), state["request"].keep)
    told = completeness_sentence(
        estimate, len(kept), where_counted(state["request"].sources), counts
    )
    done = Completeness(
        told=told + agreement_sentence(runs, overlap, len(kept), state["request"].keep),
        runs=runs,
        overlap=_rounded(overlap, 3),
        kept=_rounded(estimate.kept, 1),
        seen=_rounded(estimate.seen, 1),
        estimate=_rounded(estimate.total, 1),
        low=_rounded(estimate.low, 1),
        high=_rounded(estimate.high, 1),
        share=_rounded(estimate.share, 3),
        share_low=_rounded(estimate.share_low, 3),
        share_high=_rounded(estimate.share_high, 3),
        method=METHOD if estimate.total else "",
        channels=tuple(sorted(frozenset[str]().union(*found.values()))),
        found_by=tuple(often[ways] for ways in range(1, max(often, default=0) + 1)),
        curve=tuple(discovery(steps, kept)),
        stopped=stop_text(state),
        missing=tuple(await missing_works(state, services)),
        caveats=tuple(_limits(state, scores, estimate)),
    )
    share = f"about {100 * done.share:.0f} % found" if done.share is not None else "no estimate"
    services.progress(STAGE, 1, 1, share)
    return {"completeness": done}


def _untested(services: Services, runs: int) -> str:
    """Say why an estimate of this run would be one that was never held against the truth; empty if it was."""
    if services.mind.judges:
        return "its estimate is tested only without a model, whose scores differ"
    context = services.context
    if (context.ranker, context.expansion) != ("debate", "best_first"):
        return "its estimate is tested only with the default ranking and way of following links"
    return "its estimate is tested with one search only" if runs > 1 else ""


def _by_runs(
    state: FindState, trails: Sequence[LinkRound], kept: Collection[str]
) -> tuple[int, ...]:
    """Return how many of the kept papers exactly 1, 2, 3, ... of several independent searches reached."""
    reached = reached_by_runs(state, trails)
    often = Counter(sum(key in mine for mine in reached) for key in kept)
    return tuple(often[number] for number in range(1, len(reached) + 1)) if reached[1:] else ()


def agreement_sentence(runs: Sequence[int], overlap: float | None, kept: int, first: int) -> str:
    """Return how far independent searches agree, with a space before it; empty where there was one.

    Args:
        runs: How many of the kept papers exactly 1, 2, 3, ... searches reached.
        overlap: As `Completeness.overlap`.
        kept: How many papers were kept.
        first: How many papers of each search are compared.
    """
    if not runs:
        return ""
    counts = [(runs[number - 1], str(number)) for number in range(len(runs) - 1, 0, -1)]
    counts.append((kept - sum(runs), "none"))
    fewer = "".join(f", {count} by {number}" for count, number in counts if count > 0)
    told = f" Of the papers kept, {runs[-1]} were found by all {len(runs)} independent searches{fewer}."
    if overlap is not None:
        told += (
            f" Before judging, the first {counted(first, 'paper')} of two searches overlap by {100 * overlap:.0f} % "
            "(Jaccard, in the mean)."
        )
    return told


def completeness_sentence(
    estimate: CompletenessEstimate, kept: int, place: str, counts: str
) -> str:
    """Return the estimate as one sentence that names what it counts; without one, the counts and why.

    Args:
        estimate: The estimate.
        kept: How many papers were kept, likely to be cited or not.
        place: What they are counted in, such as 'this library'.
        counts: What is certain: how many papers were kept, judged and found.
    """
    if estimate.total is None or estimate.kept is None:
        return f"Coverage: {counts}. CiteLoom does not estimate a share for {place}: {estimate.reason}."
    found = f"about {estimate.kept:.0f}" if estimate.kept >= 1 else "fewer than one"
    share, low, high = (
        round(100 * (part or 0))
        for part in (estimate.share, estimate.share_low, estimate.share_high)
    )
    return (
        f"Estimated coverage: {share} % ({low} to {high} %). A section on this topic would cite about "
        f"{counted(round(estimate.total), 'paper')} from {place}; the {kept} kept include {found} of these."
    )


def where_counted(sources: Sequence[str]) -> str:
    """Return where the papers are counted, such as 'this library' or 'openalex and arxiv'."""
    places = ["this library" if name == "library" else name for name in sources]
    return " and ".join([", ".join(places[:-1]), places[-1]] if places[1:] else places)


def _scores(state: FindState) -> dict[str, float]:
    """Return the score of each paper that might have been kept, or its prior where none was given."""
    out = {*excluded_in(state), *(() if state["request"].include_retracted else state["retracted"])}
    same = state["same"]
    return {
        key: score
        for key, score in sorted({**state["prior"], **state["scores"]}.items())
        if key not in out and same.get(key, key) == key
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def stop_text(state: FindState) -> str:
    """Say in words why the search ended: why no more links were followed, and no more asked."""
    if fatal := fatal_failure(state["failures"]):
        return f"the run had to stop: {fatal.cause}"
    last = next(reversed(state["rounds"]), None)
    reasons = [f"CiteLoom stopped following links: {last.stopped}"] if last and last.stopped else []
    entry = next(reversed(state["sufficiency"]), None)
    if entry is None or entry.hop < state["hop"]:
        reasons.append("CiteLoom did not assess what is still missing")
    elif entry.stopped:
        lacking = f" (few papers on: {', '.join(entry.missing)})" if entry.missing else ""
        reasons.append(f"the search ended: {entry.stopped}{lacking}")
    return "; ".join(reasons)


def _limits(
    state: FindState, scores: Mapping[str, float], estimate: CompletenessEstimate
) -> Iterable[str]:
    """What the figures do not say, and what was counted at all."""
    if estimate.total is not None:
        yield (
            "The estimate of missing papers is too low: the ways of searching depend on each "
            "other, and some papers are hard to find in any way."
        )
        yield (
            "The chance of a citation comes from the score that embedded mode gave. Its scale was set on reference "
            "lists of two fields (visualization, computational linguistics); it is rougher elsewhere."
        )
    unjudged = len(scores.keys() - set(state["scores"]))
    if unjudged and estimate.total is not None:
        yield (
            counted(
                unjudged,
                "paper found was not judged; it counts by how promising it looked.",
                "papers found were not judged; they count by how promising they looked.",
            )
        )
    yield "Papers in other places, or that no search there can reach, are not counted."
    lost = sum(failure.stage in _SEARCHING for failure in state["failures"])
    if lost:
        times = "once" if lost == 1 else f"{lost} times"
        yield f"Searches failed {times}, so CiteLoom reached fewer papers than usual."
