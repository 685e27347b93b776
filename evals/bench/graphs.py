"""What graphs take beside the calls of an LLM that answers after 300 ms: time of our own, tokens, requests, money.

`find` searches a local OpenAlex. The stand-in's answers are the embedded engine's, so that the checks of the LLM path
find little to send back.
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

from citeloom.runs.local_executor import open_run, stream_run
from citeloom.runs.run_record import new_run
from evals.bench.corpus import corpus_of, text_of
from evals.bench.row import Given, Row
from evals.bench.stand_in import StandIn, standing_in
from evals.spending import spent
from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.cache import open_cache
from tools.errors import PermanentError
from tools.library.starter_library import starter_papers
from tools.settings import settings

_SECONDS = 0.3
_SIZES = (10, 30, 100)
_PRICE = (1, 4)  # USD for a million tokens in and out
_RATE = 1000  # requests a second: the local sources need no patience
_AGAIN = "find again, with another model"
"""Whose answers are its own, while those of sources, and vectors, are there."""
_BYTES = "SELECT TOTAL(LENGTH(checkpoint)) FROM checkpoints WHERE thread_id = ?"


def measure(given: Given) -> Iterator[Row]:
    """Yield what each graph takes; `write` with several numbers of papers."""
    papers = _papers()
    known = Given(given.data, None, given.seed)
    text = text_of(corpus_of(known))
    with (
        tempfile.TemporaryDirectory(prefix="citeloom-bench-") as home,
        standing_in(_SECONDS, known) as llm,
    ):
        os.environ |= {
            "CITELOOM_HOME": home,
            "CITELOOM_LLM_BASE_URL": llm.url,
            "LANGGRAPH_STRICT_MSGPACK": "true",
            "CITELOOM_STRONG_PRICE": str(list(_PRICE)),
            "CITELOOM_OPENALEX_URL": llm.sources,
            "CITELOOM_CROSSREF_URL": f"{llm.sources}/crossref",
            "CITELOOM_OPENALEX_RATE": str(_RATE),
            "CITELOOM_CROSSREF_RATE": str(_RATE),
            "CITELOOM_STRONG_MODEL": "stand-in",
            "CITELOOM_FAST_MODEL": "stand-in",
        }
        settings.cache_clear()
        for name, graph, inputs, _ in _asked(papers[50:], text, (5,)):  # loads models and modules
            if name != _AGAIN:
                deque(_run(llm, graph, inputs, name), maxlen=0)
        for name, graph, inputs, size in _asked(papers, text, (given.n,) if given.n else _SIZES):
            yield from _run(llm, graph, inputs, name, size)


def _asked(
    papers: Sequence[Paper], text: str, sizes: Sequence[int]
) -> Iterator[tuple[str, str, dict[str, Any], int | None]]:
    """Yield runs: what they are called, graph, inputs and, where it varies, the number of papers."""
    question = f"What is known of this: {papers[0].title}?"
    for name in ("find, 20 kept", _AGAIN):
        yield name, "find", {"text": text, "sources": ["openalex"], "keep": 20}, None
    for size in sizes:
        records = [paper.model_dump(mode="json") for paper in papers[1 : size + 1]]
        yield "write", "write", {"text": papers[0].abstract, "papers": records}, size
    yield "ask", "ask", {"question": question, "library": "starter"}, None
    uploads = [
        {"name": f"{place}.md", "content": _document(papers[place::5]), "encoding": "text"}
        for place in range(3)
    ]
    yield "synthesize, 3 files", "synthesize", {"question": question, "uploads": uploads}, None


def _forget(only: str) -> None:
    """Let no run find what another was answered, or fetched and embedded."""
    open_cache.cache_clear()
    for name in [only] if only else ("answers", "responses", "documents"):
        for path in settings().home.glob(f"{name}.sqlite*"):
            path.unlink()


def _papers() -> list[Paper]:
    with starter_papers() as path:
        found = [item for item in read_records(path) if isinstance(item, Paper) and item.abstract]
    return (found * 2)[:101]


def _document(papers: Sequence[Paper]) -> str:
    return "\n\n".join(f"# {paper.title}\n\n{paper.abstract}" for paper in papers[:8])


def _run(
    llm: StandIn, graph: str, inputs: dict[str, Any], what: str, size: int | None = None
) -> Iterator[Row]:
    _forget("answers" if what == _AGAIN else "")
    run = new_run(graph, inputs, {"mind": "llm"})
    llm.calls()
    began = monotonic()
    values = asyncio.run(_ended(run))
    seconds = monotonic() - began
    if stop := values.get("stop"):
        raise PermanentError(f"{graph} stopped: {stop.cause}")
    waiting = _covered(llm.calls())
    used, asked = values.get("usage", ()), values.get("source_usage", ())
    yield Row(
        "graphs",
        what,
        seconds,
        "s",
        "time in which the LLM was asked",
        seconds / waiting,
        size,
        f"{what}, {size}" if size else what,
        spent(used),
    )
    calls = sum(one.calls for one in used)
    beside = f"{len(values.get('failures', ()))} failures"
    yield Row("graphs", what, calls, "calls of the LLM", beside, size=size)
    yield Row("graphs", what, calls + sum(one.calls for one in asked), "HTTP requests", size=size)
    usd = [sum(one.usd for one in these) for these in (used, asked)]
    told = (
        f"of it {usd[1]:.4g} for sources; the LLM at {_PRICE[0]} and {_PRICE[1]} a million tokens"
    )
    yield Row("graphs", what, sum(usd), "USD", told, size=size)
    with closing(sqlite3.connect(settings().home / "checkpoints.sqlite")) as db:
        kept = db.execute(_BYTES, (run.name,)).fetchone()[0]
    yield Row("graphs", what, kept / 1000, "kB of checkpoint", size=size)


async def _ended(run: Any) -> dict[str, Any]:
    async with open_run(run) as (graph, _):
        values, _ = await stream_run(graph, run, lambda _: None, fresh=True)
    return values


def _covered(calls: list[tuple[float, float]]) -> float:
    """Return the seconds in which at least one call was under way."""
    total, until = 0.0, 0.0
    for began, ended in sorted(calls):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total
