"""The `ask` graph: from a question and a library to an answer made of claims with quotes.

START -> take_question -> review_cost (where a person may be asked) -> rewrite_question -> plan_search
      -> search_passages -> extract_claims
extract_claims -> search_passages again with another query, or on to
compose_answer -> check_answer -> present_answer -> END
By the method 'kar': plan_search -> search_passages -> answer_in_one_call -> check_answer, one question, or two where a
model named the keywords of the passages.
A fatal failure leads to present_answer: a run always shows what it has.
"""

from langgraph.graph import END, START

from graphs.calling import Graph
from graphs.policies import add_cost_review, add_first_step, add_steps, or_end
from nodes.ask.answer_in_one_call import answer_in_one_call
from nodes.ask.check_answer import check_answer
from nodes.ask.compose_answer import compose_answer
from nodes.ask.extract_claims import extract_claims
from nodes.ask.plan_search import plan_search
from nodes.ask.present_answer import present_answer
from nodes.ask.rewrite_question import rewrite_question
from nodes.ask.search_passages import search_passages
from nodes.ask.take_question import take_question
from state.ask import AskOutput, AskState
from state.inputs import AskInput
from state.run import fatal_failure
from tools.run_settings import read_route_options, settings_class_of


def after_retrieval(state: AskState) -> str:
    """Draw claims from the passages, or answer from all at once."""
    if fatal_failure(state.get("failures", [])):
        return "present_answer"
    return "answer_in_one_call" if read_route_options(state).method == "kar" else "extract_claims"


def after_claims(state: AskState) -> str:
    """Search again where a new query was made."""
    if fatal_failure(state.get("failures", [])):
        return "present_answer"
    return "search_passages" if state["hop"] > len(state["hops"]) else "compose_answer"


builder = Graph(
    AskState,
    context_schema=settings_class_of("ask"),
    input_schema=AskInput,
    output_schema=AskOutput,
)
add_first_step(builder, take_question)
add_steps(
    builder,
    rewrite_question,
    plan_search,
    search_passages,
    extract_claims,
    compose_answer,
    answer_in_one_call,
    check_answer,
    timed=True,
)
add_cost_review(
    builder,
    "ask",
    lambda state: {"messages": state["history"]},
    between=("take_question", "rewrite_question"),
    end="present_answer",
)
builder.add_node("present_answer", present_answer)

builder.add_edge(START, "take_question")
for before, after in (
    ("rewrite_question", "plan_search"),
    ("plan_search", "search_passages"),
    ("compose_answer", "check_answer"),
    ("answer_in_one_call", "check_answer"),
):
    builder.add_conditional_edges(
        before, or_end(after, "present_answer"), [after, "present_answer"]
    )
builder.add_conditional_edges(
    "search_passages", after_retrieval, ["extract_claims", "answer_in_one_call", "present_answer"]
)
builder.add_conditional_edges(
    "extract_claims", after_claims, ["search_passages", "compose_answer", "present_answer"]
)
builder.add_edge("check_answer", "present_answer")
builder.add_edge("present_answer", END)

graph = builder.compile(name="ask")
