"""Every question of the steps, and the wordings that a user keeps of them in a folder of their own.

A file NAME.txt of that folder (`CITELOOM_PROMPTS`) is put in place of the prompt of the task NAME. The answer's schema,
the fences around inputs and all checks of an answer stay the program's.
"""

import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import nodes
from tools.errors import InputError, did_you_mean
from tools.llm.structured_output import schema_forms
from tools.llm.task import Task

_FIELD = re.compile(r"`(\w+)`")


@cache
def all_tasks() -> list[tuple[str, Task[Any]]]:
    """Return each task with the file that names it, by file; of those that share a name a run asks one.

    Imports every step.
    """
    found: list[tuple[str, Task[Any]]] = []
    for module in pkgutil.walk_packages(nodes.__path__, f"{nodes.__name__}."):
        loaded = import_module(module.name)
        source = inspect.getsource(loaded)
        for task in _tasks_of(loaded):
            if f'"{task.name}"' in source and task not in (one for _, one in found):
                found.append((f"{module.name.replace('.', '/')}.py", task))
    return found


def tasks_of(name: str) -> list[Task[Any]]:
    """Return the tasks of this name."""
    return [task for _, task in all_tasks() if task.name == name]


def _tasks_of(module: ModuleType) -> Iterator[Task[Any]]:
    for value in vars(module).values():
        several = value.values() if isinstance(value, dict) else (value,)
        yield from (item for item in several if isinstance(item, Task))


def fields_of(task: Task[Any]) -> set[str]:
    """Return the inputs and fields that a prompt of the task may name in backticks."""
    schema = schema_forms(task.answer, task.name).plain  # type: ignore[arg-type]  # of any model
    parts = [schema, *schema.get("$defs", {}).values()]
    answers = {name for part in parts for name in part.get("properties", {})}
    inputs = {name for name in inspect.signature(task.extract).parameters if name != "_"}
    return answers | inputs | set(_FIELD.findall(task.prompt))


def check_prompts(folder: Path) -> None:
    """Refuse a folder of prompts that cannot be used as it is.

    Raises:
        InputError: It is no folder, a file is no task's or is empty or unreadable, or a prompt names in backticks an
            input or field that its question does not have.
    """
    if not folder.is_dir():
        raise InputError(f"CITELOOM_PROMPTS names {folder}, which is not a folder")
    names = list(dict.fromkeys(task.name for _, task in all_tasks()))
    for path in sorted(folder.glob("*.txt")):
        if path.stem not in names:
            near = did_you_mean(path.stem, names)
            raise InputError(
                f"{path} is the prompt of no task{near}; there are: {', '.join(names)}"
            )
        try:
            text = path.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read: {error}") from error
        if not text:
            raise InputError(
                f"{path} is empty: delete it to use the prompt that comes with the program"
            )
        known = set[str]().union(*map(fields_of, tasks_of(path.stem)))
        if strange := [name for name in _FIELD.findall(text) if name not in known]:
            raise InputError(
                f"{path} names `{strange[0]}`, which this question does not have; it has: "
                f"{', '.join(sorted(known))}"
            )
