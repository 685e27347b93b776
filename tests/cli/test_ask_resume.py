"""A question that is killed with -9 goes on without paying for any answer twice."""

import json
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import call
from tests.cli.processes import started
from tests.fakes.openai_server import Hang, OpenAIServer, Reply, task_of
from tests.fakes.reviewer import reviewer
from tests.support import SMALL

QUESTION = "How are papers recommended for citation?"


class Silent:
    """A scripted LLM that counts what it answers, and falls silent at a task until it is woken."""

    def __init__(self, task: str) -> None:
        self.answered: Counter[str] = Counter()
        self.asked = threading.Event()
        self.awake = threading.Event()
        self._task = task
        self._mind = reviewer()

    def script(self, request: dict[str, Any]) -> Reply:
        if task_of(request) == self._task and not self.awake.is_set():
            self.asked.set()
            return Hang(600.0)
        self.answered[json.dumps(request, sort_keys=True)] += 1
        return self._mind(request)


@pytest.mark.slow
def test_killed_question_resumes_with_its_answer_and_pays_for_nothing_twice(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind = Silent("compose_answer")
    with OpenAIServer(mind.script) as server:
        variables = {
            "CITELOOM_LLM_BASE_URL": server.url,
            "CITELOOM_LLM_API_KEY": "sk-test",
            "CITELOOM_STRONG_MODEL": "scripted",
        }
        with started(home, "ask", QUESTION, "--library", SMALL, variables=variables) as process:
            process.wait_until(mind.asked.is_set)
            process.end(signal.SIGKILL)
        (kept,) = (home / "runs").glob("*.json")
        before = set(mind.answered)
        mind.awake.set()
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        done = call("ask", "--resume", kept.stem, out=home.parent / "answer")
        assert done.code == 0, done.stderr
    assert before
    assert set(mind.answered.values()) == {1}
    told = done.json("answer.json")
    assert told["question"] == QUESTION
    assert told["sentences"]
    assert all(claim["quote"]["verified"] for claim in told["claims"])
