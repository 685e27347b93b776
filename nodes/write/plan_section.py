"""Plan: what each paragraph of the section is to argue, with which papers, mended and laid out line by line.

Reads `request`, `keys`, `selected`, `choices`, `sufficiency`, `themes`. Writes `outline`, and
`keys`, reduced to those that the plan uses. A researcher's plan is used unchanged. Otherwise the mind plans, with at
most `cite` of the papers that may be cited. The embedded engine, which argues nothing, gets a paragraph for each theme
on the map of the papers, and a line for each paper.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from nodes.common.ask_model import ask_with_check
from nodes.common.ask_person import should_ask
from nodes.cost.kept_budget import saving_services
from nodes.find.paper_themes import paper_themes
from nodes.write.plan_language.read_plan import parse_plan
from nodes.write.writers.writer import one_line_each
from state.channels import WriteState
from state.paper import Paper, index_by_ids
from state.run import Failure
from state.writing import Plan, PlanLine, Theme
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.evidence.prompt_injection import without_injections
from tools.llm.task import Task
from tools.services import NodeRuntime, Services
from tools.text.themes import APART, in_lower_case
from tools.text.words import lower_case_words

STAGE = "plan_section"
_Role = Literal["topic", "develop", "agree", "extend", "contrast", "synthesis", "gap"]
_COMPARES = "Compare with the authors' own work."


class PlannedLine(BaseModel):
    """One sentence to be."""

    role: _Role = "develop"
    keys: list[str] = []
    says: str = Field(default="", description="What it is to say, in at most 25 words.")
    compares: bool = Field(default=False, description="With the authors' own work.")


class PlannedTheme(BaseModel):
    """One paragraph to be."""

    label: str = Field(min_length=3, max_length=80)
    claim: str = ""
    axis: str = ""
    gap: str = ""
    lines: list[PlannedLine]


class SectionPlan(BaseModel):
    """The mind's answer."""

    reasoning: str = ""
    themes: list[PlannedTheme] = Field(min_length=1)


PROMPT = """\
You plan the related-work section of a paper, before it is written. `text` is the authors' abstract,
idea or question; `papers` are those that may be cited, each with its key, and `must` where the
authors insist on it; `most` is the number of papers that can be cited; `facets`, where given, are what
those who searched found the section to need, with the keys of papers that speak of each.

A related-work section argues. It does not go through papers one by one: each paragraph makes a point
about a strand of earlier work, compares its papers on one axis, and shows what they leave open that
the authors' work takes up.

First reason: go through `text` and name what a reader of that work expects to be told about (the task
itself and those who tried it before, what it builds on, what it is compared with, how it is judged);
for each say which papers speak of it. The task itself comes first: a section that leaves out the
works closest to the authors' own has failed. Then choose the papers, at most `most`, those marked
`must` among them; leave out what only touches the subject. If no more papers than `most` are given,
the authors want every one of them cited.

Then give the themes, in the order in which the section argues: two to four for up to twenty papers,
and one more for each further six. For each theme:
- label: a noun phrase in lower case (dense passage retrieval);
- claim: the point of the paragraph, as one sentence that could be disputed and that follows from what
  the theme before it left open;
- axis: the respect in which its papers are compared;
- gap: what they leave open that matters to `text`, said by what they do rather than by what they do
  not do (they protect those who are ranked), since no words of theirs can show what is absent;
- lines: three to six sentences to be, each with its role, its papers' keys (none, one or several), and
  in at most 25 words what it is to say, naming the methods and findings to be set side by side.
Roles: topic (states the point; it may cite several papers or none), develop (adds a paper), agree,
extend (builds on what was named before), contrast, synthesis (what several papers show together), gap
(what they leave open). A line that compares with the authors' own work is marked with `compares`: at
most one in a theme, where the difference is sharpest, and not in every theme. Papers that do or find
the same share a line. A last theme is not needed for the authors' work: the gap of the last paragraph
leads to it.

One theme, for a work on finding cracks in bridges with drones, could be: label "visual inspection by
drones"; claim "Drones see more of a bridge than inspectors do, but what they see is still judged by
hand"; axis "who decides that a mark is a crack"; gap "no study lets the operator see why a mark was
called a crack"; lines: topic [] "drones widened what can be seen, not who judges it"; agree [P2, P9]
"both reach 95 % of the surface, twice the usual, and leave the judging to experts"; contrast [P4]
"a detector judges instead, and misses hairline cracks that the experts of P2 found"; gap [P4, P7],
compares "neither explains its decisions, as ours does".

Use only keys that are given, each paper in one theme. Where `faults` of an earlier answer are listed,
give the whole plan again with these mended.
"""


class PlannedPaper(BaseModel):
    """A paper as the mind sees it."""

    key: str
    title: str
    year: int | None
    abstract: str
    must: bool | None = None
    theme: str | None = None
    """Its theme among all papers kept, where the embedded engine plans."""


