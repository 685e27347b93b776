"""Judging one answer: its claims against the papers, and the points that it says."""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

from evals.claims.answers import Answered
from evals.claims.material import Material
from evals.claims.measures import Judged, measures, points_of
from evals.claims.questions import (
    HELD,
    SAID,
    SPLIT,
    Held,
    Said,
    faults_of_held,
    faults_of_said,
    faults_of_split,
)
from evals.judge import Question, asked
from evals.trials import Row
from tools.llm.task import TaskModel
from tools.text.sentences import split_sentences

_EACH = 45
"""Tokens of what is said of a claim or a point, about."""


def questions_of(item: Answered, material: Material) -> Iterator[Question]:
    """Yield about what is asked of an answer: its sentences stand for claims that nobody has split yet."""
    if not item.answer:
        return
    sentences = [span.text for span in split_sentences(item.answer)]
    yield SPLIT, _split(item), _EACH * len(sentences)
    if item.case.in_scope:
        yield SAID, _said(item), _EACH
        yield HELD, _held(item, sentences, material), _EACH * len(sentences)


async def judged(mind: TaskModel, item: Answered, *, material: Material) -> Row:
    """Return what came of an answer.

    A row has 'case', 'arm', 'figures' (evals.claims.measures), 'claims' (each with its verdict and why), 'missed'
    (points that it does not say), 'errors' (what the judge said that could not be used) and 'error' of the run.

    Raises:
        BudgetError: The budget is spent.
    """
    points = points_of(item.case)
    row: Row = {
        "case": item.case.id,
        "arm": item.arm,
        "claims": [],
        "errors": [],
        "error": item.error,
    }
    if not item.answer:
        # Nothing was said: a refusal, or a run that broke, which has refused nobody.
        figures = {"answered": 0.0} | ({"coverage": 0.0} if points else {})
        return row | {"figures": figures, "missed": [*points.values()]}
    (split, wrong), said = await asyncio.gather(
        asked(mind, SPLIT, _split(item), faults_of_split), _points_said(mind, item, row)
    )
    if split is None:
        row["errors"].append(f"{SPLIT.name}: {wrong}")
    claims = split.claims if split else []
    verdicts = await _verdicts(mind, item, claims, material, row) if item.case.in_scope else None
    found = Judged(
        refuses=split.refuses if split else None,
        verdicts=verdicts if split else None,
        said=said,
    )
    missed = [fact for number, fact in points.items() if said is not None and number not in said]
    return row | {"figures": measures(points, found), "missed": missed}


async def _points_said(mind: TaskModel, item: Answered, row: Row) -> list[str] | None:
    if not item.case.in_scope:
        return None
    points = [*points_of(item.case)]
    answer: Said | None
    answer, wrong = await asked(
        mind, SAID, _said(item), lambda given: faults_of_said(given, points)
    )
    if answer is None:
        row["errors"].append(f"{SAID.name}: {wrong}")
    return answer.said if answer else None


async def _verdicts(
    mind: TaskModel, item: Answered, claims: list[str], material: Material, row: Row
) -> list[str] | None:
    if not claims:
        return []
    inputs = await asyncio.to_thread(_held, item, claims, material)
    answer: Held | None
    answer, wrong = await asked(mind, HELD, inputs, partial(faults_of_held, claims=claims))
    if answer is None:
        row["errors"].append(f"{HELD.name}: {wrong}")
        return None
    told = sorted(answer.verdicts, key=lambda one: one.number)
    row["claims"] = [
        {"claim": claims[one.number - 1], "verdict": one.verdict, "why": one.why} for one in told
    ]
    return [one.verdict for one in told]


def _split(item: Answered) -> dict[str, Any]:
    return {"question": item.case.question, "answer": item.answer}


def _said(item: Answered) -> dict[str, Any]:
    return _split(item) | {"points": points_of(item.case)}


def _held(item: Answered, claims: list[str], material: Material) -> dict[str, Any]:
    return {
        "question": item.case.question,
        "passages": material.shown(item.case, claims),
        "claims": {str(number): claim for number, claim in enumerate(claims, start=1)},
    }
