"""nodes/find/search_source.py: one query, one source."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.search_source import search_source
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.search import SearchQuery
from tests.graphs.sources import Sources
from tests.scholar.table import Table
from tools.errors import QuotaError, TransientError
from tools.run_settings import RunSettings
from tools.scholar.source import CitedWork, SearchAnswer

QUERY = SearchQuery(text="pear drought", facet="problem", reason="Why.", hop=2)
WHOLE = SearchQuery(text="Pears suffer under drought.", facet="whole", reason="Why.")
PAPERS = [Paper(id=f"openalex:W{n}", title=f"Pears {n}", year=2010 + n) for n in range(5)]
Search = Callable[..., Any]


class Searched(Table):
    """A table that finds the same papers whatever is asked."""

    def __init__(self, papers: Sequence[Paper], cut: str = "") -> None:
        super().__init__([], "openalex")
        self.asked: list[tuple[str, int]] = []
        self._found = papers
        self._cut = cut

    async def search(
        self, query: SearchQuery, *, before: date | None, after: date | None = None, limit: int
    ) -> SearchAnswer:
        self.asked.append((query.text, limit))
        if self.error is not None:
            raise self.error
        papers = tuple(self._found[:limit])
        return SearchAnswer(papers=papers, sent=("q",), matches=99, cut=self._cut)


@pytest.fixture
def search(tmp_path: Path) -> Search:
    async def run(table: Table, query: SearchQuery = QUERY, **others: Any) -> FindState:
        context = RunSettings()
        vars(context)["clients"] = Sources(tmp_path, table)
        runtime = Runtime(context=context, store=InMemoryStore())
        request = CheckedRequest(text="Pears.", sources=("openalex",), before=date(2013, 1, 1))
        branch: Any = {
            "run": "run",
            "request": request,
            "query": query,
            "source": "openalex",
            "limit": 4,
            "of": 1,
            **others,
        }
        return await search_source(branch, runtime)

    return run


async def test_log_says_what_was_sent_and_how_much_is_past_the_cutoff(search: Search) -> None:
    (entry,) = (await search(Searched(PAPERS)))["search_log"]
    assert (entry.returned, entry.after_cutoff, entry.matches) == (4, 1, 99)
    assert (entry.sent, entry.query, entry.hop) == (("q",), "pear drought", 2)


@pytest.mark.parametrize("error", [TransientError("busy"), QuotaError("spent until noon")])
async def test_source_that_fails_is_a_failure_and_no_empty_answer(
    error: Exception, search: Search
) -> None:
    table = Searched(PAPERS)
    table.error = error  # type: ignore[assignment]
    update = await search(table)
    assert (update["hits"], update["search_log"]) == ([], [])
    assert update["failures"][0].cause == str(error)
    assert "pear drought" in update["failures"][0].subject


async def test_works_cited_in_what_was_found_become_candidates_with_the_sentence(
    search: Search,
) -> None:
    class Citing(Searched):
        async def search(self, *args: Any, **others: Any) -> SearchAnswer:
            sentence = "Pears were measured before [3]."
            cited = [CitedWork(paper=PAPERS[4], by=PAPERS[0].id, sentence=sentence)]
            return SearchAnswer(papers=PAPERS[:1], cited=cited)

    update = await search(Citing(PAPERS), WHOLE)
    first, second = update["hits"]
    assert (first.via, first.paper, first.sentence) == ("query", PAPERS[0].id, "")
    assert (second.via, second.by, second.paper) == ("reference", PAPERS[0].id, PAPERS[4].id)
    assert second.sentence == "Pears were measured before [3]."
    assert update["search_log"][0].returned == 1
