"""What graphs take beside the calls of an LLM that answers after 300 ms: time of our own, tokens, checkpoints.

The stand-in's answers are the embedded engine's, which the checks of the LLM path often send back; then the engine
writes in its place, and embeds: that is in the time of our own, too.
"""

import asyncio
import os
import sqlite3
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from time import monotonic
from typing import Any

from citeloom.service.execution import opened, stream
from citeloom.service.kept import new_run
from citeloom.settings import settings
from evals.bench.row import Given, Row
from evals.bench.stand_in import NAME, StandIn, standing_in
from state.paper import Paper
from tools.bibliography.read import read_records
from tools.library.starter_library import starter_papers

_SECONDS = 0.3
_SIZES = (10, 30, 100)
_BYTES = "SELECT TOTAL(LENGTH(checkpoint)) FROM checkpoints WHERE thread_id = ?"


def measure(given: Given) -> Iterator[Row]:
    """Yield what each graph takes; `write` with several numbers of papers."""
    papers = _papers()
    with (
        tempfile.TemporaryDirectory(prefix="citeloom-bench-") as home,
        standing_in(_SECONDS) as llm,
    ):
        os.environ |= {
            "CITELOOM_HOME": home, "CITELOOM_LLM_BASE_URL": llm.url, "CITELOOM_STRONG_MODEL": NAME,
            "CITELOOM_FAST_MODEL": NAME, "LANGGRAPH_STRICT_MSGPACK": "true",
        }  # fmt: skip
        settings.cache_clear()
        for _, graph, inputs, _ in _asked(papers[50:], (5,)):  # loads models and modules
            deque(_run(llm, graph, inputs, ""), maxlen=0)
        for name, graph, inputs, size in _asked(papers, (given.n,) if given.n else _SIZES):
            yield from _run(llm, graph, inputs, name, size)


def _asked(
    papers: Sequence[Paper], sizes: Sequence[int]
) -> Iterator[tuple[str, str, dict[str, Any], int | None]]:
    """Yield runs: what they are called, graph, inputs and, where it varies, the number of papers."""
    text = str(papers[0].abstract)
    question = f"What is known of this: {papers[0].title}?"
    found = {"text": text, "sources": ["library"], "library": "starter", "keep": 20}
    yield "find, 20 kept", "find", found, None
    for size in sizes:
        records = [paper.model_dump(mode="json") for paper in papers[1 : size + 1]]
        yield "write", "write", {"text": text, "papers": records}, size
    yield "ask", "ask", {"question": question, "library": "starter"}, None
    uploads = [
        {"name": f"{place}.md", "content": _document(papers[place::5]), "encoding": "text"}
        for place in range(3)
    ]
    yield "synthesize, 3 files", "synthesize", {"question": question, "uploads": uploads}, None


def _papers() -> list[Paper]:
    with starter_papers() as path:
        found = [item for item in read_records(path) if isinstance(item, Paper) and item.abstract]
    return (found * 2)[:101]


def _document(papers: Sequence[Paper]) -> str:
    return "\n\n".join(f"# {paper.title}\n\n{paper.abstract}" for paper in papers[:8])


def _run(
    llm: StandIn, graph: str, inputs: dict[str, Any], what: str, size: int | None = None
) -> Iterator[Row]:
    run = new_run(graph, inputs, {"mind": "llm"})
    llm.calls()
    began = monotonic()
    values = asyncio.run(_ended(run))
    seconds = monotonic() - began
    calls = llm.calls()
    waiting = _covered(calls)
    yield Row(
        "graphs", what, seconds, "s", "time in which the LLM was asked", seconds / waiting, size
    )
    used = values.get("usage", ())
    for unit, field in (
        ("calls", "calls"),
        ("tokens in", "input_tokens"),
        ("tokens out", "output_tokens"),
    ):
        yield Row("graphs", what, sum(getattr(one, field) for one in used), unit, size=size)
    with closing(sqlite3.connect(settings().home / "checkpoints.sqlite")) as db:
        kept = db.execute(_BYTES, (run.name,)).fetchone()[0]
    yield Row("graphs", what, kept / 1000, "kB of checkpoint", size=size)


async def _ended(run: Any) -> dict[str, Any]:
    async with opened(run) as (graph, _):
        values, _ = await stream(graph, run, lambda _: None, fresh=True)
    return values


def _covered(calls: list[tuple[float, float]]) -> float:
    """Return the seconds in which at least one call was under way."""
    total, until = 0.0, 0.0
    for began, ended in sorted(calls):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total
