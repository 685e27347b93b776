"""How fast a library loads, opens again and answers; run with a file of records.

    python -m evals.library_speed PAPERS.jsonl.gz [--home DIR] [--name NAME]

The home is temporary unless it is named; a home that is named is kept.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from statistics import quantiles

from citeloom.settings import Settings
from state.paper import Paper
from tools.bibliography.read import read_records
from tools.embed.open import embedder
from tools.library.library import Library
from tools.library.open import close_libraries, create_library, open_library

_QUERIES = 200
_IDS = 100
_REOPEN = """
import sys, time
start = time.perf_counter()
from pathlib import Path
from citeloom.settings import Settings
from tools.embed.open import embedder
from tools.library.open import open_library
library = open_library(sys.argv[2], Settings(home=Path(sys.argv[1])), embedder())
library.search("a visualization", limit=10)
print(f"{time.perf_counter() - start:.2f}")
"""


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("papers", type=Path)
    arguments.add_argument("--home", type=Path)
    arguments.add_argument("--name", default="speed")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home = given.home or Path(temporary)
        settings = Settings(home=home, qdrant_url=None)
        library = create_library(given.name, settings, embedder())
        _load(library, given.papers)
        close_libraries()
        _reopen(home, given.name)
        library = open_library(given.name, settings, embedder())
        _ask(library)
        print(library.stats())
        close_libraries()


def _load(library: Library, path: Path) -> None:
    start = time.perf_counter()
    shown = start

    def progress(done: int, total: int | None) -> None:
        nonlocal shown
        if time.perf_counter() - shown > 30:
            shown = time.perf_counter()
            print(f"  {shown - start:6.0f} s  {done} of {total}", flush=True)

    report = library.add(_papers(path), progress=progress)
    seconds = time.perf_counter() - start
    records = report.added + report.updated + report.merged + report.unchanged
    print(f"loaded {records} records in {seconds:.0f} s: {records / seconds:.1f}/s; {report}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    start = time.perf_counter()
    print(f"again: {library.add(_papers(path))} in {time.perf_counter() - start:.1f} s")


def _papers(path: Path) -> Iterator[Paper]:
    for record in read_records(path):
        if isinstance(record, Paper):
            yield record


def _reopen(home: Path, name: str) -> None:
    command = [sys.executable, "-c", _REOPEN, str(home), name]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    print(f"new process, imports to first answer: {answer.stdout.strip()} s")


def _ask(library: Library) -> None:
    ids = library.ids()[:: max(1, len(library.ids()) // _QUERIES)][:_QUERIES]
    papers = list(library.get(ids).values())
    start = time.perf_counter()
    library.search("warm", limit=1)
    print(f"first answer in this process: {time.perf_counter() - start:.3f} s")
    titles = [paper.title for paper in papers]
    abstracts = [paper.abstract for paper in papers if paper.abstract]
    cutoff = date(2015, 1, 1)
    _time("hybrid search, title", [partial(library.search, t, limit=50) for t in titles])
    _time("  before 2015", [partial(library.search, t, limit=50, before=cutoff) for t in titles])
    _time("hybrid search, abstract", [partial(library.search, t, limit=50) for t in abstracts])
    _time("keyword search", [partial(library.search, t, limit=50, mode="keyword") for t in titles])
    hundred = library.ids()[:_IDS]
    _time(f"references of {_IDS}", [lambda: library.references(hundred)] * 30)
    _time(f"citations of {_IDS}", [lambda: library.citations(hundred)] * 30)
    _time(f"get {_IDS}", [lambda: library.get(hundred)] * 30)
    _time(f"vectors of {_IDS}", [lambda: library.vectors(hundred)] * 30)


def _time(what: str, calls: list[Callable[[], object]]) -> None:
    seconds = []
    for call in calls:
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    cuts = quantiles(seconds, n=20)
    print(f"{what:26} p50 {cuts[9] * 1000:7.1f} ms   p95 {cuts[18] * 1000:7.1f} ms")


if __name__ == "__main__":
    main()
