"""Checkpoints that grow with what a run has, not with the steps it took."""

from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_OUTDATED = """
DELETE FROM {} WHERE thread_id = ? AND checkpoint_id < ? AND (
    ? IN ('', checkpoint_ns) OR instr(checkpoint_ns, ? || '|') = 1
)
"""


class LatestSaver(AsyncSqliteSaver):
    """Keeps each graph's last checkpoint alone: with the next one, it and its inner graphs' are deleted.

    SQLite's saver copies the whole state at each step. A run goes on from the last one; nothing here
    goes back to an earlier one.
    """

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Save a checkpoint, and delete what it makes outdated once it is on disk."""
        saved = await super().aput(config, checkpoint, metadata, new_versions)
        place = saved["configurable"]
        space = place["checkpoint_ns"]
        # Ids grow with time: what the step behind this checkpoint has written already has a later one.
        outdated = (str(place["thread_id"]), place["checkpoint_id"], space, space)
        async with self.lock:
            for table in ("checkpoints", "writes"):
                await self.conn.execute(_OUTDATED.format(table), outdated)
            await self.conn.commit()
        return saved
