"""The run store: where a run keeps papers, debates, key elements and the rest, by id.

It stands on LangGraph's own store, so that a run served by several replicas finds its papers in
their common Postgres store, and a run of the command line in SQLite beside its checkpoints.
"""

import asyncio
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from random import uniform
from threading import Lock
from time import monotonic
from typing import Any, Generic, TypeVar

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp, SearchOp

from state.bibliography import Bibliography
from state.channels import SavedSection
from state.document import CopyTried
from state.paper import Paper
from state.passage import Passage
from state.quote import Debate
from state.search import LinkRound
from state.synthesis import EntryWorks, Paragraph
from state.table import LibraryRow
from state.value import FrozenModel
from state.writing import DraftRound, KeyElements
from tools.callers import caller_folder
from tools.errors import InputError, TransientError

ValueT = TypeVar("ValueT", bound=FrozenModel)

_RUNS = 32
_IDLE = 60.0
"""Seconds after which a run's values are made anew."""


class _CachedRun:
    """A run's values as they were last written or read, by kind and key, with how the store has them.

    A run reads its papers again in every round; checking thousands of records each time would cost
    more than all else it does. What stands in the store tells whether a value is still the same.
    """

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], tuple[dict[str, Any], FrozenModel]] = {}
        self.used = 0.0


_made: OrderedDict[tuple[str, ...], _CachedRun] = OrderedDict()
"""By run, the one used last at the end."""
_making = Lock()
"""Runs of several event loops, each in a thread, look into it."""


def _cached_values(
    run: tuple[str, ...],
) -> dict[tuple[str, str], tuple[dict[str, Any], FrozenModel]]:
    """Return what is kept of a run, and forget those that are over or wait."""
    now = monotonic()
    with _making:
        made = _made.setdefault(run, _CachedRun())
        made.used = now
        _made.move_to_end(run)
        while len(_made) > _RUNS or next(iter(_made.values())).used < now - _IDLE:
            _made.popitem(last=False)
    return made.values


class Table(Generic[ValueT]):
    """One run's values of one kind, by key."""

    def __init__(
        self, run_store: "RunStore", kind: str, type_: type[ValueT], key: Callable[[ValueT], str]
    ) -> None:
        self._store, self._run, self._space = (
            run_store.store,
            run_store.space,
            (*run_store.space, kind),
        )
        self._kind, self._type, self._key = kind, type_, key

    async def put(self, values: Iterable[ValueT]) -> list[str]:
        """Keep these values, each in place of what has its key; return the keys."""
        return await self.put_as({self._key(value): value for value in values})

    async def put_as(self, values: Mapping[str, ValueT]) -> list[str]:
        """Keep these values under keys that are not told by the values themselves."""
        plain = {
            key: value.model_dump(mode="json", exclude_defaults=True)
            for key, value in values.items()
        }
        # In one order: branches that put the same keys in different orders would lock each other out.
        await self._do([PutOp(self._space, key, plain[key], index=False) for key in sorted(plain)])
        made = _cached_values(self._run)
        for key, value in values.items():
            made[self._kind, key] = (plain[key], value)
        return list(values)

    async def get(self, keys: Iterable[str]) -> dict[str, ValueT]:
        """Return those of these values that are here, by key, in the order of `keys`."""
        items = await self._do([GetOp(self._space, key) for key in dict.fromkeys(keys)])
        return {item.key: self._read(item) for item in items if isinstance(item, Item)}

    async def values(self, keys: Iterable[str]) -> list[ValueT]:
        """Return those of these values that are here, in the order of `keys`."""
        return list((await self.get(keys)).values())

    async def all(self) -> list[ValueT]:
        """Return what is here in the order of its keys, 1000 values at most."""
        (items,) = await self._do([SearchOp(self._space, limit=1000, refresh_ttl=False)])
        return [self._read(item) for item in sorted(items, key=attrgetter("key"))]

    async def last(self) -> ValueT | None:
        """Return the value of the last key, such as that of a table of one; None where none is."""
        return next(reversed(await self.all()), None)

    async def _do(self, ops: Sequence[Op]) -> Sequence[Any]:
        """Return what the store answers, asking it again where others stood in the way.

        Raises:
            TransientError: They still do.
        """
        for left in reversed(range(5 if ops else 0)):
            try:
                return await self._store.abatch(ops)
            except Exception as error:
                locked = _is_locked(error)
                # Postgres gave up a transaction because of another one (not serializable, deadlock).
                if not (locked or getattr(error, "sqlstate", None) in {"40001", "40P01"}):
                    raise
                if locked or not left:
                    raise TransientError(
                        "other runs held the store of runs for too long: try again, with fewer at once"
                    ) from error
            await asyncio.sleep(uniform(0.02, 0.2))
        return ()

    def _read(self, item: Item) -> ValueT:
        made = _cached_values(self._run)
        plain, value = made.get((self._kind, item.key), (None, None))
        if plain != item.value or not isinstance(value, self._type):
            value = self._type.model_validate(item.value)
            made[self._kind, item.key] = (item.value, value)
        return value


