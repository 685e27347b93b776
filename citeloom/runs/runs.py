"""Runs of the graphs as a service sees them, whoever executes them.

What speaks to callers (MCP, A2A, the Python API) knows this port only. `LocalRuns` executes runs in
this process, `ServedRuns` on a LangGraph server.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, Protocol, cast

from pydantic import Field

from state.base import Value
from state.run import Outcome

GraphName = Literal["find", "write", "review", "revise", "verify", "ask", "ingest", "synthesize"]
Status = Literal["working", "input_required", "completed", "failed", "cancelled"]
"""As MCP tasks and A2A name them."""
_GIVEN = ("papers", "sentences", "answer", "draft", "reports")
"""Outputs of the graphs of which each is a part of a result."""


class Progress(Value):
    """How far a stage has come."""

    stage: str
    done: int
    total: int
    note: str = ""


class RunSnapshot(Value):
    """A run as its caller may see it."""

    run: str = Field(description="Names the run in every call; on a LangGraph server, its thread.")
    graph: GraphName
    status: Status
    question: Mapping[str, Any] | None = Field(
        default=None, description="What the run asks a person while `status` is input_required."
    )
    progress: Progress | None = Field(default=None, description="The last that was told.")
    values: Mapping[str, Any] = Field(
        default={}, description="What the graph gives, as JSON; what it has so far before its end."
    )
    conversation: str = Field(default="", description="What it belongs to, where that was told.")
    started: str = Field(default="", description="When, ISO 8601.")
    updated: str = Field(default="", description="When something was last kept of it, ISO 8601.")
    error: str = Field(default="", description="Why it failed, for a person, with what to do.")

    @property
    def rests(self) -> bool:
        """Whether nothing happens until somebody does something."""
        return self.status != "working"

    @property
    def outcome(self) -> Outcome | Literal[""]:
        """What the run gave; empty until it has ended. A run that was stopped or failed gave a part at most.

        The values of a run under way may hold the outcome of a step, which is not the run's.
        """
        if self.status in {"working", "input_required"}:
            return ""
        if self.status == "completed":
            return cast(Outcome, self.values.get("outcome") or "")
        return "partial" if any(self.values.get(name) for name in _GIVEN) else "nothing"

    @property
    def problem(self) -> str:
        """Why there is nothing more, and what to do about it; empty while all is well."""
        stop = self._stop
        return self.error or " ".join(filter(None, (stop.get("cause"), stop.get("remedy"))))

    @property
    def refused(self) -> bool:
        """Whether the input cannot be used: nothing was done, and the run cannot go on."""
        return self._ended_by({"input", "plan"})

    @property
    def told_status(self) -> Status:
        """The status for a caller: a run that a wrong input, an error or a budget ended with nothing has failed."""
        ended = self.refused or self._ended_by({"run", "budget"})
        return "failed" if ended else self.status

    @property
    def _stop(self) -> Mapping[str, Any]:
        return self.values.get("stop") or {}

    def _ended_by(self, subjects: set[str]) -> bool:
        return self.outcome == "nothing" and self._stop.get("subject") in subjects


class Runs(Protocol):
    """Starts runs, tells of them, and ends them; raises InputError for a run that is not the caller's."""

    async def start(
        self,
        graph: GraphName,
        inputs: Mapping[str, Any],
        settings: Mapping[str, Any],
        *,
        name: str = "",
        conversation: str = "",
    ) -> str:
        """Start a run and return its name, which is `name` (a UUID) if one is given.

        `settings` are those of tools.context.RunContext.
        """
        ...

    async def get(self, run: str) -> RunSnapshot:
        """Return what is known of a run."""
        ...

    def follow(self, run: str) -> AsyncIterator[RunSnapshot]:
        """Tell of a run each time it gets further, the last time when it rests."""
        ...

    async def answer(self, run: str, answer: object) -> None:
        """Answer what a run asks, and let it go on."""
        ...

    async def resume(self, run: str) -> None:
        """Let a run go on that failed or was stopped, from its last checkpoint."""
        ...

    async def cancel(self, run: str) -> None:
        """Stop a run; what it has stays."""
        ...

    async def list(self, limit: int = 20, *, conversation: str = "") -> Sequence[RunSnapshot]:
        """Return the caller's runs, or those of one conversation, the latest first, without values."""
        ...

    async def delete(self, run: str) -> None:
        """Delete a run and all that it keeps."""
        ...


async def rested(runs: Runs, run: str) -> RunSnapshot:
    """Wait until a run rests, and return it."""
    async for _ in runs.follow(run):
        ...
    return await runs.get(run)
