"""Judging one case: all its texts in one conversation for G-Score, and each by itself for the grade."""

from collections.abc import Iterator
from dataclasses import dataclass

from evals.judge import Question, asked
from evals.judging.candidates import Candidate, Lineup, lineup
from evals.judging.questions import (
    DIMENSIONS,
    G_SCORES,
    GRADES,
    Scored,
    faults_of,
    grade_asked,
    scores_asked,
)
from evals.trials import Row
from evals.writing.cases import Case
from tools.llm.task import TaskModel

_EACH = 90
"""Tokens of what is said of one text, about."""


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """One case judged once."""

    case: Case
    candidates: tuple[Candidate, ...]
    turn: int
    """0, 1, ...: the same case judged again, its texts in another order."""
    seed: int

    @property
    def lined(self) -> Lineup:
        """The texts as the judge sees them this time."""
        return lineup(self.case, self.candidates, f"{self.seed}-{self.turn}")


def questions_of(sitting: Sitting, *, grades: bool) -> Iterator[Question]:
    """Yield what is asked of a sitting."""
    lined = sitting.lined
    yield G_SCORES, scores_asked(lined), _EACH * len(lined.labelled)
    for label in lined.labelled if grades else ():
        yield GRADES, grade_asked(lined, label), _EACH


async def sat(mind: TaskModel, sitting: Sitting, *, grades: bool) -> Row:
    """Return what came of a sitting.

    A row has 'case', 'turn', 'order' (arms as they were shown), 'scores' (by arm, by dimension), 'preferred' (an
    arm), 'grades' (by arm), 'nonsense' (answers that could not be used, counted and never averaged) and 'error'.

    Raises:
        BudgetError: The budget is spent.
    """
    lined = sitting.lined
    row: Row = {
        "case": sitting.case.id,
        "arm": f"turn {sitting.turn}",
        "turn": sitting.turn,
        "order": [item.arm for item in lined.labelled.values()],
        "scores": {},
        "preferred": "",
        "grades": {},
        "nonsense": 0,
    }
    scored, error = await asked(
        mind, G_SCORES, scores_asked(lined), lambda answer: faults_of(answer, lined), sitting.turn
    )
    row |= _by_arm(scored, lined) if scored else {"nonsense": 1, "error": error}
    for label, item in lined.labelled.items() if grades else ():
        graded, _ = await asked(mind, GRADES, grade_asked(lined, label), lambda _: (), sitting.turn)
        if graded:
            row["grades"][item.arm] = graded.grade
        else:
            row["nonsense"] += 1
    return row


def _by_arm(answer: Scored, lined: Lineup) -> Row:
    return {
        "scores": {
            lined.arm(item.label.strip().upper()): {
                name: getattr(item, name) for name in DIMENSIONS
            }
            for item in answer.scores
        },
        "preferred": lined.arm(answer.preferred.strip().upper()),
    }
