"""Review: let a person see and edit which papers are cited, and where, before a word is written.

Reads `run`, `selected`, `keys`, `outline`, `reviewed`. Writes `outline`, `keys`, `reviewed`. The graph stops here
(an interrupt) when the run's setting `review_plan` asks for it; it goes on with the answer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from nodes.write.user_plan import named_papers, parse_plan, plan_text
from state.channels import WriteState
from state.paper import Paper, by_any_id
from tools.context import RunContext
from tools.errors import InputError
from tools.services import open_services

STAGE = "review_plan"
ASKED = (
    "Edit the plan: a line for each sentence, naming its papers as [n]; a paper that no line names "
    "is not cited, and any paper of the list may be named. Send the text of the plan, or nothing to "
    "go on with it as it is."
)


async def review_plan(state: WriteState, runtime: Runtime[RunContext]) -> WriteState:
    """Stop for a person; an answer that cannot be used is asked for again, with the reason."""
    services = open_services(runtime, state["run"])
    if state.get("reviewed") or not services.context.review_plan:
        return {"reviewed": True}
    papers = await services.run_store.papers.get(state["selected"])
    places = {paper: number for number, paper in enumerate(state["selected"], start=1)}
    numbers = {key: places[paper] for key, paper in state["keys"].items() if paper in places}
    shown = {
        "kind": STAGE,
        "instructions": ASKED,
        "plan": plan_text(state["outline"], numbers),
        "papers": _listed(state, papers),
    }
    made, error = str(shown["plan"]).strip(), ""
    while True:
        answer = interrupt({**shown, "error": error} if error else shown)
        given = answer.get("plan") if isinstance(answer, Mapping) else answer
        text = given if isinstance(given, str) else ""
        if not text.strip() or text.strip() == made:
            return {"reviewed": True}
        try:
            return {"reviewed": True, **_edited(text, state, papers)}
        except InputError as caught:
            error = str(caught)
            shown = {**shown, "plan": text}


def _listed(state: WriteState, papers: Mapping[str, Paper]) -> list[dict[str, Any]]:
    cited = set(state["keys"].values())
    return [
        {
            "number": number, "id": key, "title": papers[key].title, "year": papers[key].year,
            "cited": key in cited,
        }
        for number, key in enumerate(state["selected"], start=1)
        if key in papers
    ]  # fmt: skip


def _edited(text: str, state: WriteState, papers: Mapping[str, Paper]) -> WriteState:
    """Return the plan as edited, with keys for papers that were not to be cited before."""
    aliases = by_any_id(papers.values())
    named = named_papers(text, state["selected"], aliases)
    keys = extended(state["keys"], named)
    edited = parse_plan(text, state["selected"], aliases, keys)
    labels = {line.theme for line in edited.lines}
    themes = tuple(theme for theme in state["outline"].themes if theme.label in labels)
    return {"outline": edited.model_copy(update={"themes": themes}), "keys": keys}


def extended(keys: Mapping[str, str], named: Sequence[str]) -> dict[str, str]:
    """Return the keys with one for each further paper; known papers keep theirs."""
    known = set(keys.values())
    last = max((int(key[1:]) for key in keys), default=0)
    new = [paper for paper in named if paper not in known]
    return {**keys, **{f"P{last + place}": paper for place, paper in enumerate(new, start=1)}}
