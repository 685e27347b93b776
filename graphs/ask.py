"""The `ask` graph: from a question and a library to an answer made of claims with quotes.

START -> take_question -> rewrite_question -> plan_search -> search_passages -> choose_passages
      -> draw_claims (a branch for each passage) -> hold_claims -> judge_sufficiency
judge_sufficiency -> search_passages again with another query, or on to
compose_answer -> check_answer -> present_answer -> END
With method 'wikichat' there is one hop; beside it rewrite_question -> answer_directly
      -> check_statement (a branch for each statement) -> hold_claims, and compose_answer
      -> refine_answer -> check_answer.
hold_claims goes on only when all branches have come. A fatal failure leads by it to present_answer: a
run always shows what it has.
"""

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from graphs.policies import RETRY, add_first_step, unless_stopped
from nodes.ask.answer_directly import answer_directly
from nodes.ask.check_answer import check_answer
from nodes.ask.check_statement import check_statement
from nodes.ask.choose_passages import choose_passages
from nodes.ask.compose_answer import compose_answer
from nodes.ask.draw_claims import draw_claims
from nodes.ask.hold_claims import complete, hold_claims
from nodes.ask.judge_sufficiency import judge_sufficiency
from nodes.ask.plan_search import plan_search
from nodes.ask.present_answer import present_answer
from nodes.ask.refine_answer import refine_answer
from nodes.ask.rewrite_question import rewrite_question
from nodes.ask.search_passages import search_passages, sought
from nodes.ask.take_question import take_question
from nodes.guard import stopping, timed
from state.asking import AskOutput, AskState
from state.request import AskInput
from state.run import halt
from tools.context import RunContext, context_of


def is_wikichat(runtime: Runtime[RunContext]) -> bool:
    """Whether the run asks for the baseline."""
    return context_of(runtime).method == "wikichat"


def begin(state: AskState) -> str:
    """Go on, unless the input cannot be used."""
    return "present_answer" if state.get("stop") else "rewrite_question"


def paths(state: AskState, runtime: Runtime[RunContext]) -> list[str]:
    """Search; beside it, for the baseline, let the mind answer by itself."""
    if halt(state.get("failures", [])):
        return ["hold_claims"]
    return ["plan_search", "answer_directly"] if is_wikichat(runtime) else ["plan_search"]


def read(state: AskState) -> list[Send] | str:
    """Read each passage that was chosen."""
    chosen = state["hops"][-1].chosen if state.get("hops") else ()
    if halt(state.get("failures", [])) or not chosen:
        return "hold_claims"
    base: dict[str, object] = {key: state[key] for key in ("run", "request", "standalone", "hop")}
    base["aspects"] = sought(state["aspects"], state["hops"], state["query"])
    return [
        Send("draw_claims", {**base, "passage": key, "place": place, "of": len(chosen)})
        for place, key in enumerate(chosen)
    ]


def verify(state: AskState) -> list[Send] | str:
    """Check each statement of the mind's own answer."""
    statements = state.get("statements", [])
    if halt(state.get("failures", [])) or not statements:
        return "hold_claims"
    base = {key: state[key] for key in ("run", "request", "wanted")}
    return [
        Send("check_statement", {**base, "statement": item, "place": place})
        for place, item in enumerate(statements)
    ]


def suffice(state: AskState, runtime: Runtime[RunContext]) -> str:
    """Judge what there is, while there may be another hop; wait while a branch is still under way."""
    if halt(state.get("failures", [])):
        return "present_answer"
    if not complete(state, direct=is_wikichat(runtime)):
        return END
    last = is_wikichat(runtime) or state["hop"] >= context_of(runtime).max_hops
    return "compose_answer" if last else "judge_sufficiency"


def hop_or_compose(state: AskState) -> str:
    """Search again where a new query was made."""
    if halt(state.get("failures", [])):
        return "hold_claims"
    return "search_passages" if state["hop"] > len(state["hops"]) else "compose_answer"


def refine(state: AskState, runtime: Runtime[RunContext]) -> str:
    """Refine the baseline's draft; check any."""
    if halt(state.get("failures", [])):
        return "present_answer"
    return "refine_answer" if is_wikichat(runtime) else "check_answer"


builder = StateGraph(
    AskState, context_schema=RunContext, input_schema=AskInput, output_schema=AskOutput
)
add_first_step(builder, take_question)
for step in (
    rewrite_question, plan_search, search_passages, choose_passages, draw_claims,
    judge_sufficiency, compose_answer, check_answer, answer_directly, check_statement, refine_answer,
):  # fmt: skip
    builder.add_node(step.__name__, timed(stopping(step)), retry_policy=RETRY)
builder.add_node("hold_claims", hold_claims)
builder.add_node("present_answer", present_answer)

builder.add_edge(START, "take_question")
builder.add_conditional_edges("take_question", begin, ["rewrite_question", "present_answer"])
builder.add_conditional_edges(
    "rewrite_question", paths, ["plan_search", "answer_directly", "hold_claims"]
)
builder.add_conditional_edges(
    "plan_search",
    unless_stopped("search_passages", "hold_claims"),
    ["search_passages", "hold_claims"],
)
builder.add_conditional_edges(
    "search_passages",
    unless_stopped("choose_passages", "hold_claims"),
    ["choose_passages", "hold_claims"],
)
builder.add_conditional_edges("choose_passages", read, ["draw_claims", "hold_claims"])
builder.add_conditional_edges("answer_directly", verify, ["check_statement", "hold_claims"])
builder.add_edge("draw_claims", "hold_claims")
builder.add_edge("check_statement", "hold_claims")
builder.add_conditional_edges(
    "hold_claims", suffice, ["judge_sufficiency", "compose_answer", "present_answer", END]
)
builder.add_conditional_edges(
    "judge_sufficiency", hop_or_compose, ["search_passages", "compose_answer", "hold_claims"]
)
builder.add_conditional_edges(
    "compose_answer", refine, ["refine_answer", "check_answer", "present_answer"]
)
builder.add_edge("refine_answer", "check_answer")
builder.add_edge("check_answer", "present_answer")
builder.add_edge("present_answer", END)

graph = builder.compile(name="ask")
