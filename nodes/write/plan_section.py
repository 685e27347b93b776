"""Plan: group the papers by theme, put them in order, and lay out the section line by line.

Reads `request`, `keys`, `selected`, `choices`. Writes `outline`. A plan by the researcher is honoured
as it is; else the mind groups, and code lays the lines: one opens each theme, two papers of a theme
that can be set against each other share a line, and the last line turns to the present work. For
the embedded engine, which sets nothing against anything, each paper has a line of its own.
"""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.write.sentence_plan import plan_sentences
from nodes.write.user_plan import parse_plan
from nodes.write.writers.port import one_line_each
from state.channels import WriteState
from state.paper import Paper
from state.run import Failure
from state.writing import LineRole, Plan, PlanLine
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.themes import group_texts
from tools.text.words import content_stems, lower_case_words

STAGE = "plan_section"
MAX_LINES = 12
"""Most sentences of a section that the researcher gave no plan for, up to 18 papers."""

PROMPT = """\
You plan the related-work section of the work described in the input.

Group the papers into themes that a reader of that work would expect (two to four for up to twenty
papers, one more for each further six, none much larger than the others), each with a short
label (a noun phrase in lower case that stands in a sentence, such as: dense passage retrieval).
Order the themes from the one nearest to the input's own work to the farthest, and the papers inside
a theme so that each can be compared with the one before it, earlier work first. Use every paper's
key exactly once, and only keys that are given.
"""


class Item(BaseModel):
    """A paper as the mind sees it."""

    key: str
    title: str
    year: int | None
    abstract: str


class Theme(BaseModel):
    """One group of papers."""

    label: str = Field(min_length=3, max_length=80)
    keys: list[str]


class Themes(BaseModel):
    """The mind's answer."""

    themes: list[Theme] = Field(min_length=1)
    reasoning: str = ""


def extract(embedder: Embedder, *, text: str, papers: Sequence[Item]) -> Themes:
    """Group by closeness of meaning; inside a group the earlier papers come first."""
    groups = group_texts(
        embedder, text, [item.title for item in papers], [item.abstract for item in papers]
    )
    themes = [
        Theme(
            label=group.label, keys=_in_order(group.label, [papers[row] for row in group.members])
        )
        for group in groups
    ]
    return Themes(
        themes=themes, reasoning="Grouped by closeness of meaning, nearest to the input first."
    )


def _in_order(label: str, papers: Sequence[Item]) -> list[str]:
    """Order by year, but let a paper open the theme whose own text bears its label."""
    words = set(content_stems(label))

    def bears(item: Item) -> bool:
        return words <= set(content_stems(f"{item.title} {item.abstract}"))

    ordered = sorted(papers, key=lambda item: (item.year or 0, int(item.key[1:])))
    first = next((item for item in ordered if bears(item)), ordered[0])
    return [first.key, *(item.key for item in ordered if item is not first)]


TASK = Task(
    name="plan_section", prompt=PROMPT, answer=Themes, tier="strong", extract=extract,
    max_output_tokens=1500,
)  # fmt: skip


async def plan_section(state: WriteState, runtime: Runtime[RunContext]) -> WriteState:
    """Read the researcher's plan, or make one if the run's writer works along one.

    Raises:
        InputError: The researcher's plan cannot be read; the run stops and says why.
    """
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    plan, failures, note = await _plan(services, state)
    services.progress(STAGE, 1, 1, note)
    return {"outline": plan, "failures": failures}


async def _plan(services: Services, state: WriteState) -> tuple[Plan, list[Failure], str]:
    """Return the plan, what went wrong with it, and a word on it for the progress line."""
    keys, writer = state["keys"], services.context.writer
    papers = await services.run_store.papers.get(list(keys.values()))
    if state["choices"].plan.strip():
        aliases = {alias: paper.id for paper in papers.values() for alias in paper.aliases}
        plan = parse_plan(state["choices"].plan, state["selected"], aliases, keys)
        return plan, [], f"your plan: {len(plan.lines)} sentences"
    items = [_item(key, papers[paper]) for key, paper in keys.items() if paper in papers]
    if writer == "prompted_plan":
        made, failures = await plan_sentences(services, state["request"].text, items)
        return made, failures, f"{len(made.lines)} sentences"
    if writer == "sentence_by_sentence":
        return Plan(lines=one_line_each(list(keys))), [], f"{len(keys)} sentences"
    if writer != "beam":
        return Plan(lines=()), [], "none: this writer makes none"
    themes, failures = await _themes(services, state["request"].text, items)
    themes = repair_themes(themes, list(keys), [item.abstract for item in items])
    if services.mind.name == "extractive":
        plan = lay_told(themes)
    else:
        own = (await services.run_store.elements.get(["input"])).get("input")
        plan = lay_lines(themes, closing=bool(own and own.filled()))
    return plan, failures, ", ".join(theme.label for theme in themes.themes)


