"""One run of the real `write` graph for one row of the data, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.side_by_side import remembering
from evals.spending import spent
from evals.trials import (
    BenchClients,
    Row,
    attempted,
    cost_of,
    failures_of,
    fresh_home,
    run_graph,
)
from evals.writing.cases import Case
from evals.writing.gold import ForcedPlan, forced_plan
from evals.writing.measures import adherence, honesty, text_of

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
        Arm(name="prompted_plan", settings={"writer": "plan"}),
        *(
            Arm(name=name, settings={"writer": name})
            for name in ("whole", "per_cite", "sentence_by_sentence", LEXRANK)
        ),
        Arm(name="one_line", settings={"writer": "one_line"}),
    )
}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all runs of one benchmark share."""

    mind: str
    vectors: Path


def try_arm(task: tuple[Case, Arm], setting: Setting) -> Row:
    """Run one way of writing for one row; whatever goes wrong stands in the result.

    It has 'skipped' (why it was not run), 'text' (without the markers of its citations), 'counts' and
    'adherence' (evals.writing.measures; empty where there was no plan of the gold), 'cost', 'failures'.
    """
    case, arm = task
    row: Row = {
        "case": case.id,
        "arm": arm.name,
        "text": "",
        "counts": {},
        "adherence": {},
        "cost": {},
        "tasks": {},
    }
    plan = forced_plan(case) if arm.forced else None
    if isinstance(plan, str):
        return row | {"skipped": plan}
    inputs = {
        "text": f"# {case.title}\n\n{case.abstract}" if case.title else case.abstract,
        "papers": [paper.model_dump(mode="json") for paper in case.papers],
        "cite": len(case.papers),
        "plan": plan.text if plan else "",
    }

    def written() -> dict[str, Any]:
        clients = BenchClients(here, remembering(setting.vectors))
        choices = {"mind": setting.mind, **arm.settings}
        return _written(case, plan, run_graph("write", inputs, clients, choices))

    with fresh_home() as here:
        return row | attempted(written)


def _written(case: Case, plan: ForcedPlan | None, result: Mapping[str, Any]) -> dict[str, Any]:
    references = result.get("references") or []
    named = {item.marker: item.paper.id for item in references}
    return {
        **told(case, result, named),
        "adherence": _adherence(result, named, plan),
        "printed": {
            "text": str(result.get("related_work") or ""),
            "references": [item.paper.title for item in references],
        },
    }


def _adherence(
    result: Mapping[str, Any], named: Mapping[str, str], plan: ForcedPlan | None
) -> dict[str, float]:
    if plan is None:
        return {}
    audit = result.get("audit")
    said = audit.adherence if audit else None
    return adherence(result.get("sentences") or [], named, plan, said)


def told(case: Case, result: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, Any]:
    """Return what came of a run of `write` or `verify`: the text, what is counted of it, and its cost.

    `named` has the id of the paper behind each marker.
    """
    sentences = result.get("sentences") or []
    audit, stop = result.get("audit"), result.get("stop")
    text = text_of(sentences)
    return {
        "text": text,
        "error": stop.cause if stop and not sentences else "",
        "counts": {
            **honesty(sentences, named, audit, case.papers),
            "sentences": len(sentences),
            "words": len(text.split()),
        },
        "cost": cost_of(result["usage"], result["took"]),
        "tasks": spent(result["usage"]),
        "failures": failures_of(result),
    }
