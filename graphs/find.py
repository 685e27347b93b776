"""The `find` graph: from an abstract, idea or question to ranked papers with reasons.

START -> understand -> plan_queries -> search_source (a branch per query and source) -> unite
unite -> screen -> debate_papers (a branch per few papers) -> next_step
next_step -> expand -> unite                       while links may be followed in this hop
          -> reflect -> search_source (next hop)   when something is missing
                     -> check_retractions -> select_papers -> present_papers -> END
A fatal failure at any step leads to check_retractions, so that a run always shows what it has, and
nothing retracted among it.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from graphs.policies import RETRY
from nodes.find.check_retractions import check_retractions
from nodes.find.debate_papers import debate_papers
from nodes.find.expand import expand
from nodes.find.plan_queries import plan_queries
from nodes.find.present_papers import present_papers
from nodes.find.reflect import reflect
from nodes.find.screen import screen
from nodes.find.search_source import search_source
from nodes.find.select_papers import select_papers
from nodes.find.understand import understand
from nodes.find.unite import unite
from nodes.guard import stopping
from state.channels import FindOutput, FindState
from state.request import FindInput
from state.run import halt
from tools.context import RunContext, context_of
from tools.scholar.opening import suits


def understood(state: FindState) -> Literal["plan_queries", "present_papers"]:
    """Go on unless the input cannot be used."""
    return "present_papers" if halt(state["failures"]) else "plan_queries"


def each_query(state: FindState) -> list[Send] | Literal["check_retractions"]:
    """Start a branch for each query of this hop and each source."""
    queries = [query for query in state["queries"] if query.hop == state["hop"]]
    if halt(state["failures"]) or not queries:
        return "check_retractions"
    sources = state["request"].sources
    pairs = [(query, name) for query in queries for name in sources if suits(query, name)]
    # Where the mind made no keywords, the input itself must do for every source.
    pairs = pairs or [(query, name) for query in queries for name in sources]
    shared = {"run": state["run"], "request": state["request"], "of": len(pairs)}
    return [
        Send("search_source", {**shared, "query": query, "source": source})
        for query, source in pairs
    ]


def each_batch(state: FindState, runtime: Runtime[RunContext]) -> list[Send] | str:
    """Start a branch for each few papers that wait for a debate."""
    if halt(state["failures"]):
        return "check_retractions"
    size = max(context_of(runtime).debate_batch, 1)
    batches = [state["batch"][at : at + size] for at in range(0, len(state["batch"]), size)]
    shared = {"run": state["run"], "request": state["request"], "of": len(state["batch"])}
    return [Send("debate_papers", {**shared, "papers": batch}) for batch in batches] or "next_step"


def next_hop(state: FindState) -> list[Send] | Literal["check_retractions"]:
    """Search once more when the last reflection opened another hop."""
    if halt(state["failures"]):
        return "check_retractions"
    advanced = bool(state["sufficiency"]) and state["hop"] > state["sufficiency"][-1].hop
    return each_query(state) if advanced else "check_retractions"


async def next_step(state: FindState) -> dict[str, object]:
    """Wait for all debates of the round; the router behind it decides."""
    return {}


def after_debates(
    state: FindState, runtime: Runtime[RunContext]
) -> Literal["expand", "reflect", "check_retractions"]:
    """Follow links while the depth allows it and there are new papers to follow; then reflect.

    Where no source answered a single search of this hop there is none left to ask.
    """
    answered = any(entry.hop == state["hop"] for entry in state["search_log"])
    if halt(state["failures"]) or not answered:
        return "check_retractions"
    context = context_of(runtime)
    done = set(state["expanded"])
    fresh = any(score >= context.bar and key not in done for key, score in state["scores"].items())
    return "expand" if fresh and state["depth"] < context.max_depth else "reflect"


builder = StateGraph(
    FindState, context_schema=RunContext, input_schema=FindInput, output_schema=FindOutput
)

builder.add_node("understand", understand, retry_policy=RETRY)
builder.add_node("plan_queries", stopping(plan_queries), retry_policy=RETRY)
builder.add_node("search_source", stopping(search_source), retry_policy=RETRY)
builder.add_node("unite", stopping(unite), retry_policy=RETRY)
builder.add_node("screen", stopping(screen), retry_policy=RETRY)
builder.add_node("debate_papers", stopping(debate_papers), retry_policy=RETRY)
builder.add_node("next_step", next_step)
builder.add_node("expand", stopping(expand), retry_policy=RETRY)
builder.add_node("reflect", stopping(reflect), retry_policy=RETRY)
builder.add_node("check_retractions", stopping(check_retractions), retry_policy=RETRY)
builder.add_node("select_papers", select_papers)
builder.add_node("present_papers", present_papers)

builder.add_edge(START, "understand")
builder.add_conditional_edges("understand", understood)
builder.add_conditional_edges("plan_queries", each_query, ["search_source", "check_retractions"])
builder.add_edge("search_source", "unite")
builder.add_edge("unite", "screen")
builder.add_conditional_edges(
    "screen", each_batch, ["debate_papers", "next_step", "check_retractions"]
)
builder.add_edge("debate_papers", "next_step")
builder.add_conditional_edges("next_step", after_debates)
builder.add_edge("expand", "unite")
builder.add_conditional_edges("reflect", next_hop, ["search_source", "check_retractions"])
builder.add_edge("check_retractions", "select_papers")
builder.add_edge("select_papers", "present_papers")
builder.add_edge("present_papers", END)

graph = builder.compile(name="find")
