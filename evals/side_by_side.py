"""Runs of a benchmark in turn or side by side, until all are done or someone stops them."""

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from evals.retrieval.vectors import RememberingEmbedder
from tools.embed.port import Embedder
from tools.errors import PermanentError

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
        _embedders[vectors] = RememberingEmbedder(vectors)
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
    executor = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), initializer=_prepare
    )
    done = False
    futures: list[Future[RowT]] = []
    try:
        futures += [executor.submit(run, task) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
        done = True
    except BrokenProcessPool as error:
        raise PermanentError(
            "a worker process was ended, perhaps for want of memory; try fewer --workers"
        ) from error
    finally:
        # Python 3.14 has terminate_workers for this; until then a run would go on to its end.
        processes = list(getattr(executor, "_processes", None) or {})
        executor.shutdown(wait=done, cancel_futures=True)
        if not done:
            _end(processes)


def _prepare() -> None:
    # Ctrl-C reaches the whole group; the command decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("citeloom").setLevel(logging.ERROR)


def _end(processes: Sequence[int]) -> None:
    for process in processes:
        try:
            os.kill(process, signal.SIGTERM)
        except ProcessLookupError:
            continue  # it was first
