"""Estimate: how many relevant papers there may be, how the search reached them, and why it ended.

Reads `request`, `hits`, `trail`, `same`, `scores`, `merit`, `hidden`, `retracted`, `rounds`, `hop`,
`sufficiency`, `failures`. Writes `completeness`.
"""

from collections.abc import Iterable, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from state.finding import Completeness, Round
from state.query import Hit, Sufficiency
from state.request import Request
from state.run import Failure, halt
from tools.context import RunContext
from tools.desk import open_desk
from tools.network.completeness import METHOD, Estimate, estimate_total
from tools.network.discovery import discovery, steps_of
from tools.network.ways import Division, divide

STAGE = "estimate_completeness"
_SEARCHING = {"search_source", "expand"}
_NEARLY_ALL = 0.9
"""Share of relevant papers among the judged from which on it was not relevance that ended judging."""


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    hits: list[Hit]
    trail: list[str]
    same: dict[str, str]
    scores: dict[str, float]
    merit: dict[str, float]
    hidden: list[str]
    retracted: list[str]
    rounds: list[Round]
    hop: int
    sufficiency: list[Sufficiency]
    failures: list[Failure]


class Update(TypedDict):
    """What this node writes."""

    completeness: Completeness


async def estimate_completeness(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Hold the channels of the search against each other, over the papers judged relevant."""
    desk = open_desk(runtime, state["run"])
    desk.progress(STAGE, 0, 1)
    trails = await desk.shelf.trails(state["trail"])
    steps = steps_of(state["hits"], trails, state["same"])
    relevant = _relevant(state, desk.context.bar)
    hits = [hit for _, made in steps for hit in made]
    division, found = divide(hits, relevant)
    estimate = estimate_total(list(found.values()))
    seen, judged = _seen_and_judged(hits, state)
    cut = seen > judged and estimate.found >= _NEARLY_ALL * judged > 0
    share = estimate.found / estimate.total if estimate.total and not cut else None
    done = Completeness(
        found=estimate.found,
        estimate=estimate.total,
        low=estimate.low,
        high=estimate.high,
        share=share,
        method=METHOD if estimate.total else "",
        channels=tuple(sorted(frozenset[str]().union(*found.values()))),
        found_by=estimate.found_by,
        curve=tuple(discovery(steps, relevant)),
        stopped=why_stopped(state),
        caveats=(
            *_cautions(estimate, division),
            *_unjudged(seen, judged, cut=cut),
            *_limits(state, desk.context.bar, desk.mind_name),
        ),
    )
    note = f" of about {done.estimate:.0f}" if done.estimate and done.share else ""
    desk.progress(STAGE, 1, 1, f"{done.found}{note} relevant papers found")
    return {"completeness": done}


def _seen_and_judged(hits: Iterable[Hit], state: Branch) -> tuple[int, int]:
    """How many papers were seen that may appear, and how many of them were judged."""
    seen = {hit.paper for hit in hits} - set(state["hidden"])
    return len(seen), len(seen & set(state["scores"]))


def _relevant(state: Branch, bar: float) -> set[str]:
    out = {*state["hidden"], *(() if state["request"].include_retracted else state["retracted"])}
    same = state["same"]
    return {
        key
        for key, score in state["scores"].items()
        if score >= bar and key not in out and same.get(key, key) == key
    }


def why_stopped(state: Branch) -> str:
    """Say in words why the search ended: why no more links were followed, and no more asked."""
    if fatal := halt(state["failures"]):
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
        yield f"There is no estimate: {estimate.reason}."
        return
    yield "It is a lower bound: papers that are hard to find in every way are counted too low."
    yield (
        "The channels are not independent: what one finds easily the others tend to find, and links "
        "are followed from papers that were found before; this lowers it further."
    )
    if len(estimate.found_by) == 2:
        yield "Only two channels found relevant papers, which is little to go by."
    if division != "ways":
        yield (
            "Fewer than three kinds of channel found relevant papers, so single queries count as "
            "channels; all are made from one input, and not independent of each other."
        )


def _unjudged(seen: int, judged: int, *, cut: bool) -> Iterable[str]:
    if cut:
        yield (
            f"Only the {judged} best of {seen} papers seen were judged, and nearly all of them are "
            "relevant. So the end of judging, not of relevance, drew the line: the figures hold for "
            "papers as good as these, and there are more relevant ones (`pool` sets how many are "
            "judged)."
        )
    elif seen > judged:
        yield (
            f"{seen - judged} papers that were seen were not judged, as too far from the input to "
            "be among the best; relevant ones among them are not counted as found."
        )


def _limits(state: Branch, bar: float, mind: str) -> Iterable[str]:
    """What was counted at all."""
    yield f"Only papers that {_listed(state['request'].sources)} can show are estimated."
    judge = "the embedded engine" if mind == "extractive" else mind
    yield f"Relevant means scored {bar:.0f} or more by {judge}; another judge draws another line."
    lost = sum(failure.stage in _SEARCHING for failure in state["failures"])
    if lost:
        times = "once" if lost == 1 else f"{lost} times"
        yield f"Searches or links failed {times}, so that channels reached less than usual."


def _listed(names: Sequence[str]) -> str:
    places = ["the library" if name == "library" else name for name in names]
    return " and ".join([", ".join(places[:-1]), places[-1]] if places[1:] else places)
