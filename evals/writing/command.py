"""`citeloom eval writing`: let each writer write each row's section and tell what came of it."""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from citeloom.settings import settings
from evals.intervals import RESAMPLES
from evals.runner import Options, choose
from evals.side_by_side import results_of
from evals.trials import Row
from evals.writing.cases import Cases, read_cases
from evals.writing.report import markdown
from evals.writing.rouge import scorer
from evals.writing.summary import summarise
from evals.writing.trial import ARMS, LEXRANK, Arm, Setting, try_arm


@dataclass(frozen=True, kw_only=True)
class WritingOptions(Options):
    """The command as given."""

    data: Annotated[
        Path,
        typer.Option(help="JSON lines (also gzip) with id, target, gold_related_work and cited."),
    ]
    writers: Annotated[
        str,
        typer.Option(metavar="A,B", help="What to compare; 'lexrank' always is. All if left out."),
    ] = ""


class Writing:
    """Let each writer write the related-work sections of papers, and compare with their own.

    It runs the real graph on the papers that each section cites, and checks each citation anew.
    """

    chosen: Cases
    arms: list[Arm]

    def __init__(self, options: WritingOptions) -> None:
        self.options = options

    def prepare(self) -> None:
        """Read the rows of the data."""
        scorer()  # its package may be missing, which is better known now
        self.arms = [ARMS[name] for name in choose(self.options.writers, ARMS, "writer", [LEXRANK])]
        self.chosen = read_cases(self.options.data, self.options.n)

    def rows(self) -> Generator[Row]:
        """Write with each writer, one row of the data after the other."""
        tasks = [(case, arm) for case in self.chosen.cases for arm in self.arms]
        with tempfile.TemporaryDirectory(prefix="citeloom-vectors-") as folder:
            setting = Setting(mind=self.options.mind, vectors=Path(folder) / "vectors.sqlite")
            run = partial(try_arm, setting=setting)
            with closing(results_of(run, tasks, self.options.workers)) as done:
                yield from done

    def outcome(self, row: Row) -> str:
        """Say how long it took, or why nothing was written."""
        told = f"{row['case']} {row['arm']}: "
        if why := row.get("skipped") or row.get("error"):
            return f"{told}{why}"
        return f"{told}{row['cost']['seconds']:.1f} s, {row['counts']['words']:.0f} words"

    def failed(self, row: Row) -> bool:
        """Whether nothing was written."""
        return not row["text"]

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        return {
            "settings": {
                "data": options.data.name, "n": len(self.chosen.cases), "mind": options.mind,
                "model": settings().strong_model if options.mind == "llm" else None,
                "seed": options.seed, "resamples": RESAMPLES,
                "writers": {arm.name: dict(arm.settings) for arm in self.arms},
            },
            "left_out": self.chosen.left_out,
            **summarise(self.chosen.cases, rows, seed=options.seed),
        }  # fmt: skip

    def markdown(self, found: dict[str, Any]) -> str:
        """Return the tables."""
        return markdown(found)
