"""More tests of `synthesize`: papers of a library, references looked up, one thread used twice."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graphs.ingest import graph as ingest
from graphs.synthesize import builder, graph
from tests.fakes.reviewer import reviewer
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import make_world
from tests.graphs.conftest import Scripted
from tests.graphs.stacks import QUESTION, SHARED, uploads
from tests.graphs.test_synthesize import assert_traced, synthesize
from tools.settings import settings


async def add(library: str) -> list[str]:
    inputs: Any = {"library": library, "uploads": uploads()}
    done: Any = await ingest.ainvoke(inputs)
    assert [item.status for item in done["reports"]] == ["added"] * 3
    return [item.paper for item in done["reports"]]


async def test_papers_of_a_library_give_what_their_files_give(home: Path) -> None:
    papers = await add("owls")
    from_files = await synthesize()
    named = await synthesize(uploads=[], library="owls", papers=papers)
    assert_traced(named)
    assert named["answer"] == from_files["answer"]
    assert named["bibtex"] == from_files["bibtex"]


async def test_references_are_looked_up_for_their_doi(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScholarServer(make_world(size=50, seed=1, about=SHARED, crowd=0)) as server:
        monkeypatch.setenv("CITELOOM_CROSSREF_URL", server.crossref_url)
        monkeypatch.setenv("CITELOOM_CROSSREF_RATE", "500")
        settings.cache_clear()
        result = await synthesize(sources=["crossref"])
        asked = [request for request in server.requests if request.service == "crossref"]
    assert result["stop"] is None
    assert_traced(result)
    assert asked
    (usage,) = [item for item in result["source_usage"] if item.source == "crossref"]
    assert usage.calls == len(asked)


async def test_second_question_on_a_thread_starts_afresh(home: Path) -> None:
    app = builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    config: Any = {"configurable": {"thread_id": "one"}}
    first: Any = {"question": QUESTION, "uploads": uploads()}
    await app.ainvoke(first, config)
    other: Any = {"question": "How were the feathers washed?", "uploads": uploads()[1:2]}
    result = dict(await app.ainvoke(other, config))
    assert_traced(result)
    assert "washed in cold water" in result["answer"]
    assert [item.name for item in result["stacked"]] == ["feathers.md"]
    assert len(result["messages"]) == 4


async def test_small_window_takes_all_paragraphs_in(llm_settings: Any) -> None:
    small = llm_settings.model_copy(update={"llm_context_tokens": 8000})
    with Scripted(reviewer(), small, relevance="each") as scripted:
        given: Any = {"question": QUESTION, "uploads": uploads()}
        result = dict(await graph.ainvoke(given, context=scripted.context))
    assert_traced(result)
    assert {item.paragraph for item in result["used"]} == {
        item.paragraph for item in result["contexts"]
    }
