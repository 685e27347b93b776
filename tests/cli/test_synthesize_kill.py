"""A synthesis with the embedded engine that is killed in any of its steps comes to the same end."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import started
from tests.cli.test_synthesize_resume import name_of_run
from tests.graphs.stacks import QUESTION, SECOND, THIRD
from tests.support import link_libraries

STEPS = {
    "read_paper": "nodes.synthesize.read_paper:read_bibliography",
    "merge_references": "nodes.synthesize.merge_references:merge_works",
    "summarize_paragraphs": "nodes.synthesize.summarize_paragraphs:without_injections",
    "judge_relevance": "nodes.synthesize.judge_relevance:likenesses",
    "synthesize_answer": "nodes.synthesize.synthesize_answer:choose_quotes",
    "align_lines": "nodes.synthesize.align_lines:draft_lines",
    "present_synthesis": "nodes.synthesize.present_synthesis:number_references",
}
"""For each step what it calls: there it is halted, and then killed."""
_HALT = """
import importlib, pathlib, time
module, name = {place!r}.split(":")
def halted(*args, **kwargs):
    pathlib.Path({sign!r}).touch()
    time.sleep(600)
setattr(importlib.import_module(module), name, halted)
"""
_BETWEEN = """
import asyncio, pathlib
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
put, put_writes = AsyncSqliteSaver.aput, AsyncSqliteSaver.aput_writes
async def halted(self, config, checkpoint, metadata, versions):
    if {step!r} in checkpoint["versions_seen"]:
        await asyncio.sleep(600)
    return await put(self, config, checkpoint, metadata, versions)
async def written(self, config, writes, task_id, task_path=""):
    await put_writes(self, config, writes, task_id, task_path)
    if {step!r} in task_path:
        pathlib.Path({sign!r}).touch()
AsyncSqliteSaver.aput, AsyncSqliteSaver.aput_writes = halted, written
"""


def told(out: Path) -> dict[str, Any]:
    kept = dict(json.loads((out / "synthesis.json").read_text(encoding="utf-8")))
    return {
        name: kept[name] for name in ("answer", "lines", "references", "bibtex", "outcome", "lost")
    }


@pytest.fixture
def papers(home: Path) -> list[Path]:
    return papers_in(home.parent)


def papers_in(folder: Path) -> list[Path]:
    paths = [folder / "feathers.md", folder / "young.md"]
    for path, text in zip(paths, (SECOND, THIRD), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, built: Path) -> dict[str, Any]:
    """What the run comes to when nothing happens."""
    folder = tmp_path_factory.mktemp("whole")
    link_libraries(built, folder / "home")
    home, out = folder / "home", folder / "out"
    with started(home, "synthesize", QUESTION, *papers_in(folder), "--out", out) as process:
        assert process.wait() == 0, process.stderr
    return told(out)


@pytest.mark.parametrize("step", STEPS)
def test_killed_run_goes_on_to_the_same_text(
    home: Path, papers: list[Path], whole: dict[str, Any], step: str
) -> None:
    out, sign = home.parent / "out", home.parent / "halted"
    code = _HALT.format(place=STEPS[step], sign=str(sign))
    killed_and_resumed(home, papers, code, sign, out)
    assert told(out) == whole


@pytest.mark.parametrize("step", ["merge_references", "resolve_works", "present_synthesis"])
def test_run_killed_between_a_result_and_its_checkpoint_goes_on(
    home: Path, papers: list[Path], step: str
) -> None:
    out, sign = home.parent / "out", home.parent / "halted"
    killed_and_resumed(home, papers, _BETWEEN.format(step=step, sign=str(sign)), sign, out)
    assert told(out)["lines"]


def killed_and_resumed(home: Path, papers: list[Path], code: str, sign: Path, out: Path) -> None:
    with started(home, "synthesize", QUESTION, *papers, code=code) as process:
        process.wait_until(sign.exists)
        process.end(signal.SIGKILL)
    with started(home, "synthesize", "--resume", name_of_run(home), "--out", out) as process:
        assert process.wait() == 0, process.stderr
    assert told(out)["outcome"] == "complete"


def test_store_that_cannot_be_written_costs_the_run_nothing(home: Path, papers: list[Path]) -> None:
    """The disk is full for documents.sqlite alone."""
    code = """
import sqlite3
connect = sqlite3.connect
def full(path, *rest, **more):
    if "documents.sqlite" in str(path):
        raise sqlite3.OperationalError("database or disk is full")
    return connect(path, *rest, **more)
sqlite3.connect = full
"""
    out = home.parent / "out"
    with started(home, "synthesize", QUESTION, *papers, "--out", out, code=code) as process:
        assert process.wait() == 0, process.stderr
    assert told(out)["outcome"] == "complete"
    assert told(out)["lines"]
    assert not (home / "documents.sqlite").exists()
