"""nodes/find/expand.py: whose links are followed, and what becomes of what they lead to."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find import expand as module
from nodes.find.expand import Branch, Update, expand
from state.paper import Paper
from state.query import Hit
from state.request import Request
from tests.nodes.tables import Tables
from tests.scholar.table import Book, Table
from tools.context import RunContext
from tools.desk import open_desk
from tools.errors import PermanentError, TransientError
from tools.shelf import Shelf


class Likely(Table):
    """A table that also names papers like others."""

    def __init__(self, *like: Paper) -> None:
        super().__init__([], "arxiv")
        self.examples: list[str] = []
        self._like = list(like)

    async def recommend(self, papers: Sequence[Paper], *, limit: int) -> list[Paper]:
        self.examples = [paper.id for paper in papers]
        return self._like[:limit]


def paper(name: str, **others: Any) -> Paper:
    return Paper(id=name, title=f"On {name}", **others)


A, B, C = paper("doi:10.1/a"), paper("doi:10.1/b"), paper("doi:10.1/c")
NEW = paper("s2:1", abstract="What is new.")
Follow = Callable[..., Any]


@pytest.fixture
def shelf() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
def follow(tmp_path: Path, shelf: InMemoryStore) -> Follow:
    """Follow the links of papers with these scores; crossref is always a table."""

    async def run(
        *tables: Table, papers: Sequence[Paper] = (A, B), scores: dict[str, float] | None = None,
        **state: Any,
    ) -> tuple[Update, dict[str, Paper]]:  # fmt: skip
        context = RunContext()
        crossref = Table([], "crossref")
        vars(context)["clients"] = Tables(tmp_path, [*tables, crossref])
        runtime = Runtime(context=context, store=shelf)
        desk = open_desk(runtime, "run")
        await desk.shelf.put_papers(papers)
        names = tuple(table.name for table in tables)
        branch: dict[str, Any] = {
            "run": "run", "request": Request(text="pears", sources=(*names, "crossref")), "hits": [],
            "same": {one.id: one.id for one in papers}, "hidden": [], "expanded": [], "depth": 0,
            "scores": scores or {one.id: 80.0 for one in papers}, "hop": 1, **state,
        }  # fmt: skip
        given: Branch = branch  # type: ignore[assignment]
        return await expand(given, runtime), await desk.shelf.papers([one.id for one in papers])

    return run


def reached(update: Update) -> set[tuple[str, str, str]]:
    return {(hit.by, hit.via, hit.paper) for hit in update["hits"]}


async def test_links_in_both_directions_are_followed_and_known_papers_count_as_reached(
    follow: Follow, shelf: InMemoryStore
) -> None:
    links, citing = {A.id: (NEW.id, "doi:10.1/nowhere"), B.id: (A.id,)}, {B.id: (NEW.id,)}
    table = Table([], "semantic_scholar", links=links, citing=citing, records=[NEW])
    update, kept = await follow(table)
    assert reached(update) == {
        (A.id, "reference", NEW.id), (B.id, "reference", A.id), (B.id, "citation", NEW.id),
    }  # fmt: skip
    assert set(table.got) == {NEW.id, "doi:10.1/nowhere"}
    assert await Shelf(shelf, "run").records([("semantic_scholar", NEW.id)]) == [NEW]
    assert kept[A.id].references == (NEW.id, "doi:10.1/nowhere")
    assert (update["expanded"], update["depth"], update["failures"]) == ([A.id, B.id], 1, [])


async def test_only_relevant_papers_that_may_appear_are_followed_and_each_once(
    follow: Follow,
) -> None:
    book: Book = []
    names = ("good", "poor", "hidden", "done", "joined")
    papers = [paper(f"doi:10.1/{name}") for name in names]
    await follow(
        Table(book, "semantic_scholar"),
        papers=papers,
        scores={one.id: 20.0 if one.id.endswith("poor") else 80.0 for one in papers},
        hidden=["doi:10.1/hidden"],
        expanded=["doi:10.1/done"],
        same={**{one.id: one.id for one in papers}, "doi:10.1/joined": "doi:10.1/good"},
    )
    assert book == [("semantic_scholar", ["doi:10.1/good"])] * 2


async def test_paper_whose_references_nobody_knows_is_marked_until_somebody_does(
    follow: Follow,
) -> None:
    table = Table([], "semantic_scholar", links={A.id: (NEW.id,), B.id: ()})
    _, kept = await follow(table)
    assert [one.references_missing for one in kept.values()] == [False, True]
    table = Table([], "semantic_scholar", links={B.id: (NEW.id,)})
    _, kept = await follow(table, papers=[kept[B.id]])
    assert (kept[B.id].references, kept[B.id].references_missing) == ((NEW.id,), False)


async def test_paper_is_not_marked_where_a_source_failed(follow: Follow) -> None:
    failing = Table([], "openalex", error=TransientError("openalex is busy"))
    update, kept = await follow(Table([], "semantic_scholar", links={A.id: (NEW.id,)}), failing)
    assert not any(one.references_missing for one in kept.values())
    assert kept[A.id].references == (NEW.id,)
    assert {(item.subject, item.cause) for item in update["failures"]} == {
        ("openalex", "openalex is busy")
    }
    assert not any(item.fatal for item in update["failures"])


@pytest.mark.parametrize("fails", [False, True])
async def test_partial_records_are_completed_and_must_do_where_that_fails(
    fails: bool, follow: Follow, shelf: InMemoryStore
) -> None:
    partial = NEW.model_copy(update={"abstract": None})
    links = {A.id: (NEW.id,)}
    table = Table([], "semantic_scholar", links=links, records=[NEW], coming=[partial])
    table.get_error = PermanentError("the budget is spent") if fails else None
    update, _ = await follow(table)
    assert (A.id, "reference", NEW.id) in reached(update)
    (kept,) = await Shelf(shelf, "run").records([("semantic_scholar", NEW.id)])
    assert kept.abstract == (None if fails else "What is new.")
    assert [item.cause for item in update["failures"]] == ["the budget is spent"] * fails


async def test_most_linked_papers_come_first_where_there_are_too_many(
    follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NEW_PER_ROUND", 2)
    new = [paper(f"s2:{number}") for number in range(4)]
    links = {A.id: ("s2:0", "s2:1", "s2:3"), B.id: ("s2:2", "s2:3")}
    table = Table([], "semantic_scholar", links=links, citing={}, records=new)
    update, _ = await follow(table, scores={A.id: 50.0, B.id: 90.0})
    assert table.got == ["s2:3", "s2:2"]
    assert {hit.paper for hit in update["hits"]} == {"s2:2", "s2:3"}


async def test_papers_like_the_best_are_reached_by_recommendation(follow: Follow) -> None:
    likely = Likely(NEW, C)
    update, _ = await follow(likely, scores={A.id: 50.0, B.id: 90.0})
    assert likely.examples == [B.id, A.id]
    assert update["hits"] == [
        Hit(
            paper=one.id, via="recommendation", by="the best papers so far", source="arxiv",
            rank=rank,
        )
        for rank, one in enumerate([NEW, C], start=1)
    ]  # fmt: skip
