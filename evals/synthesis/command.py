"""`citeloom eval synthesis`: references held against the truth, and the baselines."""

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.asking.cases import read_papers
from evals.report import dict_table
from evals.runner import Options, Suite, choose
from evals.synthesis import arms, references
from evals.synthesis.references import QUESTIONS, read_questions
from evals.trials import Row
from tools.errors import InputError
from tools.settings import settings

PARTS = ("references", "arms")
TRUTH = "truth.jsonl"


@dataclass(frozen=True, kw_only=True)
class SynthesisOptions(Options):
    """The command as given; `n` counts the questions of each part."""

    folder: Annotated[
        Path | None,
        typer.Option(help="A folder with PDFs and a truth.jsonl: are references right?"),
    ] = None
    papers: Annotated[
        Path | None, typer.Option(help="Papers with questions, to compare the baselines on.")
    ] = None
    questions: Annotated[
        Path | None,
        typer.Option(
            help="JSON lines: a question, and files of the folder; the packaged ones if left out."
        ),
    ] = None
    parts: Annotated[
        str,
        typer.Option(metavar="A,B", help="What to measure: references, arms; all with data."),
    ] = ""
    top_k: Annotated[int, typer.Option(help="Contexts that a baseline takes.", min=1)] = 4


class Synthesis(Suite[SynthesisOptions]):
    """Measure `synthesize`: whether its references are right, and how it compares with baselines."""

    def prepare(self) -> None:
        """Read the questions."""
        options = self.options
        given = {"references": options.folder, "arms": options.papers}
        usual = ",".join(part for part in PARTS if given[part])
        self.parts = choose(options.parts or usual, PARTS, "part")
        if "arms" in self.parts and options.papers is None:
            raise InputError("the arms need papers with questions: give them with --papers")
        if "references" in self.parts and not (options.folder or Path()).joinpath(TRUTH).is_file():
            raise InputError(f"there is no {TRUTH} in '{options.folder}': name it with --folder")
        self.asked = read_questions(options.questions or QUESTIONS)[: options.n]
        if "arms" in self.parts and options.papers:
            data = read_papers(options.papers)
            self.plan = arms.plan_of(data, options.n, mind=options.mind, top_k=options.top_k)
            self.runs = len(list(arms.asked_of(self.plan))) * len(arms.ARMS)

    def rows(self) -> Generator[references.LineRow | Row]:
        """Measure part by part."""
        options = self.options
        if "references" in self.parts and options.folder:
            yield from references.measure(options.folder, self.asked, options.mind)
        if "arms" in self.parts:
            yield from arms.run_all(self.plan)

    def outcome(self, row: references.LineRow | Row) -> str:
        """Say what was measured."""
        if isinstance(row, dict):
            return f"{row['case']} {row['stack']} {row['arm']}: {row['figures']['seconds']:.1f} s"
        right = {None: "not judged", True: "right", False: "wrong"}[row.right]
        return f"{row.question[:40]}: a line {right}"

    def found(self, rows: Sequence[references.LineRow | Row]) -> dict[str, Any]:
        """Return the figures of each part."""
        lines = [row for row in rows if isinstance(row, references.LineRow)]
        runs = [row for row in rows if isinstance(row, dict)]
        at, options = settings(), self.options
        models = [at.strong_model, at.fast_model] if options.mind == "llm" else ["extractive"]
        found: dict[str, Any] = {
            "settings": {
                "mind": options.mind,
                "model": " + ".join(filter(None, dict.fromkeys(models))),
                "embedder": at.embedder,
                "seed": options.seed,
                "top_k": options.top_k,
            }
        }
        if lines:
            found["references"] = {
                "table": references.table(lines),
                "lines": [asdict(row) for row in lines],
            }
        if runs:
            found["arms"] = {**arms.summarise(runs, seed=options.seed), "rows": runs}
        return found

    def markdown(self, found: dict[str, Any]) -> str:
        """Return the tables, that of lines by how the truth is known first."""
        lines = dict_table("Lines by truth", found.get("references", {}).get("table", []))
        return "\n\n".join(filter(None, [lines, super().markdown(found)]))

    def notes(self, found: dict[str, Any]) -> list[str]:
        """Say what wrote."""
        return [f"Written by {found['settings']['model']}.", *super().notes(found)]
