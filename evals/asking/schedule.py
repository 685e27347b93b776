"""Runs of `ask`, in turn or side by side."""

from collections.abc import Generator, Sequence
from functools import partial

from evals.asking.arms import Arm
from evals.asking.cases import Case
from evals.asking.trial import Row, Setting, try_arm
from evals.side_by_side import results_of

Task = tuple[Case, Arm]


def rows_of(tasks: Sequence[Task], setting: Setting, workers: int) -> Generator[Row]:
    """Yield the row of each task as it is done; see evals.side_by_side."""
    return results_of(partial(_run, setting=setting), tasks, workers)


def _run(task: Task, setting: Setting) -> Row:
    case, arm = task
    return try_arm(case, arm, setting)