class Facet(BaseModel):
    """What the section needs, as reflection on the search found."""

    name: str
    keys: list[str]


def extract(_: Embedder, *, text: str, papers: Sequence[PlannedPaper], **__: object) -> SectionPlan:
    """Group by theme, papers without one at the end; inside a theme the earlier papers come first."""
    rest = APART if any(item.theme for item in papers) else "related papers"
    themes: dict[str, list[PlannedLine]] = {item.theme or rest: [] for item in papers}
    for item in sorted(papers, key=lambda item: item.year or 0):
        themes[item.theme or rest].append(PlannedLine(keys=[item.key]))
    return SectionPlan(
        themes=[
            PlannedTheme(label=name, lines=themes[name])
            for name in sorted(themes, key=lambda name: name == APART)
        ],
        reasoning="Grouped by the themes of the search.",
    )


TASK = Task(
    name="plan_section",
    prompt=PROMPT,
    answer=SectionPlan,
    tier="strong",
    extract=extract,
    max_output_tokens=3500,
)


async def plan_section(state: WriteState, runtime: NodeRuntime) -> WriteState:
    """Read the researcher's plan, or have one made if the run's writer works along one.

    Raises:
        InputError: The researcher's plan cannot be read; the run stops and says why.
    """
    services = saving_services(state, runtime)
    services.progress(STAGE, 0, 1)
    plan, failures = await _plan(services, state)
    planned = {key for line in plan.lines for key in line.keys}
    keys = {key: paper for key, paper in state["keys"].items() if key in planned or not planned}
    themes = dict.fromkeys(line.theme for line in plan.lines if line.theme)
    services.progress(STAGE, 1, 1, ", ".join(themes) or f"{counted(len(plan.lines), 'sentence')}")
    return {"outline": plan, "keys": keys, "failures": failures}


async def _plan(services: Services, state: WriteState) -> tuple[Plan, list[Failure]]:
    keys, writer = state["keys"], services.context.writer
    papers = await services.run_store.papers.get(list(keys.values()))
    if state["choices"].plan.strip():
        aliases = {alias: paper.id for paper in papers.values() for alias in paper.aliases}
        return parse_plan(state["choices"].plan, state["selected"], aliases, keys), []
    if writer == "sentence_by_sentence":
        return Plan(lines=one_line_each(list(keys))), []
    if not _plans(services, refused=bool(state.get("refused"))):
        return Plan(lines=()), []
    by_key = {key: papers[paper] for key, paper in keys.items() if paper in papers}
    told = not services.mind.composes
    most = len(keys) if told else min(state["choices"].most, len(keys))
    # Where there is nothing to choose, every paper is wanted.
    insisted = {key for key in keys if keys[key] in state["request"].must_include}
    musts = insisted if most < len(keys) else set(keys)
    answer, failures = await _ask(services, state, by_key, musts, most)
    texts = [item.abstract or "" for item in by_key.values()]
    return lay_lines(repaired(answer, list(keys), musts, most, texts), counted=told), failures


def _plans(services: Services, *, refused: bool) -> bool:
    """Whether a plan is made: as the writer asks, for a person to edit, or for want of an LLM."""
    context = services.context
    shown = refused or should_ask(context.review_plan, "")
    return context.writer in {"beam", "plan"} or (
        context.writer == "whole" and (shown or not services.mind.composes)
    )


async def _ask(
    services: Services,
    state: WriteState,
    papers: Mapping[str, Paper],
    musts: Collection[str],
    most: int,
) -> tuple[SectionPlan, list[Failure]]:
    """Ask for a plan; what the window has no room for is told, and where no answer comes the embedded engine plans."""
    failures: list[Failure] = []

    def fail(cause: str, remedy: str, *, lost: bool = False) -> None:
        failures.append(Failure(stage=STAGE, subject="plan", cause=cause, remedy=remedy, lost=lost))

    themes = state.get("themes", {})  # a run that an earlier version began has none
    if not services.mind.composes and not any(themes.values()):
        kept = await services.run_store.papers.values(state["selected"])
        names = await paper_themes(services, state["request"], kept, len(kept), index_by_ids(kept))
        themes = {paper.id: name for paper, name in zip(kept, names, strict=True)}
    shown = [
        PlannedPaper(
            key=key,
            title=without_injections(paper.title)[0],
            year=paper.year,
            abstract=without_injections(paper.abstract or "")[0],
            must=(key in musts and most < len(papers)) or None,
            theme=None if services.mind.composes else themes.get(paper.id),
        )
        for key, paper in papers.items()
    ]
    text = state["request"].text
    inputs: dict[str, Any] = {"text": text, "papers": shown, "most": most}
    if facets := _facets(state):
        inputs["facets"] = facets
    if services.mind.spare(TASK, **inputs) < 0:
        inputs = {**inputs, "papers": [item.model_copy(update={"abstract": ""}) for item in shown]}
        fail("the abstracts do not fit in the model's window", "CiteLoom planned from the titles")
    error = "the titles do not fit in the model's window"
    if services.mind.spare(TASK, **inputs) >= 0:
        asked = await ask_with_check(
            services.mind, TASK, inputs, lambda plan: _faults(plan, papers.keys(), musts, most)
        )
        if asked.answer is not None:
            return asked.answer, failures
        error = str(asked.error)
    fail(error, "CiteLoom planned without the model, in embedded mode", lost=True)
    wanted = [
        item.model_copy(update={"theme": themes.get(papers[item.key].id)})
        for item in sorted(shown, key=lambda item: not item.must)
    ]
    return extract(services.clients.embedder, text=text, papers=wanted[:most]), failures


