"""The processes that read files: limited in time and memory, replaced when they crash; open copies too."""

import asyncio
import atexit
import logging
import multiprocessing
import os
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, ParamSpec, TypeVar
from urllib.parse import urlsplit

from state.document import Document
from state.paper import Paper
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS, ReaderLimits
from tools.ingest.file_places import UploadSpool
from tools.ledger.run_ledger import RunLedger
from tools.settings import Settings

if TYPE_CHECKING:
    from pebble import ProcessPool

    from tools.documents.file_types import Kind
    from tools.documents.grobid import Grobid


@dataclass(frozen=True, slots=True)
class OpenCopy:
    """An open copy that was read."""

    document: Document
    sha256: str
    """Of its bytes."""
    host: str
    """Where it was in the end."""


async def read_open_copy(
    paper: Paper,
    *,
    run: str,
    ledger: RunLedger,
    settings: Settings,
    indexes: bool = False,
    fault: Callable[[Document], str] = lambda _: "",
) -> OpenCopy:
    """Fetch and read an open copy: the first that can be had, can be read, and has no fault.

    Args:
        paper: Whose copy.
        run: The run, below whose name the copy waits on disk to be read.
        ledger: The run's.
        settings: Where copies are, and what reading may take.
        indexes: Whether indexes of open copies are asked for more places.
        fault: Returns why a copy is of no use, such as 'is of another work', or nothing.

    Raises:
        DocumentError: There is none; or none can be had or read.
        TransientError: The hosts do not answer for now.
        BudgetError: The run may not ask for more.
        OSError: The copy cannot be kept on disk until it is read.
    """
    from tools.documents.fetch_open_copies import Fetched, read_first_copy

    spool = UploadSpool(settings.home, run)

    async def read(copy: Fetched) -> OpenCopy:
        host = urlsplit(copy.address).hostname or copy.address
        name = f"copy of {paper.id} {sha256(copy.content).hexdigest()}"
        digest = await asyncio.to_thread(spool.put, copy.content, name=name)
        path = spool.path(digest)
        try:
            reading = await run_apart(settings, read_file, str(path), copy.name, None)
        finally:
            await asyncio.to_thread(spool.drop, digest)
        if wrong := fault(reading.document):
            raise DocumentError(f"the copy at {host} {wrong}")
        return OpenCopy(reading.document, reading.sha256, host)

    return await read_first_copy(paper, read, ledger=ledger, settings=settings, indexes=indexes)


P = ParamSpec("P")
T = TypeVar("T")

_EXCERPT = 200
_IDLE = 30.0
"""Seconds without work after which the processes end."""
_LOOK = 0.2
"""Seconds between looks at whether the run was stopped."""


class StoppedError(Exception):
    """The run was stopped: nobody waits for the answer."""


class Workers:
    """Processes that read, and as many threads that each take one file, from its reading until it is kept.

    So at most as many files are in memory as there are processes, however many a run has.
    """

    def __init__(self, limits: ReaderLimits) -> None:
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
                remedy="save it again with another program, or add another copy or format",
            ) from error

    def _open(self) -> "ProcessPool":
        from pebble import ProcessPool

        # Not forked: a copy of a process with threads may wait for a lock for ever.
        return ProcessPool(
            self.limits.workers,
            max_tasks=self.limits.files,
            initializer=_confine,
            initargs=(self.limits.megabytes,),
            context=multiprocessing.get_context("spawn"),
        )

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


# --- What runs in a process of its own: it ends where a file crashes or drowns what reads it ---


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read."""

    kind: str
    document: Document
    sha256: str
    """Of the bytes that were read."""
    note: str = ""
    """Where its name promises another kind, or GROBID did not read it."""


def _confine(megabytes: int) -> None:
    """Limit the memory of this process, where the system has such a limit, and leave no core dump."""
    logging.getLogger("citeloom").setLevel(logging.ERROR)
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):  # macOS has none; and it may be set lower already
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000, hard))


def read_file(path: str, name: str, grobid: "Grobid | None") -> ReadFile:
    """Read the document in a file: a PDF by GROBID where there is one, or else by our own reader.

    Args:
        path: Where its bytes stand.
        name: What it is called, for messages and where its contents leave its format open.
        grobid: The service; that it failed is in the reading's note.

    Raises:
        DocumentError: It cannot be read; an exception of a foreign package might not survive the way.
    """
    from tools.documents.open_document import note_on, read_document

    try:
        with open(path, "rb") as file:
            content = file.read(FILE_LIMITS.bytes + 1)  # the reader says so where that is too much
        found, fault = _by_grobid(content, name, grobid) if grobid else (None, "")
        kind, document = found or read_document(content, name=name)
    except (DocumentError, MemoryError):
        raise
    except OSError as error:
        raise DocumentError(
            f"it cannot be read: {error.strerror or error}",
            remedy="check that it is there and readable",
        ) from error
    except Exception as error:
        raise DocumentError(
            f"its reader failed: {type(error).__name__}: {error}"[:_EXCERPT],
            remedy="save it in another format (PDF, HTML, text) and add that, and report the fault",
        ) from error
    note = "; ".join(filter(None, [note_on(kind, name), fault]))
    return ReadFile(kind, document, sha256(content).hexdigest(), note)


def _by_grobid(
    content: bytes, name: str, grobid: "Grobid"
) -> "tuple[tuple[Kind, Document] | None, str]":
    from tools.documents.grobid import read_by_grobid

    if b"%PDF-" not in content[:1024]:
        return None, ""
    try:
        return ("pdf", read_by_grobid(content, name=name, grobid=grobid)), ""
    except Exception as error:  # noqa: BLE001 - whatever is wrong with its answer, the file is there
        return None, f"it was read without GROBID: {error}"[:_EXCERPT]


# --- The workers of this process ----------------------------------------------------------------

_opening = Lock()
_opened: list[Workers] = []
_at_once: list[int] = []


def use_workers(number: int | None) -> None:
    """Let this process read so many files at once; None leaves that to the settings."""
    _at_once[:] = [number] if number else []


def limits_of(settings: Settings) -> ReaderLimits:
    """Return what reading may take in this process."""
    return ReaderLimits(
        workers=_at_once[0] if _at_once else min(os.cpu_count() or 2, 8),
        seconds=settings.ingest_seconds,
        megabytes=settings.ingest_memory_mb,
    )


def open_workers(limits: ReaderLimits) -> Workers:
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


async def run_apart(
    settings: Settings, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return what a function answers in one of the processes that read; see `Workers.run`.

    What parses a stranger's text (a file, its list of references) runs there, never in the process that serves.
    """
    workers = await asyncio.to_thread(open_workers, limits_of(settings))
    return await in_thread(workers, lambda stopped: workers.run(stopped, function, *args, **kwargs))
