"""The `novelty` graph: from a text to its claims, and the earlier works that are nearest to each.

START -> the search of `find`, which also searches for each claim (cut_claims, after generate_queries) -> choose_nearest
      -> compare_claim (a branch per claim) -> present_papers -> END
A fatal failure before claims can be compared leads to present_papers, so that a run always shows what it has.
"""

from typing import Literal

from langgraph.types import Send

from graphs.find import build_search, search_after
from graphs.policies import add_steps, connect
from nodes.novelty.choose_nearest import choose_nearest
from nodes.novelty.compare_claim import compare_claim
from nodes.novelty.cut_claims import cut_claims
from state.novelty import NoveltyInput, NoveltyOutput, NoveltyState
from state.run import fatal_failure


def send_claims(state: NoveltyState) -> list[Send] | Literal["present_papers"]:
    """Start a branch for each claim that has works near to it."""
    near = state.get("near") or {}
    if fatal_failure(state["failures"]) or not near:
        return "present_papers"
    shared = {"run": state["run"], "request": state["request"], "of": len(near)}
    return [
        Send("compare_claim", {**shared, "claim": one, "works": near[str(one.number)]})
        for one in state["contributions"]
        if str(one.number) in near
    ]


builder = build_search("novelty", NoveltyState, NoveltyInput, NoveltyOutput)
add_steps(builder, cut_claims, choose_nearest, compare_claim)
search_after(builder, "cut_claims")
connect(
    builder,
    ("generate_queries", "cut_claims"),
    ("estimate_completeness", "choose_nearest"),
    ("choose_nearest", send_claims, ["compare_claim", "present_papers"]),
    ("compare_claim", "present_papers"),
)

graph = builder.compile(name="novelty")
