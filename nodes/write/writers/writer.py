"""A writer: what it writes, how, and what it keeps of it.

A section is written in rounds. Each round the graph asks the writer for its jobs, runs them as
branches of their own, and lets the writer settle what becomes of the drafts; the section is done
when there is no job left. So each way of writing can be stepped through and resumed alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from state.channels import WriteState
from state.inputs import CheckedRequest
from state.writing import Draft, Plan, PlanLine, WriterName
from tools.run_settings import RunSettings
from tools.services import Services

CHOICES_PER_CITATION = 2
"""Papers that an LLM may choose from for each that is to be cited."""
_LEAST, _MOST, _WORDS = 12, 30, 12


def usual_citations(text: str, kept: int) -> int:
    """Return how many papers a section about this text cites at most where nobody says: one for 12 words, and 12.

    Args:
        text: The abstract, idea or question.
        kept: How many papers there are.
    """
    return min(_LEAST + len(text.split()) // _WORDS, _MOST, kept)


@dataclass(frozen=True, kw_only=True)
class DraftingState:
    """How far a section has come."""

    request: CheckedRequest
    keys: Mapping[str, str]
    """The key of each paper to be cited (P1, P2, ...) and the paper's id."""
    outline: Plan
    most: int = 10
    """How many papers may be cited."""
    freely: bool = False
    """Whether nobody asked for so many: then only papers that must be cited are missed."""
    position: int = 0
    """How many lines are written; a writer that knows no lines counts its rounds."""
    drafts: Sequence[Draft] = ()
    """The survivors, best first; none before the first round."""

    @property
    def lines(self) -> tuple[PlanLine, ...]:
        """The plan's lines, or one for each paper."""
        return self.outline.lines or one_line_each(list(self.keys))

    @property
    def best(self) -> Draft:
        """The draft that leads, or an empty one."""
        return self.drafts[0] if self.drafts else EMPTY_DRAFT


EMPTY_DRAFT = Draft(id="d")
"""A draft in which nothing stands yet."""


def drafting_state(state: WriteState) -> DraftingState:
    """Return how far a section is."""
    return DraftingState(
        request=state["request"],
        keys=state["keys"],
        outline=state["outline"],
        most=state["choices"].most,
        freely=state["choices"].freely,
        position=state["position"],
        drafts=state.get("drafts", []),
    )


@dataclass(frozen=True, kw_only=True)
class DraftJob:
    """What one branch writes: these lines, in this variant, behind this draft."""

    draft: Draft
    lines: tuple[PlanLine, ...]
    variant: int = 0


class Writer:
    """One way of writing: all that is left in one job a round, one draft that goes on."""

    def __init__(self, name: WriterName, *, follows_plan: bool = False) -> None:
        self.name = name
        self.follows_plan = follows_plan
        """Whether it can keep to a plan by the researcher."""

    def jobs(self, stage: DraftingState, context: RunSettings) -> list[DraftJob]:
        """Return what is to be written next; nothing when the section is done."""
        left = stage.lines[stage.position :]
        return [DraftJob(draft=stage.best, lines=left)] if left else []

    async def write(self, services: Services, stage: DraftingState, job: DraftJob) -> WriteState:
        """Write one job as `candidates`; what the mind says wrongly is sent back once, and recorded.

        Raises:
            BudgetError: The run's budget is spent.
            TransientError: The endpoint was unreachable or busy after its retries.
            PermanentError: The endpoint rejects the key, the model's name or the request.
        """
        raise NotImplementedError

    async def settle(
        self, services: Services, stage: DraftingState, candidates: Sequence[Draft]
    ) -> WriteState:
        """Return the `drafts` of a round that go on, the best first, and how far they are; errors as `write`."""
        reached = max((draft.round for draft in candidates[:1]), default=0)
        return {"drafts": list(candidates[:1]), "position": max(reached, stage.position + 1)}


def one_line_each(keys: Sequence[str]) -> tuple[PlanLine, ...]:
    """Return a line for each paper, for writers that make no plan."""
    return tuple(PlanLine(number=number, keys=(key,)) for number, key in enumerate(keys, start=1))


def keys_of(lines: Sequence[PlanLine]) -> list[str]:
    """Return the keys that lines name, each once."""
    return list(dict.fromkeys(key for line in lines for key in line.keys))
