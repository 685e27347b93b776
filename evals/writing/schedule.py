"""Runs of `write`, in turn or side by side."""

from collections.abc import Generator, Sequence
from functools import partial

from evals.side_by_side import remembering, results_of
from evals.writing.cases import Case
from evals.writing.trial import Arm, Row, Setting, try_arm

Task = tuple[Case, Arm]


def rows_of(tasks: Sequence[Task], setting: Setting, workers: int) -> Generator[Row]:
    """Yield the row of each task as it is done; see evals.side_by_side."""
    return results_of(partial(_run, setting=setting), tasks, workers)


def _run(task: Task, setting: Setting) -> Row:
    case, arm = task
    return try_arm(case, arm, setting, remembering(setting.vectors))
