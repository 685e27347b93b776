"""The plan that a mind makes for itself before it writes (LitLLM, section 4: prompted plan)."""

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, Field

from state.run import Failure
from state.writing import LineRole, Plan, PlanLine
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import AnswerT, Task
from tools.services import Services
from tools.text.themes import group_texts

STAGE = "plan_section"
MAX_SENTENCES = 60

PROMPT = """\
You plan the related-work section of the work described in the input, sentence by sentence, before it
is written. Say for each sentence which of the papers it cites, by their keys (one to three, or none
for a sentence about the authors' own work), in which paragraph it stands, and in a few words what it
is to say: which papers it compares and in what they differ. Cite every paper at least once. Use only
keys that are given, and at most as many sentences as there are papers, and two more.
"""


class PlannedPaper(BaseModel):
    """A paper as the mind sees it."""

    key: str
    title: str
    year: int | None
    abstract: str


async def ask_plan(
    services: Services, task: Task[AnswerT], text: str, papers: Sequence[PlannedPaper]
) -> tuple[AnswerT, list[Failure]]:
    """Ask for a plan; what the window has no room for is told, and where no answer comes the embedded engine plans."""
    failures: list[Failure] = []
    shown = list(papers)
    if services.mind.spare(task, text=text, papers=shown) < 0:
        shown = [item.model_copy(update={"abstract": ""}) for item in papers]
        cause = "the abstracts do not fit the model's window"
        failures.append(_failure(cause, "the plan was made from the titles"))
    try:
        if services.mind.spare(task, text=text, papers=shown) < 0:
            raise AnswerError("the titles do not fit the model's window")
        return await services.mind.do(task, text=text, papers=shown), failures
    except (AnswerError, RefusedError) as error:
        failures.append(_failure(str(error), "the embedded engine made the plan"))
    embedder = services.clients.embedder
    return await asyncio.to_thread(task.extract, embedder, text=text, papers=papers), failures


def _failure(cause: str, remedy: str) -> Failure:
    return Failure(stage=STAGE, subject="plan", cause=cause, remedy=remedy)


class PlannedSentence(BaseModel):
    """One sentence to be written."""

    keys: list[str] = Field(default=[], description="Keys of the papers it cites.")
    paragraph: int = Field(default=1, ge=1)
    says: str = Field(default="", description="What it is to say, in a few words.")


class SentencePlan(BaseModel):
    """The mind's answer."""

    sentences: list[PlannedSentence] = Field(min_length=1)


def grouped(
    embedder: Embedder, text: str, papers: Sequence[PlannedPaper]
) -> list[tuple[str, list[str]]]:
    """Return labels and keys of groups close in meaning, the earlier papers of each first."""
    groups = group_texts(
        embedder, text, [item.title for item in papers], [item.abstract for item in papers]
    )
    years = [(item.year or 0, row) for row, item in enumerate(papers)]
    return [
        (group.label, [papers[row].key for row in sorted(group.members, key=years.__getitem__)])
        for group in groups
    ]


def extract(embedder: Embedder, *, text: str, papers: Sequence[PlannedPaper]) -> SentencePlan:
    """Plan a sentence for each paper, the earliest first, in paragraphs by closeness of meaning."""
    return SentencePlan(
        sentences=[
            PlannedSentence(keys=[key], paragraph=place, says=f"on {label}")
            for place, (label, keys) in enumerate(grouped(embedder, text, papers), start=1)
            for key in keys
        ]
    )


TASK = Task(
    name="plan_sentences", prompt=PROMPT, answer=SentencePlan, tier="strong", extract=extract,
    max_output_tokens=3000,
)  # fmt: skip


def lay_sentences(answer: SentencePlan, keys: Sequence[str]) -> Plan:
    """Turn the answer into lines; keys that were not given go, papers forgotten get a line each."""
    sentences = answer.sentences[:MAX_SENTENCES]
    planned = {key for item in sentences for key in item.keys}
    sentences += [PlannedSentence(keys=[key]) for key in keys if key not in planned]
    lines: list[PlanLine] = []
    for item in sentences:
        mine = tuple(key for key in dict.fromkeys(item.keys) if key in keys)
        if item.keys and not mine:
            continue
        # Paragraphs count up without a gap, whatever the mind counted.
        last = lines[-1].paragraph if lines else 1
        role: LineRole = "open" if not lines else "contrast" if len(mine) == 2 else "develop"
        lines.append(
            PlanLine(
                number=len(lines) + 1, keys=mine, role=role, note=item.says.strip()[:300],
                paragraph=last + (bool(lines) and item.paragraph > last),
            )
        )  # fmt: skip
    return Plan(lines=tuple(lines), reasoning="Planned by the mind, sentence by sentence.")