class RunStore:
    """One run's values, typed: a table for each kind.

    Those of a caller stand below the caller, so that a run of another one is a run that there is not.
    """

    def __init__(self, store: BaseStore, run: str, caller: str = "") -> None:
        self.store, self.run, self._caller = store, run, caller
        self.space = ("citeloom", *((caller_folder(caller), run) if caller else (run,)))
        by_id, by_paper = attrgetter("id"), attrgetter("paper")
        self.papers = Table(self, "papers", Paper, by_id)
        self.debates = Table(self, "debates", Debate, by_paper)
        self.elements = Table(self, "elements", KeyElements, by_paper)
        """Key elements of papers, and those of the input under 'input'."""
        self.passages = Table(self, "passages", Passage, by_id)
        self.paragraphs = Table(self, "paragraphs", Paragraph, by_id)
        self.trails = Table(self, "trails", LinkRound, lambda trail: f"{trail.hop}-{trail.depth}")
        self.rounds = Table(self, "rounds", DraftRound, _place)
        self.bibliographies = Table(self, "bibliographies", Bibliography, lambda _: "")
        """What sources cite, put under the source's key in its stack."""
        self.entries = Table(self, "entries", EntryWorks, lambda _: "entries")
        """One value: which work each entry of each source is."""
        self.section = Table(self, "section", SavedSection, lambda _: "section")
        """One value: the section as it stands, to be revised later."""
        self.copies = Table(self, "copies", CopyTried, by_paper)
        """Which open copies the run has looked for, so that it asks for none of them twice."""
        self.rows = Table(self, "rows", LibraryRow, by_paper)
        self._records = Table(self, "records", Paper, by_id)

    def of(self, run: str) -> "RunStore":
        """Return the run store of another run of the same caller.

        Raises:
            InputError: No run can have this name.
        """
        plain = run.replace("_", "a").replace("-", "a")
        if not (plain.isascii() and plain.isalnum() and len(run) <= 64):
            raise InputError(f"{run[:80]!r} cannot be the name of a run")
        return RunStore(self.store, run, self._caller)

    async def put_records(self, source: str, papers: Iterable[Paper]) -> None:
        """Keep these papers as this source knows them, besides what other sources say."""
        await self._records.put_as({f"{source} {paper.id}": paper for paper in papers})

    async def records(self, found: Iterable[tuple[str, str]]) -> list[Paper]:
        """Return the records that are here, each named by its source and its id there, in order."""
        return await self._records.values([f"{source} {paper}" for source, paper in found])


def _is_locked(error: Exception) -> bool:
    """Whether SQLite has waited for another transaction, for as long as it does, and in vain."""
    name = getattr(error, "sqlite_errorname", "")
    return isinstance(error, sqlite3.OperationalError) and name.startswith(
        ("SQLITE_BUSY", "SQLITE_LOCKED")
    )


def _place(entry: DraftRound) -> str:
    return f"{entry.round:04d}"
