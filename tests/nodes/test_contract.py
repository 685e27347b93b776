"""What every node and task keeps to, whatever it does."""

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction
from pkgutil import iter_modules, walk_packages
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel

import graphs
import nodes
from nodes.common.prompt_overrides import all_tasks
from state.ask import AskOutput, AskState
from state.channels import (
    FindState,
    ReviewState,
    ReviseState,
    ScreenOutput,
    ScreenState,
    WriteState,
)
from state.ingest import IngestOutput, IngestState
from state.novelty import NoveltyState
from state.synthesis import SynthesizeOutput, SynthesizeState
from state.table import TableOutput, TableState
from state.verify import VerifyState
from tools.llm.task import Task


def steps_of(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Iterator[str]:
    """Yield the names of a graph's steps, and of its subgraphs' steps."""
    for name, step in graph.builder.nodes.items():
        if isinstance(step.runnable, CompiledStateGraph):
            yield from steps_of(step.runnable)
        else:
            yield name


GRAPHS = [
    import_module(f"graphs.{found.name}").graph
    for found in iter_modules(graphs.__path__)
    if found.name not in {"calling", "checkpoint_types", "policies"}
]
STEPS = {name for graph in GRAPHS for name in steps_of(graph)}
EVERY = [import_module(found.name) for found in walk_packages(nodes.__path__, "nodes.")]
MODULES = [module for module in EVERY if module.__name__.rsplit(".", 1)[1] in STEPS]
TASKS: list[Task[Any]] = list(
    {
        id(value): value
        for module in EVERY
        for value in vars(module).values()
        if isinstance(value, Task)
    }.values()
)
_STATES = (
    FindState,
    NoveltyState,
    ScreenState,
    WriteState,
    ReviewState,
    ReviseState,
    VerifyState,
    AskState,
    IngestState,
    TableState,
    SynthesizeState,
)
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
    | set(get_type_hints(TableOutput))
    | set(get_type_hints(ScreenOutput))
)


def name_of(module: ModuleType) -> str:
    return module.__name__.removeprefix("nodes.")


def node_of(module: ModuleType) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(module, module.__name__.rsplit(".", 1)[1])
    return found


def test_every_step_has_a_file_of_its_name() -> None:
    assert {name_of(module).rsplit(".", 1)[-1] for module in MODULES} == STEPS


GIVEN = {
    "query",
    "source",
    "sources",
    "of",
    "paper",
    "papers_to_read",
    "draft",
    "drafted",
    "variant",
    "papers",
    "limit",
    "line",
    "lines",
    "passage",
    "place",
    "statement",
    "item",
    "claim",
    "works",
}
"""What a branch is given beside the channels."""


def test_each_step_is_async_says_what_it_reads_and_writes_and_keeps_to_channels_that_exist() -> (
    None
):
    for module in MODULES:
        told = name_of(module)
        assert iscoroutinefunction(node_of(module)), told
        assert all(word in (module.__doc__ or "") for word in ("Reads ", "Writes ")), told
        hints = get_type_hints(node_of(module))
        update, read = hints["return"], hints["state"]
        if isinstance(update, type) and update is not dict and not hasattr(update, "__origin__"):
            assert set(get_type_hints(update)) <= CHANNELS | OUTPUTS, told
        if isinstance(read, type) and issubclass(read, BaseModel):
            assert set(read.model_fields) <= CHANNELS, told
        else:
            assert set(get_type_hints(read)) <= CHANNELS | OUTPUTS | GIVEN, told


def test_prompt_holds_no_placeholder_and_answer_is_a_closed_json_object() -> None:
    for task in TASKS:
        assert "{}" not in task.prompt, task.name
        assert task.prompt.strip() == task.prompt.rstrip("\n"), task.name
        assert len(task.prompt.split()) > 40, task.name
        schema = task.answer.model_json_schema()
        assert schema["type"] == "object", task.name
        assert schema["properties"], task.name


def test_task_is_named_like_its_node_or_ranker() -> None:
    names = {task.name for task in TASKS}
    asked_for_others = {
        "triage_titles",  # by shortlist_papers
        "debate_papers",
        "judge_criteria",
        "order_papers",  # by judge_papers
        "draft_section",
        "write_section",
        "extend_draft",
        "write_cited",
        "join_cited",  # by write_draft
        "choose_draft",  # by choose_draft
        "judge_again",  # by judge_claims
        "split_answer",  # by answer_directly
        "name_keywords",  # by index_passages
        "update_answer",
        "restore_answer",
        "shorten_answer",  # by synthesize_answer
    }
    named = {module.__name__.rsplit(".", 1)[-1] for module in EVERY}
    assert names - asked_for_others <= named


# Every field that a model is asked to fill has a reader: what nobody reads is not worth its tokens.


THOUGHTS = {"Revision.reading", "Helping.needed"}
"""Fields that nobody reads: they stand before an answer so that the model thinks before it answers."""


def models_in(kind: Any) -> Iterator[type[BaseModel]]:
    """Yield the models of a type, and of their fields."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
        for field in kind.model_fields.values():
            yield from models_in(field.annotation)
    for inner in get_args(kind):
        yield from models_in(inner)


@cache
def readings(module: ModuleType) -> frozenset[str]:
    """Return the attributes that a module reads, by their names or by those of a list, as with getattr."""
    tree = ast.parse(inspect.getsource(module))
    read = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    if "getattr" not in ast.dump(tree):
        return frozenset(read)
    lists = (value for value in vars(module).values() if isinstance(value, tuple | frozenset))
    return frozenset(read | {word for words in lists for word in words if isinstance(word, str)})


def readers_of(model: type[BaseModel]) -> list[ModuleType]:
    """Return the modules of steps that know a model, or the module in which it stands."""
    home = import_module(model.__module__)
    known = [
        module
        for module in EVERY
        if home in vars(module).values()
        or any(getattr(value, "__module__", "") == home.__name__ for value in vars(module).values())
    ]
    return [home, *known]


ALL = [task for _, task in all_tasks()]


@pytest.mark.parametrize("task", ALL, ids=[task.name for task in ALL])
def test_every_field_of_an_answer_is_read(task: Task[Any]) -> None:
    unread = []
    for model in dict.fromkeys(models_in(task.answer)):
        read = frozenset[str]().union(*(readings(module) for module in readers_of(model)))
        if "model_dump" in readings(import_module(model.__module__)):
            continue  # all of it is read at once
        unread += [
            f"{model.__name__}.{name}"
            for name in model.model_fields
            if name not in read and f"{model.__name__}.{name}" not in THOUGHTS
        ]
    assert unread == []


def test_no_field_is_excused_that_no_task_has() -> None:
    known = {
        f"{model.__name__}.{name}"
        for task in ALL
        for model in models_in(task.answer)
        for name in model.model_fields
    }
    assert known >= THOUGHTS
