"""Every field that a model is asked to fill has a reader: what nobody reads is not worth its tokens."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from nodes.common.prompt_overrides import all_tasks
from tests.nodes.test_contract import EVERY
from tools.llm.task import Task

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
