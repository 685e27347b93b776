"""No node blocks the event loop: what the server would refuse fails here too, with its place."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from blockbuster import BlockBuster, BlockingError, blockbuster_ctx

from graphs.ask import graph as ask
from graphs.find import graph as find
from graphs.ingest import graph as ingest
from graphs.review import graph as review
from graphs.synthesize import graph as synthesize
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import make_world
from tests.graphs.conftest import ABSTRACT as BEES
from tests.graphs.stacks import QUESTION, uploads
from tests.support import ABSTRACT, SMALL, small_records
from tools.ledger.ledger_file import LedgerFile
from tools.run_settings import RunSettings
from tools.settings import settings

EXCLUDED = small_records()[5].id
PARTS = ["citeloom", "graphs", "nodes", "state", "tools"]


@pytest.fixture
def watched(home: Path) -> Iterator[BlockBuster]:
    """Blocking calls made by our own code on the loop's thread raise BlockingError."""
    settings()  # looks for a file .env, once in a process
    with blockbuster_ctx(scanned_modules=PARTS) as detection:
        yield detection


async def test_detection_sees_a_call_that_blocks(home: Path, watched: BlockBuster) -> None:
    (home / "ledger.sqlite").touch()
    with pytest.raises(BlockingError):
        LedgerFile(home).read("run")


OWLS = "# Owls\n\n## Hearing\n\n" + "Barn owls find voles by hearing in the dark. " * 8
ASKED = [{"role": "user", "content": "What is ROUGE?"}, {"role": "assistant", "content": "A."}]
FOLLOW_UP = {"question": "And what are its limits?", "messages": ASKED, "library": SMALL}
STACK = {"question": QUESTION, "uploads": uploads()}
REVIEW = {
    "text": ABSTRACT.read_text(encoding="utf-8"),
    "library": SMALL,
    "before": "2025-01-01",
    "exclude": [EXCLUDED],
}
RUNS: list[tuple[Any, Any, dict[str, Any], str]] = [
    (review, REVIEW, {"pool": 16, "results": 36, "debate_batch": 4}, "references"),
    (ask, FOLLOW_UP, {}, "hops"),
    (ask, FOLLOW_UP, {"retriever": "keywords"}, "hops"),
    (ingest, {"library": "owls", "uploads": [{"name": "owls.md", "content": OWLS}]}, {}, "reports"),
    (synthesize, STACK, {}, "lines"),
]


@pytest.mark.parametrize(("graph", "inputs", "options", "gives"), RUNS)
async def test_run_never_blocks_the_loop(
    home: Path, watched: BlockBuster, graph: Any, inputs: Any, options: dict[str, Any], gives: str
) -> None:
    done = await graph.ainvoke(inputs, context=RunSettings(**options))
    assert done["stop"] is None
    assert done["failures"] == []
    assert done[gives]


async def test_sources_on_the_network_never_block_the_loop(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("openalex", "semantic_scholar", "arxiv", "crossref", "google")
    with ScholarServer(make_world(size=60, seed=1, about=BEES, crowd=0)) as server:
        for name in ("openalex", "semantic_scholar", "arxiv", "crossref", "serpapi"):
            monkeypatch.setenv(f"CITELOOM_{name.upper()}_URL", getattr(server, f"{name}_url"))
            if name != "serpapi":
                monkeypatch.setenv(f"CITELOOM_{name.upper()}_RATE", "500")
        monkeypatch.setenv("SERPAPI_API_KEY", "some-key")
        settings.cache_clear()
        settings()
        context = RunSettings(pool=6, results=10)
        with blockbuster_ctx(scanned_modules=PARTS):
            inputs: Any = {"text": BEES, "sources": list(names)}
            done: Any = await find.ainvoke(inputs, context=context)
    assert done["outcome"] == "complete"
    assert done["failures"] == []
    # Each found something, so that what becomes of its answers is run through, too.
    assert {entry.source for entry in done["search_log"] if entry.returned} == set(names)


async def test_run_that_stops_never_blocks_the_loop(home: Path, watched: BlockBuster) -> None:
    inputs: Any = {"text": "two words", "library": "nowhere"}
    done: Any = await review.ainvoke(inputs)
    assert done["stop"].cause.startswith("the input has 2 words")
