"""The tools that other agents call, whatever the protocol: what each is for, takes and starts."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from citeloom.runs.runs import Runs
from citeloom.service.direct_tools import ReadCitations, WatchSearch
from citeloom.service.tool_answers import lean_schema
from state.ingest import IngestInput
from state.inputs import AskInput, ReviewInput, ReviseInput, ScreenInput, VerifyInput, WriteInput
from state.novelty import NoveltyInput
from state.questions import QuestionKind
from state.run import GraphName
from state.synthesis import SynthesizeInput
from state.table import TableInput
from state.verify import ReferencesInput
from tools.errors import InputError, did_you_mean
from tools.run_settings import SETTINGS_BY_GRAPH, RunSettings, check_settings, setting_fields

LONGEST_WAIT = 600
"""Seconds that a call may wait."""


class WaitsForRun(BaseModel):
    """What every tool takes; an argument that does not exist is refused, not overlooked."""

    model_config = ConfigDict(extra="forbid")

    wait_seconds: float = Field(
        default=50,
        ge=0,
        le=LONGEST_WAIT,
        description="How long to wait for the end; after it the answer has a `run`, which get_run takes.",
    )


class StartsRun(WaitsForRun):
    """What every tool takes that starts a run."""

    max_usd: float | None = Field(
        default=None, ge=0, description="Maximum cost of LLM calls and paid sources, USD."
    )
    settings: dict[str, Any] = Field(
        default={},
        description="Settings of this run, such as {'max_minutes': 5}; citeloom://settings lists them.",
    )


class GetRun(WaitsForRun):
    """Which run, what of it, and what to tell it."""

    run: str = Field(
        description="The `run` of an earlier answer.", examples=["20261123-084500-1a2b3c"]
    )
    part: str = Field(
        default="",
        description="What to read: 'text', or a list from `parts`, such as 'papers', 'references', "
        "'sentences'. By default what matters most.",
        examples=["papers"],
    )
    page: int = Field(default=1, ge=1, description="Page of that part, from 1 to `pages`.")
    answer: str | None = Field(
        default=None,
        description="The answer to its `question`: '' accepts the proposal, 'stop' ends the run, any "
        "other text replaces the whole proposal.",
    )
    action: Literal["look", "cancel", "resume"] = Field(
        default="look",
        description="'cancel' stops the run and keeps its results; 'resume' continues a stopped or "
        "failed run without paying anything twice.",
    )
    wait_seconds: float = Field(
        default=0, ge=0, le=LONGEST_WAIT, description="How long to wait for the run, in seconds."
    )


@dataclass(frozen=True)
class Tool:
    """A tool as a model sees it, and the graph that it runs, if it starts one."""

    name: str
    title: str
    description: str
    takes: type[BaseModel]
    graph: GraphName | None = None
    open_world: bool = True
    idempotent: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        """What it takes, as JSON Schema."""
        return lean_schema(self.takes)


def _takes(
    name: str,
    given: type[BaseModel],
    fields: tuple[str, ...],
    asks: tuple[QuestionKind, ...] = (),
    *,
    needs_first: bool = True,
    **examples: Any,
) -> type[WaitsForRun]:
    """Return the named fields of a graph's input, with those of every tool."""
    picked: dict[str, Any] = {}
    for position, field in enumerate(fields):
        info = given.model_fields[field]
        more: dict[str, Any] = {"description": info.description}
        if field in examples:
            more["examples"] = [examples[field]]
        # What the tool is about; the rest can be left out.
        first = needs_first and position == 0
        picked[field] = (
            Annotated[info.annotation, *info.metadata],
            Field(**more) if first else Field(default=info.default, **more),
        )
    if asks:
        kinds = Literal[asks]  # type: ignore[valid-type]
        picked["ask_me"] = (
            list[kinds],
            Field(
                default=[],
                description="What a person must approve before the run continues.",
            ),
        )
    return create_model(name, __base__=StartsRun, **picked)


