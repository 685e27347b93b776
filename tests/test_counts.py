"""Numbers agree with their nouns wherever the program prints them: tools.errors says both."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support import ROOT
from tools.errors import counted

NOUNS = (
    "annotations", "arguments", "authors", "calls", "citations", "claims", "documents", "entries",
    "faults", "files", "hits", "libraries", "lines", "lists", "members", "pages", "papers", "paragraphs",
    "passages", "queries", "quotes", "records", "references", "requests", "results", "runs", "sentences",
    "sources", "statements", "texts", "themes", "topics", "vectors", "versions", "works",
)  # fmt: skip
_COUNTED = re.compile(rf"^ (?:(?:further|linked|more|new|selected) )?(?:{'|'.join(NOUNS)})\b")
_FIXED = re.compile(
    r"^[A-Z_]+$|^many$|^_span|^(?:limits|most|least)\b|\.limits?\.|_a_day$|_at_once$"
)
"""Bounds that are never one: constants, and what an operator allows."""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((1, "paper"), "1 paper"),
        ((0, "paper"), "0 papers"),
        ((12000, "query", "queries"), "12,000 queries"),
        ((1, "paper was", "papers were"), "1 paper was"),
    ],
)
def test_noun_agrees_with_its_number(given: tuple[int, str], told: str) -> None:
    assert counted(*given) == told


def loose_counts(path: Path) -> Iterator[str]:
    """Yield the f-strings of a module that put a number before a noun in the plural."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.JoinedStr):
            continue
        for number, text in pairwise(node.values):
            if not (isinstance(number, ast.FormattedValue) and isinstance(text, ast.Constant)):
                continue
            if _COUNTED.match(str(text.value)) and not _FIXED.search(ast.unparse(number.value)):
                yield f"{path.relative_to(ROOT)}:{number.lineno}: {ast.unparse(number)}{text.value!s:.40}"


def test_no_noun_is_put_in_the_plural_whatever_its_number() -> None:
    modules = [
        path
        for room in ("citeloom", "graphs", "nodes", "state", "tools")
        for path in sorted((ROOT / room).rglob("*.py"))
    ]
    assert len(modules) > 400
    assert [found for path in modules for found in loose_counts(path)] == []
