"""`citeloom eval synthesis`: references held against the truth, and the baselines."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.asking.cases import Case, PaperCases, read_papers
from evals.figures import ArmFigures, means, minus, run_of, spent
from evals.runner import Options, Suite, choose
from evals.synthesis import references
from evals.synthesis.arms import (
    ARMS,
    BASELINES,
    PARAGRAPHS,
    USUAL,
    Arm,
    Upload,
    arm_of,
    paragraphs_of,
    synthesize,
    text_upload,
)
from evals.synthesis.measures import COMPOSITES, Figures, Told, composite, measures
from evals.synthesis.references import QUESTIONS, read_questions
from evals.trials import Row, cost_of, fresh_home
from tools.clients import Clients
from tools.errors import InputError
from tools.settings import settings

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
    arms: Annotated[
        str,
        typer.Option(
            metavar="A,B",
            help="What to compare with 'paragraphs', which always runs. p_x_q and llm_ref ask of every pair of lines.",
        ),
    ] = USUAL
    top_k: Annotated[int, typer.Option(help="Contexts that a baseline takes.", min=1)] = 4


class Synthesis(Suite[SynthesisOptions]):
    """Measure `synthesize`: whether its references are right, and how it compares with baselines."""

    def prepare(self) -> None:
        """Read the questions."""
        options = self.options
        if not (options.folder or options.papers):
            raise InputError("give PDFs with --folder, or papers with questions with --papers")
        if options.folder and not (options.folder / TRUTH).is_file():
            raise InputError(f"there is no {TRUTH} in '{options.folder}': name its folder")
        self.asked = read_questions(options.questions or QUESTIONS)[: options.n]
        names = choose(options.arms, ARMS, "arm", [PARAGRAPHS])
        self.arms = [arm_of(name, options.mind, options.top_k) for name in names]
        # What a line rests on is judged of arms that read the same paragraphs.
        self.aligning = [arm for arm in self.arms if arm.name not in BASELINES]
        if options.papers:
            self.stacked = list(asked_of(read_papers(options.papers), options.n))
            self.runs = len(self.stacked) * len(self.arms)
        if options.folder:
            self.runs += len(self.asked) * len(self.aligning)

    def rows(self) -> Generator[Row]:
        """Measure part by part."""
        if self.options.folder:
            yield from references.measure(self.options.folder, self.asked, self.aligning)
        if self.options.papers:
            yield from run_all(self.stacked, self.arms)

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures of each part."""
        runs = [row for row in rows if "figures" in row]
        asked = [row for row in rows if "lines" in row]
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
        if asked:
            found["references"] = {
                "table": references.table(asked),
                "lines": [
                    {"arm": row["arm"], **asdict(line)} for row in asked for line in row["lines"]
                ],
            }
        if runs:
            found["arms"] = {**summarise(runs, seed=options.seed), "rows": runs}
        return found

    def notes(self, found: dict[str, Any]) -> list[str]:
        """Say what wrote."""
        return [f"Written by {found['settings']['model']}.", *super().notes(found)]


STACKS = (1, 3)
"""Papers of which a question is asked: its own, and that with those that follow it in the file."""


def asked_of(data: PaperCases, n: int | None) -> Iterator[tuple[Case, int, list[Upload]]]:
    """Yield the first questions that have an answer in words, with each stack and how many papers that has."""
    cases = [case for case in data.cases if case.group == "papers" and case.checkable][:n]
    texts = {item.paper.id: item.text for item in data.sources}
    own = any(len(case.within) > 1 for case in cases)
    for case in cases:
        for size in [len(case.within)] if own else STACKS:
            papers = case.within if own else around(case.papers[0], texts, size)
            yield case, size, stack_of(papers, texts)


def around(paper: str, texts: Iterable[str], size: int) -> list[str]:
    """Return a paper with those that follow it in the file, from the beginning again at its end."""
    names = list(texts)
    at = names.index(paper)
    return [names[(at + step) % len(names)] for step in range(min(size, len(names)))]


def stack_of(papers: Sequence[str], texts: Mapping[str, str]) -> list[Upload]:
    """Return papers as the graph takes them, in the order of the file."""
    return [
        text_upload(f"paper-{place}", text)
        for place, (paper, text) in enumerate(texts.items(), start=1)
        if paper in papers
    ]


def run_all(asked: Sequence[tuple[Case, int, list[Upload]]], arms: Sequence[Arm]) -> Iterator[Row]:
    """Yield the row of each run; all share a home, so that no paper is read twice.

    A row has 'case', 'stack' (how many papers), 'arm', 'figures', 'answer', 'told' (what a judge is shown of it) and
    'tasks'.
    """
    with fresh_home() as here:
        for case, stack, uploads in asked:
            for arm in arms:
                clients = Clients(here)
                run = synthesize(case.question, uploads, clients, arm)
                told = told_of(case, run, ranked=arm.name in BASELINES)
                cost = cost_of(run["usage"], run["took"])
                yield {
                    "case": case.id,
                    "stack": stack,
                    "arm": arm.name,
                    "figures": measures(clients.embedder, told) | cost,
                    "answer": " ".join(told.lines),
                    "told": asdict(told),
                    "tasks": spent(run["usage"]),
                }


def told_of(case: Case, run: Mapping[str, Any], *, ranked: bool) -> Told:
    """Return what a run told.

    Args:
        case: The question and what people answered.
        run: What the run gave.
        ranked: Whether the contexts come best first; else they are put so by their scores.
    """
    whole = {key: item.quote.text for key, item in paragraphs_of(run).items()}
    contexts = [item for item in run["contexts"] if item.paragraph in whole]
    if not ranked:
        contexts.sort(key=lambda item: -item.score)
    texts = [
        " ".join(whole[item.paragraph][start:end] for start, end in item.spans)
        if item.spans
        else whole[item.paragraph]
        for item in contexts
    ]
    papers = [item.paper for item in run["references"] if item.role == "primary"]
    names = [name for paper in papers for name in (paper.title, *(a.name for a in paper.authors))]
    return Told(
        question=case.question,
        lines=[line.text for line in run["lines"]],
        contexts=texts,
        golds=[[point.fact for point in answer.points] for answer in case.answers],
        named=" ".join(["the authors", *names]),
    )


def summarise(rows: Sequence[Row], *, seed: int) -> dict[str, dict[str, ArmFigures]]:
    """Return figures by size of the stack.

    by_stack   Mean and interval of each measure by arm.
    minus      The measures of the paragraphs minus those of each baseline, question by question.
    """
    stacks: dict[str, dict[str, dict[str, Figures]]] = {}
    for row in rows:
        cases = stacks.setdefault(str(row["stack"]), {})
        cases.setdefault(row["case"], {})[row["arm"]] = row["figures"]
    found: dict[str, dict[str, ArmFigures]] = {"by_stack": {}, "minus": {}}
    for stack, cases in stacks.items():
        told = [{"arms": one} for one in cases.values()]
        arms = run_of(told, ARMS)
        found["by_stack"][stack] = means(told, arms, seed=seed)
        for arm, figures in found["by_stack"][stack].items():
            mine = [one[arm] for one in cases.values() if arm in one]
            for name, parts in COMPOSITES.items():
                figures[name] = composite(mine, parts, seed=seed)
        found["minus"][stack] = {
            arm: minus(told, [PARAGRAPHS], arm, seed=seed)[PARAGRAPHS]
            for arm in arms
            if arm != PARAGRAPHS
        }
    return found
