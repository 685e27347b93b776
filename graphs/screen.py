"""The `screen` graph: from a protocol and papers to decisions by criteria, each with words of its paper.

START -> take_screening -> screen_by_criteria (a branch per question to the model) -> present_screening -> END
A fatal failure leads to present_screening; without a model the branches decide nothing: a person decides.
"""

from typing import Literal

from langgraph.types import Send

from graphs.policies import connect, new_graph
from nodes.screen.present_screening import present_screening
from nodes.screen.screen_by_criteria import AT_ONCE, screen_by_criteria
from nodes.screen.take_screening import take_screening
from state.channels import ScreenOutput, ScreenState
from state.inputs import ScreenInput
from state.run import fatal_failure


def send_papers(state: ScreenState) -> list[Send] | Literal["present_screening"]:
    """Start a branch for each question: a few papers, or one full text; a second time where that was asked for."""
    if fatal_failure(state["failures"]):
        return "present_screening"
    size = AT_ONCE if state["stage_now"] == "title_abstract" else 1
    keys = state["selected"]
    groups = [keys[at : at + size] for at in range(0, len(keys), size)]
    variants = (0, 1) if state["doubled"] else (0,)
    shared = {
        **{name: state[name] for name in ("run", "request", "protocol", "stage_now")},
        "of": len(groups) * len(variants),
    }
    return [
        Send("screen_by_criteria", {**shared, "papers_to_read": group, "variant": variant})
        for group in groups
        for variant in variants
    ]


builder = new_graph(
    "screen",
    ScreenState,
    ScreenInput,
    ScreenOutput,
    take_screening,
    screen_by_criteria,
    last=present_screening,
)
connect(
    builder,
    ("take_screening", send_papers, ["screen_by_criteria", "present_screening"]),
    ("screen_by_criteria", "present_screening"),
)

graph = builder.compile(name="screen")
