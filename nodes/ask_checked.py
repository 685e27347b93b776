"""Ask a mind, hold its answer against code, and send back once what code refused."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Generic

from state.run import Failure
from tools.errors import AnswerError, KeptError, PermanentError, RefusedError
from tools.llm.task import AnswerT, Mind, Task

Faults = Callable[[AnswerT], Sequence[str] | Awaitable[Sequence[str]]]
"""Says what is wrong with an answer, a line for each fault; nothing where it may stand."""


@dataclass(frozen=True)
class Asked(Generic[AnswerT]):
    """What came of a question: the last answer, what is wrong with it, and what was tried."""

    answer: AnswerT | None
    faults: tuple[str, ...]
    tried: tuple[tuple[AnswerT, tuple[str, ...]], ...]
    """Every answer with its faults, in order: for the record of what was refused."""
    error: PermanentError | None = None
    """Why there is no (further) answer. An earlier answer is kept beside it."""

    @property
    def stands(self) -> bool:
        """Whether there is an answer without faults."""
        return self.answer is not None and not self.faults

    def failures(self, stage: str, subject: str, remedy: str) -> list[Failure]:
        """Return why there is no (further) answer as a failure; nothing where there is one."""
        if self.error is None:
            return []
        lost = self.answer is None
        return [
            Failure(stage=stage, subject=subject, cause=str(self.error), remedy=remedy, lost=lost)
        ]


def _no_faults(answer: object) -> Sequence[str]:
    return ()


def _all_again(answer: object) -> Mapping[str, object]:
    return {}


async def ask_checked(
    mind: Mind,
    task: Task[AnswerT],
    inputs: Mapping[str, object],
    faults: Faults[AnswerT] = _no_faults,
    *,
    again_as: str = "faults",
    narrow: Callable[[AnswerT], Mapping[str, object]] = _all_again,
    sample: int = 0,
    temperature: float = 0.0,
) -> Asked[AnswerT]:
    """Ask; where the answer has faults ask once more, the faults shown under `again_as`.

    The embedded engine answers alike each time, and so is asked once.

    Args:
        mind: Who is asked.
        task: What is asked.
        inputs: The task's inputs, what stays the same between calls first.
        faults: What code finds wrong with an answer.
        again_as: The name under which the faults are shown; the prompt should explain it.
        narrow: Says which inputs the second question has otherwise: only what was at fault.
        sample: As `Mind.do`.
        temperature: As `Mind.do`.

    Raises:
        BudgetError: The run's budget is spent.
        TransientError: The endpoint was unreachable or busy after its retries.
        PermanentError: The endpoint rejects the key, the model's name or the request.
    """
    tried: list[tuple[AnswerT, tuple[str, ...]]] = []
    again: dict[str, Any] = {}
    for _ in range(1 if mind.name == "extractive" else 2):
        try:
            shown = {**inputs, **again}
            answer = await mind.do(task, sample=sample, temperature=temperature, **shown)
        except (AnswerError, RefusedError, KeptError) as error:
            last, wrong = tried[-1] if tried else (None, ())
            return Asked(last, wrong, tuple(tried), error)
        found = faults(answer)
        wrong = tuple(await found if isawaitable(found) else found)
        tried.append((answer, wrong))
        if not wrong:
            break
        again = {**narrow(answer), again_as: list(wrong)}
    last, wrong = tried[-1]
    return Asked(last, wrong, tuple(tried))
