"""One run of the real `write` graph for one row of the data, and what came of it."""

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, TypedDict

from citeloom.settings import Settings, settings
from evals.writing.cases import Case
from evals.writing.gold import ForcedPlan, forced_plan
from evals.writing.measures import Counts, adherence, honesty, text_of
from tools.clients import Clients
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import CiteLoomError, InputError

LEXRANK = "lexrank"
"""What the others are compared with."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way of writing: settings of the run, and whether it is given the gold's plan."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    forced: bool = False


ARMS = {
    arm.name: arm
    for arm in (
        Arm(name="beam", settings={"writer": "beam", "schedule": "themed"}),
        Arm(name="beam_incremental", settings={"writer": "beam", "schedule": "incremental"}),
        Arm(name="plan", settings={"writer": "plan"}, forced=True),
        *(
            Arm(name=name, settings={"writer": name})
            for name in ("prompted_plan", "zero_shot", "per_cite", "sentence_by_sentence", LEXRANK)
        ),
        Arm(name="one_line", settings={"writer": "one_line"}),
    )
}


def choose_arms(given: str) -> list[Arm]:
    """Return the ways of writing that are named, separated by commas, or all; LexRank always.

    Raises:
        InputError: One of the names is none of them.
    """
    names = [name.strip() for name in given.split(",") if name.strip()] or list(ARMS)
    if unknown := [name for name in names if name not in ARMS]:
        raise InputError(f"there is no writer '{unknown[0]}'; there are: {', '.join(ARMS)}")
    return [arm for name, arm in ARMS.items() if name in names or name == LEXRANK]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all runs of one benchmark share."""

    mind: str
    vectors: Path


class Row(TypedDict):
    """What one run gave."""

    case: str
    arm: str
    skipped: str
    """Why it was not run."""
    error: str
    """Why it broke, or stopped with nothing written."""
    text: str
    """Without the markers of its citations."""
    counts: Counts
    adherence: Counts
    """Empty where there was no plan of the gold."""
    cost: Counts
    failures: list[str]


async def write(case: Case, arm: Arm, plan: str, mind: str, clients: Clients) -> dict[str, Any]:
    """Run the graph and return what it gives."""
    from graphs.write import graph

    context = RunContext(mind=mind, **arm.settings)  # type: ignore[arg-type]  # the graph checks it
    vars(context)["clients"] = clients  # where cached_property looks first
    inputs: Any = {
        "text": f"# {case.title}\n\n{case.abstract}" if case.title else case.abstract,
        "papers": [paper.model_dump(mode="json") for paper in case.papers],
        "cite": len(case.papers),
        "plan": plan,
    }
    config: Any = {"recursion_limit": 1000, "max_concurrency": 16}
    return dict(await graph.ainvoke(inputs, config, context=context))


def try_arm(case: Case, arm: Arm, setting: Setting, embedder: Embedder) -> Row:
    """Run one way of writing for one row; whatever goes wrong stands in the result."""
    plan = forced_plan(case) if arm.forced else None
    if isinstance(plan, str):
        return _row(case, arm, skipped=plan)
    started = perf_counter()
    with tempfile.TemporaryDirectory(prefix="citeloom-eval-", ignore_cleanup_errors=True) as home:
        here = settings().model_copy(update={"home": Path(home), "qdrant_url": None})
        clients = BenchClients(here, embedder)
        try:
            result = asyncio.run(write(case, arm, plan.text if plan else "", setting.mind, clients))
        except CiteLoomError as error:
            return _row(case, arm, error=f"{type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 - one run must not cost the others; it is recorded
            return _row(case, arm, error=f"{type(error).__name__}: {error}")
        finally:
            _forget()
    return _written(case, arm, plan, result, perf_counter() - started)


class BenchClients(Clients):
    """The product's clients with an embedder that remembers."""

    def __init__(self, settings: Settings, embedder: Embedder) -> None:
        super().__init__(settings)
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        """The benchmark's embedder."""
        return self._embedder


def _written(
    case: Case, arm: Arm, plan: ForcedPlan | None, result: Mapping[str, Any], seconds: float
) -> Row:
    sentences, references = result.get("sentences") or [], result.get("references") or []
    audit, stop = result.get("audit"), result.get("stop")
    text = text_of(sentences)
    said = audit.adherence if audit else None
    return _row(
        case, arm, text=text,
        error=stop.cause if stop and not sentences else "",
        counts={
            **honesty(sentences, references, audit, case.papers),
            "sentences": len(sentences), "words": len(text.split()),
        },
        adherence=adherence(sentences, references, plan, said) if plan else {},
        cost=_cost(result, seconds),
        failures=[f"{item.stage}: {item.subject}: {item.cause}" for item in result["failures"]],
    )  # fmt: skip


def _cost(result: Mapping[str, Any], seconds: float) -> Counts:
    used = result["usage"]
    llm = [usage for usage in used if usage.mind != "extractive"]
    return {
        "seconds": seconds,
        "questions": sum(usage.calls for usage in used),
        "llm_calls": sum(usage.calls for usage in llm),
        "input_tokens": sum(usage.input_tokens for usage in llm),
        "output_tokens": sum(usage.output_tokens for usage in llm),
        "usd": sum(usage.usd for usage in llm),
    }


def _row(case: Case, arm: Arm, **found: Any) -> Row:
    """Return the row of a run, empty but for what was found."""
    empty: Row = {
        "case": case.id, "arm": arm.name, "skipped": "", "error": "", "text": "", "counts": {},
        "adherence": {}, "cost": {}, "failures": [],
    }  # fmt: skip
    return Row(**{**empty, **found})  # type: ignore[typeddict-item]  # its own names


def _forget() -> None:
    """Let go of the files of a home that is about to be deleted."""
    from tools.cache import open_cache

    open_cache.cache_clear()
