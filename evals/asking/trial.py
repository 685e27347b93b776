"""One run of the real `ask` graph, or of a baseline, for one question, and what came of it."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from evals.asking.arms import Arm
from evals.asking.cases import Case
from evals.asking.libraries import home_at
from evals.asking.measures import measures, traced
from evals.asking.speech import Heard, heard, tts_seconds
from evals.asking.told import Sources, told_of
from evals.spending import spent
from evals.trials import Row, attempted, cost_of, failures_of, run_graph
from state.paper import Paper
from tools.clients import Clients
from tools.library.library import Library
from tools.library.open_library import close_libraries, open_library
from tools.library.search_types import PassageFilter
from tools.retrieve.retriever import Retriever


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
    speech: bool = False
    """Whether questions are asked as they were heard, and answers spoken."""


class SharedLibrary(Clients):
    """The product's clients: with one library for all, and all else of an arm's own.

    So what an arm has paid for, answers above all, no other arm finds in a cache.
    """

    def __init__(self, setting: Setting, arm: Arm) -> None:
        super().__init__(home_at(setting.home.parent / f"{arm.name}-{os.getpid()}"))
        self._shared = home_at(setting.home)

    async def opened(self, name: str, caller: str = "") -> Library:
        """Open the library that all arms share."""
        return await asyncio.to_thread(self.shared, name)

    def shared(self, name: str) -> Library:
        """Open the library that all arms share; synchronous."""
        return open_library(name, self._shared, self.embedder)


@dataclass(frozen=True)
class Ready:
    """One arm's clients in this process, ready to answer."""

    clients: SharedLibrary
    library: Library
    seconds: float
    """What was done once: models loaded, the library opened, keywords made."""


_ready: dict[tuple[Path, str], Ready] = {}


def ready_for(arm: Arm, setting: Setting) -> Ready:
    """Return the clients of one arm in this process; what is done once is part of no answer's time."""
    key = (setting.home, arm.name)
    if key not in _ready:
        started = perf_counter()
        clients = SharedLibrary(setting, arm)
        library = clients.shared(setting.library)
        retriever = Retriever(arm.settings["retriever"], library)
        retriever.retrieve("citation", limit=1, wanted=PassageFilter())
        _ready[key] = Ready(clients, library, perf_counter() - started)
    return _ready[key]


def forget() -> None:
    """Let go of the files of homes that are about to be deleted."""
    from tools.cache import open_cache

    _ready.clear()
    close_libraries()
    open_cache.cache_clear()


def try_arm(task: tuple[Case, Arm], setting: Setting) -> Row:
    """Ask one question in one way; whatever goes wrong stands in the row.

    The row has 'answer', 'sentences' (each with its text, verdict, and the papers and quotes it rests on),
    'queries', 'missing', 'counts' (evals.asking.measures), 'cost', 'stages' (seconds, as the run says).
    """
    case, arm = task
    turns = [
        {"role": role, "content": text}
        for turn in case.history
        for role, text in (("user", turn.question), ("assistant", turn.answer))
    ]
    inputs = {
        "question": case.question,
        "library": setting.library,
        "papers": list(case.within),
        "messages": turns,
    }
    row: Row = {
        "case": case.id,
        "arm": arm.name,
        "sentences": [],
        "counts": {},
        "cost": {},
        "stages": {},
    }

    def asked() -> dict[str, Any]:
        spoken = heard(case.question) if setting.speech else None
        ready, cpu = ready_for(arm, setting), process_time()
        choices = {"mind": setting.mind, **arm.settings}
        question = {"question": spoken.text} if spoken else {}
        result = run_graph(_graph(arm), inputs | question, ready.clients, choices)
        found = _told(case, setting, ready, result, process_time() - cpu)
        for name in arm.unmeasured & found["counts"].keys():
            del found["counts"][name]
        return found | _aloud(found, spoken) if spoken else found

    return row | attempted(asked)


def _graph(arm: Arm) -> Any:
    if not arm.by_llm:
        return "ask"
    from evals.asking.baselines import GRAPHS

    return GRAPHS[arm.name]


def _aloud(found: Row, spoken: Heard) -> dict[str, Any]:
    """Speak the answer; return what hearing and speaking add to the row."""
    seconds = {"stt_seconds": spoken.stt_seconds, "tts_seconds": tts_seconds(found["answer"])}
    return {
        "heard": spoken.text,
        "counts": found["counts"] | {"word_error_rate": spoken.word_error_rate},
        "cost": found["cost"] | seconds,
    }


def _told(
    case: Case, setting: Setting, ready: Ready, result: Mapping[str, Any], cpu: float
) -> dict[str, Any]:
    stop = result.get("stop")
    told = told_of(result.get("sentences") or [], result.get("claims") or [])
    passages = {item.id: item for item in result.get("passages") or []}
    hops = result.get("hops") or []
    read = [key for hop in hops for key in hop.chosen]
    sources = Sources(setting.texts, setting.records, passages)
    reached = {item.paper for item in ready.library.texts.get(read).values()}
    return {
        "answer": result.get("answer", ""),
        "error": stop.cause if stop else "",
        "sentences": [
            {
                "text": item.text,
                "verdict": item.verdict,
                "traced": traced(item, sources),
                "quotes": [[claim.paper, claim.quote.text] for claim in item.held],
            }
            for item in told
        ],
        "queries": [hop.query for hop in hops],
        "missing": list(result.get("missing") or []),
        "counts": {
            **measures(case, told, sources, reached=reached),
            "hops": len(hops),
            "passages": len(read),
            "claims": len(result.get("claims") or []),
        },
        "cost": {
            **cost_of(result.get("usage") or [], result["took"]),
            "cpu_seconds": cpu,
            "setup_seconds": ready.seconds,
        },
        "stages": dict(result.get("seconds") or {}),
        "tasks": spent(result.get("usage") or []),
        "failures": failures_of(result),
    }
