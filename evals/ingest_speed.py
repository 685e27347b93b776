"""How fast files become passages of a library, split by stage; run with a folder of files.

    python -m evals.ingest_speed PATH [--workers N] [--copies 1,3]

Each size is measured in a process of its own: PATH once, and again with each Markdown, HTML or text
made of it `copies` times under other words, so that peak memory can be compared.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.settings import Settings
from state.ingesting import FileReport
from tools.clients import Clients
from tools.context import RunContext
from tools.embed.open import embedder
from tools.embed.port import Embedder, Vectors
from tools.ingest.allowed_paths import allow_paths
from tools.ingest.target import use_workers
from tools.ingest.workers import close_workers
from tools.library.open import close_libraries

_MB = 1024.0


class TimedEmbedder:
    """The process's embedder, which counts its texts and seconds."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.name, self.size = real.name, real.size
        self.texts = 0
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed, and take the time."""
        started = time.perf_counter()
        vectors = self._real.embed(texts)
        self.seconds += time.perf_counter() - started
        self.texts += len(texts)
        return vectors


class TimedClients(Clients):
    """Clients with a timed embedder."""

    def __init__(self, settings: Settings, timed: TimedEmbedder) -> None:
        super().__init__(settings)
        self._timed = timed

    @property
    def embedder(self) -> Embedder:
        """The timed one."""
        return self._timed


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--copies", default="1,3", help="Sizes to measure, as multiples of PATH.")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(_measure(given.path, given.workers, given.one)))
        return
    for copies in map(int, given.copies.split(",")):
        command = [
            sys.executable,
            "-m",
            "evals.ingest_speed",
            str(given.path),
            "--one",
            str(copies),
        ]
        if given.workers:
            command += ["--workers", str(given.workers)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        _print(copies, json.loads(done.stdout.splitlines()[-1]))


def _measure(path: Path, workers: int | None, copies: int) -> dict[str, Any]:
    from graphs.ingest import graph

    timed = TimedEmbedder(embedder())
    with tempfile.TemporaryDirectory() as temporary:
        home, folder = Path(temporary) / "home", Path(temporary) / "in"
        files = _copied(path, folder, copies)
        context = RunContext(mind="extractive")
        clients = TimedClients(Settings(home=home, qdrant_url=None), timed)
        vars(context)["clients"] = clients
        allow_paths(clients, folder)
        use_workers(workers)
        inputs: Any = {"library": "speed", "paths": [str(folder)]}
        started = time.perf_counter()
        values = asyncio.run(graph.ainvoke(inputs, {"max_concurrency": 64}, context=context))
        wall = time.perf_counter() - started
        started = time.perf_counter()
        asyncio.run(graph.ainvoke(inputs, {"max_concurrency": 64}, context=context))
        again = time.perf_counter() - started
        close_workers()
        close_libraries()
    return {"files": files, "wall": wall, "again": again} | _figures(values, timed)


def _copied(path: Path, folder: Path, copies: int) -> int:
    """Put each file of the path into a folder so many times, each with bytes of its own."""
    count = 0
    sources = [path] if path.is_file() else sorted(item for item in path.rglob("*.*"))
    for number in range(copies):
        place = folder / str(number)
        place.mkdir(parents=True)
        for source in sources:
            if source.is_file() and source.suffix.lower() in {".pdf", ".html", ".md", ".txt"}:
                # What stands behind its end is no part of a PDF, and makes another file of it.
                extra = f"\n% {number}\n".encode() if number else b""
                (place / source.name).write_bytes(source.read_bytes() + extra)
                count += 1
    return count


def _figures(values: Mapping[str, Any], timed: TimedEmbedder) -> dict[str, Any]:
    reports: list[FileReport] = [item for item in values["reports"] if item.status != "failed"]
    spent = values["spent"]
    stages = {
        name: sum(item.seconds.get(name, 0.0) for item in reports)
        for name in ("read", "record", "cut", "store")
    }
    indexing = sum(spent.get(name, 0.0) for name in ("passages", "papers", "keywords"))
    return {
        "papers": len({item.paper for item in reports}), "failed": values["counts"].failed,
        "pages": sum(item.pages or 0 for item in reports),
        "passages": sum(item.passages for item in reports), "stages": stages,
        "spent": dict(spent), "embed": timed.seconds, "texts": timed.texts, "indexing": indexing,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MB,
        "peak_reader": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _MB,
    }  # fmt: skip


def _print(copies: int, found: Mapping[str, Any]) -> None:
    papers, pages, passages = found["papers"], found["pages"], found["passages"]
    print(
        f"x{copies}: {found['files']} files, {papers} papers, {pages} pages, {passages} passages, "
        f"{found['failed']} failed, in {found['wall']:.1f} s; again {found['again']:.1f} s"
    )
    rows = [(name, found["stages"][name]) for name in ("read", "record", "cut", "store")]
    rows += [(name, found["spent"].get(name, 0.0)) for name in ("passages", "papers", "keywords")]
    print(f"  {'stage':<10} {'seconds':>8} {'papers/s':>9} {'pages/s':>9} {'passages/s':>11}")
    for name, seconds in [*rows, ("whole", found["wall"])]:
        per = max(seconds, 1e-6)
        print(
            f"  {name:<10} {seconds:8.2f} {papers / per:9.1f} {pages / per:9.1f} {passages / per:11.1f}"
        )
    share = found["embed"] / max(found["indexing"], 1e-6)
    print(
        f"  embedding {found['embed']:.1f} s for {found['texts']} texts: {share:.0%} of indexing, "
        f"{found['embed'] / found['wall']:.0%} of the whole"
    )
    print(
        f"  peak memory {found['peak']:.0f} MB, of a process that reads {found['peak_reader']:.0f} MB"
    )


if __name__ == "__main__":
    main()
