"""`citeloom eval judging`: what a judge makes of sections, and how far it agrees with itself."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import correlation, fmean
from typing import Annotated, Any, TypeVar

import typer

from evals.figures import RESAMPLES, means, minus
from evals.runner import JudgedSuite, JudgeOptions, asked, check_each_once, choose
from evals.trials import Row
from evals.writing.cases import read_cases
from evals.writing.judge_texts import (
    CITATIONS,
    DIMENSIONS,
    G_SCORES,
    GRADES,
    NUGGETS,
    Candidate,
    Sitting,
    cited_of,
    deepscholar,
    faults_of,
    lineup,
    questions_of,
    read_candidates,
    shown_of,
)
from tools.errors import InputError
from tools.llm.task import Task, TaskModel
from tools.settings import settings


def spearman(these: Sequence[float], others: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, ties sharing their mean rank; None where one side does not vary."""
    varying = len(set(these)) > 1 < len(set(others))
    return correlation(_ranks(these), _ranks(others)) if varying else None


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 + 1 for value in values]


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
        cases = [case for case in read_cases(options.data).cases if case.id in texts][: options.n]
        if not cases:
            raise InputError("none of the texts is of a case of the data: their ids differ")
        check_each_once((case, item.arm) for case, found in texts.items() for item in found)
        self.texts = {case.id: texts[case.id] for case in cases}
        self.arms = sorted({item.arm for found in self.texts.values() for item in found})
        sittings = [
            Sitting(
                case=case,
                labelled=lineup(case, self.texts[case.id], f"{options.seed}-{turn}"),
                turn=turn,
            )
            for turn in range(options.turns)
            for case in cases
        ]
        self.judge(
            sittings, (one for item in sittings for one in questions_of(item, self.measures))
        )

    async def judged(self, mind: TaskModel, item: Sitting) -> Row:
        """Return what came of a sitting.

        A row has 'case', 'turn', 'order' (arms as they were shown), 'scores' (by arm, by dimension), 'preferred' (an
        arm), 'grades' (by arm), 'deepscholar' (by arm, by measure), 'nonsense' (answers that could not be used,
        counted and never averaged) and 'error'.
        """

        async def one(task: Task[Any], shown: dict[str, object]) -> Any:
            answer, _ = await asked(mind, task, shown, lambda _: (), item.turn)
            return answer

        scored, error = await asked(
            mind, G_SCORES, shown_of(item), lambda answer: faults_of(answer, item), item.turn
        )
        arms = {label: text.arm for label, text in item.labelled.items()}
        answers: list[Any] = [scored]
        grades: dict[str, int] = {}
        for label in arms if "grade" in self.measures else ():
            answers.append(graded := await one(GRADES, shown_of(item, label)))
            grades |= {arms[label]: graded.grade} if graded else {}
        measured: dict[str, dict[str, float]] = {}
        if "deepscholar" in self.measures:
            answers.append(told := await one(NUGGETS, shown_of(item)))
            for label, arm in arms.items():
                answers.append(checked := await one(CITATIONS, cited_of(item, label)))
                measured[arm] = deepscholar(item, label, checked, told)
        return {
            "case": item.case.id,
            "arm": f"turn {item.turn}",
            "turn": item.turn,
            "order": list(arms.values()),
            "scores": {
                arms[text.label.strip().upper()]: {name: getattr(text, name) for name in DIMENSIONS}
                for text in (scored.scores if scored else ())
            },
            "preferred": arms[scored.preferred.strip().upper()] if scored else "",
            "grades": grades,
            "deepscholar": measured,
            "nonsense": answers.count(None),
            "error": error,
        }

    def failed(self, row: Row) -> bool:
        """Whether there is no judgement."""
        return not row["scores"] and not row["grades"]

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures: of each arm over cases, and of the agreement of judges."""
        options, told = self.options, [self._case(case, rows) for case in self.texts]
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
        keys = ("order", "preferred", "scores", "grades", "deepscholar", "nonsense")
        arms = {item.arm: _figures(item.arm, mine) for item in self.texts[case]}
        return {
            "id": case,
            "arms": {arm: figures for arm, figures in arms.items() if figures},
            "turns": [{key: row[key] for key in keys} for row in mine],
        }


def _figures(arm: str, rows: Sequence[Row]) -> dict[str, float]:
    """Return the mean scores of one text over the turns, and how often it was preferred."""
    found: dict[str, list[float]] = {}
    for row in rows:
        figures = {**row["scores"].get(arm, {})}
        if figures:
            figures |= {"g_score": fmean(figures.values()), "preferred": row["preferred"] == arm}
        figures |= row["deepscholar"].get(arm, {})
        figures |= {"grade": row["grades"][arm]} if arm in row["grades"] else {}
        for name, value in figures.items():
            found.setdefault(name, []).append(value)
    return {name: fmean(values) for name, values in found.items()}


def _with_itself(rows: Sequence[Row]) -> dict[str, dict[str, float | None]]:
    """Return how far each two turns agree, over all scores, and in what they prefer."""
    turns: dict[int, tuple[dict[tuple[str, str, str], float], dict[str, str]]] = {}
    for row in rows:
        scores, preferred = turns.setdefault(row["turn"], ({}, {}))
        for arm, figures in row["scores"].items():
            scores |= {(row["case"], arm, name): float(value) for name, value in figures.items()}
            preferred[row["case"]] = row["preferred"]
    found: dict[str, dict[str, float | None]] = {}
    for one, other in combinations(sorted(turns), 2):
        (these, mine), (others, theirs) = turns[one], turns[other]
        both = [mine[case] == theirs[case] for case in mine if case in theirs]
        found[f"{one + 1} and {other + 1}"] = {
            **agreement(these, others),
            "preferred_same": fmean(both) if both else None,
        }
    return found
