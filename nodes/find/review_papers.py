"""Review: let a person choose and order the papers that are kept.

Reads `run`, `request`, `selected`, `scores`, `prior`, `judged`, `same`, `hidden`, `retracted`, `hop`, `choices`,
`sufficiency`. Writes `selected`, `scores`, `same`, `hits`, `request`, `sufficiency`, `retracted`. The graph stops
here as the run's setting `review_papers` asks; it goes on with the answer.
"""

import re
from collections.abc import Mapping, Sequence

from nodes.common.ask_person import (
    CLOSING,
    ask_person,
    first_arguments,
    make_paper_cards,
    should_ask,
)
from nodes.common.publisher_notices import noticed_now
from nodes.find.relevance_scores import excluded_in, kept_in
from nodes.find.select_papers import facets_missing
from state.channels import FindState
from state.inputs import WriteChoices
from state.paper import Paper, canonical_id
from state.questions import PapersQuestion
from state.run import fatal_failure
from state.search import Hit
from tools.errors import InputError, counted
from tools.services import NodeRuntime, Services, open_services

STAGE = "review_papers"
FURTHER = 20
"""Papers shown beside those kept, the next best ones."""
MOST = 500
ASKED = (
    "Choose the papers to keep, one per line, best first: delete or move lines, add "
    "a listed paper by its number [n], or any other by its id (DOI, arXiv id, "
    f"library id). {CLOSING}"
)
PERSON = "a person"
_NUMBERED = re.compile(r"\[(\d{1,4})\]")


async def review_papers(state: FindState, runtime: NodeRuntime) -> FindState:
    """Stop for a person; papers named by id are looked up where the run searches."""
    services = open_services(runtime, state["run"])
    why = _why(state, services.context.effective_bar)
    if fatal_failure(state["failures"]) or not should_ask(services.context.review_papers, why):
        return {"failures": []}
    scores, kept = state["scores"], set(kept_in(state))
    others = (
        key
        for key in scores
        if key not in kept and key not in excluded_in(state) and state["same"].get(key, key) == key
    )
    shown = [*kept_in(state), *sorted(others, key=lambda key: -scores[key])[:FURTHER]]
    papers = await services.run_store.papers.get(shown)
    numbered = {n: papers[key] for n, key in enumerate(shown, start=1) if key in papers}
    question = PapersQuestion(
        instructions=ASKED,
        why=why,
        proposal="\n".join(_line(n, paper) for n, paper in numbered.items() if paper.id in kept),
        papers=make_paper_cards(
            numbered,
            chosen=kept.__contains__,
            scores=scores,
            whys=await first_arguments(services.run_store, shown),
        ),
    )

    async def read(text: str) -> FindState:
        keys = read_edited_papers(text, numbered)
        unknown = [key for key in keys if state["same"].get(key) is None]
        found = await _looked_up(services, state, unknown)
        # Of those shown only the kept ones were asked about before.
        added = [papers[key] for key in keys if key in papers and key not in kept]
        added += [paper for _, paper in found.values()]
        marked, failures = await noticed_now(services, state["request"], added, STAGE)
        await services.run_store.papers.put(marked.values())
        now = [marked.get(paper.id, paper) for paper in added]
        gone = {*(paper.id for paper in now if paper.retracted), *state["retracted"]}
        update = _chosen({**state, "retracted": sorted(gone)}, keys, found)
        return {**update, "retracted": sorted(gone), "failures": failures}

    return await ask_person(question, read) or {"failures": []}


def _why(state: FindState, bar: float) -> str:
    """Say what is doubtful about the selection; empty where nothing is."""
    request, kept = state["request"], kept_in(state)
    wanted = min(state.get("choices", WriteChoices()).most, request.keep)
    relevant = sum(state["scores"].get(key, 0.0) >= bar for key in kept)
    musts = {state["same"].get(key, key) for key in request.must_include}
    low = [key for key in kept if key in musts and state["judged"].get(key, bar) < bar]
    gone = [key for key in state["retracted"] if key in kept or key in musts]
    told = (
        (gone, f"retracted: {', '.join(gone)}"),
        (low, f"required, but judged irrelevant: {', '.join(low)}"),
        (
            relevant < wanted,
            f"only {counted(relevant, 'paper is relevant', 'papers are relevant')}; you asked "
            f"for {wanted}",
        ),
    )
    return "; ".join(text for holds, text in told if holds)


