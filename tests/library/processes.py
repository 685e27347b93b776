"""Another process that works on a library of the same home."""

import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TextIO

_FORKED = multiprocessing.get_context("forkserver")
"""Begins in no time, as tests.conftest lets it know the libraries."""
START = '''
import sys, time
from pathlib import Path
from tools.settings import Settings
from tests.library.words import OtherEmbedder, WordEmbedder, document, paper
from tools.errors import LibraryError
from tools.library.open_library import create_library, open_library
settings = Settings(home=home, qdrant_url=None)
def stuck(embedder, batches):
    """Let an embedder make so many batches of vectors, and then say so and stay."""
    own, left = embedder.embed, [None] * batches
    def embed(texts):
        if not left:
            print("stuck", flush=True)
            time.sleep(600)
        left.pop()
        return own(texts)
    embedder.embed = embed
    return embedder
def put(library, numbers):
    for number in numbers:
        parts = [(f"{at}", f"Words of part{at} of text{number}, like no other.") for at in range(8)]
        library.texts.put(*document(number, *parts))
'''


def _run(script: str, home: Path, given: Connection, told: Connection) -> None:
    with open(os.dup(given.fileno())) as sys.stdin, open(os.dup(told.fileno()), "w") as sys.stdout:
        exec(START + script, {"home": home})


class Started:
    """A process that runs a script, what it is given to read and what it says."""

    stdin: TextIO
    stdout: TextIO

    def __init__(self, home: Path, script: str) -> None:
        (read, given), (said, told) = _FORKED.Pipe(duplex=False), _FORKED.Pipe(duplex=False)
        self.process = _FORKED.Process(target=_run, args=(script, home, read, told))
        self.process.start()
        self.stdin = os.fdopen(os.dup(given.fileno()), "w")
        self.stdout = os.fdopen(os.dup(said.fileno()))
        for end in (read, given, said, told):
            end.close()

    def poll(self) -> int | None:
        """Return its exit code; None while it runs."""
        return self.process.exitcode

    def wait(self) -> int | None:
        self.process.join()
        return self.poll()

    def rest(self) -> str:
        """Return all that it still says until it ends."""
        said = self.stdout.read()
        self.wait()
        return said


@contextmanager
def process(home: Path, script: str) -> Iterator[Started]:
    """Run `script`, and kill it at the end."""
    started = Started(home, script)
    try:
        yield started
    finally:
        started.process.kill()
        started.wait()
        started.stdout.close()
        started.stdin.close()


def until(line: str, started: Started) -> None:
    """Read what a process says up to a line."""
    assert f"{line}\n" in iter(started.stdout.readline, ""), "it ended without saying so"


def killed_when_stuck(home: Path, script: str) -> None:
    """Run `script` until its embedder is stuck, and kill it there."""
    with process(home, script) as started:
        until("stuck", started)
