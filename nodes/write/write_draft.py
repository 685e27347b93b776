"""Write a draft: extend one draft in one branch of a round, as the named writer does (nodes/write/writers).

Most writers keep one draft; `beam` compares and votes on several.

Reads `run`, `request`, `keys`, `outline`, `position` and, per branch, one draft, the numbers
of the lines to write and a variant's number. Writes `candidates`, `rejections`.
"""

from nodes.cost.kept_budget import saving_services
from nodes.write.writers.writer import DraftJob, drafting_state
from nodes.write.writers.writers import writer_for
from state.channels import WriteState
from tools.services import NodeRuntime


class Branch(WriteState):
    """What one branch of this node reads; its `drafts` are the one to write on."""

    lines: list[int]
    variant: int


async def write_draft(state: Branch, runtime: NodeRuntime) -> WriteState:
    """Write one job of the round; what the mind says is checked by code."""
    services = saving_services(state, runtime, drafted=True)
    stage = drafting_state(state)
    lines = len(stage.outline.lines) or 1
    services.progress("write", min(stage.position, lines), lines)
    asked = tuple(line for line in stage.lines if line.number in set(state["lines"]))
    job = DraftJob(draft=stage.best, lines=asked, variant=state["variant"])
    return await writer_for(services).write(services, stage, job)
