"""The SQLite files that all runs of this home share: their checkpoints, and what they keep beside them.

A run may be cancelled at any moment, and LangGraph then leaves its tasks behind while they still write
(langgraph 1.2.22: `AsyncPregelLoop.__aexit__` is cancelled by a second cancellation). A connection that is closed in
the middle of a transaction locks the file for every other run for as long as anything holds on to its last statement.
So a transaction, once begun, is brought to its end, and the connection is closed after that.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Self, TypeVar

import aiosqlite
from filelock import AsyncFileLock
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.base import Op, Result
from langgraph.store.sqlite.aio import AsyncSqliteStore

from graphs.checkpoint_types import CheckpointTypes, writes_to_keep
from tools.settings import settings

T = TypeVar("T")

_PATIENCE = 60.0
"""Seconds for which one run waits until another one has written; SQLite's own 5 are few on a busy machine."""
_OUTDATED = """
DELETE FROM {} WHERE thread_id = ? AND checkpoint_id < ? AND (
    ? IN ('', checkpoint_ns) OR instr(checkpoint_ns, ? || '|') = 1
)
"""


class _Writer:
    """Writes to one connection, one at a time: each as a whole or not at all, whoever is cancelled meanwhile.

    At its end as a context manager it waits for what is being written, and writes nothing more.
    """

    def __init__(self, conn: aiosqlite.Connection) -> None:
        self._conn = conn
        self._alone = asyncio.Lock()
        self._tasks = set[asyncio.Task[Any]]()
        self._closed = False

    async def __call__(self, write: Callable[[], Awaitable[T]]) -> T:
        if self._closed:
            raise asyncio.CancelledError  # who asks was left behind by a run that was cancelled
        task = asyncio.create_task(self._whole(write))
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        cancelled: asyncio.CancelledError | None = None
        while self._tasks:
            try:
                await asyncio.wait(self._tasks)
            except asyncio.CancelledError as error:
                cancelled = error
        self._closed = True
        if cancelled:
            raise cancelled

    async def _whole(self, write: Callable[[], Awaitable[T]]) -> T:
        async with self._alone:
            try:
                return await write()
            except BaseException:
                await self._conn.rollback()
                raise

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # else it would be told as never looked at, where nobody waits any more


class LatestCheckpointSaver(AsyncSqliteSaver):
    """Keeps each graph's last checkpoint alone: with the next one, it and its inner graphs' are deleted.

    SQLite's saver copies the whole state at each step. A run goes on from the last one; nothing here
    goes back to an earlier one.
    """

    def __init__(self, conn: aiosqlite.Connection) -> None:
        super().__init__(conn, serde=CheckpointTypes())
        self.write = _Writer(conn)

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Save a checkpoint, and delete what it makes outdated once it is on disk."""
        return await self.write(partial(self._replace, config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a step gave before its checkpoint."""
        kept = writes_to_keep(writes)
        await self.write(partial(super().aput_writes, config, kept, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all of a run's checkpoints."""
        await self.write(partial(super().adelete_thread, thread_id))

    async def _replace(self, config: Any, *checkpoint: Any) -> Any:
        saved = await super().aput(config, *checkpoint)
        place = saved["configurable"]
        space = place["checkpoint_ns"]
        # Ids grow with time: what the step behind this checkpoint has written already has a later one.
        outdated = (str(place["thread_id"]), place["checkpoint_id"], space, space)
        async with self.lock:
            for table in ("checkpoints", "writes"):
                await self.conn.execute(_OUTDATED.format(table), outdated)
            await self.conn.commit()
        return saved


class _Store(AsyncSqliteStore):
    """LangGraph's own store; as a context manager it also ends the task that it began."""

    def __init__(self, conn: aiosqlite.Connection) -> None:
        super().__init__(conn)
        self.write = _Writer(conn)

    async def __aexit__(self, *error: Any) -> None:
        await super().__aexit__(*error)
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out these operations in one transaction."""
        return await self.write(partial(super().abatch, ops))


@asynccontextmanager
async def open_checkpoints() -> AsyncIterator[tuple[LatestCheckpointSaver, AsyncSqliteStore]]:
    """Open the checkpoints and the store that all runs of this home share."""
    home = settings().home
    async with (
        aiosqlite.connect(home / "checkpoints.sqlite", timeout=_PATIENCE) as checkpoints,
        aiosqlite.connect(
            home / "run_store.sqlite", timeout=_PATIENCE, isolation_level=None
        ) as values,
    ):
        saver, store = LatestCheckpointSaver(checkpoints), _Store(values)
        # Two that make the tables at once would get in each other's way.
        async with AsyncFileLock(home / "run_store.lock"):
            await values.execute("PRAGMA journal_mode=WAL")
            await saver.setup()
            await store.setup()
        async with saver.write, store.write, store:
            yield saver, store
