"""Running commands in this process, and reading what they wrote."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import World
from tools.settings import settings

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


def run(*arguments: str | Path, stdin: str | None = None, code: int | None = None) -> Result:
    """Run `citeloom ARGUMENTS`, which reads its settings anew as a process does.

    Raises:
        AssertionError: It ended in an exception, which a user would see as a traceback, or not with the code.
    """
    settings.cache_clear()
    result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin)
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    assert "Traceback" not in result.output
    assert code in {None, result.exit_code}, result.output
    return result


def call(*arguments: str | Path, out: Path, stdin: str | None = None) -> Done:
    """Run `citeloom ARGUMENTS --out OUT`."""
    return Done(run(*arguments, "--out", out, stdin=stdin), out)


@contextmanager
def variables(**given: str) -> Iterator[None]:
    """Let the environment have settings, by their names without the prefix."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(f"CITELOOM_{name}", value)
        settings.cache_clear()
        yield


def addresses(server: ScholarServer) -> Mapping[str, str]:
    """The settings that lead to a server instead of the real sources."""
    names = ("openalex", "semantic_scholar", "arxiv", "crossref", "serpapi")
    urls = {f"{name.upper()}_URL": getattr(server, f"{name}_url") for name in names}
    return urls | {f"{name.upper()}_RATE": "500" for name in names}


@contextmanager
def sources(world: World, **given: str) -> Iterator[ScholarServer]:
    """Serve a world as the sources that commands ask."""
    with ScholarServer(world) as server, variables(**addresses(server), **given):
        yield server


@contextmanager
def model(script: Any, **given: str) -> Iterator[OpenAIServer]:
    """Serve a scripted model as the one that is configured."""
    with OpenAIServer(script) as server:
        configured = {
            "LLM_BASE_URL": server.url,
            "LLM_API_KEY": "sk-test",
            "STRONG_MODEL": "m",
            **given,
        }
        with variables(**configured):
            yield server


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
