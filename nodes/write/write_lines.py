"""Write: one branch of a round, in the way of the run's writer.

Reads `run`, `request`, `keys`, `outline`, `part`, `position` and, per branch, one draft, the numbers
of the lines to write and a variant's number. Writes `candidates`, `rejections`.
"""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.write.writers.port import Job, Stage
from nodes.write.writers.registry import writer_named
from state.channels import PartState
from state.request import Request
from state.writing import Draft, Part, Plan
from tools.context import RunContext
from tools.services import open_services


class Branch(TypedDict):
    """What one branch of this node reads."""

    run: str
    request: Request
    keys: dict[str, str]
    outline: Plan
    part: Part
    position: int
    draft: Draft
    lines: list[int]
    variant: int


async def write_lines(state: Branch, runtime: Runtime[RunContext]) -> PartState:
    """Write one job of the round; what the mind says is checked by code."""
    services = open_services(runtime, state["run"])
    stage = Stage(
        request=state["request"], keys=state["keys"], outline=state["outline"],
        part=state["part"], position=state["position"], drafts=[state["draft"]],
    )  # fmt: skip
    lines = tuple(line for line in state["part"].lines if line.number in set(state["lines"]))
    job = Job(draft=state["draft"], lines=lines, variant=state["variant"])
    written = await writer_named(services.context.writer).write(services, stage, job)
    return {
        "candidates": [written.draft],
        "failures": written.failures,
        "rejections": written.rejections,
    }
