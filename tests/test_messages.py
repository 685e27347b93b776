"""What the page, MCP, A2A and Python callers are told speaks of no option of the command line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support import ROOT
from tools import step_titles

_OPTION = re.compile(r"(?<![\w-])--[a-z]")
_ROOMS = (
    "state",
    "tools",
    "nodes",
    "graphs",
    "citeloom/report",
    "citeloom/service",
    "citeloom/page",
)
_COMMANDS = {
    "citeloom/service/serve.py",
    "citeloom/service/dev.py",
    "tools/errors.py",
    "citeloom/report/watch_digest.py",
}
"""Programs of their own, which are started with options; what says how pipx and uvx are called; and what cron mails."""


def _sources(suffix: str) -> Iterator[Path]:
    for room in _ROOMS:
        yield from (
            path
            for path in (ROOT / room).rglob(f"*{suffix}")
            if str(path.relative_to(ROOT)) not in _COMMANDS
        )


def _texts(tree: ast.Module) -> Iterator[str]:
    """Yield the literals that are no docstrings."""
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.value


def test_no_message_below_the_command_line_speaks_of_its_options() -> None:
    found = [
        (str(path.relative_to(ROOT)), text)
        for path in _sources(".py")
        for text in _texts(ast.parse(path.read_text(encoding="utf-8")))
        if _OPTION.search(text)
    ]
    assert not found


def test_page_speaks_of_no_options() -> None:
    words = (ROOT / "citeloom/page/words.js").read_text(encoding="utf-8")
    assert words.count("title:") > 5
    assert not _OPTION.search(words)


def _stages_told() -> Iterator[str]:
    """Yield the name of every stage of which a node tells how far it has come."""
    for path in (ROOT / "nodes").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {
            node.targets[0].id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                stage = node.args[0] if node.func.attr in {"progress", "tick"} else None
                if isinstance(stage, ast.Constant):
                    yield str(stage.value)
                elif isinstance(stage, ast.Name) and stage.id in named:
                    yield str(named[stage.id])


def test_each_stage_that_people_see_is_told_in_words() -> None:
    stages = set(_stages_told())
    assert len(stages) > 30
    assert stages <= step_titles._TITLES.keys()
