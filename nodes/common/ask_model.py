"""Ask the mind: check its answer and ask once more, or put many texts to it in batches."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import isawaitable
from typing import Any, Generic, Protocol

from state.run import Failure
from tools.errors import AnswerError, KeptError, PermanentError, RefusedError, counted
from tools.llm.task import AnswerT, Exchange, Task, TaskModel

AT_ONCE = 16
"""Questions of a wave; the endpoint's own limit lets fewer through at a time."""
ROOM = 200
"""Tokens kept free beside the texts, and of an answer beside what each text adds."""
TOO_LARGE = "too long for the model's window"


class HasMind(Protocol):
    """What can ask: a node's services, or whoever works on a library outside of a run."""

    @property
    def mind(self) -> TaskModel:
        """Who is asked."""
        ...


async def ask_in_batches(
    services: HasMind,
    task: Task[AnswerT],
    parts: Sequence[Sequence[str]],
    most: int,
    inputs: Callable[[list[str]], Mapping[str, Any]],
    take: Callable[[list[str], AnswerT], Awaitable[None]],
    *,
    sample: int = 0,
) -> dict[str, str]:
    """Ask about texts, those of one part in as few questions as may be; return who has no answer.

    Args:
        services: Whose mind is asked.
        task: What is asked; its limit of output is for `most` texts.
        parts: Names of texts; those of two parts are not in one question.
        most: Texts in one question, at most.
        inputs: Returns the task's inputs for some texts.
        take: Is given each answer as it comes, with the texts that it is about.
        sample: As `TaskModel.do`.

    Returns:
        Why there is no answer, by text.

    Raises:
        BudgetError: The run's budget is spent; what was answered has been taken.
        TransientError: The endpoint does not answer. An error is raised when its wave is done.
    """

    def sized(group: list[str]) -> Task[AnswerT]:
        """The task with the part of its limit that so many texts need."""
        limit = ROOM + (task.max_output_tokens - ROOM) * len(group) // most
        return replace(task, max_output_tokens=limit)

    def spare(group: list[str]) -> float:
        return services.mind.spare(sized(group), **inputs(group))

    groups, too_large = await asyncio.to_thread(split_to_window, parts, most, spare)
    causes = dict.fromkeys(too_large, TOO_LARGE)

    async def ask(group: list[str]) -> None:
        asked = await ask_with_check(services.mind, sized(group), inputs(group), sample=sample)
        if asked.answer is None:
            causes.update(dict.fromkeys(group, str(asked.error)))
        else:
            await take(group, asked.answer)

    for start in range(0, len(groups), AT_ONCE):
        wave = map(ask, groups[start : start + AT_ONCE])
        for result in await asyncio.gather(*wave, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result
    return causes


def split_to_window(
    parts: Sequence[Sequence[str]], most: int, spare: Callable[[list[str]], float]
) -> tuple[list[list[str]], list[str]]:
    """Divide the texts of each part into questions, in order; also return those that fit in none.

    Args:
        parts: The texts.
        most: Texts in one question.
        spare: Returns the tokens that the window has left beside these texts (TaskModel.spare).
    """
    found: list[list[str]] = []
    too_large: list[str] = []
    for part in parts:
        groups: list[list[str]] = []
        for item in part:
            if groups and len(groups[-1]) < most and spare([*groups[-1], item]) >= ROOM:
                groups[-1].append(item)
            elif spare([item]) >= 0:
                groups.append([item])
            else:
                too_large.append(item)
        found += groups
    return found, too_large


def failures_by_cause(
    stage: str, causes: Mapping[str, str], what: str, remedy: str
) -> list[Failure]:
    """Return one failure for each cause that texts have no answer, with what it befell, such as '12 paragraphs'."""
    return [
        Failure(stage=stage, subject=counted(count, what), cause=cause, remedy=remedy, lost=True)
        for cause, count in Counter(causes.values()).items()
    ]


AnswerCheck = Callable[[AnswerT], Sequence[str] | Awaitable[Sequence[str]]]
"""Says what is wrong with an answer, a line for each fault; nothing where it may stand."""


@dataclass(frozen=True)
class CheckedAnswer(Generic[AnswerT]):
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


async def ask_with_check(
    mind: TaskModel,
    task: Task[AnswerT],
    inputs: Mapping[str, object],
    faults: AnswerCheck[AnswerT] = _no_faults,
    *,
    again_as: str = "faults",
    narrow: Callable[[AnswerT], Mapping[str, object]] = _all_again,
    after: Exchange | None = None,
    sample: int = 0,
    temperature: float = 0.0,
) -> CheckedAnswer[AnswerT]:
    """Ask; where the answer has faults ask once more, the faults shown under `again_as` behind that answer.

    A mind that answers alike each time is asked once.

    Args:
        mind: Who is asked.
        task: What is asked.
        inputs: The task's inputs, what stays the same between calls first.
        faults: What code finds wrong with an answer.
        again_as: The name under which the faults are shown; the prompt should explain it.
        narrow: Says which inputs the second question has otherwise: only what was at fault.
        after: As `TaskModel.do`.
        sample: As `TaskModel.do`.
        temperature: As `TaskModel.do`.

    Raises:
        BudgetError: The run's budget is spent.
        TransientError: The endpoint was unreachable or busy after its retries.
        PermanentError: The endpoint rejects the key, the model's name or the request.
    """
    tried: list[tuple[AnswerT, tuple[str, ...]]] = []
    shown: dict[str, Any] = dict(inputs)
    before = after
    for _ in range(2 if mind.varies else 1):
        try:
            answer = await mind.do(
                task, after=before, sample=sample, temperature=temperature, **shown
            )
        except (AnswerError, RefusedError, KeptError) as error:
            last, wrong = tried[-1] if tried else (None, ())
            return CheckedAnswer(last, wrong, tuple(tried), error)
        found = faults(answer)
        wrong = tuple(await found if isawaitable(found) else found)
        tried.append((answer, wrong))
        if not wrong:
            break
        again: dict[str, Any] = {again_as: list(wrong)}
        before, narrowed = Exchange(task, shown, answer, after), narrow(answer)
        if narrowed or mind.spare(task, after=before, **again) < 0:
            before, again = after, {**inputs, **narrowed, **again}
        shown = again
    last, wrong = tried[-1]
    return CheckedAnswer(last, wrong, tuple(tried))
