"""The run_store: where a run keeps papers, debates and key elements, by id.

It stands on LangGraph's own store, so that a run served by several replicas finds its papers in
their common Postgres store, and a run of the command line in SQLite beside its checkpoints.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from langgraph.store.base import BaseStore, GetOp, Item, PutOp

from state.base import Value
from state.bibliography import Bibliography
from state.finding import Trail
from state.paper import Paper
from state.passage import Passage
from state.quote import Debate
from state.synthesis import Entries, Paragraph
from state.writing import DraftRound, KeyElements, SavedSection

ValueT = TypeVar("ValueT", bound=Value)

_KEPT = 20_000
_MOST_ROUNDS = 1000
_made: OrderedDict[tuple[str, str, str], tuple[datetime, Value]] = OrderedDict()
"""Values read last, by run, kind and key, with the time of their writing.

A run reads its papers again in every round; checking thousands of records each time would cost
more than all else it does. The store's own time of writing, which SQLite keeps to the second, and
what this process writes itself tell whether a value is still the same.
"""


class RunStore:
    """One run's values, typed."""

    def __init__(self, store: BaseStore, run: str) -> None:
        self._store = store
        self._run = run

    def of(self, run: str) -> "RunStore":
        """Return another run's run store in the same store."""
        return RunStore(self._store, run)

    def _namespace(self, kind: str) -> tuple[str, ...]:
        return ("citeloom", self._run, kind)

    async def _put(self, kind: str, values: Iterable[tuple[str, Value]]) -> None:
        space = self._namespace(kind)
        puts = [
            PutOp(space, key, value.model_dump(mode="json", exclude_defaults=True), index=False)
            for key, value in values
        ]
        if puts:
            await self._store.abatch(puts)
        for put in puts:
            _made.pop((self._run, kind, put.key), None)

    async def _get(self, kind: str, keys: Sequence[str], type_: type[ValueT]) -> dict[str, ValueT]:
        keys = list(dict.fromkeys(keys))
        if not keys:
            return {}
        space = self._namespace(kind)
        items = await self._store.abatch([GetOp(space, key) for key in keys])
        return {
            key: self._read(kind, item, type_)
            for key, item in zip(keys, items, strict=True)
            if isinstance(item, Item)
        }

    def _read(self, kind: str, item: Item, type_: type[ValueT]) -> ValueT:
        place = (self._run, kind, item.key)
        written, value = _made.get(place, (None, None))
        if written == item.updated_at and isinstance(value, type_):
            return value
        made = type_.model_validate(item.value)
        _made[place] = (item.updated_at, made)
        while len(_made) > _KEPT:
            _made.popitem(last=False)
        return made

    async def put_papers(self, papers: Iterable[Paper]) -> None:
        """Keep these papers, each replacing the record of the same id."""
        await self._put("papers", ((paper.id, paper) for paper in papers))

    async def put_records(self, source: str, papers: Iterable[Paper]) -> None:
        """Keep these papers as this source knows them, besides what other sources say."""
        await self._put("records", ((f"{source} {paper.id}", paper) for paper in papers))

    async def records(self, found: Iterable[tuple[str, str]]) -> list[Paper]:
        """Return the records that are here, each named by its source and its id there, in order."""
        keys = [f"{source} {paper}" for source, paper in found]
        return list((await self._get("records", keys, Paper)).values())

    async def papers(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return those of these papers that are here, in the order of `ids`."""
        return await self._get("papers", ids, Paper)

    async def put_trail(self, trail: Trail) -> str:
        """Keep what following links led to; return the key under which it is kept."""
        key = f"{trail.hop}-{trail.depth}"
        await self._put("trails", [(key, trail)])
        return key

    async def trails(self, keys: Sequence[str]) -> list[Trail]:
        """Return the trails of these keys that are here, in their order."""
        return list((await self._get("trails", keys, Trail)).values())

    async def put_debates(self, debates: Iterable[Debate]) -> None:
        """Keep these debates, by paper."""
        await self._put("debates", ((debate.paper, debate) for debate in debates))

    async def debates(self, ids: Sequence[str]) -> dict[str, Debate]:
        """Return the debates on these papers, in the order of `ids`."""
        return await self._get("debates", ids, Debate)

    async def put_elements(self, elements: KeyElements) -> None:
        """Keep the key elements of one paper, or of the input under 'input'."""
        await self._put("elements", [(elements.paper, elements)])

    async def elements(self, ids: Sequence[str]) -> dict[str, KeyElements]:
        """Return the key elements of these papers, in the order of `ids`."""
        return await self._get("elements", ids, KeyElements)

    async def put_passages(self, passages: Iterable[Passage]) -> None:
        """Keep these passages, by id."""
        await self._put("passages", ((passage.id, passage) for passage in passages))

    async def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Return those of these passages that are here, in the order of `ids`."""
        return await self._get("passages", ids, Passage)

    async def put_paragraphs(self, paragraphs: Iterable[Paragraph]) -> None:
        """Keep these paragraphs, by id."""
        await self._put("paragraphs", ((item.id, item) for item in paragraphs))

    async def paragraphs(self, ids: Sequence[str]) -> dict[str, Paragraph]:
        """Return those of these paragraphs that are here, in the order of `ids`."""
        return await self._get("paragraphs", ids, Paragraph)

    async def put_bibliography(self, source: str, bibliography: Bibliography) -> None:
        """Keep what a source cites, by the source's key in its stack."""
        await self._put("bibliographies", [(source, bibliography)])

    async def bibliographies(self, sources: Sequence[str]) -> dict[str, Bibliography]:
        """Return what these sources cite, in the order of `sources`."""
        return await self._get("bibliographies", sources, Bibliography)

    async def put_entries(self, entries: Entries) -> None:
        """Keep which work each entry of each source is."""
        await self._put("entries", [("entries", entries)])

    async def entries(self) -> Entries:
        """Return which work each entry of each source is."""
        found = await self._get("entries", ["entries"], Entries)
        return found.get("entries", Entries())

    async def put_round(self, entry: DraftRound) -> None:
        """Keep one round of the beam."""
        await self._put("rounds", [(f"{entry.part:03d}-{entry.round:04d}", entry)])

    async def rounds(self) -> list[DraftRound]:
        """Return the rounds of the beam, part by part, in order."""
        found = await self._store.asearch(self._namespace("rounds"), limit=_MOST_ROUNDS)
        items = sorted(found, key=lambda item: item.key)
        return [DraftRound.model_validate(item.value) for item in items]

    async def put_section(self, section: SavedSection) -> None:
        """Keep the section as it stands, so that it can be revised later."""
        await self._put("section", [("section", section)])

    async def section(self) -> SavedSection | None:
        """Return the section that the run has written, if it has."""
        return (await self._get("section", ["section"], SavedSection)).get("section")