_FINDS = ("text", "library", "sources", "before", "after", "keep", "must_include", "exclude")
_COSTS = " Without an LLM it costs nothing; with one, cents to dollars: bound it with max_usd."

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "find_papers", "Find prior work",
            "Find and rank the papers relevant to an abstract, a research idea or a "
            "question, each with arguments for and against it and quotes checked by code. "
            "Use it for a reading list. Not for a written text (review), and not for a "
            "question that papers answer (ask_library). Takes seconds on a library, minutes "
            "with an LLM or sources on the network." + _COSTS,
            _takes("FindPapers", ReviewInput, _FINDS, ("cost", "queries", "papers")),
            "find",
        ),
        Tool(
            "check_novelty", "Check novelty",
            "Show what of an idea or an abstract was done before: its claims, the earlier works nearest to each, "
            "whether these say the same, overlap or differ, by words of both. Never says that something is new. "
            "For a reading list use find_papers." + _COSTS,
            _takes("CheckNovelty", NoveltyInput, ("text", "library", "sources", "before", "keep"),
                   ("cost", "queries", "papers")),
            "novelty",
        ),
        Tool(
            "screen_papers", "Screen papers",
            "Screen papers for a systematic review by its criteria: each criterion met, not met or unclear, with words "
            "of the paper that code finds; a paper is excluded only by the number of a criterion. Gives `decisions`, "
            "and `undecided`, which a person must read. It does not search (find_papers), and is one screener: another "
            "should decide without seeing its answers. Without an LLM it decides nothing and only orders the papers."
            + _COSTS,
            _takes("ScreenPapers", ScreenInput,
                   ("question", "include", "exclude", "papers", "stage", "twice", "library", "sources"),
                   papers=["10.18653/v1/2020.acl-main.447", "2312.10997"]),
            "screen",
        ),
        Tool(
            "write_related_work", "Write a related-work section",
            "Write a related-work section about papers that you name, with every citation "
            "checked against its paper. Use it when the papers are known; it does not search "
            "(review does both). Takes seconds without an LLM, a few minutes with one." + _COSTS,
            _takes("WriteRelatedWork", WriteInput, ("text", "papers", "library", "sources", "cite", "plan", "style"),
                   ("cost", "plan", "text"), papers=["10.18653/v1/2020.acl-main.447", "2312.10997"]),
            "write",
        ),
        Tool(
            "review", "Review the literature",
            "Review the literature from start to end: find prior work for an abstract or an idea, then write a "
            "related-work section in which every citation is real and checked. The most thorough and the "
            "slowest: a minute without an LLM, several with one. For a list of papers only, use find_papers."
            + _COSTS,
            _takes("Review", ReviewInput, (*_FINDS, "cite", "plan", "style"),
                   ("cost", "queries", "papers", "plan", "text")),
            "review",
        ),
        Tool(
            "revise", "Revise a section",
            "Change a section that review, write_related_work or revise wrote, and check its citations again, "
            "without a new search. Give an instruction, a new plan, or the edited text; the earlier version stays. "
            "Without an LLM the only instructions are 'shorter' and 'without [3]'." + _COSTS,
            _takes("Revise", ReviseInput, ("section", "instruction", "plan", "text"), ("plan", "text"),
                   section="20261123-084500-1a2b3c"),
            "revise",
        ),
        Tool(
            "ask_library", "Ask a library of papers",
            "Answer a short question from the passages of a library, each sentence with its "
            "evidence; says so if the papers do not answer. Takes seconds. Not for finding "
            "papers that the library does not have (find_papers), nor for a long text "
            "(synthesize_papers)." + _COSTS,
            _takes("AskLibrary", AskInput,
                   ("question", "library", "papers", "first_year", "last_year", "before", "tags"), ("cost",)),
            "ask", open_world=False,
        ),
        Tool(
            "fill_table", "Fill a table",
            "Put questions to each paper of a library, as the columns of a table: for each paper and question a short "
            "answer with its quote, or that it was not found in the text read. Use it to compare many papers; for one "
            "answer use ask_library. A new question or paper is all that a later call asks. Takes seconds a paper."
            + _COSTS,
            _takes("FillTable", TableInput,
                   ("questions", "library", "papers", "first_year", "last_year", "before", "tags"), ("cost",)),
            "table", open_world=False,
        ),
        Tool(
            "synthesize_papers", "Synthesize papers",
            "Write a synthesis that answers a question from papers of a library that you name by id, line by "
            "line with its sources and what those cite. Use it for a long answer from a stack of papers; for a "
            "short one use ask_library. Takes seconds to minutes by the number of papers." + _COSTS,
            _takes("SynthesizePapers", SynthesizeInput, ("question", "papers", "library", "granularity", "sources"),
                   ("cost",)),
            "synthesize",
        ),
        Tool(
            "verify_citations", "Verify citations",
            "Check the citations of any text (Markdown, LaTeX or plain, with or without its "
            "reference list) against the papers that it cites: whether each exists, and "
            "whether it says what the text says. Use it before a text is published, a "
            "model's own text above all. To check that references exist, add an online "
            "source to `sources`, such as 'openalex'. Takes seconds, minutes with an LLM."
            + _COSTS,
            _takes("VerifyCitations", VerifyInput, ("text", "papers", "library", "sources", "strict")),
            "verify",
        ),
        Tool(
            "references", "Read references",
            "Read printed references of any style, pasted as text or as the file of a paper, "
            "into records: authors, title, year, venue, volume, pages, DOI. Use it to turn a "
            "reference list into BibTeX, CSL JSON or RIS (get_run with that as its `part`), "
            "and with `sources` to learn which references exist, which are wrong in a field, "
            "with the right value, and which no source knows. Not for checking what a text "
            "says about its references (verify_citations). Takes seconds, with sources up to "
            "minutes. Costs nothing but what a source charges.",
            _takes("References", ReferencesInput, ("text", "uploads", "sources"), needs_first=False),
            "references",
        ),
        Tool(
            "ingest", "Add papers to a library",
            "Add papers to a library of the user, which ask_library, synthesize_papers and the others then take as "
            "`library`: by DOI or arXiv id, as files, or as records (an upload of BibTeX, CSL JSON or JSON Lines). "
            "What is already there is updated, nothing is removed. Takes seconds a paper. Costs nothing.",
            _takes("Ingest", IngestInput, ("library", "ids", "uploads", "paths", "sources", "tags")),
            "ingest", idempotent=True,
        ),
        Tool(
            "library_citations", "What papers of a library say of one another",
            "Read in which sentences the papers of a library cite one another, and what each does with the paper "
            "that it cites: supports, contrasts, uses or background, by a model where the user had one type them, "
            "else by cue words, or not typed. Use it to learn who agrees or disagrees with a paper, in their own "
            "words. Needs papers with full text. Takes seconds, the first time a second a paper. Free.",
            ReadCitations, open_world=False,
        ),
        Tool(
            "watch_search", "Watch a search",
            "Repeat a search and tell only what is new since its last check: papers, changes to a run's section, "
            "retractions. With `what` it begins a watch, with a watch's `name` alone it checks now and gives the "
            "digest, with nothing it lists the watches. Only on this machine (stdio). A check takes as long as "
            "find_papers, and costs at most max_usd.",
            WatchSearch,
        ),
        Tool(
            "get_run", "Look at a run",
            "Look at a run that another tool started: its progress, its result page by page, "
            "its open question. Also answers that question, cancels a run, or resumes a "
            "stopped one. Free.",
            GetRun, open_world=False,
        ),
    )
}  # fmt: skip


