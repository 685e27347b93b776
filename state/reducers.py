"""How parallel branches' writes become one value.

Each reducer is associative and idempotent and keeps the order of first appearance, so a branch
that is replayed after a crash changes nothing.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar, cast

from langgraph.types import Overwrite

from state.base import Value
from state.finding import Listing, Round
from state.query import Hit, SearchLogEntry, SearchQuery
from state.run import Failure
from state.writing import Draft, Rejection, Sentence

T = TypeVar("T")
ValueT = TypeVar("ValueT", bound=Value)


def _union(items: Iterable[T], key: Callable[[T], Hashable]) -> list[T]:
    first: dict[Hashable, T] = {}
    for item in items:
        first.setdefault(key(item), item)
    return list(first.values())


def _values(kind: type[ValueT], *lists: Sequence[ValueT]) -> list[ValueT]:
    """Join lists of one kind of value.

    A server that reads the state of a running subgraph with its parent's list of types gets those
    it does not know as plain dicts.
    """
    return [kind.model_validate(item) for items in lists for item in items]


def add_by_key(
    kind: type[ValueT], left: list[ValueT], right: list[ValueT], key: Callable[[ValueT], str]
) -> list[ValueT]:
    """Keep one value for each key, a later one in place of an earlier one, in the order of keys."""
    values = {key(item): item for item in _values(kind, left, right)}
    return [values[name] for name in sorted(values)]


def add_queries(left: list[SearchQuery], right: list[SearchQuery]) -> list[SearchQuery]:
    """Append the queries whose words `left` lacks; case does not matter."""
    return _union(_values(SearchQuery, left, right), lambda query: query.text.casefold())


def add_hits(left: list[Hit], right: list[Hit]) -> list[Hit]:
    """Append the hits that `left` lacks; one way of reaching a paper counts once."""
    hits = _values(Hit, left, right)
    return _union(hits, lambda hit: (hit.paper, hit.via, hit.by, hit.source))


def add_log(left: list[SearchLogEntry], right: list[SearchLogEntry]) -> list[SearchLogEntry]:
    """Append the calls that `left` lacks."""
    entries = _values(SearchLogEntry, left, right)
    return _union(entries, lambda entry: (entry.source, entry.query, entry.hop))


def add_rounds(left: list[Round], right: list[Round]) -> list[Round]:
    """Append the rounds that `left` lacks; a round that is told again replaces what it was."""
    rounds = {(entry.hop, entry.depth): entry for entry in _values(Round, left, right)}
    return list(rounds.values())


def add_listings(left: list[Listing], right: list[Listing]) -> list[Listing]:
    """Append the listings that `left` lacks, one for each hop and level."""
    listings = {(entry.hop, entry.depth): entry for entry in _values(Listing, left, right)}
    return list(listings.values())


def add_failures(left: list[Failure], right: list[Failure]) -> list[Failure]:
    """Append the failures that `left` lacks."""
    return _union(_values(Failure, left, right), lambda failure: failure)


def add_ids(left: list[str], right: list[str]) -> list[str]:
    """Append the ids that `left` lacks."""
    return _union([*left, *right], lambda item: item)


def add_drafts(left: list[Draft], right: list[Draft]) -> list[Draft]:
    """Append the drafts that `left` lacks, by id."""
    return _union(_values(Draft, left, right), lambda draft: draft.id)


def add_parts(left: list[Draft], right: list[Draft]) -> list[Draft]:
    """Keep one draft for each part of the section; a later one replaces it."""
    parts = {draft.part: draft for draft in _values(Draft, left, right)}
    return [parts[number] for number in sorted(parts)]


def add_openings(left: list[Sentence], right: list[Sentence]) -> list[Sentence]:
    """Keep one sentence for each line; a later one replaces it."""
    lines = {sentence.line: sentence for sentence in _values(Sentence, left, right)}
    return list(lines.values())


def add_rejections(left: list[Rejection], right: list[Rejection]) -> list[Rejection]:
    """Append the rejections that `left` lacks."""
    return _union(_values(Rejection, left, right), lambda item: item)


def merge_scores(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    """Take `right`'s score where both have one: a later debate replaces an earlier one."""
    return {**left, **right}


def replaced(value: T) -> T:
    """Return a write that replaces a channel's value instead of being merged into it.

    A thread may be used for another run: what the first one left must not be added to.
    """
    return cast(T, Overwrite(value))
