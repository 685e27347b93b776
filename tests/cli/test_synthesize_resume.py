"""A synthesis that is stopped or killed shows what it has, and goes on without paying for anything twice."""

import json
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import Process, started
from tests.fakes import aligner, composer, summarizer
from tests.fakes.openai_server import Hang, OpenAIServer, Reply, inputs_of, task_of
from tests.graphs.stacks import QUESTION, SECOND, THIRD

ANSWERS = {**summarizer.ANSWERS, **composer.RETELLING, **aligner.ANSWERS}


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


@pytest.fixture
def papers(home: Path) -> list[Path]:
    paths = [home.parent / "feathers.md", home.parent / "young.md"]
    for path, text in zip(paths, (SECOND, THIRD), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def variables(server: OpenAIServer) -> dict[str, str]:
    return {
        "CITELOOM_LLM_BASE_URL": server.url, "CITELOOM_LLM_API_KEY": "sk-test",
        "CITELOOM_STRONG_MODEL": "scripted",
    }  # fmt: skip


def told(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "synthesis.json").read_text(encoding="utf-8")))


def name_of_run(home: Path) -> str:
    (path,) = (home / "runs").glob("*.json")
    return path.stem


def assert_whole(out: Path, mind: Silent, process: Process) -> None:
    assert process.wait() == 0, process.stderr
    assert mind.answered
    assert set(mind.answered.values()) == {1}
    result = told(out)
    assert (result["outcome"], result["draft"], result["question"]) == ("complete", None, QUESTION)
    assert result["lines"]
    assert all(line["origins"] for line in result["lines"])
    assert {item["role"] for item in result["references"]} == {"primary", "secondary"}
    assert (out / "references.bib").is_file()


def test_stopped_run_shows_its_draft_and_goes_on(home: Path, papers: list[Path]) -> None:
    mind, out = Silent("align_lines"), home.parent / "out"
    with OpenAIServer(mind.script) as server:
        with started(
            home, "synthesize", QUESTION, *papers, "--out", out, variables=variables(server)
        ) as process:
            process.wait_until(mind.asked.is_set)
            assert process.end(signal.SIGINT) == 130
        name = name_of_run(home)
        assert f"Go on with: citeloom synthesize --resume {name}" in process.stderr
        assert "Traceback" not in process.stderr
        stopped = told(out)
        assert (stopped["answer"], stopped["outcome"]) == (None, "partial")
        assert stopped["draft"]
        assert {item["paragraph"] for item in stopped["used"]} == {
            item["paragraph"] for item in stopped["contexts"]
        }
        assert {item["task"] for item in stopped["usage"]} >= {"synthesize_answer"}
        assert not (out / "references.bib").exists()
        mind.awake.set()
        arguments = ("synthesize", "--resume", name, "--out", out)
        with started(home, *arguments, variables=variables(server)) as process:
            assert_whole(out, mind, process)


@pytest.mark.parametrize("task", ["judge_relevance", "synthesize_answer"])
def test_killed_run_goes_on_and_pays_for_nothing_twice(
    home: Path, papers: list[Path], task: str
) -> None:
    mind, out = Silent(task), home.parent / "out"
    with OpenAIServer(mind.script) as server:
        with started(home, "synthesize", QUESTION, *papers, variables=variables(server)) as process:
            process.wait_until(mind.asked.is_set)
            process.end(signal.SIGKILL)
        before = set(mind.answered)
        mind.awake.set()
        for path in papers:  # they were read
            path.unlink()
        arguments = ("synthesize", "--resume", name_of_run(home), "--out", out)
        with started(home, *arguments, variables=variables(server)) as process:
            assert_whole(out, mind, process)
    assert before < set(mind.answered)
