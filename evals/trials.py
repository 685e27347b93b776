"""Runs of the real graphs, each in a home that is thrown away; files of data and of figures."""

import asyncio
import gzip
import json
import logging
import multiprocessing
import signal
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, TypeVar

import numpy as np
from pebble import ProcessExpired, ProcessPool

from state.run import Usage
from tools.cache import open_cache
from tools.clients import Clients
from tools.documents.document_cache import DocumentStore, StoredEmbedder
from tools.embed.embedder import Embedder, Vectors
from tools.embed.minilm import MiniLm
from tools.errors import InputError, PermanentError
from tools.run_settings import RunSettings
from tools.settings import Settings, settings

_THREADS = 2


class _OneByOne(MiniLm):
    """Embeds each text alone, so that its vector does not depend on what else was asked with it.

    So no figure depends on the order of runs or the number of processes.
    """

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of norm 1 for each text; see tools.embed.embedder."""
        with ThreadPoolExecutor(_THREADS) as pool:
            return np.concatenate(list(pool.map(super().embed, ([text] for text in texts))))


def keeping_vectors(path: Path) -> Embedder:
    """Return an embedder whose vectors are kept in a file that several processes may share."""
    return StoredEmbedder(_OneByOne(_THREADS), DocumentStore(path.parent, path.name))


Row = dict[str, Any]
"""What one run gave: 'case' and 'arm', 'error' where it broke, and what its suite measures."""


class BenchClients(Clients):
    """The product's clients with an embedder of the benchmark's."""

    def __init__(self, here: Settings, embedder: Embedder) -> None:
        super().__init__(here)
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        """The benchmark's embedder."""
        return self._embedder


def home_at(folder: Path) -> Settings:
    """Return the process's settings with another home, and the embedded engine."""
    return settings().model_copy(update={"home": folder, "qdrant_url": None})


@contextmanager
def fresh_home() -> Iterator[Settings]:
    """Give the process's settings with a home of their own, and the embedded engine."""
    with tempfile.TemporaryDirectory(prefix="citeloom-eval-", ignore_cleanup_errors=True) as home:
        try:
            yield home_at(Path(home))
        finally:
            open_cache.cache_clear()  # it holds files of the home


def run_graph(
    graph: Any, inputs: Mapping[str, Any], clients: Clients, choices: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a graph, or the product's of a name, in an event loop of its own.

    `choices` are fields of RunSettings.
    """
    context = RunSettings(**choices)
    vars(context)["clients"] = clients  # where cached_property looks first
    config: Any = {"recursion_limit": 1000, "max_concurrency": 16}
    began = perf_counter()
    graph = import_module(f"graphs.{graph}").graph if isinstance(graph, str) else graph
    result = dict(asyncio.run(graph.ainvoke(dict(inputs), config, context=context)))
    return result | {"took": perf_counter() - began}


def attempted(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a run gives, or only its 'error': one run must not cost the others."""
    try:
        return run()
    except Exception as error:  # noqa: BLE001 - it is recorded
        return {"error": f"{type(error).__name__}: {error}"}


def cost_of(used: Iterable[Usage], seconds: float) -> dict[str, float]:
    """Return what the minds of a run cost."""
    used = list(used)
    llm = [usage for usage in used if usage.mind != "extractive"]
    return {
        "seconds": seconds,
        "questions": sum(usage.calls for usage in used),
        "llm_calls": sum(usage.calls for usage in llm),
        "input_tokens": sum(usage.input_tokens for usage in llm),
        "output_tokens": sum(usage.output_tokens for usage in llm),
        "usd": sum(usage.usd for usage in llm),
    }


def failures_of(result: Mapping[str, Any]) -> list[str]:
    """Return the failures that a run recorded, in words."""
    return [f"{one.stage}: {one.subject}: {one.cause}" for one in result.get("failures") or ()]


CaseT = TypeVar("CaseT")


@dataclass(kw_only=True)
class Cases(Generic[CaseT]):
    """The cases of a data set that can be measured, and why others cannot, by id or line."""

    cases: list[CaseT] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


TaskT = TypeVar("TaskT")
RowT = TypeVar("RowT")

_embedders: dict[Path, Embedder] = {}


@contextmanager
def quiet() -> Generator[None]:
    """Keep warnings of runs off the screen while the block runs: they are counted in the rows."""
    logger = logging.getLogger("citeloom")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def remembering(vectors: Path) -> Embedder:
    """Return this process's embedder, which keeps the vectors of texts there."""
    if vectors not in _embedders:
        _embedders.clear()
        _embedders[vectors] = keeping_vectors(vectors)
    return _embedders[vectors]


def results_of(
    run: Callable[[TaskT], RowT], tasks: Sequence[TaskT], workers: int
) -> Generator[RowT]:
    """Yield what `run` gives for each task as it is done; closing the iterator ends what is under way.

    Args:
        run: A function that can be sent to another process.
        tasks: What can be sent there as well.
        workers: Processes; 1 runs the tasks in turn, in this one.

    Raises:
        PermanentError: A worker process was ended from outside.
    """
    if workers == 1:
        yield from map(run, tasks)
        return
    with ProcessPool(
        workers, context=multiprocessing.get_context("spawn"), initializer=_prepare
    ) as pool:
        try:
            for future in as_completed([pool.schedule(run, (task,)) for task in tasks]):
                yield future.result()
        except ProcessExpired as error:
            raise PermanentError(
                "a worker process was ended, perhaps for want of memory; try fewer --workers"
            ) from error
        finally:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble has half of its types


def _prepare() -> None:
    # Ctrl-C reaches the whole group; the command decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("citeloom").setLevel(logging.ERROR)


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield what stands in each line that is not empty, with the line's number.

    Raises:
        InputError: The file cannot be read, or a line is no JSON; the message names the line.
    """
    number = 0
    try:
        content = path.read_bytes()
        lines = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
        for number, line in enumerate(lines.split(b"\n"), 1):
            if line.strip():
                yield number, json.loads(line)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"the data '{path}' cannot be read: {error}; give a file of JSON lines, plain or gzip"
        ) from error
    except ValueError as error:
        raise InputError(f"line {number} of '{path}' is no JSON: {error}") from error


def check_file(path: Path | None) -> None:
    """Check that a file can be written to a folder that exists.

    Raises:
        InputError: It cannot.
    """
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InputError(f"'{path}' cannot be written: name a file in a folder that exists")


def write_figures(path: Path | None, found: dict[str, Any]) -> None:
    """Write figures as JSON, as a whole or not at all.

    Raises:
        InputError: They cannot be written.
    """
    if path is None:
        return
    # NaN and infinity are no JSON: better an error here than a file that others cannot read.
    text = json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False)
    temporary = path.with_name(f"{path.name}.part")
    try:
        temporary.write_text(f"{text}\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error}") from error


def read_figures(path: Path) -> dict[str, Any]:
    """Return figures that a suite wrote with --json.

    Raises:
        InputError: They cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"'{path}' cannot be read as figures: {error}") from error
    return found if isinstance(found, dict) else {}
