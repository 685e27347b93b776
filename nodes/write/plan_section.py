"""Plan: group the papers by theme, put them in order, and lay out the section line by line.

Reads `request`, `keys`, `selected`, `choices`. Writes `outline`. A plan by the researcher is honoured
as it is; else the mind groups, and code lays the lines: one opens each theme, two papers of a theme
that can be set against each other share a line, and the last line turns to the present work. For
the embedded engine, which sets nothing against anything, each paper has a line of its own.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from nodes.write.sentence_plan import TASK as SENTENCES
from nodes.write.sentence_plan import PlannedPaper, ask_plan, grouped, lay_sentences
from nodes.write.user_plan import parse_plan
from nodes.write.writers.port import one_line_each
from state.channels import WriteState
from state.run import Failure
from state.writing import LineRole, Plan, PlanLine
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.services import Services, open_services
from tools.text.words import lower_case_words

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


class Theme(BaseModel):
    """One group of papers."""

    label: str = Field(min_length=3, max_length=80)
    keys: list[str]


class Themes(BaseModel):
    """The mind's answer."""

    themes: list[Theme] = Field(min_length=1)
    reasoning: str = ""


def extract(embedder: Embedder, *, text: str, papers: Sequence[PlannedPaper]) -> Themes:
    """Group by closeness of meaning; inside a group the earlier papers come first."""
    themes = [Theme(label=label, keys=keys) for label, keys in grouped(embedder, text, papers)]
    return Themes(
        themes=themes, reasoning="Grouped by closeness of meaning, nearest to the input first."
    )


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
    plan, failures = await _plan(services, state)
    themes = dict.fromkeys(line.theme for line in plan.lines if line.theme)
    services.progress(STAGE, 1, 1, ", ".join(themes) or f"{len(plan.lines)} sentences")
    return {"outline": plan, "failures": failures}


async def _plan(services: Services, state: WriteState) -> tuple[Plan, list[Failure]]:
    keys, text, writer = state["keys"], state["request"].text, services.context.writer
    papers = await services.run_store.papers.get(list(keys.values()))
    if state["choices"].plan.strip():
        aliases = {alias: paper.id for paper in papers.values() for alias in paper.aliases}
        return parse_plan(state["choices"].plan, state["selected"], aliases, keys), []
    if writer == "sentence_by_sentence":
        return Plan(lines=one_line_each(list(keys))), []
    if writer not in {"beam", "prompted_plan"}:
        return Plan(lines=()), []
    items = [
        PlannedPaper(key=key, title=paper.title, year=paper.year, abstract=paper.abstract or "")
        for key, paper in ((key, papers[id_]) for key, id_ in keys.items() if id_ in papers)
    ]
    if writer == "prompted_plan":
        answer, failures = await ask_plan(services, SENTENCES, text, items)
        return lay_sentences(answer, list(keys)), failures
    themes, failures = await ask_plan(services, TASK, text, items)
    themes = repair_themes(themes, list(keys), [item.abstract for item in items])
    if services.mind.name == "extractive":
        return lay_told(themes), failures
    own = (await services.run_store.elements.get(["input"])).get("input")
    return lay_lines(themes, closing=bool(own and own.filled())), failures


def repair_themes(themes: Themes, keys: Sequence[str], texts: Sequence[str] = ()) -> Themes:
    """Drop invented and repeated keys; papers that the mind forgot join the last theme.

    Labels stand in sentences: a capital goes where the papers write that word without one.
    """
    lower = lower_case_words(texts)
    left = dict.fromkeys(keys)
    kept: list[Theme] = []
    for theme in themes.themes:
        mine = [key for key in dict.fromkeys(theme.keys) if key in left]
        left = {key: None for key in left if key not in mine}
        words = (word.lower() if word.lower() in lower else word for word in theme.label.split())
        kept += [Theme(label=" ".join(words), keys=mine)] if mine else []
    if left:
        last = kept.pop() if kept else Theme(label="related work", keys=[])
        kept.append(Theme(label=last.label, keys=[*last.keys, *left]))
    return themes.model_copy(update={"themes": kept})


def lay_lines(themes: Themes, *, closing: bool) -> Plan:
    """Lay out sentences: a theme opens with its first paper, the others follow alone or in pairs.

    Papers are paired so far as is needed to stay within MAX_LINES; at least one pair a theme of
    three or more, since a contrast inside one sentence is what makes a section comparative.
    """
    spare = sum(len(theme.keys) for theme in themes.themes) + closing - MAX_LINES
    lines: list[PlanLine] = []
    for place, theme in enumerate(themes.themes, start=1):
        first, *rest = theme.keys
        pairs = min(len(rest) // 2, max(1, spare))
        spare -= pairs
        lines.append(_line(lines, place, (first,), theme.label, "open"))
        for _ in range(pairs):
            lines.append(_line(lines, place, tuple(rest[:2]), theme.label, "contrast"))
            rest = rest[2:]
        for key in rest:
            lines.append(_line(lines, place, (key,), theme.label, "develop"))
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
