"""Another process that works on a library of the same home."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

ROOT = Path(__file__).parents[2]
START = '''
import sys, time
from pathlib import Path
from tools.settings import Settings
from tests.library.words import OtherEmbedder, WordEmbedder, document, paper
from tools.errors import LibraryError
from tools.library.open_library import create_library, open_library
home = Path(sys.argv[1])
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


@contextmanager
def process(home: Path, script: str) -> Iterator[Popen[str]]:
    """Run `script`, and kill it at the end."""
    command = [sys.executable, "-c", START + script, str(home)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True, cwd=ROOT) as started:
        try:
            yield started
        finally:
            started.kill()


def until(line: str, started: Popen[str]) -> None:
    """Read what a process says up to a line."""
    assert started.stdout
    assert f"{line}\n" in iter(started.stdout.readline, ""), "it ended without saying so"


def killed_when_stuck(home: Path, script: str) -> None:
    """Run `script` until its embedder is stuck, and kill it there."""
    with process(home, script) as started:
        until("stuck", started)
