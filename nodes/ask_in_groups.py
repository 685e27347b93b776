"""Many small texts to a question: as many as fit, and several questions at once."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nodes.ask_checked import ask_checked
from state.run import Failure
from tools.counting import counted
from tools.llm.task import AnswerT, Task
from tools.services import Services

AT_ONCE = 16
"""Questions of a wave; the endpoint's own limit lets fewer through at a time."""
ROOM = 200
"""Tokens kept free beside the texts, and of an answer beside what each text adds."""
TOO_LARGE = "it is too long for the model's window"


async def ask_in_groups(
    services: Services,
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
        sample: As `Mind.do`.

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

    groups, too_large = await asyncio.to_thread(batches, parts, most, spare)
    causes = dict.fromkeys(too_large, TOO_LARGE)

    async def ask(group: list[str]) -> None:
        asked = await ask_checked(services.mind, sized(group), inputs(group), sample=sample)
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


def batches(
    parts: Sequence[Sequence[str]], most: int, spare: Callable[[list[str]], float]
) -> tuple[list[list[str]], list[str]]:
    """Divide the texts of each part into questions, in order; also return those that fit in none.

    Args:
        parts: The texts.
        most: Texts in one question.
        spare: Returns the tokens that the window has left beside these texts (Mind.spare).
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


def failures_of(stage: str, causes: Mapping[str, str], what: str, remedy: str) -> list[Failure]:
    """Return one failure for each cause that texts have no answer, with what it befell, such as '12 paragraphs'."""
    return [
        Failure(stage=stage, subject=counted(count, what), cause=cause, remedy=remedy, lost=True)
        for cause, count in Counter(causes.values()).items()
    ]
