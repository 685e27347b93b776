"""Review: let a person see and edit which papers are cited, and where, before a word is written.

Reads `run`, `selected`, `keys`, `outline`, `reviewed`, `refused`. Writes `outline`, `keys`, `reviewed`. The graph
stops here as the run's setting `review_plan` asks; it goes on with the answer.
"""

from collections.abc import Mapping, Sequence

from nodes.common.ask_person import CLOSING, ask_person, make_paper_cards, should_ask
from nodes.write.plan_language.read_plan import named_papers, parse_plan, plan_text, with_themes
from state.channels import WriteState
from state.paper import Paper, index_by_ids
from state.questions import PlanQuestion
from tools.services import NodeRuntime, open_services

ASKED = (
    "Edit the plan: one line per sentence, with its papers as [n]. Any listed paper "
    f"may appear; CiteLoom cites only papers that a line names. {CLOSING}"
)
_REFUSED = (
    "CiteLoom cannot follow your plan: {}. Fix it, or send an empty answer to use the plan below"
)


async def review_plan(state: WriteState, runtime: NodeRuntime) -> WriteState:
    """Stop for a person, once; a plan of the person's that could not be followed comes back with the reason."""
    services = open_services(runtime, state["run"])
    refused = state.get("refused", "")
    why = "CiteLoom cannot follow your plan" if refused else ""
    if state.get("reviewed") or not should_ask(services.context.review_plan, why):
        return {"reviewed": True}
    papers = await services.run_store.papers.get(state["selected"])
    places = {paper: number for number, paper in enumerate(state["selected"], start=1)}
    numbers = {key: places[paper] for key, paper in state["keys"].items() if paper in places}
    cited = set(state["keys"].values())
    question = PlanQuestion(
        instructions=ASKED,
        why=why,
        error=_REFUSED.format(refused) if refused else "",
        proposal=plan_text(state["outline"], numbers),
        papers=make_paper_cards(
            {places[key]: papers[key] for key in state["selected"] if key in papers},
            chosen=cited.__contains__,
        ),
    )

    async def read(text: str) -> WriteState:
        return _edited(text, state, papers)

    return {"reviewed": True, **(await ask_person(question, read) or {})}


def _edited(text: str, state: WriteState, papers: Mapping[str, Paper]) -> WriteState:
    """Return the plan as edited, with keys for papers that were not to be cited before."""
    aliases = index_by_ids(papers.values())
    keys = with_new_keys(state["keys"], named_papers(text, state["selected"], aliases))
    edited = parse_plan(text, state["selected"], aliases, keys)
    return {"outline": with_themes(edited, state["outline"]), "keys": keys}


def with_new_keys(keys: Mapping[str, str], named: Sequence[str]) -> dict[str, str]:
    """Return the keys with one for each further paper; known papers keep theirs."""
    known = set(keys.values())
    last = max((int(key[1:]) for key in keys), default=0)
    new = [paper for paper in named if paper not in known]
    return {**keys, **{f"P{last + place}": paper for place, paper in enumerate(new, start=1)}}
