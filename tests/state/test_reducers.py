"""Channels: what they begin with and how they unite; and quotes in them."""

from collections.abc import Callable, Collection
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.runnables import RunnableConfig
from langgraph.channels.binop import BinaryOperatorAggregate
from langgraph.graph import END, START, StateGraph
from langgraph.types import Overwrite, Send
from pydantic import ValidationError
from typing_extensions import TypedDict

from state.ask import AskState
from state.channels import FindState, ReviseState, WriteOutput, WriteState, WritingInput
from state.ingest import IngestState
from state.quote import Argument, Quote
from state.reducers import (
    KeptFromLastRun,
    StartsAs,
    add_drafts,
    add_failures,
    add_hits,
    add_log,
    add_queries,
    append_new_ids,
    begin_run,
    keep_last,
    merge_scores,
    overwriting,
)
from state.run import Failure
from state.search import Hit, SearchLogEntry, SearchQuery
from state.synthesis import SynthesizeState
from state.verify import VerifyState
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


class Counted(TypedDict, total=False):
    names: Annotated[list[str], append_new_ids]
    hop: Annotated[int, StartsAs(lambda: 1)]
    spoken: Annotated[list[str], KeptFromLastRun(), append_new_ids]
    words: Annotated[list[str], keep_last(list[str])]
    text: str
    why: str | None


def test_channels_begin_empty_or_as_they_say() -> None:
    begun = begin_run(Counted, text="owls")
    assert begun == {
        "names": Overwrite([]),
        "hop": 1,
        "words": [],
        "text": "owls",
        "why": None,
    }


def test_what_was_given_is_merged_and_not_replaced() -> None:
    begun = begin_run(Counted, taken=["names", "text"], names=["moss"])
    assert begun["names"] == ["moss"]
    assert "text" not in begun


def test_a_type_without_an_empty_value_needs_a_note() -> None:
    class Odd(TypedDict):
        of: Send

    with pytest.raises(TypeError):
        begin_run(Odd)


def test_second_run_on_a_thread_finds_nothing_of_the_first() -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    graph = StateGraph(Counted)
    graph.add_node("begin", lambda state: begin_run(Counted, text=state["text"], spoken=["hello"]))
    graph.add_node("branch", lambda state: {"names": [state["text"]], "hop": 2, "spoken": ["bye"]})
    graph.add_edge(START, "begin")
    graph.add_conditional_edges(
        "begin", lambda state: [Send("branch", {"text": f"{state['text']}{n}"}) for n in (1, 2)][:1]
    )
    graph.add_edge("branch", END)
    runnable = graph.compile(checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "one"}}
    assert runnable.invoke({"text": "owl"}, config)["names"] == ["owl1"]
    second = runnable.invoke({"text": "mole"}, config)
    assert (second["names"], second["hop"], second["spoken"]) == (["mole1"], 2, ["hello", "bye"])


@pytest.mark.parametrize(
    ("channels", "taken"),
    [
        (FindState, ()),
        (WriteState, WritingInput.__annotations__),
        (ReviseState, ()),
        (AskState, ()),
        (SynthesizeState, ()),
        (VerifyState, ()),
        (IngestState, ()),
        (WriteOutput, ()),
    ],
)
def test_every_channel_of_every_graph_can_begin(
    channels: type[Any], taken: Collection[str]
) -> None:
    begun: dict[str, Any] = begin_run(channels, taken=taken)
    assert begun["failures" if not taken else "keys"] in (Overwrite([]), {})


@pytest.mark.parametrize(
    ("start", "end", "why"),
    [
        (None, None, "no offsets"),
        (0, None, "no end"),
        (None, 5, "no start"),
        (5, 0, "the end before the start"),
        (0, 4, "too short for its text"),
        (0, 6, "too long for its text"),
    ],
)
def test_verified_quote_needs_the_offsets_of_its_words(
    start: int | None, end: int | None, why: str
) -> None:
    with pytest.raises(ValidationError, match="verified quote"):
        Quote(text="words", paper="local:x", start=start, end=end, verified=True)
    assert not Quote(text="words", paper="local:x", start=start, end=end).verified, why


def test_offsets_are_never_negative() -> None:
    with pytest.raises(ValidationError):
        Quote(text="words", paper="local:x", start=-5, end=0)


def test_only_a_verified_quote_supports_an_argument() -> None:
    checked = Quote(text="words", paper="local:x", start=3, end=8, verified=True)
    unchecked = Quote(text="words", paper="local:x")
    assert Argument(claim="c", quote=checked).supported
    assert not Argument(claim="c", quote=unchecked).supported
    assert not Argument(claim="c").supported
