"""How long `library add` takes for PDFs, beside the bare embedding of the passages that they give."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from evals.bench.embedding import Bare
from evals.bench.row import Given, Row
from evals.trials import fresh_home
from tools.embed.open_embedder import embedder
from tools.errors import PermanentError
from tools.library.open_library import open_library

_NAME = "bench"


def measure(given: Given) -> Iterator[Row]:
    """Yield the seconds of adding the files, and of adding them again.

    Raises:
        PermanentError: There are no PDFs, or they cannot be added.
    """
    paths = pdfs_of(given)
    with fresh_home() as here:
        first = _seconds(paths, here.home)
        again = _seconds(paths, here.home)
        library = open_library(_NAME, here, embedder(here))
        texts = [item.text for page in library.texts.pages(1000) for item in page]
        library.close()
    bare = Bare().in_batches(4)
    bare(texts[:4])
    began = perf_counter()
    bare(texts)
    embedding = perf_counter() - began
    what = f"library add, {len(paths)} PDFs, {len(texts)} passages"
    yield Row("ingest", what, first, "s", "bare embedding of the passages", first / embedding)
    yield Row("ingest", "the same files again", again, "s", "the first time", again / first)


def pdfs_of(given: Given) -> Sequence[Path]:
    """Return the PDFs to read.

    Raises:
        PermanentError: There are none.
    """
    paths = sorted((given.data / "pdf").rglob("*.pdf")) if given.data else []
    if not paths:
        raise PermanentError("give --data with a folder pdf/ that has PDFs")
    return paths[: given.n]


def _seconds(paths: Sequence[Path], home: Path) -> float:
    line = [
        sys.executable,
        "-m",
        "citeloom",
        "library",
        "add",
        *map(str, paths),
        "--library",
        _NAME,
    ]
    began = perf_counter()
    done = subprocess.run(
        line,
        env={**os.environ, "CITELOOM_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise PermanentError(f"library add failed: {done.stderr.strip()[-300:]}")
    return perf_counter() - began
