"""More tests of `synthesize`: papers of a library, references looked up, one thread used twice."""

from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graphs.ingest import graph as ingest
from graphs.synthesize import builder
from tests.graphs.stacks import QUESTION, uploads
from tests.graphs.test_synthesize import assert_traced, synthesize


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
