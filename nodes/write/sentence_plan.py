"""The plan that a mind makes for itself before it writes (LitLLM, section 4: prompted plan)."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from state.run import Failure
from state.writing import LineRole, Plan, PlanLine
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.services import Services

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


class PlannedSentence(BaseModel):
    """One sentence to be written."""

    keys: list[str] = Field(default=[], description="Keys of the papers it cites.")
    paragraph: int = Field(default=1, ge=1)
    says: str = Field(default="", description="What it is to say, in a few words.")


class SentencePlan(BaseModel):
    """The mind's answer."""

    sentences: list[PlannedSentence] = Field(min_length=1)


def extract(embedder: Embedder, *, text: str, papers: Sequence[PlannedPaper]) -> SentencePlan:
    """Plan a sentence for each paper, the earliest first, in paragraphs by closeness of meaning."""
    from tools.text.themes import group_texts

    groups = group_texts(
        embedder, text, [item.title for item in papers], [item.abstract for item in papers]
    )
    return SentencePlan(
        sentences=[
            PlannedSentence(keys=[papers[row].key], paragraph=place, says=f"on {group.label}")
            for place, group in enumerate(groups, start=1)
            for row in sorted(group.members, key=lambda row: papers[row].year or 0)
        ]
    )


TASK = Task(
    name="plan_sentences", prompt=PROMPT, answer=SentencePlan, tier="strong", extract=extract,
    max_output_tokens=3000,
)  # fmt: skip


async def plan_sentences(
    services: Services, text: str, papers: Sequence[BaseModel]
) -> tuple[Plan, list[Failure]]:
    """Ask for a plan; where none can be had there is a line for each paper."""
    items = [PlannedPaper.model_validate(item.model_dump()) for item in papers]
    keys = [item.key for item in items]
    failures: list[Failure] = []
    if services.mind.spare(TASK, text=text, papers=items) < 0:
        items = [item.model_copy(update={"abstract": ""}) for item in items]
        failures.append(_failure("the abstracts do not fit the model's window", _BY_TITLE))
    try:
        answer = await services.mind.do(TASK, text=text, papers=items)
    except (AnswerError, RefusedError) as error:
        answer = SentencePlan(sentences=[PlannedSentence(keys=[key]) for key in keys])
        failures.append(_failure(str(error), "the plan has a line for each paper"))
    return lay_sentences(answer, keys), failures


_BY_TITLE = "the plan was made from the titles"


def lay_sentences(answer: SentencePlan, keys: Sequence[str]) -> Plan:
    """Turn the answer into lines; keys that were not given go, papers forgotten get a line each."""
    lines: list[PlanLine] = []
    paragraph = 1
    for item in answer.sentences[:MAX_SENTENCES]:
        # Paragraphs count up without a gap, whatever the mind counted.
        if lines and item.paragraph > lines[-1].paragraph:
            paragraph = lines[-1].paragraph + 1
        mine = tuple(key for key in dict.fromkeys(item.keys) if key in keys)
        if item.keys and not mine:
            continue
        role: LineRole = "open" if not lines else "contrast" if len(mine) == 2 else "develop"
        lines.append(
            PlanLine(
                number=len(lines) + 1, keys=mine, role=role, note=item.says.strip()[:300],
                paragraph=paragraph,
            )
        )  # fmt: skip
    planned = {key for line in lines for key in line.keys}
    for key in keys:
        if key not in planned:
            lines.append(PlanLine(number=len(lines) + 1, keys=(key,), paragraph=paragraph))
    return Plan(lines=tuple(lines), reasoning="Planned by the mind, sentence by sentence.")


def _failure(cause: str, remedy: str) -> Failure:
    return Failure(stage=STAGE, subject="plan", cause=cause, remedy=remedy)
