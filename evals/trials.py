"""Runs of the real graphs: with a home that is thrown away, what each cost, and what broke it."""

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from state.run import Usage
from tools.clients import Clients
from tools.embed.embedder import Embedder
from tools.run_settings import RunSettings
from tools.settings import Settings, settings

Row = dict[str, Any]
"""What one run gave: 'case' and 'arm', 'error' where it broke, and what its suite measures."""


class BenchClients(Clients):
    """The product's clients with an embedder of the benchmark's."""

    def __init__(self, here: Settings, embedder: Embedder) -> None:
        super().__init__(here)
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        """The benchmark's embedder."""
        return self._embedder


@contextmanager
def fresh_home() -> Iterator[Settings]:
    """Give the process's settings with a home of their own, and the embedded engine."""
    from tools.cache import open_cache

    with tempfile.TemporaryDirectory(prefix="citeloom-eval-", ignore_cleanup_errors=True) as home:
        try:
            yield settings().model_copy(update={"home": Path(home), "qdrant_url": None})
        finally:
            open_cache.cache_clear()  # it holds files of the home


def run_graph(
    graph: Any, inputs: Mapping[str, Any], clients: Clients, choices: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a graph, or the product's of a name, in an event loop of its own.

    `choices` are fields of RunSettings.
    """
    context = RunSettings(**choices)
    vars(context)["clients"] = clients  # where cached_property looks first
    config: Any = {"recursion_limit": 1000, "max_concurrency": 16}
    began = perf_counter()
    graph = import_module(f"graphs.{graph}").graph if isinstance(graph, str) else graph
    result = dict(asyncio.run(graph.ainvoke(dict(inputs), config, context=context)))
    return result | {"took": perf_counter() - began}


def attempted(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a run gives, or only its 'error': one run must not cost the others."""
    try:
        return run()
    except Exception as error:  # noqa: BLE001 - it is recorded
        return {"error": f"{type(error).__name__}: {error}"}


def cost_of(used: Iterable[Usage], seconds: float) -> dict[str, float]:
    """Return what the minds of a run cost."""
    used = list(used)
    llm = [usage for usage in used if usage.mind != "extractive"]
    return {
        "seconds": seconds,
        "questions": sum(usage.calls for usage in used),
        "llm_calls": sum(usage.calls for usage in llm),
        "input_tokens": sum(usage.input_tokens for usage in llm),
        "output_tokens": sum(usage.output_tokens for usage in llm),
        "usd": sum(usage.usd for usage in llm),
    }


def failures_of(result: Mapping[str, Any]) -> list[str]:
    """Return the failures that a run recorded, in words."""
    return [f"{one.stage}: {one.subject}: {one.cause}" for one in result.get("failures") or ()]
