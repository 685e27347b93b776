"""`citeloom eval judging`: what a judge makes of sections, and how far it agrees with itself."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, TypeVar

import numpy as np
import typer

from evals.figures import RESAMPLES, means, minus
from evals.runner import JudgedSuite, JudgeOptions, check_each_once, choose
from evals.trials import Row
from evals.writing.cases import read_cases
from evals.writing.judge_texts import (
    CITING,
    DIMENSIONS,
    Candidate,
    Sitting,
    lineup,
    questions_of,
    read_candidates,
    sat,
)
from tools.errors import InputError
from tools.llm.task import TaskModel
from tools.settings import settings


def spearman(these: Sequence[float], others: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, ties sharing their mean rank; None where one side does not vary."""
    if len(set(these)) < 2 or len(set(others)) < 2:
        return None
    return float(np.corrcoef(_ranks(these), _ranks(others))[0, 1])


KeyT = TypeVar("KeyT", bound=Hashable)


def agreement(these: Mapping[KeyT, float], others: Mapping[KeyT, float]) -> dict[str, float | None]:
    """Return how two judges' scores of the same things agree, over what both scored.

    n            Things that both scored.
    spearman     Rank correlation.
    distance     Mean absolute difference.
    same         Share with the same score.
    """
    both = [key for key in these if key in others]
    if not both:
        return {"n": 0.0}
    pairs = [(these[key], others[key]) for key in both]
    return {
        "n": float(len(both)),
        "spearman": spearman([one for one, _ in pairs], [other for _, other in pairs]),
        "distance": fmean(abs(one - other) for one, other in pairs),
        "same": fmean(one == other for one, other in pairs),
    }


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 + 1 for value in values]


MEASURES = ("g_score", "grade", "deepscholar")


@dataclass(frozen=True, kw_only=True)
class JudgingOptions(JudgeOptions):
    """The command as given."""

    data: Annotated[
        Path,
        typer.Option(
            help="JSON lines (also gzip) with id, target and gold_related_work, as for `writing`."
        ),
    ]
    texts: Annotated[
        list[Path],
        typer.Option(
            help="What `writing --json` wrote, or JSON lines with case, arm, text; may be repeated."
        ),
    ]
    measures: Annotated[
        str, typer.Option(metavar="A,B", help="g_score (always), grade, deepscholar.")
    ] = "g_score"
    turns: Annotated[
        int,
        typer.Option(
            help="How often each case is judged, its texts in another order each time.", min=1
        ),
    ] = 1


class Judging(JudgedSuite[JudgingOptions]):
    """Have texts judged: ChatCite's G-Score and preference, LitLLM's grade, agreement with itself."""

    def prepare(self) -> None:
        """Read cases and texts, tell what judging them costs, and ask whether it is worth that."""
        options = self.options
        self.measures = choose(options.measures, MEASURES, "measure", ["g_score"])
        texts: dict[str, list[Candidate]] = {}
        for path in options.texts:
            for case, found in read_candidates(path).items():
                texts.setdefault(case, []).extend(found)
        self.chosen = read_cases(options.data)
        self.cases = [case for case in self.chosen.cases if case.id in texts][: options.n]
        if not self.cases:
            raise InputError("none of the texts is of a case of the data: their ids differ")
        check_each_once((case, item.arm) for case, found in texts.items() for item in found)
        self.texts = {case.id: tuple(texts[case.id]) for case in self.cases}
        self.arms = sorted({item.arm for found in self.texts.values() for item in found})
        sittings = [
            Sitting(
                case=case,
                labelled=lineup(case, self.texts[case.id], f"{options.seed}-{turn}"),
                turn=turn,
            )
            for turn in range(options.turns)
            for case in self.cases
        ]
        self.judge(
            sittings, (one for item in sittings for one in questions_of(item, self.measures))
        )

    async def judged(self, mind: TaskModel, item: Any) -> Row:
        """Judge a case."""
        return await sat(mind, item, self.measures)

    def failed(self, row: Row) -> bool:
        """Whether there is no judgement."""
        return not row["scores"] and not row["grades"]

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures: of each arm over cases, and of the agreement of judges."""
        options, told = self.options, [self._case(case.id, rows) for case in self.cases]
        base = self.arms[0]
        return {
            "settings": {
                "data": options.data.name,
                "texts": [path.name for path in options.texts],
                "judge": settings().strong_model,
                "turns": options.turns,
                "seed": options.seed,
                "resamples": RESAMPLES,
                "measures": self.measures,
            },
            "left_out": {},
            "arms": means(told, self.arms, seed=options.seed),
            "minus": {"base": base, "arms": minus(told, self.arms, base, seed=options.seed)},
            "itself": _with_itself(rows),
            "nonsense": sum(row["nonsense"] for row in rows),
            "cases": told,
        }

    def _case(self, case: str, rows: Sequence[Row]) -> dict[str, Any]:
        mine = [row for row in rows if row["case"] == case]
        arms = {item.arm: _figures(item.arm, mine) for item in self.texts[case]}
        return {
            "id": case,
            "arms": {arm: figures for arm, figures in arms.items() if figures},
            "turns": [
                {
                    key: row[key]
                    for key in ("order", "preferred", "scores", "grades", "deepscholar", "nonsense")
                }
                for row in mine
            ],
        }


def _figures(arm: str, rows: Sequence[Row]) -> dict[str, float | None]:
    """Return the mean scores of one text over the turns, and how often it was preferred."""
    scored = [row["scores"][arm] for row in rows if arm in row["scores"]]
    figures: dict[str, float | None] = {}
    if scored:
        figures = {name: fmean(one[name] for one in scored) for name in DIMENSIONS}
        figures["g_score"] = fmean(fmean(one.values()) for one in scored)
        figures["preferred"] = fmean(row["preferred"] == arm for row in rows if row["preferred"])
    for name in CITING:
        if told := [
            row["deepscholar"][arm][name] for row in rows if name in row["deepscholar"].get(arm, {})
        ]:
            figures[name] = fmean(told)
    if grades := [row["grades"][arm] for row in rows if arm in row["grades"]]:
        figures["grade"] = fmean(grades)
    return figures


def _scores(row: Row) -> dict[tuple[str, str, str], float]:
    return {
        (row["case"], arm, name): float(value)
        for arm, scores in row["scores"].items()
        for name, value in scores.items()
    }


def _with_itself(rows: Sequence[Row]) -> dict[str, dict[str, float | None]]:
    """Return how far each two turns agree, over all scores, and in what they prefer."""
    by_turn: dict[int, list[Row]] = {}
    for row in rows:
        by_turn.setdefault(row["turn"], []).append(row)
    found: dict[str, dict[str, float | None]] = {}
    for one, other in combinations(sorted(by_turn), 2):
        these = {key: value for row in by_turn[one] for key, value in _scores(row).items()}
        others = {key: value for row in by_turn[other] for key, value in _scores(row).items()}
        mine, theirs = (
            {row["case"]: row["preferred"] for row in by_turn[turn] if row["preferred"]}
            for turn in (one, other)
        )
        both = [case for case in mine if case in theirs]
        found[f"{one + 1} and {other + 1}"] = {
            **agreement(these, others),
            "preferred_same": fmean(mine[case] == theirs[case] for case in both) if both else None,
        }
    return found
