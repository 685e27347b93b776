"""Writing that is killed between two votes goes on without paying for any answer twice."""

import json
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Done, call
from tests.cli.processes import started
from tests.fakes.openai_server import Hang, OpenAIServer, Reply, task_of
from tests.fakes.reviewer import reviewer
from tests.support import ABSTRACT, SMALL, RememberingEmbedder, at_home, small_records
from tools.settings import settings

ASKED = "write_section"
PAPERS = [paper.id for paper in small_records() if paper.abstract][:5]
WRITE: tuple[str | Path, ...] = (
    "write",
    ABSTRACT,
    "--library",
    SMALL,
    "--writer",
    "sentence_by_sentence",
    *(f"--paper={key}" for key in PAPERS),
)


class Teller:
    """A scripted LLM that counts what it answers, and falls silent at a line if it is told to."""

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self.lines = 0
        self.last_line: int | None = None
        self.silent = threading.Event()
        self._mind = reviewer()
        self._lock = threading.Lock()

    def script(self, request: dict[str, Any]) -> Reply:
        with self._lock:
            if task_of(request) == ASKED and self.lines == self.last_line:
                self.silent.set()
            if self.silent.is_set():
                return Hang(600.0)
            self.lines += task_of(request) == ASKED
            self.answered[json.dumps(request, sort_keys=True)] += 1
        return self._mind(request)

    def speak_until(self, line: int | None) -> None:
        """Answer again, but fall silent when a line is asked for after `line` lines in all."""
        with self._lock:
            self.last_line = line
            self.silent.clear()


@pytest.fixture
def teller() -> Teller:
    return Teller()


@pytest.fixture
def variables(teller: Teller) -> Iterator[Mapping[str, str]]:
    """What leads to the teller, in the environment."""
    with OpenAIServer(teller.script) as server:
        yield {
            "CITELOOM_LLM_BASE_URL": server.url,
            "CITELOOM_LLM_API_KEY": "sk-test",
            "CITELOOM_STRONG_MODEL": "scripted",
        }


def kept(home: Path) -> int:
    """Return how many answers are on disk."""
    if not (home / "answers.sqlite").exists():
        return 0
    with closing(sqlite3.connect(home / "answers.sqlite", timeout=30)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM cache").fetchone()[0])
        except sqlite3.OperationalError:  # its table is not made yet
            return 0


def command(home: Path) -> tuple[str | Path, ...]:
    """Return what begins a run, or goes on with the one that there is."""
    runs = [path.stem for path in (home / "runs").glob("*.json")]
    if runs:
        return ("write", "--resume", runs[0])
    return WRITE


def killed(home: Path, teller: Teller, variables: Mapping[str, str], line: int) -> None:
    """Begin or go on, and kill the process when `line` lines are answered and one more is asked for."""
    teller.speak_until(line)
    out = ("--out", home.parent / "out")
    with started(home, *command(home), *out, variables=variables) as process:
        process.wait_until(teller.silent.is_set)
        # An answer counts as paid when it was sent, so it must have arrived.
        process.wait_until(lambda: kept(home) == teller.answered.total())
        assert process.end(signal.SIGKILL) == -signal.SIGKILL
    assert teller.lines == line


def to_the_end(
    home: Path, teller: Teller, variables: Mapping[str, str], patch: pytest.MonkeyPatch
) -> Done:
    """Run in this process, or go on."""
    for name, value in variables.items():
        patch.setenv(name, value)
    settings.cache_clear()
    teller.speak_until(None)
    return call(*command(home), out=home.parent / "out")


@pytest.mark.slow
def test_no_answer_is_paid_for_twice_however_often_the_process_is_killed(
    tmp_path: Path,
    built: Path,
    embedder_with_memory: RememberingEmbedder,
    teller: Teller,
    variables: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with at_home(tmp_path / "whole" / "home", built, embedder_with_memory) as home:
        whole = to_the_end(home, teller, variables, monkeypatch)
    paid, lines = teller.answered, teller.lines
    assert whole.code == 0, whole.stderr
    assert lines >= 4
    teller.answered, teller.lines = Counter(), 0
    with at_home(tmp_path / "killed" / "home", built, embedder_with_memory) as home:
        for line in (1, lines - 1):
            killed(home, teller, variables, line)
        done = to_the_end(home, teller, variables, monkeypatch)
    assert done.code == 0, done.stderr
    assert teller.lines == lines
    assert teller.answered == paid
    assert "Blocked deserialization" not in caplog.text
    for name in ("sentences", "references", "outline", "outcome", "failures"):
        assert done.run[name] == whole.run[name]
    assert done.run.get("audit") == whole.run.get("audit")
    assert len(done.run["sentences"]) >= 4
