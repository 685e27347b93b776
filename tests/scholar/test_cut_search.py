"""A search of several tries keeps what the first ones found when a later one fails."""

from importlib import import_module
from typing import Any

import pytest

from state.search import SearchQuery
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.wire import Request
from tests.scholar.conftest import CallerOf
from tools.errors import TransientError

CLASSES = {
    "openalex": "OpenAlexSource",
    "semantic_scholar": "SemanticScholarSource",
    "arxiv": "ArxivSource",
}


@pytest.mark.parametrize("name", CLASSES)
async def test_what_was_found_before_the_failure_is_kept_and_the_failure_told(
    name: str, caller: CallerOf, server: ScholarServer
) -> None:
    source: Any = getattr(import_module(f"tools.scholar.{name}"), CLASSES[name])(
        caller(name, source_patience=0.2)
    )
    held = server.world.held(name)  # type: ignore[arg-type]
    work = next(work for work in held if len(work.title.split()) > 6 and not work.retracted)
    words = [word for word in work.title.replace(":", " ").split() if word.isalpha()][:5]
    query = SearchQuery(text=" ".join(words), facet="method", reason="")

    def fails_after_the_first(request: Request) -> str | None:
        return "503" if any(done.fault is None for done in server.requests) else None

    server.faults.script = fails_after_the_first
    found = await source.search(query, before=None, limit=200)
    assert found.papers
    assert "HTTP 503" in found.cut
    assert len(found.sent) == 1
    server.faults.script = lambda request: "503"
    other = query.model_copy(update={"text": f"{query.text} unheard"})
    with pytest.raises(TransientError):
        await source.search(other, before=None, limit=200)
