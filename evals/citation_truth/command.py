"""`citeloom eval citation_truth`: falsehoods and truths put to each check, from data of yours."""

import random
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from evals.citation_truth.falsify import KINDS
from evals.citation_truth.pairs import Case, load
from evals.citation_truth.paths import ARMS
from evals.runner import Options, Suite, choose
from evals.tables import Report
from state.writing import Support

OTHERS = 4
"""Other papers at hand beside the cited one."""
GROUPS = ("own", "paraphrase", *KINDS, "elsewhere")
Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class CitationTruthOptions(Options):
    """The command as given; `n` counts the sentences."""

    data: Annotated[Path, typer.Option(help="A folder with citation_graph and related_work.")]
    each: Annotated[int, typer.Option(help="Pairs of each of the nine kinds.", min=1)] = 40
    half: Annotated[Literal["tuning", "held_out", "both"], typer.Option(help="Which papers.")] = (
        "tuning"
    )
    arms: Annotated[str, typer.Option(metavar="A,B", help="Which checks; all if left out.")] = ""


class CitationTruth(Suite[CitationTruthOptions]):
    """Put falsehoods and truths about papers to each check: what it accepts, and what it refuses."""

    def prepare(self) -> None:
        """Make the pairs."""
        options = self.options
        self.arms = choose(options.arms, list(ARMS), "check")
        cases = load(options.data, options.each)
        held_out = options.half == "held_out"
        self.cases = [
            case for case in cases if options.half == "both" or case.held_out == held_out
        ][: options.n]

    def rows(self) -> Generator[Row]:
        """Put every sentence to each check."""
        for arm in self.arms:
            yield figures(arm, judged(self.cases, arm))

    def outcome(self, row: Row) -> str:
        """Say how many falsehoods passed."""
        return f"{row['arm']}: {row['accepted']} of {row['false']} falsehoods accepted"

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        return {"half": self.options.half, "checks": list(rows)}

    def markdown(self, found: dict[str, Any]) -> str:
        """Return a table for each check."""
        tables = {
            f"{row['arm']} ({found['half']}): {row['accepted']} of {row['false']} falsehoods accepted, "
            f"{row['supported']} as supported": row["verdicts"]
            for row in found["checks"]
        }
        return Report(tables).markdown()


def judged(cases: Sequence[Case], arm: str) -> list[tuple[Case, Support]]:
    """Return each case with the verdict of one check."""
    papers = list({case.paper.id: case.paper for case in cases}.values())
    found = []
    for number, case in enumerate(cases):
        others = random.Random(number).sample(papers, min(OTHERS + 1, len(papers)))
        beside = [item for item in others if item.id != case.paper.id][:OTHERS]
        found.append((case, ARMS[arm](case, beside)))
    return found


def figures(arm: str, found: Sequence[tuple[Case, Support]]) -> Row:
    """Count the verdicts on each kind of sentence, and the falsehoods that passed."""
    false = [verdict for case, verdict in found if case.kind in KINDS]
    return {
        "arm": arm,
        "verdicts": {
            group: Counter(verdict for case, verdict in found if case.kind == group)
            for group in GROUPS
        },
        "false": len(false),
        "accepted": sum(verdict in {"supported", "partly"} for verdict in false),
        "supported": false.count("supported"),
    }
