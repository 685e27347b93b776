"""What each task of the runs cost and took, arm by arm, and what the judge took."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evals.figures import sums
from evals.tables import table
from state.run import Usage

Spent = dict[str, dict[str, float]]
"""By task: calls, answers at hand, answers sent back, tokens, USD, and seconds summed over calls."""
JUDGE = "(judge)"
_PARTS = (
    "calls",
    "cached",
    "repairs",
    "input_tokens",
    "output_tokens",
    "thinking_tokens",
    "usd",
    "seconds",
)
_HEADS = (
    "arm",
    "task",
    "calls",
    "at hand",
    "sent back",
    "tokens in",
    "out",
    "of these thinking",
    "USD",
    "seconds a call",
)


def spent(used: Iterable[Usage]) -> Spent:
    """Return what was spent on each task, whoever did it."""
    found: Spent = {}
    for usage in used:
        one = {name: float(getattr(usage, name)) for name in _PARTS}
        found[usage.task] = sums([found.get(usage.task, {}), one])
    return found


def by_arm(rows: Sequence[Any]) -> dict[str, Spent]:
    """Return what the runs of each arm spent, from rows with 'arm' and 'tasks', where they have them.

    What a judge has spent so far stands under 'judging' of each row, so that the last one tells it all.
    """
    told = [row if isinstance(row, Mapping) else vars(row) for row in rows]
    found: dict[str, Spent] = {}
    for row in told:
        mine = found.setdefault(row["arm"], {}) if row.get("tasks") else {}
        for task, one in (row.get("tasks") or {}).items():
            mine[task] = sums([mine.get(task, {}), one])
    if told and (judging := told[-1].get("judging")):
        found[JUDGE] = judging
    return found


def rows_of(spent_by_arm: Mapping[str, Spent]) -> list[list[str]]:
    """Return a row for each task of each arm, the heads first."""
    return [
        list(_HEADS),
        *(
            [arm, task, *_cells(one)]
            for arm, tasks in spent_by_arm.items()
            for task, one in tasks.items()
        ),
    ]


def spent_table(spent_by_arm: Mapping[str, Spent]) -> str:
    """Return the table in Markdown; '' where nothing was spent."""
    if not spent_by_arm:
        return ""
    heads, *rows = rows_of(spent_by_arm)
    return table("Cost and latency by task", heads, rows)


def _cells(one: Mapping[str, float]) -> list[str]:
    counts = [f"{one.get(name, 0):,.0f}" for name in _PARTS[:-2]]
    calls = one.get("calls", 0)
    each = f"{one.get('seconds', 0) / calls:.3g}" if calls else ""
    return [*counts, f"{one.get('usd', 0):.4g}", each]
