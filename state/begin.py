"""How the channels of a graph begin: a run on a thread that has had another finds nothing of it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from langgraph.types import Overwrite

from state.reducers import Latest

StateT = TypeVar("StateT")


@dataclass(frozen=True)
class StartsAs:
    """A note on a channel that does not begin empty; it stands before the reducer, which LangGraph takes last."""

    make: Callable[[], object]


@dataclass(frozen=True)
class KeptFromLastRun:
    """A note on a channel that a run takes over from the one before it on the same thread."""


def begin_run(channels: type[StateT], *, taken: Collection[str] = (), **values: object) -> StateT:
    """Return a first node's update: every channel as it begins, then `values`.

    A channel begins as `StartsAs` says, else as its type's empty value: no items, no text, 0, None, or a value
    object of defaults alone.

    Args:
        channels: The type of the state.
        taken: Channels that hold what this run was given; what `values` has for them is merged as usual.
        values: What channels begin with instead.

    Raises:
        TypeError: A channel's type has no empty value, and no note says how it begins.
    """
    update: dict[str, object] = {}
    for name, hint in get_type_hints(channels, include_extras=True).items():
        notes: tuple[Any, ...] = hint.__metadata__ if get_origin(hint) is Annotated else ()
        merged = name in taken or any(isinstance(note, KeptFromLastRun) for note in notes)
        if name in values:
            value = values[name]
        elif merged:
            continue
        else:
            value = _beginning(hint, notes)
        adds = bool(notes) and callable(notes[-1]) and not isinstance(notes[-1], Latest)
        update[name] = Overwrite(value) if adds and not merged else value
    return cast(StateT, update)


def _beginning(hint: Any, notes: Collection[object]) -> object:
    for note in notes:
        if isinstance(note, StartsAs):
            return note.make()
    bare = get_args(hint)[0] if notes else hint
    if get_origin(bare) in {Union, UnionType} and NoneType in get_args(bare):
        return None
    return (get_origin(bare) or bare)()
