"""A synthesis of the command line that is stopped or killed goes on, and pays for nothing twice.

What is killed is a process of its own; what goes on does so in this one. Kills at every step of a graph are in
tests/service/test_kill.py.
"""

import json
import signal
import sqlite3
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Done, call, model
from tests.cli.processes import started
from tests.fakes import composer, judge, summarizer
from tests.fakes.openai_server import Hang, Reply, inputs_of, task_of
from tests.graphs.stacks import QUESTION, SECOND, THIRD

ANSWERS = {**summarizer.ANSWERS, **composer.RETELLING, **judge.ANSWERS}


class Silent:
    """A scripted LLM that counts what it answers, and falls silent at a task until it is woken."""

    def __init__(self, task: str) -> None:
        self.answered: Counter[str] = Counter()
        self.asked = threading.Event()
        self.awake = threading.Event()
        self._task = task

    def script(self, request: dict[str, Any]) -> Reply:
        task = task_of(request)
        if task == self._task and not self.awake.is_set():
            self.asked.set()
            return Hang(600.0)
        self.answered[json.dumps(request, sort_keys=True)] += 1
        return ANSWERS[task](inputs_of(request))


def told(done: Done) -> dict[str, Any]:
    kept = dict(done.json("synthesis.json"))
    return {
        name: kept[name] for name in ("answer", "lines", "references", "bibtex", "outcome", "lost")
    }


def papers_in(folder: Path) -> list[Path]:
    paths = [folder / "feathers.md", folder / "young.md"]
    for path, text in zip(paths, (SECOND, THIRD), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


@pytest.fixture
def papers(home: Path) -> list[Path]:
    return papers_in(home.parent)


def resume(home: Path) -> Done:
    (path,) = (home / "runs").glob("*.json")
    return call("synthesize", "--resume", path.stem, out=home.parent / "out")


def test_store_that_cannot_be_written_costs_the_run_nothing(
    home: Path, papers: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full for documents.sqlite alone."""
    connect = sqlite3.connect

    def full(path: Any, *rest: Any, **more: Any) -> Any:
        if "documents.sqlite" in str(path):
            raise sqlite3.OperationalError("database or disk is full")
        return connect(path, *rest, **more)

    monkeypatch.setattr(sqlite3, "connect", full)
    done = call("synthesize", QUESTION, *papers, out=home.parent / "out")
    assert told(done)["outcome"] == "complete"
    assert told(done)["lines"]
    assert not (home / "documents.sqlite").exists()


@pytest.mark.slow
@pytest.mark.parametrize("task", ["synthesize_answer", "judge_claims"])
def test_run_with_an_llm_goes_on_and_pays_for_nothing_twice(
    home: Path, papers: list[Path], task: str
) -> None:
    """The second is stopped by Ctrl-C, and shows its draft; the first is killed."""
    mind, out = Silent(task), home.parent / "out"
    with model(mind.script) as server:
        given = {
            "CITELOOM_LLM_BASE_URL": server.url,
            "CITELOOM_LLM_API_KEY": "sk-test",
            "CITELOOM_STRONG_MODEL": "m",
        }
        with started(
            home, "synthesize", QUESTION, *papers, "--out", out, variables=given
        ) as process:
            process.wait_until(mind.asked.is_set)
            if task == "judge_claims":
                assert process.end(signal.SIGINT) == 130
                assert_stopped(home, process.stderr, out)
            else:
                process.end(signal.SIGKILL)
        before = set(mind.answered)
        mind.awake.set()
        for path in papers:  # they were read
            path.unlink()
        done = resume(home)
    assert done.code == 0
    assert before < set(mind.answered)
    assert set(mind.answered.values()) == {1}
    result = done.json("synthesis.json")
    assert (result["outcome"], result["draft"], result["question"]) == ("complete", None, QUESTION)
    assert result["lines"]
    assert all(line["origins"] for line in result["lines"])
    assert {item["role"] for item in result["references"]} == {"primary", "secondary"}
    assert (out / "references.bib").is_file()


def assert_stopped(home: Path, stderr: str, out: Path) -> None:
    (kept,) = (home / "runs").glob("*.json")
    assert f"Resume with: citeloom synthesize --resume {kept.stem}" in stderr
    assert "Traceback" not in stderr
    stopped = json.loads((out / "synthesis.json").read_text(encoding="utf-8"))
    assert (stopped["answer"], stopped["outcome"]) == (None, "partial")
    assert stopped["draft"]
    assert {item["paragraph"] for item in stopped["used"]} == {
        item["paragraph"] for item in stopped["contexts"]
    }
    assert {item["task"] for item in stopped["usage"]} >= {"synthesize_answer"}
    assert not (out / "references.bib").exists()
