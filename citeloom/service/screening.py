"""What the command line and the page do alike with a screening: its records, a model's turn, what that costs."""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from citeloom.runs.runs import Runs
from nodes.cost.run_estimate import estimate
from state.questions import Estimate
from state.results import RankedPaper
from state.screening import Stage
from state.value import FrozenModel
from tools.embed.open_embedder import embedder
from tools.errors import InputError
from tools.library.open_library import open_library, settings_for
from tools.run_settings import RunSettings
from tools.screening.read_decisions import Records
from tools.screening.screening import Screening
from tools.settings import settings

PER_RUN = 100
"""Papers that a model screens in one run: what a killed process has to ask again comes from the cache."""

LOOK = 25
"""Decisions between two looks at the stopping rule, which is less sure the more often it is asked."""


class ModelTurn(FrozenModel):
    """The settings of a model's turn, in which it screens the papers that it has not decided yet."""

    stage: Stage = "title_abstract"
    twice: bool = False
    library: str = "starter"
    sources: tuple[str, ...] = ()
    """Where to look for open full texts."""


def model_screener() -> str:
    """Return the name of the model as decisions have it; "" without one."""
    return " + ".join(dict.fromkeys(filter(None, (settings().strong_model, settings().fast_model))))


def left_for_model(screening: Screening, turn: ModelTurn) -> list[str]:
    """Return the papers that the model has not decided yet."""
    name, latest = model_screener(), screening.latest(turn.stage)
    names = {name, f"{name} (2)"} if turn.twice else {name}
    return [
        key for key in screening.in_stage(turn.stage) if not names <= latest.get(key, {}).keys()
    ]


def runs_of_turn(screening: Screening, turn: ModelTurn) -> Iterator[dict[str, Any]]:
    """Yield the input of each run of `screen` that makes up a turn; who runs it adds its decisions to the screening."""
    left = left_for_model(screening, turn)
    for at in range(0, len(left), PER_RUN):
        yield _run_input(screening, turn, left[at : at + PER_RUN])


def _run_input(screening: Screening, turn: ModelTurn, keys: list[str]) -> dict[str, Any]:
    protocol, papers = screening.protocol, [screening.papers[key] for key in keys]
    return {
        "question": protocol.question,
        "include": [*protocol.include],
        "exclude": [*protocol.exclude],
        "papers": [
            {"origin": {}, **one.model_dump(mode="json", exclude_defaults=True)} for one in papers
        ],
        "stage": turn.stage,
        "twice": turn.twice,
        "library": turn.library,
        "sources": ["library", *turn.sources],
    }


def estimate_turn(screening: Screening, turn: ModelTurn) -> Estimate:
    """Return what a model's turn may take; nothing where no model is configured."""
    inputs = _run_input(screening, turn, left_for_model(screening, turn))
    return estimate("screen", inputs, RunSettings())


async def run_records(runs: Runs, run: str, *, kept: bool) -> Records:
    """Return the papers that a run has judged, or `kept` alone.

    Raises:
        InputError: There is no such run, or it works.
    """
    view = await runs.get(run)
    if not view.is_resting:
        raise InputError(f"run '{run}' is still working: wait for its end")
    found = TypeAdapter(list[RankedPaper]).validate_python(view.values.get("papers") or [])
    papers = tuple(one.paper for one in found if one.selected or not kept)
    return Records(source=f"{view.graph} run {run}", papers=papers)


async def library_records(name: str, caller: str = "") -> Records:
    """Return all papers of a library that a caller may read.

    Raises:
        LibraryError: There is no such library.
    """
    place = settings_for(name, caller, settings())
    opening = partial(open_library, name, place, embedder(), any_embedder=True)
    library = await asyncio.to_thread(opening)
    papers = await asyncio.to_thread(lambda: library.get(library.ids()).values())
    return Records(source=f"library {name}", papers=tuple(papers))
