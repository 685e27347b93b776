"""What every node keeps to, whatever it does."""

from collections.abc import Callable
from importlib import import_module
from inspect import iscoroutinefunction
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, get_type_hints

import pytest
from pydantic import BaseModel

import nodes
from state.asking import AskOutput, AskState
from state.channels import FindState, PartState, ReviewState, ReviseState, WriteState
from state.ingesting import IngestOutput, IngestState
from state.synthesis import SynthesizeOutput, SynthesizeState
from state.verifying import VerifyState
from tools.llm.task import Task

NOT_NODES = {
    "nodes.ask.conversation",
    "nodes.ask.judge_sentence",
    "nodes.ask.shown",
    "nodes.ask.single",
    "nodes.ask_checked",
    "nodes.find.query_drafts",
    "nodes.find.rankers.port",
    "nodes.find.rankers.debate",
    "nodes.find.rankers.cheap",
    "nodes.find.rankers.choose",
    "nodes.find.rankers.permutation",
    "nodes.find.survey",
    "nodes.guard",
    "nodes.ingest.fetching",
    "nodes.ingest.name_keywords",
    "nodes.intake",
    "nodes.synthesize.align_pair",
    "nodes.synthesize.batches",
    "nodes.synthesize.choose_quotes",
    "nodes.synthesize.extractive_summary",
    "nodes.synthesize.kept_statements",
    "nodes.synthesize.likeness",
    "nodes.synthesize.line_origins",
    "nodes.synthesize.packing",
    "nodes.synthesize.shown_contexts",
    "nodes.write.adherence",
    "nodes.write.flag_uncited",
    "nodes.write.judge_citation",
    "nodes.write.lines",
    "nodes.write.plan_language.directives",
    "nodes.write.plan_language.listing",
    "nodes.write.plan_language.measures",
    "nodes.write.plan_language.names",
    "nodes.write.plan_language.reading",
    "nodes.write.plan_language.render",
    "nodes.write.plan_language.sketch",
    "nodes.write.sentence_plan",
    "nodes.write.user_plan",
    "nodes.write.writers.answers",
    "nodes.write.writers.beam",
    "nodes.write.writers.drafting",
    "nodes.write.writers.extractive",
    "nodes.write.writers.faults",
    "nodes.write.writers.misplaced",
    "nodes.write.writers.passage",
    "nodes.write.writers.planned",
    "nodes.write.writers.port",
    "nodes.write.writers.registry",
    "nodes.write.writers.sentence",
    "nodes.write.writers.telling",
    "nodes.write.writers.voting",
    "nodes.write.writers.zero_shot",
}
MODULES = [
    import_module(found.name)
    for found in walk_packages(nodes.__path__, "nodes.")
    if not found.ispkg and found.name not in NOT_NODES
]
EVERY = [import_module(found.name) for found in walk_packages(nodes.__path__, "nodes.")]
TASKS: list[Task[Any]] = list(
    {
        id(value): value
        for module in EVERY
        for value in vars(module).values()
        if isinstance(value, Task)
    }.values()
)
_STATES = (
    FindState, WriteState, ReviewState, PartState, ReviseState, VerifyState, AskState, IngestState,
    SynthesizeState,
)  # fmt: skip
CHANNELS = set().union(*(get_type_hints(state) for state in _STATES))
OUTPUTS = (
    {
        "papers",
        "links",
        "counts",
        "usage",
        "mind",
        "outcome",
        "related_work",
        "sentences",
        "references",
        "uncited",
        "audit",
        "labels",
        "notes",
        "source_usage",
        "stop",
    }
    | set(get_type_hints(AskOutput))
    | set(get_type_hints(IngestOutput))
    | set(get_type_hints(SynthesizeOutput))
)


def name_of(module: ModuleType) -> str:
    return module.__name__.removeprefix("nodes.")


@pytest.fixture(params=MODULES, ids=name_of)
def module(request: pytest.FixtureRequest) -> ModuleType:
    found: ModuleType = request.param
    return found


def node_of(module: ModuleType) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(module, module.__name__.rsplit(".", 1)[1])
    return found


def test_is_async_and_named_like_its_file(module: ModuleType) -> None:
    assert iscoroutinefunction(node_of(module))


def test_says_what_it_reads_and_writes(module: ModuleType) -> None:
    words = module.__doc__ or ""
    assert "Reads " in words
    assert "Writes " in words


def test_writes_only_channels_that_exist(module: ModuleType) -> None:
    update = get_type_hints(node_of(module))["return"]
    if isinstance(update, type) and update is not dict and not hasattr(update, "__origin__"):
        assert set(get_type_hints(update)) <= CHANNELS | OUTPUTS


def test_reads_only_channels_or_what_its_branch_is_given(module: ModuleType) -> None:
    given = {
        "query",
        "source",
        "of",
        "paper",
        "draft",
        "variant",
        "papers",
        "limit",
        "line",
        "lines",
        "passage",
        "place",
        "statement",
        "item",
    }
    read = get_type_hints(node_of(module))["state"]
    if isinstance(read, type) and issubclass(read, BaseModel):
        assert set(read.model_fields) <= CHANNELS
    else:
        assert set(get_type_hints(read)) <= CHANNELS | OUTPUTS | given


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_prompt_holds_no_placeholder_and_no_input(task: Task[Any]) -> None:
    assert "{}" not in task.prompt
    assert task.prompt.strip() == task.prompt.rstrip("\n")
    assert len(task.prompt.split()) > 40


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_answer_schema_is_a_closed_json_object(task: Task[Any]) -> None:
    schema = task.answer.model_json_schema()
    assert schema["type"] == "object"
    assert schema["properties"]


def test_task_is_named_like_its_node_or_ranker() -> None:
    names = {task.name for task in TASKS}
    asked_for_others = {
        "debate_papers", "order_papers",  # by rank_papers
        "extend_draft", "write_section", "write_cited", "join_cited",  # by write_lines
        "vote_drafts",  # by keep_drafts
        "plan_sentences",  # by plan_section
        "split_answer",  # by answer_directly
    }  # fmt: skip
    named = {module.__name__.rsplit(".", 1)[-1] for module in EVERY}
    assert names - asked_for_others <= named
