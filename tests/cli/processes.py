"""The command line as a process of its own, to be interrupted at a moment that is seen to come."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from tests.support import clean_environment

_PATIENCE = 120.0
"""Seconds after which a test gives up waiting."""


class Process:
    """A running `citeloom` command; its standard error is read as it comes."""

    def __init__(self, running: "subprocess.Popen[str]", home: Path) -> None:
        self.running = running
        self.home = home
        self.lines: list[str] = []
        self._coming: Queue[str | None] = Queue()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.running.stderr
        for line in self.running.stderr:
            self._coming.put(line.rstrip("\n"))
        self._coming.put(None)

    def wait_for_line(self, start: str) -> None:
        """Wait until a line of standard error starts so."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                line = self._coming.get(timeout=max(deadline - time.monotonic(), 0.01))
            except Empty:
                raise AssertionError(
                    f"no line '{start}...' came; there were {self.lines}"
                ) from None
            assert line is not None, f"it ended before '{start}...': {self.lines}"
            self.lines.append(line)
            if line.startswith(start):
                return

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait until something is seen on disk."""
        deadline = time.monotonic() + _PATIENCE
        while not holds():
            assert self.running.poll() is None, "it ended before that"
            assert time.monotonic() < deadline, "it never came to that"
            time.sleep(0.005)

    def end(self, signal_number: int) -> int:
        """Send a signal and return the exit code."""
        self.running.send_signal(signal_number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end and return the exit code."""
        code = self.running.wait(_PATIENCE)
        self._reader.join()
        while not self._coming.empty():
            self.lines.append(self._coming.get() or "")
        return code

    @property
    def stderr(self) -> str:
        """What came on standard error so far."""
        return "\n".join(self.lines)


@contextmanager
def started(
    home: Path,
    *arguments: str | Path,
    variables: Mapping[str, str] | None = None,
    code: str = "",
) -> Iterator[Process]:
    """Start `citeloom ARGUMENTS` with this home, in the folder that the home stands in.

    `variables` of the environment come on top of a clean one; `code` is run first.
    """
    command = [sys.executable, "-c", f"{code}\nfrom citeloom.cli import main; main()"]
    with subprocess.Popen(
        [*command, *map(str, arguments)],
        cwd=home.parent,
        env={**clean_environment(home), **(variables or {})},
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as running:
        process = Process(running, home)
        try:
            yield process
        finally:
            if running.poll() is None:
                running.kill()
                process.wait()


def calls_on_record(home: Path, task: str) -> int:
    """Return how many questions of a task the ledger of all runs holds."""
    return _count(home / "ledger.sqlite", "SELECT sum(calls) FROM usage WHERE task = ?", task)


def branches_kept(home: Path, channel: str) -> int:
    """Return how many branches have written to a channel, in the checkpoints of all runs."""
    return _count(
        home / "checkpoints.sqlite",
        "SELECT count(DISTINCT task_id) FROM writes WHERE channel = ?",
        channel,
    )


def _count(path: Path, query: str, *values: str) -> int:
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=30)) as database:
        try:
            (found,) = database.execute(query, values).fetchone()
        except sqlite3.OperationalError:  # its tables are not made yet
            return 0
    return int(found or 0)
