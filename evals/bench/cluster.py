"""What a cluster is worth to ingestion: Ray's workers, one and two, beside one process."""

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from evals.bench.libraries import pdfs_of
from evals.bench.part import Given, Row
from evals.trials import fresh_home
from graphs.ingest import graph
from tools.clients import open_clients
from tools.errors import PermanentError
from tools.ingest.file_places import allow_paths
from tools.ingest.ray_workers import encode_on_ray, start_ray
from tools.ingest.reader_processes import close_workers
from tools.library.library import Library
from tools.library.open_library import close_libraries, open_library
from tools.run_settings import RunSettings

_FILES = 12
_PARAGRAPHS = 60
_BATCH = 64


def measure(given: Given) -> Iterator[Row]:
    """Yield passages a second from files to vectors, and of embedding alone.

    Raises:
        PermanentError: Ray is not installed, or files could not be read.
    """
    if not find_spec("ray"):
        raise PermanentError("Ray is not installed: run `pip install 'citeloom[ray]'`")
    with fresh_home() as here:
        files = _files(given, here.home)
        context = RunSettings(mind="extractive")
        vars(context)["clients"] = open_clients(here)
        allow_paths(context.clients, Path(here.home.anchor))
        try:
            _rate(context, files[:1], "cold")
            alone, library = _rate(context, files, "alone")
            began = perf_counter()
            start_ray(2)
            yield Row("cluster", "start of Ray", perf_counter() - began, "s")
            _rate(context, files[:2], "warm")
            rates = {}
            for workers in (1, 2):
                start_ray(workers)
                rates[workers], _ = _rate(context, files, f"ray{workers}")
            embedding = {}
            for workers in (2, 1, 2):  # the first warms up
                start_ray(workers)
                embedding[workers] = _embedding(context, library)
        finally:
            close_workers()
            close_libraries()
    what, unit = f"{len(files)} files to vectors", "passages/s"
    yield Row("cluster", f"{what}, one process", alone, unit)
    yield Row("cluster", f"{what}, Ray, 1 worker", rates[1], unit, "one process", rates[1] / alone)
    yield Row("cluster", f"{what}, Ray, 2 workers", rates[2], unit, "1 worker", rates[2] / rates[1])
    yield Row(
        "cluster",
        "embedding, Ray, 2 workers",
        embedding[2],
        unit,
        "1 worker",
        embedding[2] / embedding[1],
    )


def _files(given: Given, home: Path) -> list[Path]:
    number = given.n or _FILES
    if given.data:
        return list(pdfs_of(given))[:number]
    made = [home / f"{place}.md" for place in range(number)]
    for place, path in enumerate(made):
        body = "\n\n".join(
            f"In plot {place} of row {row} the bees were counted each morning for {row + 2} weeks, and of "
            f"those that left the hive {row % 9 + 90} in a hundred came home before noon. " * 4
            for row in range(_PARAGRAPHS)
        )
        path.write_text(f"# Bees of plot {place}\n\n{body}\n", encoding="utf-8")
    return made


def _rate(context: RunSettings, files: list[Path], name: str) -> tuple[float, Library]:
    began = perf_counter()
    inputs = {"library": name, "paths": [str(path) for path in files]}
    done = asyncio.run(graph.ainvoke(inputs, {"max_concurrency": 64}, context=context))  # type: ignore[call-overload]
    taken = perf_counter() - began
    if done["stop"]:
        raise PermanentError(done["stop"].cause)
    library = open_library(name, context.clients.settings, context.clients.embedder)
    return library.texts.count() / taken, library


def _embedding(context: RunSettings, library: Library) -> float:
    texts = [passage.text for page in library.texts.pages(1000) for passage in page]
    batches = [texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH)]
    began = perf_counter()
    made = sum(len(one.dense) for one in encode_on_ray(context.clients.settings, batches))
    return made / (perf_counter() - began)
