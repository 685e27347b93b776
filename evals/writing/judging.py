"""`citeloom eval judging`: what a judge makes of sections by G-Score, and how far it agrees with itself.

ChatCite, section 4: all candidates stand in one conversation, so that they are held against one another,
and one of them is preferred.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import correlation, fmean
from string import ascii_uppercase
from typing import Annotated, Any, TypeVar

import typer
from pydantic import BaseModel, Field

from evals.figures import RESAMPLES, means, minus
from evals.runner import JudgedSuite, JudgeOptions, asked, check_each_once, judge_task, read_judged
from evals.trials import Row
from evals.writing.cases import Case, read_cases
from state.paper import Paper, title_key
from tools.errors import InputError
from tools.llm.task import TaskModel
from tools.settings import settings

MOST = len(ascii_uppercase)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One text of one system for one case."""

    arm: str
    text: str
    references: tuple[str, ...] = ()
    """Titles, as the text numbers them; empty where it is not known what its numbers stand for."""


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """One case judged once: its texts labelled A, B, ... in an order of chance."""

    case: Case
    labelled: Mapping[str, Candidate]
    turn: int = 0
    """0, 1, ...: the same case judged again, its texts in another order."""


def read_candidates(path: Path) -> dict[str, list[Candidate]]:
    """Return the texts of a file by the id of their case.

    The file is what `eval writing --json` wrote, or JSON lines with `case`, `arm`, `text` and perhaps
    `references` (titles, as the text numbers them).

    Raises:
        InputError: It cannot be read, or holds nothing.
    """
    found: dict[str, list[Candidate]] = {}
    for row in read_judged(path, ("case", "arm", "text"), "writing", _of_figures):
        if text := str(row["text"]).strip():
            candidate = Candidate(
                arm=str(row["arm"]),
                text=text,
                references=tuple(map(str, row.get("references") or ())),
            )
            found.setdefault(str(row["case"]), []).append(candidate)
    return found


def _of_figures(figures: Any) -> list[dict[str, Any]]:
    return [
        {"case": case["id"], "arm": arm, **printed}
        for case in figures["cases"]
        for arm, printed in case["printed"].items()
    ]


def lineup(case: Case, candidates: Sequence[Candidate], seed: str) -> dict[str, Candidate]:
    """Return the texts of a case by label, in an order that the seed decides, whatever theirs was."""
    ordered = sorted(candidates, key=lambda item: item.arm)[:MOST]
    Random(f"{seed} {case.id}").shuffle(ordered)
    return dict(zip(ascii_uppercase, ordered, strict=False))


def listed(case: Case, references: Sequence[str]) -> list[Paper | str]:
    """Return what the numbers of a text stand for: papers of the row, or titles that it does not have.

    Without references of its own a text cites by the keys of the data, where these are numbers, else by
    the order of the row's papers.
    """
    if references:
        titled = {title_key(paper.title): paper for paper in case.papers}
        return [titled.get(title_key(title), title) for title in references]
    numbered = {int(key): case.papers[at] for key, at in case.places.items() if key.isdigit()}
    if not numbered:
        return list(case.papers)
    return [
        numbered.get(number, f"Not in the data: {number}") for number in range(1, max(numbered) + 1)
    ]


DIMENSIONS = (
    "consistency",
    "coherence",
    "comparativeness",
    "integrity",
    "fluency",
    "citation_accuracy",
)


class TextScores(BaseModel):
    """The scores of one text, 1 (poor) to 5 (excellent)."""

    label: str = Field(description="The text's letter.")
    why: str = Field(description="One sentence: what decided the scores.")
    consistency: int = Field(ge=1, le=5)
    coherence: int = Field(ge=1, le=5)
    comparativeness: int = Field(ge=1, le=5)
    integrity: int = Field(ge=1, le=5)
    fluency: int = Field(ge=1, le=5)
    citation_accuracy: int = Field(ge=1, le=5)


class Scored(BaseModel):
    """All texts scored, and the one preferred."""

    scores: list[TextScores] = Field(description="One entry for each text.")
    preferred: str = Field(description="The letter of the text that you would rather publish.")


