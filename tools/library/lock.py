"""One writer at a time, over threads and processes; the system frees the lock of a killed one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from tools.errors import LibraryError


class WriteLock:
    """A lock on a file, re-entrant in the thread that holds it."""

    def __init__(self, path: Path, subject: str) -> None:
        self._lock = FileLock(path)
        self._subject = subject

    @contextmanager
    def held(self, wait: float = 20.0) -> Iterator[None]:
        """Hold the lock; `wait` is in seconds.

        Raises:
            LibraryError: Another thread or process kept it for longer.
        """
        try:
            self._lock.acquire(timeout=wait)
        except Timeout as error:
            raise LibraryError(
                f"{self._subject} is being written by another process or thread: wait until it has "
                "finished, or kill it and run your command again (nothing is lost)"
            ) from error
        try:
            yield
        finally:
            self._lock.release()
