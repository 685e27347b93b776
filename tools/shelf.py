"""The shelf: where a run keeps papers, debates and key elements, by id.

It stands on LangGraph's own store, so that a run served by several replicas finds its papers in
their common Postgres store, and a run of the command line in SQLite beside its checkpoints.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from langgraph.store.base import BaseStore, GetOp, Item, PutOp

from state.base import Value
from state.paper import Paper
from state.quote import Debate
from state.writing import DraftRound, KeyElements

ValueT = TypeVar("ValueT", bound=Value)


class Shelf:
    """One run's values, typed."""

    def __init__(self, store: BaseStore, run: str) -> None:
        self._store = store
        self._run = run

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

    async def _get(self, kind: str, keys: Sequence[str], type_: type[ValueT]) -> dict[str, ValueT]:
        keys = list(dict.fromkeys(keys))
        if not keys:
            return {}
        space = self._namespace(kind)
        items = await self._store.abatch([GetOp(space, key) for key in keys])
        return {
            key: type_.model_validate(item.value)
            for key, item in zip(keys, items, strict=True)
            if isinstance(item, Item)
        }

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

    async def put_round(self, entry: DraftRound) -> None:
        """Keep one round of the beam."""
        await self._put("rounds", [(f"{entry.round:04d}", entry)])

    async def rounds(self, count: int) -> list[DraftRound]:
        """Return the first `count` rounds of the beam, in order."""
        keys = [f"{number:04d}" for number in range(1, count + 1)]
        return list((await self._get("rounds", keys, DraftRound)).values())
