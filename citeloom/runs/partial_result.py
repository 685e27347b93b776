"""What a run has that was stopped, out of its last checkpoints."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from langgraph.store.base import BaseStore
from langgraph.types import StateSnapshot

from nodes.find.present_papers import assemble as assemble_papers
from nodes.find.present_papers import count_papers
from nodes.table.present_table import count_cells
from nodes.write.number_references import assemble as assemble_section
from state.channels import FindState, WriteState
from state.reducers import add_failures, add_rejections
from state.run import SourceUsage, Usage
from state.synthesis import Context
from tools.ledger.ledger_file import LedgerFile
from tools.run_settings import RunSettings
from tools.run_store import RunStore
from tools.text.source_lines import origin_of


async def partial_values(
    snapshot: StateSnapshot, store: BaseStore, context: RunSettings
) -> dict[str, Any]:
    """Assemble what an interrupted run has, out of its last checkpoints, inner graphs included."""
    values: dict[str, Any] = {}
    _collect(snapshot, values)
    if not values.get("run") or "wanted" in values:  # those are of `ask`, which prints what it has
        return values
    if "references_as" in values:
        return await partial_synthesis(values, RunStore(store, values["run"]), context)
    values |= await _spent(values["run"], context)
    run_store = RunStore(store, values["run"])
    if "row_ids" in values:
        rows = await run_store.rows.values(values["row_ids"])
        counts = count_cells(rows, len(values["row_ids"]))
        return {
            **values,
            "rows": rows,
            "counts": counts,
            "outcome": "partial" if rows else "nothing",
        }
    if "papers" not in values or not isinstance(values.get("links"), list):
        values.pop("papers", None)
        found = cast(FindState, _with_defaults(values))
        if found["scores"]:
            papers, links = await assemble_papers(found, run_store)
            values |= {
                "papers": papers,
                "links": links,
                "counts": await count_papers(found, run_store, context.effective_bar),
            }
    if not values.get("sentences") and "entries" not in values:  # those are of `verify`
        values |= await assemble_section(cast(WriteState, values), run_store)
    values["outcome"] = "partial" if values.get("papers") or values.get("sentences") else "nothing"
    return values


async def _spent(run: str, context: RunSettings) -> dict[str, Any]:
    """Return what a run has used. Not from its ledger, whose limits hold while it may be at work."""
    rows, _ = await asyncio.to_thread(LedgerFile(context.clients.settings.home).read, run)
    return {
        "usage": [row for row in rows if isinstance(row, Usage)],
        "source_usage": [row for row in rows if isinstance(row, SourceUsage)],
    }


def _collect(snapshot: StateSnapshot, values: dict[str, Any]) -> None:
    inner = dict(snapshot.values or {})
    for name, join in _JOINED.items():
        if name in inner:
            inner[name] = join(values.get(name, []), inner[name])
    values.update(inner)
    for task in snapshot.tasks:
        if isinstance(task.state, StateSnapshot):
            _collect(task.state, values)


_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "failures": add_failures,
    "rejections": add_rejections,
}


def _with_defaults(values: Mapping[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "hidden": [],
        "past_cutoff": [],
        "selected": [],
        "retracted": [],
        "same": {},
        "hits": [],
        "trail": [],
        "prior": {},
    }
    # Until all papers of a hop have been judged, how promising they look must do.
    scores = values.get("scores") or values.get("judged") or values.get("prior") or {}
    return {**empty, **values, "scores": scores}


async def partial_synthesis(
    values: Mapping[str, Any], run_store: RunStore, context: RunSettings
) -> dict[str, Any]:
    """Return what a run has that was stopped, with the paragraphs that its draft holds."""
    if "answer" in values:
        return dict(values)
    contexts: Sequence[Context] = values.get("contexts") or ()
    folded = contexts[: values.get("folded") or 0]
    held = await run_store.paragraphs.get([item.paragraph for item in folded])
    return {
        **values,
        "granularity": values.get("references_as", ""),
        "used": [origin_of(item, 0, len(item.text)) for item in held.values()],
        **await _spent(values["run"], context),
        "outcome": "partial" if values.get("draft") else "nothing",
    }
