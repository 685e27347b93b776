"""The folder of an embedded index: opened on use, shared between processes by turns.

The engine serves one process at a time. So its folder is opened on use, and closed when it was idle for a
while (to open a million passages takes four seconds). Whoever finds it locked waits and leaves a mark, upon
which the one who has it gives way: at once when idle, else between two calls. The lock is ours: the engine's
own is taken only after it has read a part of the folder, so that one who waits for it would go on with what
was there before the other wrote, and lose that (qdrant-edge-py 0.9.0, tests/library/test_processes.py).
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Thread
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from tools.disk import check_room
from tools.errors import LibraryError
from tools.program import PROGRAM

if TYPE_CHECKING:
    import qdrant_edge as qe

_POLL = 0.05  # seconds between two tries for the lock
_TURN = 1.0  # seconds that one process may go on while another waits
_FRESH = 0.5  # seconds for which a mark counts: the waiting one renews it
_IDLE = 300.0  # seconds without a call after which the folder is released
_REST = 0.1  # seconds without a call after which a process gives way to one that waits
_LOOK = 0.25  # seconds between two looks whether one waits


def lock_of(path: Path) -> Path:
    """Return the file that is locked while the index in a folder is open."""
    return path.with_name(f".{path.name}.lock")


class EdgeFolder:
    """Opens one folder for all threads of the process."""

    def __init__(self, path: Path, *, wait: float) -> None:
        """Name the folder; see tools.library.edge.EdgeIndex for the seconds."""
        path = (
            path.parent.resolve() / path.name
        )  # where others that came another way leave their marks
        self.path = path
        self._wait = wait
        self._turn = Condition()
        self._shard: qe.EdgeShard | None = None
        self._users = 0
        self._last_use = 0.0
        self._since = 0.0
        self._mark = path.with_name(f".{path.name}-wanted")
        # Taken by a call and released by the thread that waits for idleness.
        self._lock = FileLock(lock_of(path), thread_local=False)

    def close(self) -> None:
        """Release the folder once running calls have ended."""
        with self._turn:
            self._turn.wait_for(lambda: self._users == 0)
            self._release()

    @contextmanager
    def opened(self) -> "Iterator[qe.EdgeShard]":
        """Hold the folder open for one call.

        Raises:
            LibraryError: It is damaged, or another process does not give way.
        """
        with self._turn:
            self._give_way()
            if self._shard is None:
                self._shard = self._load()
                self._since = time.monotonic()
                Thread(target=self._close_when_idle, name="edge-idle", daemon=True).start()
            shard = self._shard
            self._users += 1
        try:
            with told_faults(self.path):
                yield shard
        finally:
            with self._turn:
                self._users -= 1
                self._last_use = time.monotonic()
                self._turn.notify_all()

    def _give_way(self) -> None:
        if self._shard is None or time.monotonic() - self._since < _TURN or not self._wanted():
            return
        if self._turn.wait_for(lambda: self._users == 0, timeout=_TURN):
            self._release()
            time.sleep(3 * _POLL)  # with our own turn held, so that only the other comes in

    def _wanted(self) -> bool:
        """Whether another process waits for the folder."""
        try:
            return time.time() - self._mark.stat().st_mtime < _FRESH
        except OSError:
            return False

    def _load(self) -> "qe.EdgeShard":
        import qdrant_edge as qe

        check_room(self.path.parent)
        self._take_lock()
        try:
            with told_faults(self.path):
                return qe.EdgeShard.load(str(self.path))
        except BaseException:
            self._lock.release()
            raise

    def _take_lock(self) -> None:
        until = time.monotonic() + self._wait
        while True:
            try:
                self._lock.acquire(timeout=_POLL)
            except Timeout as error:
                if time.monotonic() > until:
                    raise LibraryError(
                        f"the library in {self.path.parent} is in use by another process: wait "
                        "for it, or run a Qdrant server and set CITELOOM_QDRANT_URL"
                    ) from error
                self._mark.touch()
            else:
                self._mark.unlink(missing_ok=True)
                return

    def _close_when_idle(self) -> None:
        with self._turn:
            self._last_use = time.monotonic()
            while self._shard is not None:
                rested = time.monotonic() - self._last_use
                if self._users == 0 and (rested >= _IDLE or (rested >= _REST and self._wanted())):
                    self._release()
                    return
                self._turn.wait(min(_LOOK, max(_IDLE - rested, 0)) if self._users == 0 else None)

    def _release(self) -> None:
        if self._shard is not None:
            self._shard.close()
            self._shard = None
            self._lock.release()
        self._turn.notify_all()


@contextmanager
def told_faults(path: Path) -> Iterator[None]:
    """Turn what the engine raises into LibraryError.

    It raises bare Exception, or where its files are damaged a PanicException that is none; what is
    ours or Python's own goes on unchanged.
    """
    try:
        yield
    except BaseException as error:
        if not _of_engine(error):
            raise
        raise _fault(path, error) from error


def _fault(path: Path, error: BaseException) -> LibraryError:
    return LibraryError(
        f"the vectors in {path} cannot be used ({error}): if the disk is not full and this persists, "
        f"delete that folder and run `{PROGRAM} library index {path.parent.name}` to make them anew"
    )


def _of_engine(error: BaseException) -> bool:
    return type(error) is Exception or type(error).__name__ == "PanicException"
