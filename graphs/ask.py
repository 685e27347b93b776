"""The `ask` graph: from a question and a library to an answer made of claims with quotes.

START -> take_question -> review_cost (where a person may be asked) -> rewrite_question -> plan_search
      -> search_passages -> extract_claims
extract_claims -> search_passages again with another query, or on to
compose_answer -> check_answer -> present_answer -> END
By the method 'kar': plan_search -> search_passages -> answer_in_one_call -> check_answer, one question, or two where a
model named the keywords of the passages.
A fatal failure leads to present_answer: a run always shows what it has.
"""

from graphs.policies import add_cost_review, connect, new_graph, or_end
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
from tools.run_settings import read_route_options


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


builder = new_graph(
    "ask",
    AskState,
    AskInput,
    AskOutput,
    take_question,
    rewrite_question,
    plan_search,
    search_passages,
    extract_claims,
    compose_answer,
    answer_in_one_call,
    check_answer,
    last=present_answer,
    timed=True,
)
add_cost_review(
    builder,
    "ask",
    lambda state: {"messages": state["history"]},
    between=("take_question", "rewrite_question"),
    end="present_answer",
)
connect(
    builder,
    or_end("rewrite_question", "plan_search", "present_answer"),
    or_end("plan_search", "search_passages", "present_answer"),
    (
        "search_passages",
        after_retrieval,
        ["extract_claims", "answer_in_one_call", "present_answer"],
    ),
    ("extract_claims", after_claims, ["search_passages", "compose_answer", "present_answer"]),
    or_end("compose_answer", "check_answer", "present_answer"),
    or_end("answer_in_one_call", "check_answer", "present_answer"),
    ("check_answer", "present_answer"),
)

graph = builder.compile(name="ask")
