"""`citeloom eval synthesis`: references held against the truth, and the baselines."""

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.asking.cases import read_papers
from evals.report import INTERVALS, Report, dict_table
from evals.runner import Options, Suite, choose
from evals.synthesis import arms, references
from evals.synthesis.references import QUESTIONS, read_questions
from tools.errors import InputError
from tools.settings import settings

PARTS = ("references", "arms")
Row = references.LineRow | arms.Row


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
        if "references" in self.parts and not _has_truth(options.folder):
            raise InputError(
                f"there is no truth.jsonl in '{options.folder}': name it with --folder"
            )
        self.asked = read_questions(options.questions or QUESTIONS)[: options.n]
        self.data = read_papers(options.papers) if options.papers else None
        if self.data and "arms" in self.parts:
            self.plan = arms.plan_of(
                self.data,
                options.n,
                mind=options.mind,
                top_k=options.top_k,
            )
            self.runs = len(list(arms.asked_of(self.plan))) * len(arms.ARMS)

    def rows(self) -> Generator[Row]:
        """Measure part by part."""
        options = self.options
        if "references" in self.parts and options.folder:
            yield from references.measure(options.folder, self.asked, options.mind)
        if "arms" in self.parts and self.data:
            yield from arms.run_all(self.plan)

    def outcome(self, row: Row) -> str:
        """Say what was measured."""
        if isinstance(row, arms.Row):
            return f"{row.case} {row.stack} {row.arm}: {row.figures['seconds']:.1f} s"
        right = {None: "not judged", True: "right", False: "wrong"}[row.right]
        return f"{row.question[:40]}: a line {right}"

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures of each part."""
        lines = [row for row in rows if isinstance(row, references.LineRow)]
        runs = [row for row in rows if isinstance(row, arms.Row)]
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
            found["arms"] = {
                "by_stack": arms.summarise(runs, seed=options.seed),
                "minus": arms.minus(runs, seed=options.seed),
                "rows": [asdict(row) for row in runs],
            }
        return found

    def markdown(self, found: dict[str, Any]) -> str:
        """Return the tables."""
        parts = []
        if told := found.get("references"):
            title = "Lines by how the citations of their sources are known"
            parts.append(dict_table(title, told["table"]))
        if told := found.get("arms"):
            stacks = {f"Stacks of {size}": one for size, one in told["by_stack"].items()}
            less = {
                f"Paragraphs minus, stacks of {size}": one for size, one in told["minus"].items()
            }
            notes = [f"Written by {found['settings']['model']}.", INTERVALS]
            parts.append(Report(stacks | less, notes).markdown())
        return "\n\n".join(parts)


def _has_truth(folder: Path | None) -> bool:
    return folder is not None and (folder / "truth.jsonl").is_file()