G_SCORE = """You judge related-work sections for a scientific journal. Several sections were written for the same
paper; you see its abstract, the section that its authors published (the standard), and the candidates,
each under a letter. Their order is random and says nothing.

Score every candidate on six scales from 1 to 5; use the whole range, and let equal quality have equal scores:
- consistency: does what it says agree with the standard? Lower for each statement that contradicts the
  standard or tells of something else; a different choice of words or of order costs nothing.
- coherence: does one sentence lead to the next, in an order that a reader can follow, rather than being a pile
  of facts?
- comparativeness: does it hold works against one another and against the paper itself, and draw similar works
  together, rather than telling of each by itself?
- integrity: does it have what such a section needs: background, what the works did, how they are to be
  valued, and what the paper adds?
- fluency: grammar, spelling, punctuation, choice of words, build of sentences. Nothing else counts here.
- citation_accuracy: does each statement on other work cite by number, and the work that it is about, as its list of
  references tells? Where a candidate has no list, judge whether and where it cites.

Judge each scale by itself. A long text is not better for being long. Then say which candidate you would rather
publish."""

G_SCORES = judge_task("g_score", G_SCORE, Scored, 4000)


def shown_of(sitting: Sitting) -> dict[str, object]:
    """Return what the judge is shown of a case."""
    texts = {
        label: [item.text, "", *(f"[{at}] {title}" for at, title in enumerate(item.references, 1))]
        for label, item in sitting.labelled.items()
    }
    return {
        "paper": f"{sitting.case.title}\n\n{sitting.case.abstract}".strip(),
        "standard": sitting.case.gold,
        "candidates": {label: "\n".join(lines).strip() for label, lines in texts.items()},
    }


def faults_of(answer: Scored, sitting: Sitting) -> list[str]:
    """Say what is wrong with scores: texts left out, scored twice or made up."""
    told = [item.label.strip().upper() for item in answer.scores]
    wanted = list(sitting.labelled)
    faults = [f"text {label} has no scores" for label in wanted if label not in told]
    faults += [f"there is no text {label}" for label in dict.fromkeys(told) if label not in wanted]
    faults += [f"text {label} is scored twice" for label in wanted if told.count(label) > 1]
    if answer.preferred.strip().upper() not in wanted:
        faults.append(f"preferred is none of {', '.join(wanted)}")
    return faults


_EACH = 90
"""Tokens of what is said of one text, about."""


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
    turns: Annotated[
        int,
        typer.Option(
            help="How often each case is judged, its texts in another order each time.", min=1
        ),
    ] = 1


class Judging(JudgedSuite[JudgingOptions]):
    """Have texts judged: ChatCite's G-Score and preference, and the judge's agreement with itself."""

    def prepare(self) -> None:
        """Read cases and texts, tell what judging them costs, and ask whether it is worth that."""
        options = self.options
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
            sittings, ((G_SCORES, shown_of(item), _EACH * len(item.labelled)) for item in sittings)
        )

    async def judged(self, mind: TaskModel, item: Sitting) -> Row:
        """Return what came of a sitting.

        A row has 'case', 'turn', 'order' (arms as they were shown), 'scores' (by arm, by dimension), 'preferred' (an
        arm), 'nonsense' (answers that could not be used, counted and never averaged) and 'error'.
        """
        scored, error = await asked(
            mind, G_SCORES, shown_of(item), lambda answer: faults_of(answer, item), item.turn
        )
        arms = {label: one.arm for label, one in item.labelled.items()}
        return {
            "case": item.case.id,
            "arm": f"turn {item.turn}",
            "turn": item.turn,
            "order": list(arms.values()),
            "scores": {
                arms[one.label.strip().upper()]: {name: getattr(one, name) for name in DIMENSIONS}
                for one in (scored.scores if scored else ())
            },
            "preferred": arms[scored.preferred.strip().upper()] if scored else "",
            "nonsense": int(not scored),
            "error": error,
        }

    def failed(self, row: Row) -> bool:
        """Whether there is no judgement."""
        return not row["scores"]

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
        scored = [row for row in mine if row["scores"]]
        keys = ("order", "preferred", "scores", "nonsense")
        return {
            "id": case,
            "arms": {item.arm: _figures(item.arm, scored) for item in self.texts[case] if scored},
            "turns": [{key: row[key] for key in keys} for row in mine],
        }


def _figures(arm: str, rows: Sequence[Row]) -> dict[str, float]:
    """Return the mean scores of one text over the turns, and how often it was preferred."""
    scored = [row["scores"][arm] for row in rows]
    return {
        **{name: fmean(one[name] for one in scored) for name in DIMENSIONS},
        "g_score": fmean(fmean(one.values()) for one in scored),
        "preferred": fmean(row["preferred"] == arm for row in rows),
    }


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
