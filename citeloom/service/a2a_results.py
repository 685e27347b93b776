"""What an A2A task tells of its run: its state, its question, and its result in parts.

The result is one artifact: the text as Markdown, then the evidence as data, then the files.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from a2a.helpers import new_data_part, new_raw_part, new_text_part, new_url_part
from a2a.types import Artifact, Message, Part, Role, Task, TaskState, TaskStatus

from citeloom.report.for_agents import chat_summary, citations_of, papers_of
from citeloom.report.result_report import SECTIONS
from citeloom.runs.runs import RunSnapshot, Status
from citeloom.service.files import BUNDLE
from citeloom.service.tool_answers import files_of, mime_of, read
from tools.errors import InputError

MOST_BYTES = 200_000
"""A file up to this size stands in the result itself; a larger one is named by its address."""
MOST_ITEMS = 500
"""Citations, and papers, in the data at most; the files have all."""
_STATES: Mapping[Status, TaskState] = {
    "working": TaskState.TASK_STATE_WORKING,
    "input_required": TaskState.TASK_STATE_INPUT_REQUIRED,
    "completed": TaskState.TASK_STATE_COMPLETED,
    "failed": TaskState.TASK_STATE_FAILED,
    "cancelled": TaskState.TASK_STATE_CANCELED,
}
ENDED = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_REJECTED,
    }
)


def state_of(view: RunSnapshot) -> TaskState:
    """Return the state of a run's task; one whose input cannot be used is rejected."""
    return TaskState.TASK_STATE_REJECTED if view.is_refused else _STATES[view.status]


def parts_told(view: RunSnapshot) -> list[Part]:
    """Return the parts of the status message: a question, as text and as data, or what went wrong."""
    if not view.question:
        return [new_text_part(view.problem)] if view.problem else []
    told = (view.question.get(name) for name in ("error", "instructions", "proposal"))
    text = "\n\n".join(str(one) for one in told if one)
    return [new_text_part(text), new_data_part(dict(view.question))]


def task_of(view: RunSnapshot, base: str = "", *, whole: bool = True) -> Task:
    """Return a run as a task; without its result where not the `whole` is wanted. See `artifacts_of`."""
    status = TaskStatus(state=state_of(view))
    if parts := parts_told(view):
        status.message.CopyFrom(Message(role=Role.ROLE_AGENT, message_id=view.run, parts=parts))
    if view.updated:
        status.timestamp.FromDatetime(_moment(view.updated))
    task = Task(
        id=view.run,
        context_id=view.conversation,
        status=status,
        artifacts=artifacts_of(view, base) if whole else [],
    )
    task.metadata.update({"skill": view.graph})
    return task


def artifacts_of(view: RunSnapshot, base: str) -> list[Artifact]:
    """Return what a run gives, or has so far; nothing where its input was refused. Makes the files.

    Args:
        view: The run, with its values.
        base: The address of this server as the caller knows it, without a slash at its end.
    """
    if not view.values or view.is_refused:
        return []
    place = f"{base}/citeloom/runs/{view.run}/files"
    citations, papers = list(citations_of(view)), list(papers_of(view))
    facts = {
        "run": view.values.get("run") or view.run,
        "skill": view.graph,
        "outcome": view.outcome,
        "problem": view.problem,
        "counts": {"citations": len(citations), "papers": len(papers)},
        "citations": citations[:MOST_ITEMS],
        "papers": papers[:MOST_ITEMS],
        "files": place,
    }
    parts = [
        new_text_part(chat_summary(view), media_type="text/markdown"),
        new_data_part(facts, media_type="application/json"),
        *_files(view, place),
    ]
    return [Artifact(artifact_id="result", name=view.graph, parts=parts)]


def _files(view: RunSnapshot, place: str) -> Iterator[Part]:
    for address in files_of(view):
        name = address.rpartition("/")[2]
        if name.endswith(".md"):  # the text part has it
            continue
        try:
            content = read(view, name).encode()
        except InputError:  # the run did not come so far
            continue
        if len(content) <= MOST_BYTES and name != "result.json":
            yield new_raw_part(content, media_type=mime_of(name), filename=name)
        else:
            # A route may have a file of a section under another name.
            served = (
                {"references.bib": "files/references.bib"}.get(name, name)
                if view.graph in SECTIONS
                else name
            )
            yield new_url_part(f"{place}/{served}", media_type=mime_of(name), filename=name)
    if view.graph in SECTIONS and view.outcome in {"complete", "partial"}:
        yield new_url_part(f"{place}/{BUNDLE}", media_type="application/zip", filename=BUNDLE)


def _moment(written: str) -> datetime:
    moment = datetime.fromisoformat(written)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
