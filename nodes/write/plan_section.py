"""Plan: group the papers by theme, put them in order, and lay out the section line by line.

Reads `request`, `keys`, `selected`, `choices`. Writes `outline`. A plan by the researcher is honoured
as it is; else the mind groups, and code lays the lines: one opens each theme, two papers of a theme
that can be set against each other share a line, and the last line turns to the present work.
"""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.write.user_plan import parse_plan
from state.paper import Paper
from state.request import Choices, Request
from state.run import Failure
from state.writing import LineRole, Plan, PlanLine
from tools.context import RunContext
from tools.desk import open_desk
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.text.themes import group_texts
from tools.text.words import content_stems

STAGE = "plan_section"
MAX_LINES = 12
"""Most sentences of a section that the researcher gave no plan for, up to 18 papers."""

PROMPT = """\
You plan the related-work section of the work described in the input.

Group the papers into two to four themes that a reader of that work would expect, each with a short
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


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    selected: list[str]
    keys: dict[str, str]
    choices: Choices


class Update(TypedDict):
    """What this node writes."""

    outline: Plan
    failures: list[Failure]


async def plan_section(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Read the researcher's plan, or make one.

    Raises:
        InputError: The researcher's plan cannot be read; the run stops and says why.
    """
    desk = open_desk(runtime, state["run"])
    desk.progress(STAGE, 0, 1)
    keys = state["keys"]
    papers = await desk.shelf.papers(list(keys.values()))
    own_plan = state["choices"].plan
    if own_plan.strip():
        aliases = {alias: paper.id for paper in papers.values() for alias in paper.aliases}
        plan = parse_plan(own_plan, state["selected"], aliases, keys)
        desk.progress(STAGE, 1, 1, f"your plan: {len(plan.lines)} sentences")
        return {"outline": plan, "failures": []}
    items = [_item(key, papers[paper]) for key, paper in keys.items() if paper in papers]
    failures: list[Failure] = []
    try:
        themes = await desk.mind.do(TASK, text=state["request"].text, papers=items)
    except (AnswerError, RefusedError) as error:
        themes = await asyncio.to_thread(
            extract, desk.clients.embedder, text=state["request"].text, papers=items
        )
        failures.append(
            Failure(
                stage=STAGE, subject="themes", cause=str(error),
                remedy="the papers were grouped by the embedded engine instead",
            )
        )  # fmt: skip
    themes = repair_themes(themes, list(keys))
    plan = lay_lines(themes, closing=state["request"].kind != "question")
    desk.progress(STAGE, 1, 1, f"{len(themes.themes)} themes, {len(plan.lines)} sentences")
    return {"outline": plan, "failures": failures}


def _item(key: str, paper: Paper) -> Item:
    return Item(key=key, title=paper.title, year=paper.year, abstract=paper.abstract or "")


def repair_themes(themes: Themes, keys: Sequence[str]) -> Themes:
    """Drop invented and repeated keys; papers that the mind forgot join the last theme."""
    seen: set[str] = set()
    kept: list[Theme] = []
    for theme in themes.themes:
        mine = [key for key in dict.fromkeys(theme.keys) if key in keys and key not in seen]
        seen |= set(mine)
        if mine:
            kept.append(theme.model_copy(update={"keys": mine}))
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
    for theme in themes.themes:
        rest = list(theme.keys[1:])
        lines.append(
            PlanLine(number=len(lines) + 1, keys=(theme.keys[0],), theme=theme.label, role="open")
        )
        pairs = 1 if len(rest) >= 2 else 0
        while spare > pairs and len(rest) >= 2 * (pairs + 1):
            pairs += 1
        while rest:
            take = 2 if pairs > 0 and len(rest) >= 2 else 1
            pairs -= take == 2
            spare -= take == 2
            role: LineRole = "contrast" if take == 2 else "develop"
            lines.append(
                PlanLine(
                    number=len(lines) + 1, keys=tuple(rest[:take]), theme=theme.label, role=role
                )
            )
            rest = rest[take:]
    if closing:
        lines.append(PlanLine(number=len(lines) + 1, role="close"))
    return Plan(lines=tuple(lines), reasoning=themes.reasoning)
