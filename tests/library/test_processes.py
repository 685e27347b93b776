"""Several processes, a killed one, and a full disk: nothing is lost, and it is said."""

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, document, paper
from tools.errors import LibraryError
from tools.library.library import Library
from tools.library.open import close_libraries, open_library
from tools.library.verify import verify

ROOT = Path(__file__).parents[2]
START = """
import sys
from pathlib import Path
from citeloom.settings import Settings
from tests.library.words import WordEmbedder, document, paper
from tools.errors import LibraryError
from tools.library.open import open_library
embedder = WordEmbedder(pause=float(sys.argv[2]))
library = open_library("mine", Settings(home=Path(sys.argv[1]), qdrant_url=None), embedder)
texts = library.texts
def part(number, at):
    return (f"{at} Part", f"Words of part{at} of text{number}, which are like no other.")
"""
PUT = """
for number in range(int(sys.argv[3]), int(sys.argv[3]) + 5):
    texts.put(*document(number, *[part(number, at) for at in range(8)]))
    library.index()
print("done", flush=True)
"""
INDEX = """
for number in range(40):
    texts.put(*document(number, *[part(number, at) for at in range(8)]))
print("put", flush=True)
library.index(progress=lambda done, total: print(done, total, flush=True))
"""
HOLD = """
with library.writing():
    print("held", flush=True)
    sys.stdin.read()
"""


def start(settings: Settings, script: str, pause: float = 0, *rest: int) -> "subprocess.Popen[str]":
    command = [
        sys.executable, "-c", START + script, str(settings.home), str(pause), *map(str, rest),
    ]  # fmt: skip
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


@pytest.fixture
def shared(library: Library) -> Iterator[Library]:
    """A library of 40 papers without abstracts, its files released."""
    library.add([paper(number, abstract=None) for number in range(40)])
    close_libraries()
    yield library
    library.close()


def test_two_processes_write_in_turn_and_a_third_reads(shared: Library, settings: Settings) -> None:
    writers = [start(settings, PUT, 0, first) for first in (0, 20)]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        assert len(shared.search("topic1", limit=99)) == 40
        passages = shared.texts.count()
        assert passages >= seen
        seen = passages
    assert [writer.communicate()[0] for writer in writers] == ["done\n", "done\n"]
    assert (shared.texts.count(), shared.texts.waiting()) == (80, 0)
    assert verify(shared) == []


def test_writer_that_keeps_the_lock_is_named_and_readers_go_on(
    shared: Library, settings: Settings
) -> None:
    holder = start(settings, HOLD)
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    with (
        pytest.raises(LibraryError, match="library 'mine' is being written by another process"),
        shared.writing(0.2),
    ):
        pass
    assert len(shared.search("topic1", limit=99)) == 40
    holder.communicate()
    assert shared.texts.put(*document(1, ("1 A", "Some words."))) == "added"


def test_index_that_was_killed_goes_on_and_doubles_nothing(
    shared: Library, settings: Settings, embedder: WordEmbedder
) -> None:
    with start(settings, INDEX, 0.5) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(4)]
        process.kill()
    assert lines == ["put\n", "0 320\n", "128 320\n", "256 320\n"]
    shared.close()
    library = open_library("mine", settings, embedder)
    before = embedder.texts
    assert library.index() == embedder.texts - before <= 320 - 256
    assert (library.texts.count(), library.texts.waiting()) == (320, 0)
    found = library.texts.search("words of part3", limit=999)
    assert len({hit.passage for hit in found}) == len(found) == 320
    assert verify(library) == []


FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = (library.folder / "catalog.sqlite").stat().st_size + 200_000
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
kept = 0
try:
    for number in range(40):
        texts.put(*document(number, *[(f"{at} Part", f"{at} {number} " + "word " * 2000) for at in range(9)]))
        kept += 1
except LibraryError as error:
    print(kept, error, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="the system has no limit to try")
def test_full_disk_is_said_and_loses_nothing_that_was_kept(
    shared: Library, settings: Settings
) -> None:
    assert resource.RLIMIT_FSIZE >= 0
    answer = start(settings, FULL).communicate()[0]
    kept, _, message = answer.partition(" ")
    assert "disk is probably full" in message
    assert "make room" in message
    assert 0 < int(kept) < 40
    assert len(shared.texts.documents()) == int(kept)
    assert shared.texts.put(*document(39, ("1 A", "There is room again."))) == "added"
    shared.index()
    assert verify(shared) == []


def test_full_disk_under_the_vectors_is_said(shared: Library, settings: Settings) -> None:
    script = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for number in range(40):
    texts.put(*document(number, *[part(number, at) for at in range(8)]))
library.vector_index.serving().engine.drop()
library.close()
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    library.index()
except LibraryError as error:
    print("said", error, flush=True)
"""
    process = start(settings, script)
    answer = process.communicate()[0]
    assert answer.startswith("said "), process.returncode
    shared.index()
    assert (shared.texts.count(), shared.texts.waiting()) == (320, 0)
    assert verify(shared) == []
