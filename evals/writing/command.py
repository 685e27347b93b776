"""`citeloom eval writing`: let each writer write each row's section and tell what came of it."""

import tempfile
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.figures import RESAMPLES
from evals.runner import Options, Suite, choose
from evals.trials import Row, results_of
from evals.writing.cases import read_cases
from evals.writing.judge_texts import read_candidates
from evals.writing.summary import Likeness, bertscore, rouge, scorer, summarise
from evals.writing.trial import ARMS, LEXRANK, Setting, try_arm, try_text
from tools.errors import InputError
from tools.settings import settings


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

    texts: Annotated[
        list[Path] | None,
        typer.Option(
            help="Texts that other systems published, JSON lines with case, arm, text and perhaps references; "
            "may be repeated."
        ),
    ] = None
    bertscore: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Measure BERTScore too (needs bert-score): a name such as roberta-large, or FOLDER:LAYER.",
        ),
    ] = ""


class Writing(Suite[WritingOptions]):
    """Let each writer write the related-work sections of papers, and compare with their own.

    It runs the real graph on the papers that each section cites, and checks each citation anew.
    """

    def prepare(self) -> None:
        """Read the rows of the data."""
        scorer()  # its package may be missing, which is better known now
        self.arms = [ARMS[name] for name in choose(self.options.writers, ARMS, "writer", [LEXRANK])]
        self.chosen = read_cases(self.options.data, self.options.n)
        self.published = [
            (case, text)
            for path in self.options.texts or []
            for found in [read_candidates(path)]
            for case in self.chosen.cases
            for text in found.get(case.id, ())
        ]
        if same := next((text.arm for _, text in self.published if text.arm in ARMS), None):
            raise InputError(f"a published text is called '{same}', as one of the writers is")
        measured = bertscore(self.options.bertscore) if self.options.bertscore else None
        self.likeness: Likeness = (
            (lambda gold, text: rouge(gold, text) | measured(gold, text)) if measured else rouge
        )

    def rows(self) -> Generator[Row]:
        """Write with each writer, one row of the data after the other."""
        tasks = [(case, arm) for case in self.chosen.cases for arm in self.arms]
        self.runs = len(tasks) + len(self.published)
        with tempfile.TemporaryDirectory(prefix="citeloom-vectors-") as folder:
            vectors = Path(folder) / "vectors.sqlite"
            cases = tuple(self.chosen.cases)
            setting = Setting(mind=self.options.mind, vectors=vectors, cases=cases)
            run = partial(try_arm, setting=setting)
            with closing(results_of(run, tasks, self.options.workers)) as done:
                yield from done
            check = partial(try_text, setting=setting)
            with closing(results_of(check, self.published, self.options.workers)) as done:
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
                "data": options.data.name,
                "n": len(self.chosen.cases),
                "mind": options.mind,
                "model": settings().strong_model if options.mind == "llm" else None,
                "seed": options.seed,
                "resamples": RESAMPLES,
                "bertscore": options.bertscore or None,
                "writers": {arm.name: dict(arm.settings) for arm in self.arms},
            },
            "left_out": self.chosen.left_out,
            **summarise(self.chosen.cases, rows, self.likeness, seed=options.seed),
        }

    def notes(self, found: dict[str, Any]) -> list[str]:
        """Say what was not run, and what counts as nothing."""
        notes = super().notes(found)
        skipped = Counter(why for case in found["cases"] for why in case.get("skipped", {}).items())
        notes += [f"{name} was not run on {n} rows: {why}" for (name, why), n in skipped.items()]
        if unusable := sum(len(case["unusable"]) for case in found["cases"]):
            notes.append(
                f"{unusable} cited works have no usable record in the data, and were not given"
            )
        return [*notes, "A run that wrote nothing counts 0 in likeness; in honesty, nothing."]
