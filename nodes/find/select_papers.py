"""Select: keep the papers worth discussing.

Reads `request`, `scores`, `prior`, `judged`, `settled`, `same`, `hidden`, `retracted`, `collected`,
`sufficiency`, `search_log`, `failures`.
Writes `cards` and `selected`, best first: the papers at or above the bar, at most `keep`, with those that must be
included always among them, and retracted ones only where the caller wants them; and `sufficiency`:
each facet that the section needs keeps its best paper, or is said to be missing.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from nodes.common.ask_person import load_paper_cards
from nodes.find.relevance_scores import excluded_in
from state.channels import FindState
from state.inputs import CheckedRequest
from state.run import Failure, fatal_failure
from state.search import SearchLogEntry, Sufficiency
from tools.errors import PROGRAM, counted
from tools.services import NodeRuntime, open_services

STAGE = "select_papers"
NOTHING, UNANSWERED = "papers", "sources"
"""What a stop is about where nothing relevant was found, and where no source gave an answer."""
SILENT = 2
"""Searches without a single paper after which a source is suspected rather than the queries."""


async def select_papers(state: FindState, runtime: NodeRuntime) -> FindState:
    """Order by score, equal ones by prior, and cut; nothing above the bar stops the run, and says so."""
    services = open_services(runtime, state["run"])
    request, bar, same = state["request"], services.context.effective_bar, state["same"]
    hidden, prior = excluded_in(state), state["prior"]
    retracted = set() if request.include_retracted else set(state["retracted"])
    named = list(dict.fromkeys(same.get(key, key) for key in request.must_include))
    # A breadth-first search ends with what it collected, however good the next one would be.
    allowed = {*(state["collected"] or state["scores"]), *named}
    scores = {
        key: score
        for key, score in state["scores"].items()
        if key not in hidden and key in allowed and same.get(key, key) == key
    }
    musts = [key for key in named if key in scores and key not in retracted]
    ranked = sorted(
        (
            key
            for key, score in scores.items()
            if score >= bar and key not in musts and key not in retracted
        ),
        key=lambda key: (-scores[key], -prior.get(key, 0.0), key),
    )
    uncovered = [papers for papers in _covers(state).values() if papers.isdisjoint(musts)]
    needed = {next((key for key in ranked if key in papers), "") for papers in uncovered}
    ranked.sort(key=lambda key: key not in needed)
    kept = {*musts, *ranked[: max(request.keep - len(musts), 0)]}
    selected = sorted(kept, key=lambda key: (-scores[key], -prior.get(key, 0.0), key))
    services.progress(
        STAGE,
        len(selected),
        len(scores),
        f"{len(selected)} kept of {len(scores)} {'judged' if services.mind.composes else 'ranked'}",
    )
    failures = [
        Failure(
            stage=STAGE,
            subject=key,
            cause="required, but it is your own paper, you excluded it, or it may be outside the "
            "dates you gave",
            remedy="remove it from the exclusions, or change the dates",
        )
        for key in named
        if key in hidden
    ]
    failures += [
        Failure(
            stage=STAGE,
            subject=key,
            cause="required, but retracted",
            remedy="allow retracted papers to discuss it",
        )
        for key in named
        if key in retracted
    ]
    failures += _silent_sources(state["search_log"])
    if (
        selected
        and fatal_failure(state["failures"])
        and state["judged"].keys() <= set(state["settled"])
    ):
        failures.append(
            Failure(
                stage=STAGE,
                subject=counted(len(selected), "paper"),
                cause="the run stopped before judging them: they are ordered by how promising they look",
                remedy="CiteLoom has not judged their relevance; run again with a larger budget",
            )
        )
    if not selected and not fatal_failure(state["failures"]):
        failures.append(_nothing_found(request, scores, bar, state, retracted))
    return {
        "selected": selected,
        "sufficiency": facets_missing(state, kept),
        "failures": failures,
        "cards": await load_paper_cards(services.run_store, selected, scores),
    }


def _covers(state: FindState) -> dict[str, set[str]]:
    """Return the papers that cover each facet of the last reflection."""
    facets = state["sufficiency"][-1].facets if state["sufficiency"] else ()
    return {one.name: {state["same"].get(key, key) for key in one.papers} for one in facets}


def facets_missing(state: FindState, kept: Collection[str]) -> list[Sufficiency]:
    """Say of facets that none of the papers kept covers that they are missing."""
    entries = state["sufficiency"]
    if not entries:
        return []
    gaps = [name for name, papers in _covers(state).items() if papers.isdisjoint(kept)]
    missing = tuple(dict.fromkeys([*entries[-1].missing, *gaps]))
    return [*entries[:-1], entries[-1].model_copy(update={"missing": missing})]


def _silent_sources(log: Sequence[SearchLogEntry]) -> Iterator[Failure]:
    """Raise the alarm for a source that answers every search, and always with nothing."""
    for source in dict.fromkeys(entry.source for entry in log):
        returned = [entry.returned for entry in log if entry.source == source]
        if len(returned) >= SILENT and not any(returned):
            yield Failure(
                stage=STAGE,
                subject=source,
                cause=f"all {len(returned)} searches returned nothing",
                remedy=f"check the source with `{PROGRAM} doctor`; run.json has the queries in its "
                "search log",
            )


def _none_relevant(
    scores: Mapping[str, float], bar: float, retracted: Collection[str], places: str
) -> tuple[str, bool]:
    """Say why none of the papers judged is kept, and whether relevant ones were left out as retracted."""
    gone = sum(score >= bar for key, score in scores.items() if key in retracted)
    left = [score for key, score in scores.items() if key not in retracted]
    best = (
        f": the best of {len(left)} scores {max(left):.0f} of 100, below the minimum of {bar:.0f}"
        if left
        else ""
    )
    if not gone:
        return f"no paper of {places} is relevant{best}", False
    were = "1 relevant paper was" if gone == 1 else f"{gone} relevant papers were"
    return f"{were} retracted, and no other of {places} is relevant{best}", True


def _nothing_found(
    request: CheckedRequest,
    scores: Mapping[str, float],
    bar: float,
    state: FindState,
    retracted: Collection[str],
) -> Failure:
    places = " and ".join(
        f"the library '{request.library}'" if name == "library" else name
        for name in request.sources
    )
    remedy = "search other sources or another library, broaden your text, or choose other publication dates"
    subject = NOTHING
    if scores:
        cause, retracted_only = _none_relevant(scores, bar, retracted, places)
        remedy += ", or allow retracted papers" if retracted_only else ""
    elif not state["search_log"] and state["failures"]:
        first = {failure.subject.split(":")[0]: failure.cause for failure in state["failures"]}
        cause = "\n  ".join(["no source gave an answer:", *first.values()])
        subject = UNANSWERED
        remedy = (
            f"see `{PROGRAM} doctor`, and run again when they answer: CiteLoom reuses earlier "
            "answers"
        )
    else:
        asked = "; ".join(dict.fromkeys(entry.query for entry in state["search_log"]))
        cause = (
            f"CiteLoom found nothing in {places}"
            + (f" from {request.after} on" if request.after else "")
            + (f" from before {request.before}" if request.before else "")
            + (f" with any query: {asked}" if asked else "")
        )
    return Failure(stage=STAGE, subject=subject, cause=cause, remedy=remedy, fatal=True)
