"""Many small texts to a question: as many as fit, and several questions at once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE = 16
"""Questions of a wave; the endpoint's own limit lets fewer through at a time."""
ROOM = 200
"""Tokens kept free beside the texts."""


def batches(
    items: Sequence[T], most: int, spare: Callable[[list[T]], float]
) -> tuple[list[list[T]], list[T]]:
    """Divide texts into questions, in order; also return those that fit in none even alone.

    Args:
        items: The texts, as they are shown.
        most: Texts in one question.
        spare: Returns the tokens that the window has left beside these texts (Mind.spare).
    """
    found: list[list[T]] = []
    too_large: list[T] = []
    for item in items:
        if found and len(found[-1]) < most and spare([*found[-1], item]) >= ROOM:
            found[-1].append(item)
        elif spare([item]) >= 0:
            found.append([item])
        else:
            too_large.append(item)
    return found, too_large


async def in_waves(
    groups: Sequence[list[T]], ask: Callable[[list[T]], Awaitable[R]]
) -> list[tuple[list[T], R]]:
    """Ask about each group, and return it with its answer, in order.

    The first error of a wave is raised when the wave is done, so that nothing is under way then.
    """
    answered: list[tuple[list[T], R]] = []
    for start in range(0, len(groups), AT_ONCE):
        wave = groups[start : start + AT_ONCE]
        results = await asyncio.gather(*(ask(group) for group in wave), return_exceptions=True)
        for group, result in zip(wave, results, strict=True):
            if isinstance(result, BaseException):
                raise result
            answered.append((group, result))
    return answered
