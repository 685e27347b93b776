"""Running commands in this process, and reading what they wrote."""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from citeloom.cli.app import app

PAGE = {"review.html", "files/README.md"}
CONTRACT = {
    "review.md",
    "files/references.bib",
    "files/references.csl.json",
    "files/references.ris",
    "audit.json",
    "files/table.md",
    "files/table.csv",
    "papers.json",
    "run.json",
} | PAGE
_CITATION = re.compile(r"\[(\d+(?:(?:, |-)\d+)*)\]")


@dataclass(frozen=True)
class Done:
    """A command that has ended, and its output folder."""

    result: Result
    out: Path

    @property
    def code(self) -> int:
        return self.result.exit_code

    @property
    def stdout(self) -> str:
        return self.result.stdout

    @property
    def stderr(self) -> str:
        return self.result.stderr

    @cached_property
    def run(self) -> Any:
        """What stands in run.json."""
        return self.json("run.json")

    @cached_property
    def papers(self) -> Any:
        """What stands in papers.json."""
        return self.json("papers.json")

    @property
    def paper_ids(self) -> list[str]:
        return [item["paper"]["id"] for item in self.papers["papers"]]

    @property
    def files(self) -> set[str]:
        paths = [path for path in self.out.rglob("*") if path.is_file()]
        return {path.relative_to(self.out).as_posix() for path in paths}

    def json(self, name: str) -> Any:
        return json.loads((self.out / name).read_text(encoding="utf-8"))

    def text(self, name: str) -> str:
        return (self.out / name).read_text(encoding="utf-8")


def call(*arguments: str | Path, out: Path, stdin: str | None = None) -> Done:
    """Run `citeloom ARGUMENTS --out OUT`.

    Raises:
        AssertionError: It ended in an exception, which a user would see as a traceback.
    """
    given = [*map(str, arguments), "--out", str(out)]
    result = CliRunner().invoke(app, given, input=stdin)
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    assert "Traceback" not in result.output
    return Done(result, out)


def cited(text: str) -> list[int]:
    """Return the numbers cited in square brackets, in order, with repetitions."""
    numbers: list[int] = []
    for group in _CITATION.findall(text):
        for item in group.split(", "):
            first, _, last = item.partition("-")
            numbers += range(int(first), int(last or first) + 1)
    return numbers


def section(markdown: str, heading: str) -> str:
    """Return what stands under a heading of review.md, up to the next one."""
    found = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ |\Z)", markdown, re.MULTILINE | re.DOTALL)
    assert found, f"no heading '{heading}'"
    return found[1].strip()
