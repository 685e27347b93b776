"""Estimate: how many relevant papers there may be, how the search reached them, and why it ended.

Reads `request`, `hits`, `trail`, `same`, `scores`, `prior`, `selected`, `hidden`, `retracted`, `rounds`, `hop`,
`sufficiency`, `failures`. Writes `completeness`.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from langgraph.runtime import Runtime

from nodes.find.present_papers import missing_works
from nodes.find.relevance_scores import excluded_in, kept_in
from state.channels import FindState
from state.run import fatal_failure
from state.search import Completeness
from tools.counting import counted
from tools.ranking.completeness import METHOD, Estimate, chance_of, estimate_total
from tools.ranking.discovery_channels import Division, discovery, divide, steps_of
from tools.run_settings import RunSettings
from tools.services import open_services

STAGE = "estimate_completeness"
_SEARCHING = {"search_source", "expand_citations"}


async def estimate_completeness(state: FindState, runtime: Runtime[RunSettings]) -> FindState:
    """Hold the channels of the search against each other, over all papers that were seen."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    trails = await services.run_store.trails.values(state["trail"])
    steps = steps_of(state["hits"], trails, state["same"])
    kept, scores = set(kept_in(state)), _scores(state)
    hits = [hit for _, made in steps for hit in made]
    division, found = divide(hits, list(scores))
    estimate = await asyncio.to_thread(
        estimate_total,
        [found[key] for key in scores],
        [chance_of(score) for score in scores.values()],
        [key in kept for key in scores],
    )
    done = Completeness(
        told=completeness_sentence(estimate, len(kept), place_of(state["request"].sources)),
        kept=round(estimate.kept, 1),
        seen=round(estimate.seen, 1),
        estimate=_rounded(estimate.total, 1),
        low=_rounded(estimate.low, 1),
        high=_rounded(estimate.high, 1),
        share=_rounded(estimate.share, 3),
        share_low=_rounded(estimate.share_low, 3),
        share_high=_rounded(estimate.share_high, 3),
        method=METHOD if estimate.total else "",
        channels=tuple(sorted(frozenset[str]().union(*found.values()))),
        found_by=tuple(round(number, 1) for number in estimate.found_by),
        curve=tuple(discovery(steps, kept)),
        stopped=stop_text(state),
        missing=tuple(await missing_works(state, services)),
        caveats=(*_cautions(estimate, division), *_limits(state, scores, services.mind_name)),
    )
    share = f"about {done.share:.0%} found" if done.share is not None else "too little to tell"
    services.progress(STAGE, 1, 1, share)
    return {"completeness": done}


def completeness_sentence(estimate: Estimate, kept: int, place: str) -> str:
    """Return the estimate as one sentence that names what it counts; without one, why there is none.

    Args:
        estimate: The estimate.
        kept: How many papers were kept, likely to be cited or not.
        place: What they are counted in, such as 'this library holds'.
    """
    if estimate.total is None or estimate.share is None:
        return f"How many papers such a text would cite of what {place} cannot be told: {estimate.reason}."
    found = f"about {estimate.kept:.0f}" if estimate.kept >= 1 else "fewer than one"
    return (
        f"Of what {place}, such a text would cite an estimated {counted(round(estimate.total), 'paper')}; "
        f"{found} of these ({estimate.share:.0%}, 95 % interval {estimate.share_low:.0%} to "
        f"{estimate.share_high:.0%}) are among the {kept} kept."
    )


def place_of(sources: Sequence[str]) -> str:
    """Return what the sources are, and that they hold what is counted."""
    if tuple(sources) == ("library",):
        return "this library holds"
    return f"{_listed(sources)} hold{'s' if len(sources) == 1 else ''}"


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
    reasons = [f"following links ended: {last.stopped}"] if last and last.stopped else []
    entry = next(reversed(state["sufficiency"]), None)
    if entry is None or entry.hop < state["hop"]:
        reasons.append("whether anything is missing was not assessed in the end")
    elif entry.stopped:
        lacking = f" (thinly covered still: {', '.join(entry.missing)})" if entry.missing else ""
        reasons.append(f"searching ended: {entry.stopped}{lacking}")
    return "; ".join(reasons)


def _cautions(estimate: Estimate, division: Division) -> Iterable[str]:
    """What the method does not do."""
    if estimate.reason:
        return
    yield (
        "What no channel found is counted too low: the channels depend on each other, for links are "
        "followed from papers found before, and some papers are hard to find in every way."
    )
    if len(estimate.found_by) == 2:
        yield "Only two channels found papers, which is little to go by."
    if division != "kinds":
        yield (
            "Fewer than three kinds of channel found papers, so single queries count as channels; "
            "all are made from one input, and not independent of each other."
        )


def _limits(state: FindState, scores: Mapping[str, float], mind: str) -> Iterable[str]:
    """What was counted at all."""
    judge = {"extractive": "the embedded engine"}.get(mind, mind)
    yield (
        f"The chance that a paper would be cited is read off the score that {judge} gave it; that "
        "scale was set on reference lists of one field (visualization) as the embedded engine "
        "scores them, and is rougher for other fields and judges."
    )
    unjudged = len(scores.keys() - set(state["scores"]))
    if unjudged:
        yield (
            counted(
                unjudged,
                "paper that was seen was not judged: it counts by how promising it looked.",
                "papers that were seen were not judged: they count by how promising they looked.",
            )
        )
    yield "Papers that stand elsewhere, or that nothing there leads to, are not counted."
    lost = sum(failure.stage in _SEARCHING for failure in state["failures"])
    if lost:
        times = "once" if lost == 1 else f"{lost} times"
        yield f"Searches or links failed {times}, so that channels reached less than usual."


def _listed(names: Sequence[str]) -> str:
    places = ["this library" if name == "library" else name for name in names]
    return " and ".join([", ".join(places[:-1]), places[-1]] if places[1:] else places)