def _facets(state: WriteState) -> list[Facet]:
    by_id = {paper: key for key, paper in state["keys"].items()}
    last = next((item for item in reversed(state.get("sufficiency") or ()) if item.facets), None)
    return [
        Facet(name=facet.name, keys=[by_id[paper] for paper in facet.papers if paper in by_id])
        for facet in (last.facets if last else ())
    ]


def _faults(
    plan: SectionPlan, keys: Collection[str], musts: Collection[str], most: int
) -> list[str]:
    named = dict.fromkeys(key for theme in plan.themes for line in theme.lines for key in line.keys)
    known = [key for key in named if key in keys]
    faults = [f"there is no paper {key}" for key in named if key not in keys]
    faults += [f"{key} must be cited" for key in musts if key not in named]
    if len(known) > most:
        faults.append(f"it cites {counted(len(known), 'paper')}; the maximum is {most}")
    return faults if known else [*faults, "it cites no paper"]


def repaired(
    plan: SectionPlan, keys: Sequence[str], musts: Collection[str], most: int, texts: Sequence[str]
) -> SectionPlan:
    """Drop invented keys and papers too many; those that must be cited and were forgotten get a line.

    Labels stand in sentences: a capital goes where the papers write that word without one.
    """
    lower = lower_case_words(texts)
    named = [key for theme in plan.themes for line in theme.lines for key in line.keys]
    asked = [key for key in dict.fromkeys(named) if key in keys]
    allowed = set(
        [key for key in asked if key in musts]
        + [key for key in asked if key not in musts][: max(most - len(musts), 0)]
    )
    themes = [
        theme.model_copy(
            update={
                "label": in_lower_case(theme.label, lower),
                "lines": _kept(theme.lines, allowed),
            }
        )
        for theme in plan.themes
    ]
    themes = [theme for theme in themes if any(line.keys for line in theme.lines)]
    forgotten = [key for key in keys if key in musts and key not in allowed]
    forgotten = forgotten if themes else list(keys)[:most]
    themes = themes or [PlannedTheme(label="related work", lines=[])]
    themes[-1] = themes[-1].model_copy(
        update={"lines": [*themes[-1].lines, *(PlannedLine(keys=[key]) for key in forgotten)]}
    )
    return plan.model_copy(update={"themes": themes})


def _kept(lines: Sequence[PlannedLine], allowed: Collection[str]) -> list[PlannedLine]:
    """Return the lines with allowed keys only; one whose papers are all gone goes."""
    kept = [
        line.model_copy(
            update={"keys": [key for key in dict.fromkeys(line.keys) if key in allowed]}
        )
        for line in lines
    ]
    return [new for new, old in zip(kept, lines, strict=True) if new.keys or not old.keys]


def lay_lines(plan: SectionPlan, *, counted: bool) -> Plan:
    """Lay out the lines, a paragraph for each theme.

    Args:
        plan: With keys that are there.
        counted: Whether each paragraph opens with a line that counts its papers, as the embedded
            engine prints it.
    """
    lines: list[PlanLine] = []
    for place, theme in enumerate(plan.themes, start=1):
        keys = tuple(dict.fromkeys(key for line in theme.lines for key in line.keys))
        shared: dict[str, Any] = {"theme": theme.label, "paragraph": place}
        if counted:
            lines.append(PlanLine(number=len(lines) + 1, covers=keys, role="open", **shared))
        for line in theme.lines:
            says = [line.says.strip(" .")[:300], _COMPARES if line.compares else ""]
            note = ". ".join(item for item in says if item)
            new = PlanLine(
                number=len(lines) + 1, keys=tuple(line.keys), role=line.role, note=note, **shared
            )
            lines.append(new)
    themes = tuple(
        Theme(label=item.label, claim=item.claim, axis=item.axis, gap=item.gap)
        for item in plan.themes
        if item.claim
    )
    return Plan(lines=tuple(lines), themes=themes, reasoning=plan.reasoning)
