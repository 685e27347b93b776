"""Ids put together for requests that hold so many of them and no more."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def in_batches(
    items: Iterable[T], weight: Callable[[T], int], *, most: int, room: int
) -> list[list[T]]:
    """Return items in order, in batches of at most `most` whose weights sum up to at most `room`.

    An item that is heavier than that is alone.
    """
    batches: list[list[T]] = []
    used = 0
    for item in items:
        used += weight(item)
        if not batches or len(batches[-1]) == most or used > room:
            batches.append([])
            used = weight(item)
        batches[-1].append(item)
    return batches
