"""Judging one case: all its texts in one conversation for G-Score, and each by itself for the grade."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass

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
from nodes.ask_checked import ask_checked
from tools.errors import BudgetError
from tools.llm.prompt import count_tokens, render
from tools.llm.task import Mind


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


def tokens_of(sittings: Iterable[Sitting], *, grades: bool) -> tuple[int, int, int]:
    """Return how many questions these are, and about how many tokens go in and come back."""
    questions = shown = told = 0
    for sitting in sittings:
        lined = sitting.lined
        questions += 1
        shown += count_tokens(G_SCORES.prompt) + count_tokens(render(scores_asked(lined)))
        told += 90 * len(lined.labelled)
        for label in lined.labelled if grades else ():
            questions += 1
            shown += count_tokens(GRADES.prompt) + count_tokens(render(grade_asked(lined, label)))
            told += 90
    return questions, shown, told


async def judged(mind: Mind, sittings: Sequence[Sitting], *, grades: bool) -> AsyncGenerator[Row]:
    """Yield what came of each sitting as it ends; closing the iterator ends what is under way.

    A row has 'case', 'turn', 'order' (arms as they were shown), 'scores' (by arm, by dimension), 'preferred' (an
    arm), 'grades' (by arm), 'nonsense' (answers that could not be used, counted and never averaged) and 'error'.

    Raises:
        BudgetError: The budget is spent.
    """
    tasks = [asyncio.ensure_future(_sat(mind, sitting, grades=grades)) for sitting in sittings]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _sat(mind: Mind, sitting: Sitting, *, grades: bool) -> Row:
    lined = sitting.lined
    row: Row = {
        "case": sitting.case.id, "arm": f"turn {sitting.turn}", "turn": sitting.turn,
        "order": [item.arm for item in lined.labelled.values()],
        "scores": {}, "preferred": "", "grades": {}, "nonsense": 0,
    }  # fmt: skip
    asked = await ask_checked(
        mind, G_SCORES, scores_asked(lined), lambda answer: faults_of(answer, lined),
        sample=sitting.turn,
    )  # fmt: skip
    if isinstance(asked.error, BudgetError):
        raise asked.error
    if asked.stands and asked.answer:
        row |= _by_arm(asked.answer, lined)
    else:
        row["nonsense"] += 1
        row["error"] = "; ".join(asked.faults) or str(asked.error)
    for label, item in lined.labelled.items() if grades else ():
        graded = await ask_checked(mind, GRADES, grade_asked(lined, label), sample=sitting.turn)
        if isinstance(graded.error, BudgetError):
            raise graded.error
        if graded.answer:
            row["grades"][item.arm] = graded.answer.grade
        else:
            row["nonsense"] += 1
    return row


def _by_arm(answer: Scored, lined: Lineup) -> Row:
    return {
        "scores": {
            lined.arm(item.label.strip().upper()): {name: getattr(item, name) for name in DIMENSIONS}
            for item in answer.scores
        },
        "preferred": lined.arm(answer.preferred.strip().upper()),
    }  # fmt: skip
