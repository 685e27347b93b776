"""What A2A agents say: the card of each, and of a task its state, its question, and its result in parts.

The result is one artifact: the text as Markdown, then the evidence as data, then the files.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version

from a2a.helpers import new_data_part, new_raw_part, new_text_part, new_url_part
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Artifact,
    HTTPAuthSecurityScheme,
    Message,
    Part,
    Role,
    SecurityRequirement,
    SecurityScheme,
    StringList,
    Task,
    TaskState,
    TaskStatus,
)

from citeloom.report.for_agents import chat_summary, citations_of, papers_of
from citeloom.report.result_report import SECTIONS
from citeloom.runs.runs import RunSnapshot, Status
from citeloom.service.run_routes import BUNDLE
from citeloom.service.tool_answers import files_of, mime_of, read
from state.run import GraphName
from tools.errors import InputError

PATH = "/citeloom/a2a"
TAKE_FILES = frozenset({"references", "synthesize", "ingest"})
_MODES = ["text/plain", "application/json"]
_FILE_MODES = ["application/pdf", "text/html", "text/markdown", "application/octet-stream"]

_SERVICE = (
    "Literature reviews with real citations, each claim backed by a checked quote. "
    "Send an abstract or an idea as text for a review. For another skill, name it in "
    f'data: {{"skill": "ask"}}. Each skill is also an agent of its own, at '
    f"{PATH}/SKILL."
)
_SKILLS: Mapping[GraphName, tuple[str, str, tuple[str, ...]]] = {
    "review": (
        "Write a related-work section",
        "Send an abstract, an idea or a question as text: finds prior work and writes a related-work "
        "section in which every citation is checked. Data may name `library`, `sources`, `before`, `keep`, "
        "`cite`, `plan`, `style`. Takes minutes with an LLM.",
        ("We propose a system that finds prior work and checks each citation. Compare it with what there is.",),
    ),
    "find": (
        "Find prior work",
        "Send an abstract, an idea or a question as text: gives papers, ranked, with reasons and checked "
        "quotes. Data may name `library`, `sources`, `before`, `keep`.",
        ("Which papers check the citations that language models write?",),
    ),
    "novelty": (
        "Find what was done before",
        "Send an abstract, an idea or a draft's claims as text: shows the earlier works nearest to each claim, and "
        "whether they say the same, by words of both. Data may name `library`, `sources`, `before`, `keep`.",
        ("We propose to rank papers by arguing for and against each with checked quotes.",),
    ),
    "screen": (
        "Screen papers",
        "Send the question of a systematic review as text and, as data, {\"include\": [...], \"exclude\": [...], "
        "\"papers\": [...]}: decides on each paper by these criteria, with its words.",
        (),
    ),
    "write": (
        "Write about given papers",
        "Send your abstract as text and the papers as data: "
        "{\"papers\": [\"arxiv:2402.01788\", ...]}. Does not search.",
        (),
    ),
    "revise": (
        "Revise a section",
        "Send what to change as text and, as data, {\"section\": the `run` of an earlier result}.",
        ("Make it shorter.",),
    ),
    "verify": (
        "Check citations",
        "Send a text with citations; data may give `papers` (records or ids), `library`, `sources`. Gives a "
        "verdict for each citation.",
        (),
    ),
    "references": (
        "Read references",
        "Send printed references of any style as text, or a file that lists them: gives "
        "a record for each, as BibTeX, CSL JSON and RIS. Data may name `sources` to look "
        "them up in.",
        ("[1] D. Moth. Moths steer by the moon. Journal of Moths 3 (2019): 4-9.",),
    ),
    "ask": (
        "Answer from a library",
        "Send a question as text; the answer shows its sources, or says what is missing. "
        "The same context allows follow-up questions. Data may name `library`.",
        ("How does LitLLM rank papers?",),
    ),
    "table": (
        "Fill a table from a library",
        "Send a question as text, or several as data: {\"questions\": [...], \"library\": ...}. Each is put to each "
        "paper; gives a cell with its quote for each. Data may name `papers`, `tags`.",
        ("Which data set was used?",),
    ),
    "synthesize": (
        "Synthesise papers",
        "Send a question as text, and papers as files or, as data, as ids: {\"library\": ..., \"papers\": [...]}.",
        (),
    ),
    "ingest": (
        "Add papers to a library",
        "Send papers as files, and the library's name as data: {\"library\": \"mine\"}; or ids: {\"ids\": [...]}.",
        (),
    ),
}  # fmt: skip


def card_of(graph: GraphName | None, base: str = "", *, needs_key: bool = False) -> AgentCard:
    """Return the card of a graph's agent, or of the whole service, for the server at `base`."""
    graphs = [graph] if graph else list(_SKILLS)
    files = _FILE_MODES if TAKE_FILES.intersection(graphs) else []
    bearer = HTTPAuthSecurityScheme(
        scheme="bearer", description="Needed if the server's operator gave out keys."
    )
    return AgentCard(
        name=f"CiteLoom {graph}" if graph else "CiteLoom",
        description=_SKILLS[graph][1] if graph else _SERVICE,
        version=version("citeloom"),
        supported_interfaces=[
            AgentInterface(
                url=f"{base}{path_of(graph)}", protocol_binding="JSONRPC", protocol_version=each
            )
            # The preferred one first.
            for each in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False),
        default_input_modes=[*_MODES, *files],
        default_output_modes=["text/markdown", "application/json"],
        skills=[_skill(each) for each in graphs],
        security_schemes={"bearer": SecurityScheme(http_auth_security_scheme=bearer)},
        security_requirements=[SecurityRequirement(schemes={"bearer": StringList()})]
        if needs_key
        else [],
    )


def path_of(graph: GraphName | None) -> str:
    """Return where the agent of a graph, or of the whole service, is served."""
    return f"{PATH}/{graph}" if graph else PATH


def _skill(graph: GraphName) -> AgentSkill:
    name, told, examples = _SKILLS[graph]
    return AgentSkill(
        id=graph,
        name=name,
        description=told,
        tags=["literature review", "citations"],
        examples=examples,
        input_modes=[*_MODES, *(_FILE_MODES if graph in TAKE_FILES else ())],
    )


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
