"""nodes/find/expand_citations.py: whose links are followed, and what becomes of what they lead to."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find import expand_citations as module
from nodes.find.expand_citations import expand_citations
from state.bibliography import Bibliography
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Author, Paper
from state.search import Hit, LinkRound
from tests.documents.test_fetch_open_copies import Site
from tests.graphs.sources import Sources
from tests.pdf.papers import paper as rivers
from tests.scholar.table import Table
from tools.errors import PermanentError
from tools.references.read_entry import read_entry
from tools.run_settings import RunSettings
from tools.run_store import RunStore
from tools.services import open_services


def paper(name: str, **others: Any) -> Paper:
    return Paper(id=name, title=f"On {name}", **others)


A, B, C = paper("doi:10.1/a"), paper("doi:10.1/b"), paper("doi:10.1/c")
NEW = paper("s2:1", abstract="What is new.")
Follow = Callable[..., Any]


@pytest.fixture
def run_store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
def follow(tmp_path: Path, run_store: InMemoryStore) -> Follow:
    """Follow the links of papers with these scores; crossref is always a table."""

    async def run(
        *tables: Table,
        papers: Sequence[Paper] = (A, B),
        prior: dict[str, float] | None = None,
        settings: dict[str, Any] | None = None,
        served: dict[str, Any] | None = None,
        **state: Any,
    ) -> tuple[FindState, dict[str, Paper]]:
        context = RunSettings(**(settings or {}))
        crossref = Table([], "crossref")
        vars(context)["clients"] = Sources(tmp_path, *tables, crossref, **(served or {}))
        runtime = Runtime(context=context, store=run_store)
        services = open_services(runtime, "run")
        await services.run_store.papers.put(papers)
        names = tuple(table.name for table in tables)
        branch: dict[str, Any] = {
            "run": "run",
            "request": CheckedRequest(text="pears", sources=(*names, "crossref")),
            "hits": [],
            "same": {one.id: one.id for one in papers},
            "hidden": [],
            "expanded": [],
            "depth": 0,
            "prior": prior or {one.id: 80.0 for one in papers},
            "hop": 1,
            "trail": [],
            "judged": {},
            "settled": [],
            "frontier": [],
            **state,
        }
        branch["similarity"] = {key: score / 100 for key, score in branch["prior"].items()}
        given: FindState = branch  # type: ignore[assignment]
        return await expand_citations(given, runtime), await services.run_store.papers.get(
            [one.id for one in papers]
        )

    return run


@pytest.fixture
def reached(run_store: InMemoryStore) -> Callable[[FindState], Any]:
    async def of(update: FindState) -> set[tuple[str, str, str]]:
        trails = await RunStore(run_store, "run").trails.values(update["trail"])
        return {(hit.by, hit.via, hit.paper) for trail in trails for hit in trail.hits}

    return of


async def test_links_in_both_directions_are_followed_and_known_papers_count_as_reached(
    follow: Follow, run_store: InMemoryStore, reached: Callable[[FindState], Any]
) -> None:
    links, citing = {A.id: (NEW.id, "doi:10.1/nowhere"), B.id: (A.id,)}, {B.id: (NEW.id,)}
    table = Table([], "semantic_scholar", links=links, citing=citing, records=[NEW])
    update, kept = await follow(table)
    assert await reached(update) == {
        (A.id, "reference", NEW.id),
        (B.id, "reference", A.id),
        (B.id, "citation", NEW.id),
    }
    assert set(table.got) == {NEW.id, "doi:10.1/nowhere"}
    assert await RunStore(run_store, "run").records([("semantic_scholar", NEW.id)]) == [NEW]
    assert kept[A.id].references == (NEW.id, "doi:10.1/nowhere")
    assert (update["expanded"], update["depth"], update["failures"]) == ([A.id, B.id], 1, [])
    (trail,) = await RunStore(run_store, "run").trails.values(update["trail"])
    assert (trail.hop, trail.depth, trail.followed) == (1, 1, 2)
    assert update["hits"] == []


async def test_paper_whose_references_nobody_knows_is_marked_until_somebody_does(
    follow: Follow,
) -> None:
    table = Table([], "semantic_scholar", links={A.id: (NEW.id,), B.id: ()})
    _, kept = await follow(table)
    assert [one.references_missing for one in kept.values()] == [False, True]
    table = Table([], "semantic_scholar", links={B.id: (NEW.id,)})
    _, kept = await follow(table, papers=[kept[B.id]])
    assert (kept[B.id].references, kept[B.id].references_missing) == ((NEW.id,), False)


class Keeping(Table):
    """A library that keeps the list of references of one paper."""

    async def lists(self, papers: Sequence[Paper]) -> dict[str, Bibliography]:
        printed = (
            "C. Orr and D. Fox. 2019. Two people dig better than one. doi:10.5555/12345678",
            "C. Orr and D. Fox. 2019. Nothing of that kind was ever dug. doi:10.5555/other",
            "B. Holm. 2018. Charcoal as a clock for those without ash. Meadow Letters 7.",
        )
        entries = tuple(read_entry(text, place) for place, text in enumerate(printed))
        return {one.id: Bibliography(entries=entries) for one in papers if one.id == A.id}


@pytest.mark.parametrize("known", [False, True])
async def test_kept_list_of_a_paper_that_no_source_knows_is_followed_by_its_ids(
    known: bool, follow: Follow, reached: Callable[[FindState], Any]
) -> None:
    other = Paper(id="doi:10.5555/other", title="Pears that fell far from the tree")
    own = {A.id: (NEW.id,)} if known else {}
    online = Table([], "semantic_scholar", links=own, citing={}, records=[DIG, NEW, other])
    update, kept = await follow(Keeping([], "mine"), online, papers=(A, EMBERS))
    found = {NEW.id} if known else {DIG.id, EMBERS.id}
    assert await reached(update) == {(A.id, "reference", key) for key in found}
    assert set(kept[A.id].references) == found
    assert update["failures"] == []


EMBERS = Paper(
    id="local:embers",
    title="Charcoal as a clock for those without ash",
    year=2018,
    authors=(Author(name="Bea Holm"),),
)
DIG = Paper(id="doi:10.5555/12345678", title="Two people dig better than one", abstract="So.")


@pytest.mark.usefixtures("references_are_read_elsewhere")
async def test_references_that_no_source_knows_are_read_from_the_open_pdf(
    follow: Follow, run_store: InMemoryStore, reached: Callable[[FindState], Any]
) -> None:
    with Site() as site:
        open_access = A.model_copy(update={"pdf": site.serve("/a.pdf", rivers())})
        given: dict[str, Any] = {
            "papers": (open_access, EMBERS),
            "served": {"arxiv_pdf_url": site.url},
        }
        _, kept = await follow(Table([], "semantic_scholar", records=[DIG]), **given)
        assert (kept[A.id].references_missing, site.requests) == (True, [])
        table = Table([], "semantic_scholar", records=[DIG])
        update, kept = await follow(table, **given, settings={"read_copies": 1})
    assert (kept[A.id].references, kept[A.id].references_missing) == ((EMBERS.id, DIG.id), False)
    assert await reached(update) == {
        (A.id, "reference", EMBERS.id),
        (A.id, "reference", DIG.id),
    }
    assert await RunStore(run_store, "run").records([("semantic_scholar", DIG.id)]) == [DIG]
    assert update["failures"] == []


@pytest.mark.parametrize(
    ("status", "content", "trusted", "cause"),
    [
        (403, b"no", True, "does not give"),
        (200, b"<!DOCTYPE html><html><body>Log in</body></html>", True, "web page"),
        (200, b"%PDF-1.7\nbroken", True, "damaged"),
        (200, b"%PDF-1.7", False, "private network"),
    ],
)
async def test_open_copy_that_cannot_be_read_is_a_failure_and_costs_nothing_else(
    status: int, content: bytes, trusted: bool, cause: str, follow: Follow
) -> None:
    with Site() as site:
        open_access = A.model_copy(update={"pdf": site.serve("/a.pdf", (status, {}, content))})
        update, kept = await follow(
            Table([], "semantic_scholar", links={B.id: (A.id,)}),
            papers=(open_access, B),
            settings={"read_copies": 3},
            served={"arxiv_pdf_url": site.url} if trusted else {},
        )
    assert (kept[A.id].references_missing, kept[B.id].references) == (True, (A.id,))
    (failure,) = update["failures"]
    assert A.id in failure.subject
    assert cause in failure.cause


@pytest.mark.parametrize("fails", [False, True])
async def test_partial_records_are_completed_and_must_do_where_that_fails(
    fails: bool, follow: Follow, run_store: InMemoryStore, reached: Callable[[FindState], Any]
) -> None:
    partial = NEW.model_copy(update={"abstract": None})
    links = {A.id: (NEW.id,)}
    table = Table([], "semantic_scholar", links=links, records=[NEW], coming=[partial])
    table.get_error = PermanentError("the budget is spent") if fails else None
    update, _ = await follow(table)
    assert (A.id, "reference", NEW.id) in await reached(update)
    (kept,) = await RunStore(run_store, "run").records([("semantic_scholar", NEW.id)])
    assert kept.abstract == (None if fails else "What is new.")
    assert [item.cause for item in update["failures"]] == ["the budget is spent"] * fails


async def test_what_the_best_papers_link_to_comes_first_where_there_is_too_much(
    follow: Follow, monkeypatch: pytest.MonkeyPatch, reached: Callable[[FindState], Any]
) -> None:
    monkeypatch.setattr(module, "NEW_PER_ROUND", 2)
    new = [paper(f"s2:{number}") for number in range(4)]
    links = {A.id: ("s2:0", "s2:1", "s2:3"), B.id: ("s2:2", "s2:3")}
    table = Table([], "semantic_scholar", links=links, citing={}, records=new)
    update, _ = await follow(table, prior={A.id: 30.0, B.id: 90.0})
    assert table.got == ["s2:3", "s2:2"]
    assert {end for _, _, end in await reached(update)} == {"s2:2", "s2:3"}


async def test_breadth_first_search_follows_all_references_of_its_frontier_and_no_citation(
    follow: Follow, monkeypatch: pytest.MonkeyPatch, reached: Callable[[FindState], Any]
) -> None:
    monkeypatch.setattr(module, "NEW_PER_ROUND", 1)
    monkeypatch.setattr(module, "SEEDS", 1)
    new = [paper(f"s2:{number}") for number in range(3)]
    links = {A.id: ("s2:1",), B.id: ("s2:0", "s2:1"), C.id: ("s2:2",)}
    table = Table([], "semantic_scholar", links=links, citing={A.id: (C.id,)}, records=new)
    update, _ = await follow(
        table, papers=(A, B, C), settings={"expansion": "bfs"}, frontier=[B.id, A.id]
    )
    assert await reached(update) == {
        (B.id, "reference", "s2:0"),
        (B.id, "reference", "s2:1"),
        (A.id, "reference", "s2:1"),
    }
    assert update["expanded"] == [B.id, A.id]


async def test_links_of_hidden_papers_do_not_say_what_comes_first(
    follow: Follow, run_store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NEW_PER_ROUND", 1)
    # The input's own paper was followed before it was known as such, and cites s2:1.
    own = Hit(paper="s2:1", via="reference", by="doi:10.1/own", source="semantic_scholar")
    known = own.model_copy(update={"paper": "doi:10.1/own", "by": A.id})
    key = await RunStore(run_store, "run").trails.put(
        [LinkRound(hop=1, depth=1, hits=(own, known))]
    )
    table = Table([], "semantic_scholar", links={B.id: ("s2:0", "s2:1")}, citing={})
    await follow(table, hidden=["doi:10.1/own"], expanded=[A.id], trail=key, depth=1)
    assert table.got == ["s2:0"]
