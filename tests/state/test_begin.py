"""state/begin.py: what channels hold when a run begins."""

from collections.abc import Collection
from typing import Annotated, Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.types import Overwrite, Send
from typing_extensions import TypedDict

from state.ask import AskState
from state.begin import KeptFromLastRun, StartsAs, begin_run
from state.channels import FindState, ReviseState, WriteOutput, WriteState, WritingInput
from state.ingest import IngestState
from state.reducers import append_new_ids, keep_last
from state.synthesis import SynthesizeState
from state.verify import VerifyState


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
