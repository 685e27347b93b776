"""What the page, MCP, A2A and Python callers are told speaks of no option of the command line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support import ROOT

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
_COMMANDS = {"citeloom/service/serve.py", "citeloom/service/dev.py"}
"""Programs of their own, which are started with options."""


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
