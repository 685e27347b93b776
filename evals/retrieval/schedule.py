"""Runs in turn or side by side, until all are done or someone stops them."""

import logging
import multiprocessing
import os
import signal
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from evals.retrieval.arms import Arm
from evals.retrieval.corpus import Case
from evals.retrieval.trial import Row, Setting, try_arm
from evals.retrieval.vectors import RememberingEmbedder
from tools.embed.port import Embedder
from tools.errors import PermanentError

Task = tuple[Case, Arm]

_embedders: dict[str, Embedder] = {}


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


def rows_of(tasks: Sequence[Task], setting: Setting, workers: int) -> Generator[Row]:
    """Yield the row of each task as it is done; closing the iterator ends what is under way.

    Raises:
        PermanentError: A worker process was ended from outside.
    """
    if workers == 1:
        yield from (_run(task, setting) for task in tasks)
        return
    executor = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), initializer=_prepare
    )
    done = False
    futures: list[Future[Row]] = []
    try:
        futures += [executor.submit(_run, task, setting) for task in tasks]
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


def _run(task: Task, setting: Setting) -> Row:
    case, arm = task
    place = str(setting.vectors)
    if place not in _embedders:
        _embedders.clear()
        _embedders[place] = RememberingEmbedder(setting.vectors)
    return try_arm(case, arm, setting, _embedders[place])
