"""Runs of a benchmark in turn or side by side, until all are done or someone stops them."""

import logging
import multiprocessing
import signal
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pebble import ProcessExpired, ProcessPool

from evals.retrieval.vectors import keeping_vectors
from tools.embed.embedder import Embedder
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
