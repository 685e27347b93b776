"""The run store: where a run keeps papers, debates, key elements and the rest, by id.

It stands on LangGraph's own store, so that a run served by several replicas finds its papers in
their common Postgres store, and a run of the command line in SQLite beside its checkpoints.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Generic, TypeVar

from langgraph.store.base import BaseStore, GetOp, Item, PutOp

from state.base import Value
from state.bibliography import Bibliography
from state.finding import Trail
from state.paper import Paper
from state.passage import Passage
from state.quote import Debate
from state.synthesis import Entries, Paragraph
from state.writing import DraftRound, KeyElements, SavedSection
from tools.caller import place_of
from tools.errors import InputError

ValueT = TypeVar("ValueT", bound=Value)

_KEPT = 20_000
_MOST = 1000
_made: OrderedDict[tuple[str, ...], tuple[datetime, Value]] = OrderedDict()
"""Values read last, by run, kind and key, with the time of their writing.

A run reads its papers again in every round; checking thousands of records each time would cost
more than all else it does. The store's own time of writing, which SQLite keeps to the second, and
what this process writes itself tell whether a value is still the same.
"""


class Table(Generic[ValueT]):
    """One run's values of one kind, by key."""

    def __init__(
        self, run_store: "RunStore", kind: str, type_: type[ValueT], key: Callable[[ValueT], str]
    ) -> None:
        self._store, self._space = run_store.store, (*run_store.space, kind)
        self._type, self._key = type_, key

    async def put(self, values: Iterable[ValueT]) -> list[str]:
        """Keep these values, each in place of what has its key; return the keys."""
        return await self.put_as({self._key(value): value for value in values})

    async def put_as(self, values: Mapping[str, ValueT]) -> list[str]:
        """Keep these values under keys that are not told by the values themselves."""
        puts = [
            PutOp(
                self._space, key, value.model_dump(mode="json", exclude_defaults=True), index=False
            )
            for key, value in values.items()
        ]
        if puts:
            await self._store.abatch(puts)
        for key in values:
            _made.pop((*self._space, key), None)
        return list(values)

    async def get(self, keys: Iterable[str]) -> dict[str, ValueT]:
        """Return those of these values that are here, by key, in the order of `keys`."""
        gets = [GetOp(self._space, key) for key in dict.fromkeys(keys)]
        items = await self._store.abatch(gets) if gets else []
        return {item.key: self._read(item) for item in items if isinstance(item, Item)}

    async def values(self, keys: Iterable[str]) -> list[ValueT]:
        """Return those of these values that are here, in the order of `keys`."""
        return list((await self.get(keys)).values())

    async def all(self) -> list[ValueT]:
        """Return what is here in the order of its keys, 1000 values at most."""
        items = await self._store.asearch(self._space, limit=_MOST)
        return [self._read(item) for item in sorted(items, key=attrgetter("key"))]

    async def last(self) -> ValueT | None:
        """Return the value of the last key, such as that of a table of one; None where none is."""
        return next(reversed(await self.all()), None)

    def _read(self, item: Item) -> ValueT:
        place = (*self._space, item.key)
        written, value = _made.get(place, (None, None))
        if written == item.updated_at and isinstance(value, self._type):
            return value
        made = self._type.model_validate(item.value)
        _made[place] = (item.updated_at, made)
        while len(_made) > _KEPT:
            _made.popitem(last=False)
        return made


class RunStore:
    """One run's values, typed: a table for each kind.

    Those of a caller stand below the caller, so that a run of another one is a run that there is not.
    """

    def __init__(self, store: BaseStore, run: str, caller: str = "") -> None:
        self.store, self.run, self._caller = store, run, caller
        self.space = ("citeloom", *((place_of(caller), run) if caller else (run,)))
        by_id, by_paper = attrgetter("id"), attrgetter("paper")
        self.papers = Table(self, "papers", Paper, by_id)
        self.debates = Table(self, "debates", Debate, by_paper)
        self.elements = Table(self, "elements", KeyElements, by_paper)
        """Key elements of papers, and those of the input under 'input'."""
        self.passages = Table(self, "passages", Passage, by_id)
        self.paragraphs = Table(self, "paragraphs", Paragraph, by_id)
        self.trails = Table(self, "trails", Trail, lambda trail: f"{trail.hop}-{trail.depth}")
        self.rounds = Table(self, "rounds", DraftRound, _place)
        self.bibliographies = Table(self, "bibliographies", Bibliography, lambda _: "")
        """What sources cite, put under the source's key in its stack."""
        self.entries = Table(self, "entries", Entries, lambda _: "entries")
        """One value: which work each entry of each source is."""
        self.section = Table(self, "section", SavedSection, lambda _: "section")
        """One value: the section as it stands, to be revised later."""
        self._records = Table(self, "records", Paper, by_id)

    def of(self, run: str) -> "RunStore":
        """Return the run store of another run of the same caller.

        Raises:
            InputError: No run can have this name.
        """
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", run):
            raise InputError(f"{run[:80]!r} cannot be the name of a run")
        return RunStore(self.store, run, self._caller)

    async def put_records(self, source: str, papers: Iterable[Paper]) -> None:
        """Keep these papers as this source knows them, besides what other sources say."""
        await self._records.put_as({f"{source} {paper.id}": paper for paper in papers})

    async def records(self, found: Iterable[tuple[str, str]]) -> list[Paper]:
        """Return the records that are here, each named by its source and its id there, in order."""
        return await self._records.values([f"{source} {paper}" for source, paper in found])


def _place(entry: DraftRound) -> str:
    return f"{entry.round:04d}"