def _line(number: int, paper: Paper) -> str:
    return f"[{number}] {' '.join(paper.title.split())} ({paper.year or 'n.d.'})"


def read_edited_papers(text: str, numbered: Mapping[int, Paper]) -> list[str]:
    """Return the ids that the lines of an edited proposal name, each once, in their order.

    Raises:
        InputError: A number is not in the list, or there is no line.
    """
    keys: dict[str, None] = {}
    for row in (row.strip().removeprefix("- ") for row in text.splitlines()):
        if found := _NUMBERED.match(row):
            if int(found[1]) not in numbered:
                raise InputError(
                    f"{found[0]} is not in the list, which ends at [{len(numbered)}]: give an id "
                    "instead"
                )
            keys[numbered[int(found[1])].id] = None
        elif row and not row.startswith("#"):
            keys[canonical_id(row)] = None
    if not keys:
        raise InputError("no paper is left: leave at least one line, or answer 'stop'")
    if len(keys) > MOST:
        raise InputError(
            f"{counted(len(keys), 'paper')} given, but the maximum is {MOST}: delete some lines"
        )
    return list(keys)


async def _looked_up(
    services: Services, state: FindState, ids: Sequence[str]
) -> dict[str, tuple[str, Paper]]:
    """Return papers that the run has not met, each with the source that knows it, by the id as given.

    Raises:
        InputError: No source knows one of them, or it may not appear.
        TransientError: A source cannot be asked now.
    """
    request = state["request"]
    found: dict[str, tuple[str, Paper]] = {}
    for name in request.sources if ids else ():
        source = await services.source(name, request)
        papers = await source.get([key for key in ids if key not in found])
        await services.run_store.put_records(source.name, papers.values())
        found |= {key: (source.name, paper) for key, paper in papers.items()}
    if missing := [key for key in ids if key not in found]:
        raise InputError(f"no source of this run knows {', '.join(missing)}: check the id")
    late = [key for key, (_, paper) in found.items() if not request.admits(paper)]
    if late:
        raise InputError(
            f"not certain to have appeared within the days asked for: {', '.join(late)}"
        )
    new = {key: item for key, item in found.items() if not state["same"].get(item[1].id)}
    await services.run_store.papers.put(paper for _, paper in new.values())
    return found


def _chosen(
    state: FindState, keys: Sequence[str], found: Mapping[str, tuple[str, Paper]]
) -> FindState:
    """Return what changes with these papers.

    Raises:
        InputError: One of them may not appear.
    """
    request = state["request"]
    own = {key: paper.id for key, (_, paper) in found.items()}
    same = {**state["same"], **{key: state["same"].get(key, key) for key in own.values()}}
    selected = list(dict.fromkeys(same[own.get(key, key)] for key in keys))
    if out := sorted({*selected} & excluded_in(state)):
        raise InputError(
            f"excluded, the input's own paper, or not certain to be within the days asked for: {', '.join(out)}"
        )
    gone = sorted({*state["retracted"]} & {*selected})
    if gone and not request.include_retracted:
        raise InputError(f"retracted: {', '.join(gone)}; allow that with include_retracted")
    return {
        "selected": selected,
        "same": same,
        "scores": {**{key: state["prior"].get(key, 0.0) for key in selected}, **state["scores"]},
        "hits": [
            Hit(paper=paper.id, via="must_include", by=PERSON, source=source, hop=state["hop"])
            for source, paper in found.values()
        ],
        "request": request.model_copy(update={"picked": True}),
        "sufficiency": facets_missing(state, selected),
    }
