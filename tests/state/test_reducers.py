"""state/reducers.py: parallel branches may come in any grouping, and twice."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.channels.binop import BinaryOperatorAggregate

from state.reducers import (
    add_drafts,
    add_failures,
    add_hits,
    add_log,
    add_queries,
    append_new_ids,
    merge_scores,
    overwriting,
)
from state.run import Failure
from state.search import Hit, SearchLogEntry, SearchQuery
from state.writing import Draft

Reducer = Callable[[Any, Any], Any]

WORDS = st.sampled_from(["citation", "Citation", "ranking", "review"])
FAILURES = st.builds(Failure, stage=WORDS, subject=WORDS, cause=st.just("it broke"))
# What names each list's items: two with one name are one item.
LISTS: dict[str, tuple[Reducer, st.SearchStrategy[Any], Callable[[Any], object]]] = {
    "queries": (
        add_queries,
        st.builds(SearchQuery, text=WORDS, facet=st.just("method"), reason=WORDS),
        lambda query: query.text.casefold(),
    ),
    "hits": (
        add_hits,
        st.builds(
            Hit,
            paper=WORDS,
            via=st.sampled_from(["query", "reference"]),
            by=WORDS,
            source=st.just("library"),
            rank=st.integers(0, 3),
        ),
        lambda hit: (hit.paper, hit.via, hit.by, hit.source),
    ),
    "log": (
        add_log,
        st.builds(
            SearchLogEntry,
            source=WORDS,
            query=WORDS,
            hop=st.integers(1, 2),
            returned=st.integers(0, 3),
        ),
        lambda entry: (entry.source, entry.query, entry.hop),
    ),
    "failures": (add_failures, FAILURES, lambda failure: failure),
    "ids": (append_new_ids, WORDS, lambda item: item),
    "drafts": (
        add_drafts,
        st.builds(Draft, id=WORDS, votes=st.integers(0, 3)),
        lambda draft: draft.id,
    ),
}


@pytest.mark.parametrize("name", LISTS)
@given(data=st.data())
def test_list_reducer_unites_in_order_whatever_the_grouping(name: str, data: st.DataObject) -> None:
    reduce, items, named = LISTS[name]
    a, b, c = (data.draw(st.lists(items, max_size=4)) for _ in range(3))
    united = reduce(reduce(a, b), c)
    assert united == reduce(a, reduce(b, c)), "associative"
    assert reduce(united, united) == united, "idempotent"
    assert reduce(united, b) == united, "a branch that is replayed changes nothing"
    names = [named(item) for item in united]
    assert names == list(dict.fromkeys(named(item) for item in [*a, *b, *c])), "first come order"


SCORES = st.dictionaries(WORDS, st.floats(0, 100), max_size=4)


@given(SCORES, SCORES, SCORES)
def test_later_score_replaces_an_earlier_one(
    a: dict[str, float], b: dict[str, float], c: dict[str, float]
) -> None:
    merged = merge_scores(merge_scores(a, b), c)
    assert merged == merge_scores(a, merge_scores(b, c))
    assert list(merged) == list(dict.fromkeys([*a, *b, *c]))
    assert merge_scores(merged, c) == merged
    assert all(merged[key] == value for key, value in c.items())


def test_replacing_write_empties_what_an_earlier_run_left() -> None:
    channel = BinaryOperatorAggregate(list[str], append_new_ids)
    channel.update([["old"], ["older"]])
    channel.update([overwriting(["new"])])
    assert channel.get() == ["new"]


def test_values_read_back_as_plain_dicts_become_values_again() -> None:
    hit = Hit(paper="doi:10.1/x", via="query", by="bees", source="library:bees", rank=1)
    assert add_hits([hit.model_dump()], [hit]) == [hit]  # type: ignore[list-item]
