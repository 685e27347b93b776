"""`citeloom eval citation_truth`: falsehoods and truths put to each check, from data of yours."""

import asyncio
import random
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from evals.citation_truth.pairs import KINDS, Case, load, load_full_texts
from evals.citation_truth.paths import ARMS, verdict
from evals.figures import RESAMPLES, Interval, interval
from evals.report import INTERVALS, Report
from evals.runner import JudgeOptions, Question, Suite, choose, tell_cost
from nodes.judge.judge_prompts import TASK
from state.writing import SupportVerdict
from tools.errors import InputError
from tools.llm.open_model import Kind
from tools.settings import settings

OTHERS = 4
"""Other papers at hand beside the cited one."""
GROUPS = ("own", "paraphrase", *KINDS, "elsewhere")
VERDICTS: tuple[str, ...] = get_args(SupportVerdict)
_ANSWER = 150
"""Tokens of an LLM's verdict, about."""
Row = dict[str, Any]
Judged = list[tuple[Case, SupportVerdict]]


@dataclass(frozen=True, kw_only=True)
class CitationTruthOptions(JudgeOptions):
    """The command as given; `n` counts the sentences."""

    data: Annotated[
        Path | None, typer.Option(help="A folder with citation_graph and related_work: abstracts.")
    ] = None
    full_texts: Annotated[
        Path | None,
        typer.Option(
            help="A folder with PDFs and a truth.jsonl: sentences of their bodies, checked with the abstract at "
            "hand, then with the full text."
        ),
    ] = None
    each: Annotated[int, typer.Option(help="Pairs of each of the nine kinds.", min=1)] = 40
    half: Annotated[Literal["tuning", "held_out", "both"], typer.Option(help="Which papers.")] = (
        "tuning"
    )
    arms: Annotated[str, typer.Option(metavar="A,B", help="Which checks; all if left out.")] = ""


class CitationTruth(Suite[CitationTruthOptions]):
    """Put falsehoods and truths about papers to each check: what it accepts, and what it refuses.

    With --mind llm each check asks it; a 'liar' is a judge that calls everything supported, so that facts alone refuse.
    """

    def prepare(self) -> None:
        """Make the sentences."""
        options = self.options
        self.arms = choose(options.arms, list(ARMS), "check")
        self.sets: dict[str, list[Case]] = {}
        if options.data:
            self.sets["abstract"] = self._chosen(load(options.data, options.each))
        if options.full_texts:
            found = self._chosen(load_full_texts(options.full_texts, options.each))
            self.sets["body, abstract at hand"] = [replace(case, passage="") for case in found]
            self.sets["body, full text at hand"] = found
        if not any(self.sets.values()):
            raise InputError("there is nothing to check: give --data, or --full-texts")
        honest = [arm for arm in self.arms if not arm.endswith("_liar")]
        if options.mind == "llm" and honest:
            cases = [case for found in self.sets.values() for case in found] * len(honest)
            asked: list[Question] = [
                (TASK, {"text": one.text, "paper": one.paper.abstract}, _ANSWER) for one in cases
            ]
            tell_cost(asked, options.mind, options.max_usd)

    def _chosen(self, cases: Sequence[Case]) -> list[Case]:
        options = self.options
        held_out = options.half == "held_out"
        return [case for case in cases if options.half == "both" or case.held_out == held_out][
            : options.n
        ]

    def rows(self) -> Generator[Row]:
        """Put every sentence to each check."""
        for name, cases in self.sets.items():
            for arm in self.arms:
                found = judged(cases, arm, self.options.mind)
                yield {"of": name, **figures(arm, found, seed=self.options.seed)}

    def outcome(self, row: Row) -> str:
        """Say how many falsehoods passed."""
        return f"{row['arm']}, {row['of']}: {row['accepted']} of {row['false']} falsehoods accepted"

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        return {
            "settings": {
                "data": [path.name for path in (options.data, options.full_texts) if path],
                "each": options.each,
                "half": options.half,
                "mind": options.mind,
                "seed": options.seed,
                "model": settings().strong_model if options.mind == "llm" else None,
                "resamples": RESAMPLES,
            },
            "half": options.half,
            "checks": list(rows),
            "calibration": {
                name: {row["arm"]: row["calibration"] for row in rows if row["of"] == name}
                for name in self.sets
            },
        }

    def markdown(self, found: dict[str, Any]) -> str:
        """Return a table for each check, and how far its verdicts can be trusted."""
        tables: dict[str, Any] = {
            f"{row['arm']}, {row['of']} ({found['half']}): {row['accepted']} of {row['false']} falsehoods "
            f"accepted, {row['supported']} as supported": row["verdicts"]
            for row in found["checks"]
        }
        for name, arms in found["calibration"].items():
            tables[f"Share of true sentences by verdict, {name}"] = arms
        return Report(tables, [INTERVALS]).markdown()


def judged(cases: Sequence[Case], arm: str, mind: Kind = "extractive") -> Judged:
    """Return each case with the verdict of one check."""
    papers = list({case.paper.id: case.paper for case in cases}.values())
    found = []
    for number, case in enumerate(cases):
        others = random.Random(number).sample(papers, min(OTHERS + 1, len(papers)))
        beside = [item for item in others if item.id != case.paper.id][:OTHERS]
        found.append((case, asyncio.run(verdict(case, beside, arm, mind))))
    return found


def figures(arm: str, found: Judged, *, seed: int = 0) -> Row:
    """Count the verdicts on each kind of sentence, and the falsehoods that passed.

    `calibration` has, by verdict, the share of true sentences among those called so.
    """
    false = [verdict for case, verdict in found if case.kind in KINDS]
    groups = {
        group: Counter(verdict for case, verdict in found if case.kind == group) for group in GROUPS
    }
    return {
        "arm": arm,
        "verdicts": {group: counts for group, counts in groups.items() if counts},
        "calibration": _calibration(found, seed),
        "false": len(false),
        "accepted": sum(verdict in {"supported", "partly"} for verdict in false),
        "supported": false.count("supported"),
    }


def _calibration(found: Judged, seed: int) -> dict[str, Interval]:
    shares = {
        verdict: interval([float(case.true) for case, said in found if said == verdict], seed=seed)
        for verdict in VERDICTS
    }
    return {verdict: share for verdict, share in shares.items() if share}
