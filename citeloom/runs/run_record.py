"""Runs as they are kept on disk, so that another process can list them, go on with them and delete them."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from citeloom.runs.runs import UnknownRunError
from tools.disk import write_whole
from tools.errors import InputError, logger_of
from tools.ledger.ledger_file import LedgerFile
from tools.settings import settings

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

logger = logger_of(__name__)


@dataclass(kw_only=True)
class RunRecord:
    """A run: what was asked, how, and how far it came."""

    name: str
    graph: str
    inputs: dict[str, Any]
    context: dict[str, Any]
    out: str = ""
    started: str
    seconds: float = 0.0
    """Spent before the last interruption."""
    run_store: str = ""
    """The name under which graphs know it, once it has begun."""
    status: str = "begun"
    """How far it came: begun, waiting (for a person), interrupted, failed, or its outcome."""
    asked: str = ""
    """Which question it waits with."""
    answered: list[Any] = field(default_factory=list)
    """The question that was answered last and the answer, until the run has come further."""
    error: str = ""
    """Why it failed, where it did."""
    conversation: str = ""
    """What it belongs to, where a caller told."""
    about: dict[str, Any] = field(default_factory=dict)
    """What else a caller notes of it, such as the title that the page shows."""
    formats: list[str] = field(default_factory=list)
    style: str = ""
    """A citation style of the user's own, which only the command line opens."""
    bib: str = ""
    """A file of references of the user's own, whose keys a section takes."""
    notes: str = ""
    """A folder of the user's own for a note of each paper."""
    zotero: dict[str, Any] = field(default_factory=dict)
    """What of it is in each of the user's libraries of Zotero; see citeloom.service.zotero_export.Kept."""

    @property
    def command(self) -> str:
        """The command that goes on with it: a conversation at the terminal belongs to itself."""
        return "chat" if self.conversation == self.name or self.status == "chat" else self.graph

    @property
    def noted(self) -> dict[str, Any]:
        """What a page shows of it besides its result; without a title of its own, how its text begins."""
        given = (self.inputs.get(name) for name in ("question", "text", "instruction"))
        text = next((text for text in given if isinstance(text, str)), "")
        return {
            "title": " ".join(text[:200].split())[:80],
            "citeloom_settings": self.context,
            "searched": self.inputs,
            **self.about,
        }

    @property
    def zotero_uris(self) -> dict[str, list[str]]:
        """The addresses of papers in the user's Zotero, by the paper's id, as fields in Word name them."""
        found: dict[str, list[str]] = {}
        for place, kept in self.zotero.items():
            for paper, key in kept["items"].items():
                found.setdefault(paper, []).append(f"http://zotero.org/{place}/items/{key}")
        return found

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return _folder() / f"{self.name}.json"

    @property
    def updated(self) -> str:
        """When it was last written."""
        written = self.path.stat().st_mtime if self.path.is_file() else 0
        return datetime.fromtimestamp(written, UTC).isoformat(timespec="seconds")

    def save(self) -> None:
        """Write it, replacing what was there as a whole."""
        write_whole(self.path, json.dumps(asdict(self), indent=1))  # ASCII, whatever was typed

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Hold the run while somebody works on it; the hold ends with the process, however that ends.

        Raises:
            InputError: Somebody else works on it, in this process or another.
        """
        from filelock import FileLock, Timeout

        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._lock_path, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            raise InputError(
                f"run '{self.name}' is still working: wait for it, or stop it"
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):  # gone, or its folder is: the hold ends all the same
                Path(lock.lock_file).unlink()
            lock.release()

    def is_held(self) -> bool:
        """Whether somebody works on the run. A run whose process left no lock behind is not locked to look."""
        if not self._lock_path.exists():
            return False
        try:
            with self.hold_lock():
                return False
        except InputError:
            return True

    @property
    def _lock_path(self) -> Path:
        return self.path.with_suffix(".lock")


def new_run(graph: str, inputs: dict[str, Any], context: dict[str, Any], **more: Any) -> RunRecord:
    """Return a run that begins now, under a name of its own; it is not saved."""
    now = datetime.now(UTC)
    own = {
        "name": f"{now:%Y%m%d-%H%M%S}-{uuid4().hex[:6]}",
        "started": now.isoformat(timespec="seconds"),
    }
    return RunRecord(graph=graph, inputs=inputs, context=context, **{**own, **more})


def load_run(name: str) -> RunRecord:
    """Return a run that was started on this machine.

    Raises:
        InputError: There is none of this name.
    """
    path = _folder() / f"{Path(name).name}.json"
    if not path.is_file():
        known = [item.stem for item in _latest()[:5]]
        raise UnknownRunError(
            f"there is no run '{name}'"
            + (f"; the latest are {', '.join(known)}" if known else ": no runs yet")
        )
    return _read(path)


def all_runs() -> list[RunRecord]:
    """Return the runs that were started on this machine, those last worked on first.

    One whose record is damaged is left out, and named in the log.
    """
    found: list[RunRecord] = []
    for path in _latest():
        try:
            found.append(_read(path))
        except InputError as error:
            logger.warning("%s", error)
    return found


async def _delete(
    run: RunRecord, saver: "BaseCheckpointSaver[str]", store: "BaseStore", *, results: bool
) -> None:
    """Delete a run's checkpoints, papers, texts, usage and record; on demand the folder of its results, too.

    Only a folder that the run made for itself: one that `--out` named may hold what is not ours.

    Raises:
        InputError: It is being worked on.
    """
    from langgraph.store.base import PutOp

    with run.hold_lock():
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


def outdated_runs(days: float, keep: int = 0) -> list[RunRecord]:
    """Return the runs not worked on for so many days, but for the `keep` last ones."""
    before = (datetime.now(UTC) - timedelta(days=days)).timestamp()
    return [run for run in all_runs()[keep:] if run.path.stat().st_mtime < before]


async def delete_runs(
    runs: Collection[RunRecord],
    saver: "BaseCheckpointSaver[str]",
    store: "BaseStore",
    *,
    results: bool = False,
) -> Sequence[RunRecord]:
    """Delete these runs but for those that are being worked on; return the deleted ones."""
    deleted = []
    for run in runs:
        with suppress(InputError):
            await _delete(run, saver, store, results=results)
            deleted.append(run)
    return deleted


def vacuum_stores() -> None:
    """Return to the disk what deleted runs took; not now where others are at work on the files."""
    for name in ("checkpoints.sqlite", "run_store.sqlite"):
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(settings().home / name, timeout=1)) as database,
        ):
            database.execute("VACUUM")


def _latest() -> list[Path]:
    return sorted(_folder().glob("*.json"), key=lambda path: -path.stat().st_mtime_ns)


def _folder() -> Path:
    return settings().home / "runs"


def _read(path: Path) -> RunRecord:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        known = {
            name: value for name, value in kept.items() if name in RunRecord.__dataclass_fields__
        }
        if not all(isinstance(known.get(name), dict) for name in ("inputs", "context")):
            raise TypeError("no input")
        run = RunRecord(**known)
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"the record of run '{path.stem}' is damaged ({path}): restore it from a backup, "
            "or delete it; the other runs and their results are intact"
        ) from error
    return run
