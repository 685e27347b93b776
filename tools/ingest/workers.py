"""The processes that read files: limited in time and memory, and replaced when they crash."""

import asyncio
import atexit
import logging
import multiprocessing
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from tools.errors import DocumentError, PermanentError
from tools.ingest.worker_tasks import OUT_OF_MEMORY, confine

if TYPE_CHECKING:
    from pebble import ProcessPool

logger = logging.getLogger(f"citeloom.{__name__}")

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
        self._rest: Timer | None = None

    def run(self, stopped: Event, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function of tools.ingest.worker_tasks answers in a process of its own.

        Raises:
            DocumentError: It took too long, crashed, or needed too much memory.
            StoppedError: `stopped` was set; the process that was at work on it is ended.
        """
        pool = self._begin()
        try:
            return self._wait(pool, stopped, function, *args, **kwargs)
        finally:
            self._end()

    def _wait(
        self,
        pool: "ProcessPool",
        stopped: Event,
        function: Callable[P, T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        from pebble import ProcessExpired

        try:
            future = pool.schedule(function, args, kwargs, timeout=self.limits.seconds)
        except RuntimeError as error:
            if self._stopping.is_set():  # the pool was closed in between
                raise StoppedError from error
            raise
        while not wait([future], timeout=_LOOK).done:
            if stopped.is_set() or self._stopping.is_set():
                future.cancel()  # type: ignore[no-untyped-call]
                raise StoppedError
        try:
            return future.result()
        except TimeoutError as error:
            raise DocumentError(
                f"reading it took longer than {self.limits.seconds:g} seconds",
                remedy="split it into smaller files, or allow more time with "
                "CITELOOM_INGEST_SECONDS",
            ) from error
        except (ProcessExpired, BrokenExecutor) as error:
            if stopped.is_set() or self._stopping.is_set():  # the pool was ended under it
                raise StoppedError from error
            raise DocumentError(
                "the program that reads it crashed, as it does on damaged files and where memory "
                "runs out",
                remedy="save it anew with another program, or add another copy or format of it",
            ) from error
        except MemoryError as error:
            raise DocumentError(OUT_OF_MEMORY[0], remedy=OUT_OF_MEMORY[1]) from error
        except CancelledError as error:
            raise StoppedError from error

    def _begin(self) -> "ProcessPool":
        from pebble import ProcessPool

        with self._lock:
            if self._stopping.is_set():  # a pool made now would outlive the command
                raise StoppedError
            self._busy += 1
            if self._rest:
                self._rest.cancel()
                self._rest = None
            if self._pool is not None and not self._pool.active:
                self._close()
            if self._pool is None:
                # Not forked: a copy of a process with threads may wait for a lock for ever.
                self._pool = ProcessPool(
                    self.limits.workers,
                    max_tasks=_FILES,
                    initializer=confine,
                    initargs=(self.limits.megabytes,),
                    context=multiprocessing.get_context("spawn"),
                )
            return self._pool

    def _end(self) -> None:
        with self._lock:
            self._busy -= 1
            if not self._busy and self._pool is not None:
                self._rest = Timer(_IDLE, self._close_if_idle)
                self._rest.daemon = True
                self._rest.start()

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
            if self._rest:
                self._rest.cancel()
            self._close()
        self.threads.shutdown(wait=True, cancel_futures=True)


_opening = Lock()
_opened: list[Workers] = []


def open_workers(limits: Limits) -> Workers:
    """Return the process's one set of workers; the first caller's limits hold.

    Raises:
        PermanentError: The package that starts them is not installed.
    """
    with _opening:
        if not _opened:
            try:
                import pebble  # noqa: F401
            except ModuleNotFoundError as error:
                raise PermanentError(
                    "the package that reads files in processes of their own is not installed: run "
                    "`pip install pebble`"
                ) from error
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