def arguments_of(tool: Tool, given: Mapping[str, Any] | None) -> Any:
    """Return what a caller sent, checked; `null` is an argument that was left out.

    Raises:
        InputError: It cannot be used; the message says what can.
    """
    known = tool.takes.model_fields
    sent = {
        name: item for name, item in (given or {}).items() if item is not None or name not in known
    }
    try:
        return tool.takes.model_validate(sent)
    except ValidationError as error:
        raise InputError("; ".join(_wrong(item, tool) for item in error.errors())) from error


def _wrong(item: Any, tool: Tool) -> str:
    name = ".".join(map(str, item["loc"]))
    if item["type"] == "extra_forbidden":
        first = sorted(tool.takes.model_fields, key=StartsRun.model_fields.__contains__)
        return f"{tool.name} does not take `{name}`; it takes {', '.join(first)}"
    if item["type"] == "missing":
        return f"{tool.name} needs `{name}`: {tool.takes.model_fields[name].description}"
    return f"`{name}`: {item['msg'][:1].lower()}{item['msg'][1:]}"


async def start(runs: Runs, tool: Tool, arguments: StartsRun) -> str:
    """Start what a tool runs; `arguments` are those of `arguments_of`.

    Raises:
        InputError: A setting cannot be used, or the run to revise is not the caller's or has no section.
    """
    assert tool.graph
    given = arguments.model_dump(mode="json", exclude_unset=True)
    given.pop("wait_seconds", None)
    settings = _settings(tool.graph, given.pop("settings", {}))
    own: dict[str, Any] = {f"review_{kind}": "on" for kind in given.pop("ask_me", ())}
    if (most := given.pop("max_usd", None)) is not None:
        own["max_usd"] = most
    if twice := own.keys() & settings.keys():
        raise InputError(
            f"{' and '.join(sorted(twice))} is given twice: leave it out of `settings`"
        )
    if tool.graph == "revise":
        given["section"] = await _section_of(runs, given["section"])
    return await runs.start(tool.graph, given, settings | own)


async def _section_of(runs: Runs, run: str) -> str:
    """Return what names a run's section for `revise`."""
    view = await runs.get(run)
    if not view.values.get("related_work"):
        raise InputError(
            f"run '{run}' has no section yet: take a completed run of review, write_related_work or revise"
        )
    return str(view.values["run"])


def _settings(graph: GraphName, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run as a caller gave them; `null` is one that was left out.

    Keys and addresses are settings of the server, so nobody can give them here.
    """
    known = [item.name for group in SETTINGS_BY_GRAPH[graph] for item in fields(group)]
    sent = {name: value for name, value in given.items() if value is not None}
    for name in sent:
        if name not in known:
            raise InputError(
                f"there is no setting '{name}'{did_you_mean(name, known)} here; "
                f"there are: {', '.join(known)}"
            )
    check_settings(RunSettings(**sent))
    return sent


@cache
def settings_by_tool() -> dict[str, dict[str, Any]]:
    """Return what `settings` takes: by name its JSON Schema, and which tools have it."""
    has = {
        tool.name: {item.name for group in SETTINGS_BY_GRAPH[tool.graph] for item in fields(group)}
        for tool in TOOLS.values()
        if tool.graph
    }
    return {
        name: {
            **TypeAdapter[Any](cast(Any, Annotated[field.annotation, field])).json_schema(),
            "tools": [tool for tool, names in has.items() if name in names],
        }
        for name, field in setting_fields().items()
    }
