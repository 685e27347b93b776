"""A task: one kind of question that a graph puts to a mind."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

AnswerT = TypeVar("AnswerT", bound=BaseModel)
Tier = Literal["fast", "strong"]


@dataclass(frozen=True, kw_only=True)
class Task(Generic[AnswerT]):
    """One kind of question: how an LLM is asked, and how it is answered without one.

    `prompt` holds the instructions only and is sent as they are: the inputs follow it in a message
    of their own, each fenced (tools.llm.prompt), in the order in which `do` was given them. So what
    stays the same between calls should come first. The answer's shape is told by `answer`'s schema.
    """

    name: str
    prompt: str
    answer: type[AnswerT]
    tier: Tier
    extract: Callable[..., AnswerT]
    """The extractive way, `extract(embedder, **inputs)`: synchronous, run in a worker thread."""
    entail: Callable[..., AnswerT] | None = None
    """How a model of inference answers it, `entail(model, **inputs)`, where one can (tools.llm.entailment)."""
    max_output_tokens: int = 2000
    """Room for the answer alone: what a model takes for its thoughts is given beside it."""


class Mind(Protocol):
    """Who answers tasks in one run."""

    @property
    def name(self) -> str:
        """'extractive', or the model's name (both models' where the tiers differ)."""
        ...

    def spare(self, task: Task[AnswerT], **inputs: object) -> float:
        """Return the tokens that the model's window has left beside this question and its answer.

        Negative when the question does not fit; infinite where there is no window. An estimate that
        leans to the safe side (tools.llm.prompt.count_tokens).
        """
        ...

    async def do(
        self, task: Task[AnswerT], *, sample: int = 0, temperature: float = 0.0, **inputs: object
    ) -> AnswerT:
        """Answer `task` for these inputs.

        Inputs are strings, numbers, pydantic models, or lists and dicts of them. `sample` numbers
        answers to the same question: each is asked and cached on its own.

        Raises:
            AnswerError: No answer within the schema after two repairs.
            RefusedError: The model refused.
            BudgetError: The run's budget would be exceeded by this call.
            TransientError: The endpoint was unreachable or busy after its retries.
            PermanentError: The endpoint rejects the key, the model's name or the request.
        """
        ...
