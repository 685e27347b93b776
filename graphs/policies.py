"""How every graph treats a step that fails for a while."""

from langgraph.errors import NodeTimeoutError
from langgraph.types import RetryPolicy

from tools.errors import TransientError

# LangGraph's default would retry a 404 and not a 429; and the minds and sources have retried each
# call already, so this is for the moment in which a whole endpoint restarts.
RETRY = RetryPolicy(
    max_attempts=2, initial_interval=1.0, retry_on=(TransientError, NodeTimeoutError)
)
