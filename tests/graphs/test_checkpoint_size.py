"""How much of a run its checkpoints hold: ids and scores, not what links led to."""

import random
import sqlite3
from collections import defaultdict
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore

from graphs.find import builder
from state.paper import Paper
from state.search import SearchQuery
from tests.graphs.conftest import ABSTRACT
from tests.graphs.sources import Asked, Sources
from tests.library.words import WordEmbedder
from tools.run_settings import RunSettings
from tools.scholar.source import SearchAnswer

SEEN = 1_000
BY_QUERY = 200
CITED = 20
LARGEST = 0.5
"""MB that a step may add: a checkpoint, or what its nodes wrote before it was made."""


class Shelves(Asked):
    """A source that finds other papers for each query."""

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        start = len(self.queries) * BY_QUERY
        self.queries.append(query)
        return SearchAnswer(papers=self.found[start : start + limit], sent=(query.text,))


def field(size: int) -> tuple[list[Paper], dict[str, tuple[str, ...]]]:
    """Papers that say parts of the abstract, and cite some of one another."""
    chance, words = random.Random(5), ABSTRACT.split()
    papers = [
        Paper(
            id=f"doi:10.5555/paper.{number:05}",
            doi=f"10.5555/paper.{number:05}",
            title=f"Study {number} of {' '.join(chance.sample(words, 4))}",
            abstract=" ".join(chance.sample(words, 20)),
            year=1990 + number % 30,
        )
        for number in range(size)
    ]
    ids = [paper.id for paper in papers]
    return papers, {key: tuple(chance.sample(ids, CITED)) for key in ids}


def reversed_links(links: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    citing: dict[str, list[str]] = defaultdict(list)
    for key, ends in links.items():
        for end in ends:
            citing[end].append(key)
    return {key: tuple(found) for key, found in citing.items()}


async def test_checkpoints_of_a_run_that_saw_a_thousand_papers_stay_small(tmp_path: Path) -> None:
    papers, links = field(2_000)
    source = Shelves("openalex", papers, links=links, citing=reversed_links(links))
    context = RunSettings(max_hops=1, results=3 * BY_QUERY)
    vars(context)["clients"] = Sources(tmp_path, source, embedder=WordEmbedder())
    given: Any = {"text": ABSTRACT, "sources": ["openalex"]}
    config: Any = {"configurable": {"thread_id": "one"}, "recursion_limit": 500}
    path = tmp_path / "checkpoints.sqlite"
    async with (
        AsyncSqliteSaver.from_conn_string(str(path)) as saver,
        AsyncSqliteStore.from_conn_string(str(tmp_path / "run_store.sqlite")) as store,
    ):
        await store.setup()
        app = builder.compile(checkpointer=saver, store=store)
        await app.ainvoke(given, config, context=context)
        state = (await app.aget_state(config)).values
    assert len(state["same"]) >= SEEN
    linked = [item for item in state["papers"] if any(hit.by in links for hit in item.found_by)]
    assert linked, "links led to papers"
    assert {hit.via for hit in state["hits"]} == {"query"}
    with closing(sqlite3.connect(path)) as database:
        (largest,) = database.execute("SELECT max(length(checkpoint)) FROM checkpoints").fetchone()
        (written,) = database.execute(
            "SELECT max(size) FROM (SELECT sum(length(value)) AS size FROM writes GROUP BY checkpoint_id)"
        ).fetchone()
    assert largest < LARGEST * 1e6
    assert written < LARGEST * 1e6
