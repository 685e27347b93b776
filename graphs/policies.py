"""What every graph does with a step that fails: it tries again, or ends with what it has."""

from collections.abc import Callable

from langgraph.errors import NodeTimeoutError
from langgraph.types import RetryPolicy

from state.channels import Shared
from state.run import halt
from tools.errors import TransientError

# LangGraph's default would retry a 404 and not a 429; and the minds and sources have retried each
# call already, so this is for the moment in which a whole endpoint restarts.
RETRY = RetryPolicy(
    max_attempts=2, initial_interval=1.0, retry_on=(TransientError, NodeTimeoutError)
)


def unless_stopped(following: str, end: str) -> Callable[[Shared], str]:
    """Return a router that goes on to `following`, or to `end` where a step has failed for good."""

    # The type says what is read: without it LangGraph hands a router what its step wrote, unmerged.
    def route(state: Shared) -> str:
        return end if halt(state.get("failures", [])) else following

    return route
