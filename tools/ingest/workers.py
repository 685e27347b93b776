"""The processes that read files: limited in time and memory, and replaced when they crash."""

import asyncio
import atexit
import multiprocessing
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from tools.errors import DocumentError
from tools.ingest.worker_tasks import Reading, confine, read_file

if TYPE_CHECKING:
    from pebble import ProcessPool

    from tools.documents.grobid import Grobid

P = ParamSpec("P")
T = TypeVar("T")

_FILES = 100
"""Files after which a process is replaced, whatever native code has leaked by then."""
_IDLE = 30.0
"""Seconds without work after which the processes end."""
_LOOK = 0.2
"""Seconds between looks at whether the run was stopped."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What reading may take."""

    workers: int = 2
    seconds: float = 300.0
    """For one file."""
    megabytes: int = 2048
    """Of memory, for one process."""


class StoppedError(Exception):
    """The run was stopped: nobody waits for the answer."""


class Workers:
    """Processes that read, and as many threads that each take one file from its reading to its run_store.

    So at most as many files are in memory as there are processes, however many a run has.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="ingest")
        self._lock = Lock()
        self._pool: ProcessPool | None = None
        self._stopping = Event()
        self._busy = 0
        self._rest = Timer(0.0, self._close_if_idle)

    def run(self, stopped: Event, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function answers in a process of its own.

        Raises:
            DocumentError: It took too long, crashed, or needed too much memory; or the function's own.
            StoppedError: `stopped` was set; the process that was at work on it is ended.
        """
        with self._lock:
            if self._stopping.is_set():  # a pool made now would outlive the command
                raise StoppedError
            self._rest.cancel()
            self._busy += 1
            if self._pool is None or not self._pool.active:
                self._close()
                self._pool = self._open()
            future = self._pool.schedule(function, args, kwargs, timeout=self.limits.seconds)
        try:
            return self._answer(future, stopped)
        finally:
            with self._lock:
                self._busy -= 1
                if not self._busy:
                    self._rest = Timer(_IDLE, self._close_if_idle)
                    self._rest.daemon = True
                    self._rest.start()

    def _answer(self, future: "Future[T]", stopped: Event) -> T:
        from pebble import ProcessExpired

        while not wait([future], timeout=_LOOK).done:
            if stopped.is_set() or self._stopping.is_set():
                future.cancel()
                raise StoppedError
        try:
            return future.result()
        except TimeoutError as error:
            raise DocumentError(
                f"reading it took longer than {self.limits.seconds:g} seconds",
                remedy="split it into smaller files, or allow more time with "
                "CITELOOM_INGEST_SECONDS",
            ) from error
        except MemoryError as error:
            raise DocumentError(
                "reading it took more memory than is allowed",
                remedy="split it into smaller files, or allow more with CITELOOM_INGEST_MEMORY_MB",
            ) from error
        except (ProcessExpired, BrokenExecutor, CancelledError) as error:
            if stopped.is_set() or self._stopping.is_set():  # the pool was ended under it
                raise StoppedError from error
            raise DocumentError(
                "the program that reads it crashed, as it does on damaged files and where memory "
                "runs out",
                remedy="save it anew with another program, or add another copy or format of it",
            ) from error

    def _open(self) -> "ProcessPool":
        from pebble import ProcessPool

        # Not forked: a copy of a process with threads may wait for a lock for ever.
        return ProcessPool(
            self.limits.workers, max_tasks=_FILES, initializer=confine,
            initargs=(self.limits.megabytes,), context=multiprocessing.get_context("spawn"),
        )  # fmt: skip

    def _close_if_idle(self) -> None:
        with self._lock:
            if not self._busy:
                self._close()

    def _close(self) -> None:
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()
            self._pool = None

    def stop(self) -> None:
        """End processes and threads; what they were at work on is not done."""
        self._stopping.set()
        with self._lock:
            self._rest.cancel()
            self._close()
        self.threads.shutdown(wait=True, cancel_futures=True)


def read_apart(
    workers: Workers, stopped: Event, path: Path, name: str, grobid: "Grobid | None"
) -> Reading:
    """Read the document in a file in a process of its own; see `read_file` and `Workers.run`."""
    return workers.run(stopped, read_file, str(path), name, grobid)


_opening = Lock()
_opened: list[Workers] = []


def open_workers(limits: Limits) -> Workers:
    """Return the process's one set of workers; the first caller's limits hold."""
    with _opening:
        if not _opened:
            _opened.append(Workers(limits))
            atexit.register(close_workers)
        return _opened[0]


def close_workers() -> None:
    """End the process's workers, if there are any."""
    with _opening:
        workers = _opened.pop() if _opened else None
    if workers:
        atexit.unregister(close_workers)
        workers.stop()


async def in_thread(workers: Workers, step: Callable[[Event], T]) -> T:
    """Run a step in one of the workers' threads; where the run is stopped, the step is, too."""
    stopped = Event()
    run = partial(copy_context().run, step, stopped)  # progress is written in the run's context
    try:
        return await asyncio.get_running_loop().run_in_executor(workers.threads, run)
    except asyncio.CancelledError:
        stopped.set()
        raise
    except StoppedError as error:  # the whole process is about to end
        raise asyncio.CancelledError from error