async def _themes(
    services: Services, text: str, items: Sequence[Item]
) -> tuple[Themes, list[Failure]]:
    """Ask for themes; what the window has no room for is told, and the embedded engine groups."""
    failures: list[Failure] = []
    shown = list(items)
    if services.mind.spare(TASK, text=text, papers=shown) < 0:
        shown = [item.model_copy(update={"abstract": ""}) for item in items]
        failures.append(_failure("the abstracts do not fit the model's window", _BY_TITLE))
    if services.mind.spare(TASK, text=text, papers=shown) >= 0:
        try:
            return await services.mind.do(TASK, text=text, papers=shown), failures
        except (AnswerError, RefusedError) as error:
            failures.append(_failure(str(error), _GROUPED))
    else:
        failures.append(_failure("the titles do not fit the model's window", _GROUPED))
    return await asyncio.to_thread(
        extract, services.clients.embedder, text=text, papers=list(items)
    ), failures


_BY_TITLE = "the papers were grouped by their titles"
_GROUPED = "the papers were grouped by the embedded engine"


def _failure(cause: str, remedy: str) -> Failure:
    return Failure(stage=STAGE, subject="plan", cause=cause, remedy=remedy)


def _item(key: str, paper: Paper) -> Item:
    return Item(key=key, title=paper.title, year=paper.year, abstract=paper.abstract or "")


def repair_themes(themes: Themes, keys: Sequence[str], texts: Sequence[str] = ()) -> Themes:
    """Drop invented and repeated keys; papers that the mind forgot join the last theme.

    Labels stand in sentences: a capital goes where the papers write that word without one.
    """
    lower = lower_case_words(texts)
    seen: set[str] = set()
    kept: list[Theme] = []
    for theme in themes.themes:
        mine = [key for key in dict.fromkeys(theme.keys) if key in keys and key not in seen]
        seen |= set(mine)
        if mine:
            words = (w.lower() if w.lower() in lower else w for w in theme.label.split())
            kept.append(theme.model_copy(update={"keys": mine, "label": " ".join(words)}))
    forgotten = [key for key in keys if key not in seen]
    if forgotten and kept:
        kept[-1] = kept[-1].model_copy(update={"keys": [*kept[-1].keys, *forgotten]})
    elif forgotten:
        kept = [Theme(label="related work", keys=forgotten)]
    return themes.model_copy(update={"themes": kept})


def lay_lines(themes: Themes, *, closing: bool) -> Plan:
    """Lay out sentences: a theme opens with its first paper, the others follow alone or in pairs.

    Papers are paired so far as is needed to stay within MAX_LINES; at least one pair a theme of
    three or more, since a contrast inside one sentence is what makes a section comparative.
    """
    papers = sum(len(theme.keys) for theme in themes.themes)
    spare = papers + closing - MAX_LINES
    lines: list[PlanLine] = []
    for place, theme in enumerate(themes.themes, start=1):
        rest = list(theme.keys[1:])
        lines.append(_line(lines, place, (theme.keys[0],), theme.label, "open"))
        pairs = 1 if len(rest) >= 2 else 0
        while spare > pairs and len(rest) >= 2 * (pairs + 1):
            pairs += 1
        while rest:
            take = 2 if pairs > 0 and len(rest) >= 2 else 1
            pairs -= take == 2
            spare -= take == 2
            role: LineRole = "contrast" if take == 2 else "develop"
            lines.append(_line(lines, place, tuple(rest[:take]), theme.label, role))
            rest = rest[take:]
    if closing:
        lines.append(_line(lines, len(themes.themes) + 1, (), "", "close"))
    return Plan(lines=tuple(lines), reasoning=themes.reasoning)


def lay_told(themes: Themes) -> Plan:
    """Lay out what the embedded engine prints: a count of each theme's papers, then a line for each."""
    lines: list[PlanLine] = []
    for place, theme in enumerate(themes.themes, start=1):
        opening = _line(lines, place, (), theme.label, "open")
        lines.append(opening.model_copy(update={"covers": tuple(theme.keys)}))
        for key in theme.keys:
            lines.append(_line(lines, place, (key,), theme.label, "develop"))
    return Plan(lines=tuple(lines), reasoning=themes.reasoning)


def _line(
    lines: Sequence[PlanLine], paragraph: int, keys: tuple[str, ...], theme: str, role: LineRole
) -> PlanLine:
    return PlanLine(number=len(lines) + 1, keys=keys, theme=theme, role=role, paragraph=paragraph)
