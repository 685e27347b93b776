"""How every graph adds its steps: what the first one reads, and what becomes of one that fails."""

from collections.abc import Callable
from typing import Any, get_type_hints

from langgraph.errors import NodeTimeoutError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import RetryPolicy
from typing_extensions import TypedDict

from graphs.calling import Graph
from nodes.common.node_errors import after_preload, end_run_on_error, with_seconds
from nodes.cost.review_cost import Asked, review_cost
from state.channels import Routed, Shared
from state.questions import QuestionKind
from state.run import fatal_failure
from tools.errors import TransientError
from tools.run_settings import RunSettings, read_route_options, settings_class_of
from tools.telemetry.run_watcher import install_run_watcher

# LangGraph's default would retry a 404 and not a 429; and the minds and sources have retried each
# call already, so this is for the moment in which a whole endpoint restarts.
RETRY = RetryPolicy(
    max_attempts=2, initial_interval=1.0, retry_on=(TransientError, NodeTimeoutError)
)

install_run_watcher()


def unchecked_input_type(graph: StateGraph[Any, RunSettings, Any, Any]) -> Any:
    """Return the type of a graph's state together with all that its caller sent, not yet checked.

    A node that named the pydantic model of the input would be given it checked by LangGraph, and a
    caller of the server would see its error as "internal error".
    """
    hints = {
        **get_type_hints(graph.input_schema, include_extras=True),
        **get_type_hints(graph.state_schema, include_extras=True),
    }
    return TypedDict(f"{graph.state_schema.__name__}AsSent", hints)  # type: ignore[operator]


def new_graph(
    name: str,
    state: type[Any],
    takes: type[Any],
    gives: type[Any],
    first: Callable[..., Any],
    *steps: Callable[..., Any],
    last: Callable[..., Any] | None = None,
    timed: bool = False,
) -> Graph[Any, RunSettings, Any, Any]:
    """Return the graph of this name with its steps.

    Args:
        name: As callers know it.
        state: Its channels.
        takes: Its input.
        gives: Its output.
        first: Reads what the caller sent.
        steps: Others; see `add_steps`, and `timed` there.
        last: Puts the result together, and always runs.
        timed: Whether steps tell their seconds.
    """
    graph: Graph[Any, RunSettings, Any, Any] = Graph(
        state, context_schema=settings_class_of(name), input_schema=takes, output_schema=gives
    )
    graph.add_node(
        first.__name__,
        after_preload(first),
        input_schema=unchecked_input_type(graph),
        retry_policy=RETRY,
    )
    add_steps(graph, *steps, timed=timed)
    graph.add_edge(START, first.__name__)
    if last:
        graph.add_node(last.__name__, last)
        graph.add_edge(last.__name__, END)
    return graph


def connect(graph: StateGraph[Any, RunSettings, Any, Any], *edges: tuple[Any, ...]) -> None:
    """Add edges: from a step to the next one, or to those that a router chooses, which may be listed behind it."""
    for before, *ways in edges:
        (graph.add_conditional_edges if callable(ways[0]) else graph.add_edge)(before, *ways)


def add_steps(
    graph: StateGraph[Any, RunSettings, Any, Any], *steps: Callable[..., Any], timed: bool = False
) -> None:
    """Add nodes under their own names, whose passing errors are tried again and others end the run.

    Args:
        graph: Is added to.
        steps: The nodes.
        timed: Whether each tells the seconds that it took (`times`).
    """
    for step in steps:
        node = end_run_on_error(step)
        graph.add_node(step.__name__, with_seconds(node) if timed else node, retry_policy=RETRY)


def add_cost_review(
    graph: StateGraph[Any, RunSettings, Any, Any],
    name: str,
    asked: Asked,
    *,
    between: tuple[str, str],
    end: str,
) -> None:
    """Add the step that may ask a person about the cost of the graph of this name, and the edges around it.

    Args:
        graph: Is added to.
        name: The graph's.
        asked: Returns what the cost depends on beside the request.
        between: The steps before and after it.
        end: Where a run goes that has failed, or that a person finds too dear.
    """

    async def node(state: Shared, runtime: Runtime[RunSettings]) -> Shared:
        return await review_cost(state, runtime, name, asked)

    node.__name__ = review_cost.__name__
    graph.add_node(
        node.__name__, end_run_on_error(node), input_schema=graph.state_schema, retry_policy=RETRY
    )
    before, after = between

    def route(state: Routed) -> str:
        if fatal_failure(state.get("failures", [])):
            return end
        return node.__name__ if may_ask(state, "cost") else after

    ways = list(dict.fromkeys((node.__name__, after, end)))
    connect(graph, (before, route, ways), or_end(node.__name__, after, end))


def may_ask(state: Routed, kind: QuestionKind) -> bool:
    """Whether a run may ask a person about this: else it passes the step by that would."""
    return getattr(read_route_options(state), f"review_{kind}") not in {"off", False}


def or_end(before: str, after: str, end: str) -> tuple[Any, ...]:
    """Return the edge that goes on to the step after, or to `end` where one has failed for good."""

    # The type says what is read: without it LangGraph hands a router what its step wrote, unmerged.
    def route(state: Shared) -> str:
        return end if fatal_failure(state.get("failures", [])) else after

    return before, route, list(dict.fromkeys((after, end)))
