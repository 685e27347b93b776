"""Choose which of the selected papers are cited, and give each its key.

Reads `request`, `selected`, `choices`, `sufficiency`, `themes`, `papers`. Writes `keys` (P1, P2, ... in the
order of `selected`), `cards`, `themes`, `notes`, `refused`, and resets what an earlier run on the same thread may
have left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nodes.common.ask_person import load_paper_cards, should_ask
from nodes.write.plan_language.read_plan import named_papers, parse_plan
from nodes.write.writers.writer import CHOICES_PER_CITATION, usual_citations
from nodes.write.writers.writers import check_writer, writer_for
from state.channels import WriteState, WritingInput
from state.paper import Paper, index_by_ids
from state.reducers import begin_run
from state.run import Failure
from state.search import Sufficiency
from state.writing import Plan
from tools.errors import InputError, counted
from tools.ranking.diversity import Candidate, select_diverse
from tools.run_settings import route_options_of
from tools.services import NodeRuntime, open_services

STAGE = "choose_cited"
CHOOSING = frozenset({"whole", "plan", "beam"})
"""Writers that choose which of the papers they cite."""
_BROAD = frozenset({"whole", "plan"})
"""Those of them that cite as many as a reader expects where nobody says how many."""


async def choose_cited(state: WritingInput, runtime: NodeRuntime) -> WriteState:
    """Take the papers that the plan names, else `cite` papers that have an abstract.

    Where an LLM plans or writes the whole, it chooses among twice as many.

    Those are the first ones of a list that a person made. Of papers that were found they are the most relevant
    ones that together cover the facets and the years, those that must be included among them.
    """
    services = open_services(runtime, state["run"])
    selected, choices = state["selected"], state["choices"]
    papers = await services.run_store.papers.get(selected)
    aliases = {alias: paper.id for paper in papers.values() for alias in paper.aliases}
    choosing = services.mind.composes and services.context.writer in CHOOSING
    apiece = CHOICES_PER_CITATION if choosing and not state["request"].picked else 1
    if choices.cite is None:
        broad = choosing and services.context.writer in _BROAD
        cite = usual_citations(state["request"].text, len(selected)) if broad else choices.most
        choices = choices.model_copy(update={"cite": max(cite, 1), "freely": broad})
    failures: list[Failure] = []
    chosen: list[str] = []
    refused = ""
    if should_ask(services.context.review_plan, "a plan") and choices.plan.strip():
        refused = _refusal(choices.plan, selected, aliases)
        choices = choices.model_copy(update={"plan": ""}) if refused else choices
    settings = route_options_of(services.context)
    try:
        settings = route_options_of(replace(services.context, writer=writer_for(services).name))
        check_writer(services.context.writer, planned=bool(choices.plan.strip()))
        chosen = named_papers(choices.plan, selected, aliases) or _chosen(
            state, papers, choices.most * apiece
        )
        if not chosen:
            raise InputError("no paper to cite: you excluded all papers found")
    except InputError as error:
        failures = [Failure(stage=STAGE, subject="plan", cause=str(error), fatal=True)]
    return begin_run(
        WriteState,
        taken=("stop", *WritingInput.__annotations__),
        settings=settings,
        keys={f"P{number}": paper for number, paper in enumerate(chosen, start=1)},
        cards=await load_paper_cards(services.run_store, chosen),
        themes={one.paper.id: one.theme for one in state.get("papers") or ()}
        or state.get("themes", {}),
        notes=[] if failures else _notes(selected, chosen, papers),
        choices=choices,
        outline=Plan(lines=()),
        refused=refused,
        failures=failures,
    )


def _refusal(plan: str, selected: Sequence[str], aliases: Mapping[str, str]) -> str:
    """Say why a plan cannot be followed; empty where it can."""
    try:
        parse_plan(plan, selected, aliases, {f"P{n}": key for n, key in enumerate(selected, 1)})
    except InputError as error:
        return str(error)
    return ""


def _chosen(state: WritingInput, papers: Mapping[str, Paper], cite: int) -> list[str]:
    """Return the papers that may be cited, in the order of `selected`."""
    request = state["request"]
    ids = index_by_ids(papers.values())
    out = {ids.get(key, key) for key in (*request.exclude, request.own) if key}
    known = [key for key in state["selected"] if key in papers and key not in out]
    if request.picked:
        return known[:cite]
    musts = {ids.get(key, key) for key in request.must_include}
    first = [key for key in known if key in musts]
    rest = [key for key in known if key not in musts and papers[key].abstract]
    if not rest and not first:  # then titles are all that can be cited, and it is said so
        rest = known
    places = max(cite - len(first), 0)
    reflected = next(
        (item for item in reversed(state.get("sufficiency") or ()) if item.facets), None
    )
    if reflected is None:
        taken = {*first, *rest[:places]}
    else:
        given = _candidates([*first, *rest], state, papers, reflected)
        taken = {*first, *select_diverse(given[len(first) :], places, beside=given[: len(first)])}
    return [key for key in known if key in taken]


def _notes(
    selected: Sequence[str], chosen: Sequence[str], papers: Mapping[str, Paper]
) -> list[str]:
    notes: list[str] = []
    bare = sum(not papers[key].abstract for key in selected if key in papers)
    if bare:
        notes.append(
            f"{counted(bare, 'selected paper has', 'selected papers have')} no abstract; "
            "CiteLoom cannot check statements about them"
        )
    if retracted := [key for key in chosen if key in papers and papers[key].retracted]:
        notes.append(f"retracted, but cited: {', '.join(retracted)}")
    return notes


def _candidates(
    keys: Sequence[str], state: WritingInput, papers: Mapping[str, Paper], reflected: Sufficiency
) -> list[Candidate]:
    """Describe the papers by score, facets and year."""
    scores = {item.paper.id: item.score for item in state.get("papers") or ()}
    facets: dict[str, set[str]] = {}
    for facet in reflected.facets:
        for key in facet.papers:
            facets.setdefault(key, set()).add(facet.name)
    return [
        Candidate(
            key=key,
            score=scores.get(key, 0.0),
            facets=frozenset(facets.get(key, ())),
            year=papers[key].year,
        )
        for key in keys
    ]
