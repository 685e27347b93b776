"""How the channels of a graph begin, and how what parallel branches write to one becomes one value.

A run on a thread that has had another finds nothing of it. Each reducer is associative and idempotent and keeps the
order of first appearance, so a branch that is replayed after a crash changes nothing.
"""

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from langgraph.types import Overwrite
from pydantic import TypeAdapter

from state.run import Failure
from state.search import Hit, RankedOrder, SearchLogEntry, SearchQuery, SearchRound
from state.value import FrozenModel
from state.writing import Draft, Rejection

T = TypeVar("T")
ValueT = TypeVar("ValueT", bound=FrozenModel)
Join = Callable[[list[ValueT], list[ValueT]], list[ValueT]]


def append_new_by(kind: type[ValueT], key: Callable[[ValueT], Hashable]) -> Join[ValueT]:
    """Return a reducer that appends the values whose key is new."""

    def append(left: list[ValueT], right: list[ValueT]) -> list[ValueT]:
        first: dict[Hashable, ValueT] = {}
        for item in _values(kind, left, right):
            first.setdefault(key(item), item)
        return list(first.values())

    return append


def replace_by(
    kind: type[ValueT], key: Callable[[ValueT], Any], *, in_order: bool = False
) -> Join[ValueT]:
    """Return a reducer that keeps one value a key, a later one in place of an earlier one.

    They stand where their key came first, or `in_order` of the keys.
    """

    def replace(left: list[ValueT], right: list[ValueT]) -> list[ValueT]:
        values = {key(item): item for item in _values(kind, left, right)}
        return [values[name] for name in (sorted(values) if in_order else values)]

    return replace


def _values(kind: type[ValueT], left: list[ValueT], right: list[ValueT]) -> list[ValueT]:
    # A server that reads the state of a running subgraph with its parent's list of types gets those
    # it does not know as plain dicts.
    return [kind.model_validate(item) for item in (*left, *right)]


def append_new_ids(left: list[str], right: list[str]) -> list[str]:
    """Append the ids that `left` lacks."""
    return list(dict.fromkeys([*left, *right]))


@dataclass(frozen=True)
class Latest:
    """A reducer that keeps the last value, as one type."""

    read: Callable[[Any], Any]
    __name__ = "latest"

    def __call__(self, left: Any, right: Any) -> Any:
        """Return what was written last."""
        return self.read(right)


@cache  # LangGraph wants one and the same reducer wherever the schemas of a graph have one channel
def keep_last(kind: Any) -> Latest:
    """Return a reducer that keeps the last value, as this type: a person's edit comes as JSON."""
    return Latest(TypeAdapter(kind).validate_python)


add_queries = append_new_by(SearchQuery, lambda query: query.text.casefold())
add_hits = append_new_by(Hit, attrgetter("paper", "via", "by", "source"))
add_log = append_new_by(SearchLogEntry, attrgetter("source", "query", "hop"))
add_failures = append_new_by(Failure, lambda failure: failure)
add_drafts = append_new_by(Draft, attrgetter("id"))
add_rejections = append_new_by(Rejection, lambda item: item)
add_rounds = replace_by(SearchRound, attrgetter("hop", "depth"))
add_listings = replace_by(RankedOrder, attrgetter("hop", "depth"))


def merge_scores(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    """Take `right`'s score where both have one: a later debate replaces an earlier one."""
    return {**left, **right}


def overwriting(value: T) -> T:
    """Return a write that replaces a channel's value instead of being merged into it.

    A thread may be used for another run: what the first one left must not be added to.
    """
    return cast(T, Overwrite(value))


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
