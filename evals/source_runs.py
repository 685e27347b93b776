"""What the benchmarks of sources share: a made-up field, its fake services, and runs against them."""

import asyncio
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

from pydantic import SecretStr

from citeloom.settings import Settings
from graphs.find import graph
from state.run import Failure
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.wire import Answer, Request
from tests.fakes.scholar.world import Service, World, make_world
from tests.support import RememberingEmbedder
from tools.clients import Clients
from tools.context import RunContext
from tools.embed import open as embedding
from tools.embed.port import Embedder
from tools.http import engine, host_state

KEYLESS: tuple[Service, ...] = ("openalex", "semantic_scholar", "arxiv", "crossref")
"""The sources that can be searched without a key."""
KEY = {"openalex_api_key": SecretStr("a-free-key")}
AT_ONCE: dict[str, Any] = {
    f"{name}_rate": 500.0 for name in ("openalex", "semantic_scholar", "arxiv", "crossref")
}
"""Settings with which nothing waits for its turn."""
_PAPERS, _CROWD = 1500, 150


@dataclass(frozen=True)
class Table:
    """What one benchmark measured."""

    title: str
    rows: Sequence[Mapping[str, object]]
    """Values by column; a column whose name begins with '_' is for the JSON file only."""

    def markdown(self) -> str:
        """Return the table as Markdown."""
        names = [name for name in self.rows[0] if not name.startswith("_")]
        lines = [names, ["---"] * len(names)]
        lines += [[_shown(row[name]) for name in names] for row in self.rows]
        return "\n".join([f"### {self.title}", "", *(f"| {' | '.join(row)} |" for row in lines)])


class QuickServer(ScholarServer):
    """A fake that works out an answer once, so that it is quicker than the timeouts that are tried.

    Whatever else happens to an answer, its price included, happens to each one.
    """

    def __init__(self, world: World, seed: int, known: dict[tuple[int, str], Answer]) -> None:
        super().__init__(world, seed=seed)
        self._known = known

    def _answer(self, request: Request, *, free: bool) -> Answer:
        asked = id(self.world), request.key
        if asked not in self._known:
            self._known[asked] = super()._answer(request, free=True)
        found = replace(self._known[asked], headers={**self._known[asked].headers})
        if free or request.service != "openalex" or not found.kind:
            return found
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        paid = self.money.pay(key, found.kind)
        if isinstance(paid, Answer):
            return paid
        found.headers |= paid
        return found


@dataclass
class Bench:
    """Runs against one made-up field; every run has a home of its own and lines as new."""

    home: Path
    text: str
    seed: int
    embedder: Embedder = field(default_factory=RememberingEmbedder)
    _answers: dict[tuple[int, str], Answer] = field(default_factory=dict)

    @cached_property
    def world(self) -> World:
        """About 1,500 papers; the words of the text are one of the topics."""
        return warm(make_world(_PAPERS, self.seed, self.text, crowd=_CROWD))

    def server(self, world: World | None = None, *, seed: int = 0) -> ScholarServer:
        """Return a fake of all services over the field, not yet running; `seed` is of its faults."""
        # Ports are used again, and lines to hosts outlive the fakes: paused, spent or given up.
        host_state._states.clear()
        return QuickServer(world or self.world, seed, self._answers)

    def settings(self, server: ScholarServer, **others: Any) -> Settings:
        """Return the defaults, whatever the environment says, with a new home and the fake's URLs."""
        urls = {
            f"{name}_url": getattr(server, f"{name}_url")
            for name in ("openalex", "semantic_scholar", "arxiv", "crossref", "serpapi")
        }
        home = Path(tempfile.mkdtemp(dir=self.home))
        return Settings.model_construct(**{"home": home, **urls, **KEY, **others})

    async def find(
        self,
        settings: Settings,
        sources: Sequence[str],
        *,
        options: Mapping[str, Any] | None = None,
        text: str = "",
        embedder: Embedder | None = None,
        **inputs: Any,
    ) -> "Run":
        """Run `find` with the embedded engine; `options` are fields of RunContext."""
        context = RunContext(mind="extractive", **(options or {}))
        vars(context)["clients"] = Clients(settings)  # where cached_property looks first
        embedding._opened["minilm", "", ""] = embedder or self.embedder
        given: Any = {"text": text or self.text, "sources": list(sources), **inputs}
        began = perf_counter()
        result = dict(await graph.ainvoke(given, context=context))
        return Run(result, perf_counter() - began)

    def find_once(self, settings: Settings, sources: Sequence[str], **others: Any) -> "Run":
        """Run `find` alone, in an event loop of its own."""
        return asyncio.run(self.find(settings, sources, **others))


@dataclass(frozen=True)
class Run:
    """What a run of `find` brought."""

    result: Mapping[str, Any]
    seconds: float

    @property
    def kept(self) -> int:
        """How many papers were kept."""
        return len(self.result["selected"])

    @property
    def ranking(self) -> list[tuple[str, float, bool]]:
        """All papers in their order, with scores, and whether each was kept."""
        return [(item.paper.id, item.score, item.selected) for item in self.result["papers"]]

    def used(self, name: str) -> float:
        """Return one figure of `source_usage`, summed over the sources."""
        rows = self.result["source_usage"]
        return float(sum(getattr(row, name) for row in rows))

    @property
    def failures(self) -> list[Failure]:
        """What went wrong, as the run recorded it."""
        return list(self.result["failures"])

    @property
    def told(self) -> list[str]:
        """Those failures as text."""
        return [f"{item.stage}: {item.subject}: {item.cause}" for item in self.failures]


def warm(world: World) -> World:
    """Let a world work out at once what it would at the first questions, which are timed."""
    world.cited_by_count(0, "openalex")
    for work in world.works:
        world.searchable(work.number)
        world.bag(work.number)
    return world


def shorten_pauses() -> None:
    """Let pauses after failures be as short as in the tests, for the rest of the process."""
    engine.FIRST_PAUSE, engine.LONGEST_PAUSE = 0.02, 0.2


def tell(text: str) -> None:
    """Say on standard error how far the benchmarks are."""
    print(text, file=sys.stderr, flush=True)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
