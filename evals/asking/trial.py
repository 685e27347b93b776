"""One run of the real `ask` graph for one question, and what came of it."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, TypedDict

from evals.asking.arms import Arm
from evals.asking.cases import Case
from evals.asking.libraries import home_at
from evals.asking.measures import Counts, measures, traced
from evals.asking.told import Sources, told_of
from state.paper import Paper
from tools.clients import Clients
from tools.context import RunContext
from tools.errors import CiteLoomError
from tools.library.library import Library
from tools.library.open import close_libraries, open_library
from tools.retrieve.port import PassageFilter


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all runs of one benchmark share."""

    mind: str
    library: str
    home: Path
    """Where the library is; the arms have homes of their own beside it."""
    texts: Mapping[str, str]
    """The text of each paper by its id, as the benchmark has it."""
    records: Mapping[str, Paper]


class Row(TypedDict):
    """What one run gave."""

    case: str
    arm: str
    error: str
    """Why it broke."""
    answer: str
    sentences: list[dict[str, Any]]
    """Each with its text, its verdict, and the papers and quotes it rests on."""
    queries: list[str]
    missing: list[str]
    counts: Counts
    """See evals.asking.measures."""
    cost: Counts
    stages: Counts
    """Seconds by stage, as the run says."""
    failures: list[str]


async def ask(case: Case, arm: Arm, setting: Setting, clients: Clients) -> dict[str, Any]:
    """Run the graph and return what it gives."""
    from graphs.ask import graph

    context = RunContext(mind=setting.mind, **arm.settings)  # type: ignore[arg-type]  # the graph checks it
    vars(context)["clients"] = clients  # where cached_property looks first
    inputs: Any = {
        "question": case.question,
        "library": setting.library,
        "papers": list(case.within),
        "messages": [
            {"role": role, "content": text}
            for turn in case.history
            for role, text in (("user", turn.question), ("assistant", turn.answer))
        ],
    }
    config: Any = {"recursion_limit": 1000, "max_concurrency": 16}
    return dict(await graph.ainvoke(inputs, config, context=context))


class BenchClients(Clients):
    """The product's clients: with one library for all, and all else of an arm's own.

    So what an arm has paid for, answers above all, no other arm finds in a cache.
    """

    def __init__(self, setting: Setting, arm: Arm) -> None:
        super().__init__(home_at(setting.home.parent / f"{arm.name}-{os.getpid()}"))
        self._shared = home_at(setting.home)

    async def opened(self, name: str) -> Library:
        """Open the library that all arms share."""
        return await asyncio.to_thread(self.shared, name)

    def shared(self, name: str) -> Library:
        """Open the library that all arms share; synchronous."""
        return open_library(name, self._shared, self.embedder)


@dataclass(frozen=True)
class Ready:
    """One arm's clients in this process, ready to answer."""

    clients: BenchClients
    library: Library
    seconds: float
    """What was done once: models loaded, the library opened, keywords made."""


_ready: dict[tuple[Path, str], Ready] = {}


def ready_for(arm: Arm, setting: Setting) -> Ready:
    """Return the clients of one arm in this process; what is done once is part of no answer's time."""
    key = (setting.home, arm.name)
    if key not in _ready:
        started = perf_counter()
        clients = BenchClients(setting, arm)
        library = clients.shared(setting.library)
        retriever = clients.retriever(library, arm.settings["retriever"])
        retriever.retrieve("citation", limit=1, wanted=PassageFilter())
        _ready[key] = Ready(clients, library, perf_counter() - started)
    return _ready[key]


def forget() -> None:
    """Let go of the files of homes that are about to be deleted."""
    from tools.cache import open_cache

    _ready.clear()
    close_libraries()
    open_cache.cache_clear()


def try_arm(case: Case, arm: Arm, setting: Setting) -> Row:
    """Ask one question in one way; whatever goes wrong stands in the result."""
    try:
        ready = ready_for(arm, setting)
        started, cpu = perf_counter(), process_time()
        result = asyncio.run(ask(case, arm, setting, ready.clients))
        cost = {"seconds": perf_counter() - started, "cpu_seconds": process_time() - cpu}
        return _told(case, arm, setting, ready, result, cost)
    except CiteLoomError as error:
        return _row(case, arm, error=f"{type(error).__name__}: {error}")
    except Exception as error:  # noqa: BLE001 - one run must not cost the others; it is recorded
        return _row(case, arm, error=f"{type(error).__name__}: {error}")


def _told(
    case: Case, arm: Arm, setting: Setting, ready: Ready, result: Mapping[str, Any], cost: Counts
) -> Row:
    stop = result.get("stop")
    told = told_of(result.get("sentences") or [], result.get("claims") or [])
    passages = {item.id: item for item in result.get("passages") or []}
    hops = result.get("hops") or []
    read = [key for hop in hops for key in hop.chosen]
    sources = Sources(setting.texts, setting.records, passages)
    reached = {item.paper for item in ready.library.texts.get(read).values()}
    counts = measures(case, told, sources, reached=reached)
    return _row(
        case, arm, answer=result.get("answer", ""),
        error=stop.cause if stop else "",
        sentences=[
            {"text": item.text, "verdict": item.verdict, "traced": traced(item, sources),
             "quotes": [[claim.paper, claim.quote.text] for claim in item.held]}
            for item in told
        ],
        queries=[hop.query for hop in hops], missing=list(result.get("missing") or []),
        counts={**counts, "hops": len(hops), "passages": len(read),
                "claims": len(result.get("claims") or [])},
        cost={**cost, "setup_seconds": ready.seconds, **_cost(result.get("usage") or [])},
        stages=dict(result.get("seconds") or {}),
        failures=[f"{item.stage}: {item.subject}: {item.cause}"
                  for item in result.get("failures") or []],
    )  # fmt: skip


def _cost(used: Any) -> Counts:
    llm = [usage for usage in used if usage.mind != "extractive"]
    return {
        "questions": sum(usage.calls for usage in used),
        "llm_calls": sum(usage.calls for usage in llm),
        "input_tokens": sum(usage.input_tokens for usage in llm),
        "output_tokens": sum(usage.output_tokens for usage in llm),
        "usd": sum(usage.usd for usage in llm),
    }


def _row(case: Case, arm: Arm, **found: Any) -> Row:
    """Return the row of a run, empty but for what was found."""
    empty: Row = {
        "case": case.id, "arm": arm.name, "error": "", "answer": "", "sentences": [],
        "queries": [], "missing": [], "counts": {}, "cost": {}, "stages": {}, "failures": [],
    }  # fmt: skip
    return Row(**{**empty, **found})  # type: ignore[typeddict-item]  # its own names
