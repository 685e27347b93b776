"""What a run asks a person, and what may be answered.

The value of each interrupt is one of these questions as JSON. Every answer is a `PersonAnswer`, sent as JSON
or in short: nothing, empty text or `ok` goes on as it is, `stop` ends the run, other text is the proposal as edited.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from state.quote import Criterion
from state.search import SearchQuery
from state.value import FrozenModel

QuestionKind = Literal["cost", "queries", "papers", "plan", "text"]
ApprovalMode = Annotated[
    Literal["off", "on", "auto"],
    BeforeValidator(lambda given: {True: "on", False: "off"}.get(given, given)),
]
"""When a run asks a person: never, always, or where the run's policy finds reason to."""


class PersonQuestion(FrozenModel):
    """What every question has."""

    kind: QuestionKind
    instructions: str = Field(description="What to decide, and how an answer is written.")
    proposal: str = Field(description="What the run will go on with: text that a person may edit.")
    error: str = Field(
        default="", description="Why the last answer could not be used; empty at first."
    )
    why: str = Field(default="", description="Why the run asks, where it asks by policy ('auto').")


class PaperCard(FrozenModel):
    """A paper as a person sees it."""

    number: int = Field(ge=1, description="Its number [n] in the proposal.")
    id: str
    title: str
    year: int | None = None
    score: float | None = Field(default=None, description="0..100, where it was judged.")
    chosen: bool = Field(default=True, description="Whether the proposal has it.")
    why: str = Field(default="", description="What speaks for it, or against it.")


class CostRange(FrozenModel):
    """From `low` to `high`."""

    low: float = Field(default=0.0, ge=0)
    high: float = Field(default=0.0, ge=0)


class TaskEstimate(FrozenModel):
    """What one kind of question to the model may take."""

    task: str
    mind: str = Field(description="The model that is asked.")
    calls: CostRange
    input_tokens: CostRange
    output_tokens: CostRange
    usd: CostRange | None = Field(default=None, description="None where the model has no price.")


class Estimate(FrozenModel):
    """What a run may take, told before anything is paid."""

    calls: CostRange = Field(default=CostRange(), description="Calls of the model.")
    input_tokens: CostRange = CostRange()
    output_tokens: CostRange = CostRange()
    usd: CostRange | None = Field(
        default=CostRange(),
        description="Models and sources together; none where a price is not known.",
    )
    minutes: CostRange = Field(default=CostRange(), description="Of model calls.")
    tasks: tuple[TaskEstimate, ...] = ()
    sources: Mapping[str, CostRange] = Field(
        default={}, description="USD, by source that costs money."
    )
    notes: tuple[str, ...] = Field(default=(), description="What it rests on.")


class CostQuestion(PersonQuestion):
    """Whether what the run may cost is worth it; asked before anything is paid."""

    kind: Literal["cost"] = "cost"
    estimate: Estimate


class QueriesQuestion(PersonQuestion):
    """Which queries a hop of the search puts to the sources: a line of the proposal each."""

    kind: Literal["queries"] = "queries"
    hop: int = Field(ge=1)
    queries: tuple[SearchQuery, ...] = Field(description="As proposed, each with its reason.")
    criteria: tuple[Criterion, ...] = Field(
        default=(), description="By which each paper will be judged; lines of the proposal, too."
    )


class PapersQuestion(PersonQuestion):
    """Which papers are kept, best first: a line of the proposal each."""

    kind: Literal["papers"] = "papers"
    papers: tuple[PaperCard, ...] = Field(description="The papers kept, then the next best ones.")


class PlanQuestion(PersonQuestion):
    """Which papers are cited and where: a line of the proposal for each sentence."""

    kind: Literal["plan"] = "plan"
    papers: tuple[PaperCard, ...]


class TextQuestion(PersonQuestion):
    """The section before it is printed: a line of the proposal for each sentence."""

    kind: Literal["text"] = "text"
    papers: tuple[PaperCard, ...]
    findings: tuple[str, ...] = Field(
        default=(), description="What the check of the citations has against it."
    )


class PersonAnswer(FrozenModel):
    """What a person answers."""

    action: Literal["accept", "edit", "stop"] = Field(
        default="accept",
        description="Continue as proposed, continue with `text`, or finish now.",
    )
    text: str = Field(default="", description="The proposal as edited.")

    @model_validator(mode="before")
    @classmethod
    def _in_short(cls, given: Any) -> Any:
        if given is None or isinstance(given, str):
            text = given or ""
            word = text.strip().casefold()
            action = (
                "stop"
                if word == "stop"
                else "accept"
                if word in {"", "ok", "yes", "accept", "go on"}
                else "edit"
            )
            return {"action": action, "text": text if action == "edit" else ""}
        if isinstance(given, Mapping) and "action" not in given and given.get("text"):
            return {**given, "action": "edit"}
        return given
