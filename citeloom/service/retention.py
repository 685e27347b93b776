"""Runs that are no longer wanted: what each has kept is deleted with it."""

import asyncio
import shutil
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.service.kept import Run, all_runs
from tools.errors import InputError
from tools.ledger.file import LedgerFile
from tools.settings import settings

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore


async def delete_run(
    run: Run, saver: "BaseCheckpointSaver[str]", store: "BaseStore", *, results: bool = False
) -> None:
    """Delete a run's checkpoints, papers, texts, usage and record; on demand the folder of its results, too.

    Only a folder that the run made for itself: one that `--out` named may hold what is not ours.

    Raises:
        InputError: It is being worked on.
    """
    from langgraph.store.base import PutOp

    with run.alone():
        last = await saver.aget_tuple({"configurable": {"thread_id": run.name}})
        names = {
            run.run_store,
            str(last.checkpoint["channel_values"].get("run", "")) if last else "",
        }
        for name in names - {""}:
            while items := await store.asearch(("citeloom", name), limit=1000):
                await store.abatch([PutOp(item.namespace, item.key, None) for item in items])
            await asyncio.to_thread(LedgerFile(settings().home).forget, name)
        await saver.adelete_thread(run.name)
        if results and Path(run.out).name == run.name:
            await asyncio.to_thread(shutil.rmtree, run.out, ignore_errors=True)
        run.path.unlink(missing_ok=True)


def outdated_runs(days: float, keep: int = 0) -> list[Run]:
    """Return the runs not worked on for so many days, but for the `keep` last ones."""
    before = (datetime.now(UTC) - timedelta(days=days)).timestamp()
    return [run for run in all_runs()[keep:] if run.path.stat().st_mtime < before]


async def delete_runs(
    runs: Collection[Run],
    saver: "BaseCheckpointSaver[str]",
    store: "BaseStore",
    *,
    results: bool = False,
) -> Sequence[Run]:
    """Delete these runs but for those that are being worked on; return the deleted ones."""
    deleted = []
    for run in runs:
        with suppress(InputError):
            await delete_run(run, saver, store, results=results)
            deleted.append(run)
    return deleted


def give_back_room() -> None:
    """Return to the disk what deleted runs took; not now where others are at work on the files."""
    for name in ("checkpoints.sqlite", "run_store.sqlite"):
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(settings().home / name, timeout=1)) as database,
        ):
            database.execute("VACUUM")
