"""`citeloom eval synthesis`: references held against the truth, and the baselines.

The measures of LLM-Ref's Table 1 by words and an embedder, which need no LLM (appendix A.6, Ragas).

A sentence is borne by a text when the text has BORNE of its content stems. All are 0..1.

answer_relevancy    Mean cosine of the question and each line of the answer; 0 without an answer. (Ragas:
                    of the question and questions that an LLM makes of the answer.)
answer_similarity   Cosine of the answer and the answer that people gave, the best of several.
context_relevancy   Share of the contexts' sentences that bear on the question: their cosine with it is
                    NEAR or more, or they have EVIDENCE of the content stems of a sentence of the gold.
context_precision   Average precision of the contexts, best first: sum over k of precision@k, where the
                    k-th has EVIDENCE, over the number of those that have; 0 where none has.
context_recall      Share of the gold's sentences of which one context has EVIDENCE, best of several.
faithfulness        Share of the answer's lines that one context bears, with all numbers in it; what the
                    papers and authors are called counts as borne.
composite           Harmonic mean of faithfulness, answer_relevancy, context_relevancy and
                    context_recall, each a mean over all questions. This is what Table 1's figures are
                    (LLM-Ref's appendix A.6 writes context precision for the third; with that, its own
                    figures do not come out: 0.79 where it prints 0.513).
with_precision      The same as the appendix has it.

A high context_relevancy is an LLM's few sentences 'needed' of many in Ragas, and a cosine here: compare
arms with one another, not with figures of Ragas. What an LLM would judge is not measured.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from evals.asking.cases import Case, PaperCases, read_papers
from evals.figures import ArmFigures, Interval, bootstrap, means, minus, run_of, spent
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
)
from evals.synthesis.references import QUESTIONS, read_questions
from evals.trials import Row, cost_of, fresh_home
from tools.clients import Clients
from tools.embed.embedder import Embedder
from tools.errors import InputError
from tools.settings import settings
from tools.text.words import share_of_stems, split_sentences

NEAR, EVIDENCE, BORNE = 0.45, 0.6, 0.8
MEASURES = (
    "answer_relevancy",
    "answer_similarity",
    "context_relevancy",
    "context_precision",
    "context_recall",
    "faithfulness",
)
COMPOSITES = {
    "composite": ("faithfulness", "answer_relevancy", "context_relevancy", "context_recall"),
    "with_precision": ("faithfulness", "answer_relevancy", "context_precision", "context_recall"),
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
Figures = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What one run told, of what, and what people said."""

    question: str
    lines: Sequence[str]
    contexts: Sequence[str]
    """The texts that it was made from, the best first."""
    golds: Sequence[Sequence[str]]
    """Sentences of each answer that people gave."""
    named: str = ""
    """What the papers and their authors are called: a line may say whose finding it tells."""


def measures(embedder: Embedder, told: Told) -> Figures:
    """Return the measures of one run; faithfulness is absent where nothing was answered."""
    gold = [one for one in told.golds if one]
    found = {
        "answered": float(bool(told.lines)),
        "answer_relevancy": _relevancy(embedder, told),
        "answer_similarity": _similarity(embedder, told, gold),
        "context_relevancy": _context_relevancy(embedder, told, gold),
        "context_precision": average_precision([_has(gold, text) for text in told.contexts]),
        "context_recall": max(
            (
                fmean(
                    any(share_of_stems(sentence, text) >= EVIDENCE for text in told.contexts)
                    for sentence in one
                )
                for one in gold
            ),
            default=0.0,
        ),
        "lines": float(len(told.lines)),
        "context_words": float(sum(len(text.split()) for text in told.contexts)),
    }
    if told.lines:
        found["faithfulness"] = fmean(
            any(borne(line, f"{text} {told.named}") for text in told.contexts)
            for line in told.lines
        )
    return found


def borne(line: str, text: str) -> bool:
    """Whether a text has nearly all of a line's content stems, and all of its numbers."""
    return share_of_stems(line, text) >= BORNE and set(_NUMBER.findall(text)).issuperset(
        _NUMBER.findall(line)
    )


def average_precision(hits: Sequence[bool]) -> float:
    """Return the mean of precision@k over the ranks k of the hits; 0 without any."""
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit]
    return fmean(number / rank for number, rank in enumerate(ranks, start=1)) if ranks else 0.0


def harmonic(values: Sequence[float]) -> float:
    """Return the harmonic mean; 0 where one of the values is 0."""
    return len(values) / sum(1 / value for value in values) if min(values) > 0 else 0.0


def _relevancy(embedder: Embedder, told: Told) -> float:
    if not told.lines:
        return 0.0
    question, *lines = embedder.embed([told.question, *told.lines])
    return fmean(max(float(line @ question), 0.0) for line in lines)


def _similarity(embedder: Embedder, told: Told, golds: Sequence[Sequence[str]]) -> float:
    if not told.lines or not golds:
        return 0.0
    answer, *others = embedder.embed([" ".join(told.lines), *(" ".join(one) for one in golds)])
    return max(0.0, *(float(answer @ other) for other in others))


def _context_relevancy(embedder: Embedder, told: Told, golds: Sequence[Sequence[str]]) -> float:
    sentences = [span.text for text in told.contexts for span in split_sentences(text)]
    if not sentences:
        return 0.0
    question, *vectors = embedder.embed([told.question, *sentences])
    return fmean(
        float(vector @ question) >= NEAR or _has(golds, text)
        for vector, text in zip(vectors, sentences, strict=True)
    )


def _has(golds: Sequence[Sequence[str]], text: str) -> bool:
    return any(share_of_stems(sentence, text) >= EVIDENCE for gold in golds for sentence in gold)


def composite(rows: Sequence[Mapping[str, float]], parts: Sequence[str], *, seed: int) -> Interval:
    """Return the harmonic mean of the means, with its percentile bootstrap interval.

    A measure that a question lacks is left out of that mean.
    """
    return bootstrap(
        np.array([[row.get(part, np.nan) for part in parts] for row in rows]),
        _harmonic_of_means,
        seed=seed,
    )


def _harmonic_of_means(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the harmonic mean of the columns' means; of several samples at once, each its own."""
    known = ~np.isnan(columns)
    means = np.where(known, columns, 0.0).sum(axis=-2) / np.maximum(known.sum(axis=-2), 1)
    return np.where(
        means.min(axis=-1) > 0, means.shape[-1] / (1 / np.maximum(means, 1e-12)).sum(axis=-1), 0.0
    )


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
        self.arms = [
            arm_of(name, options.mind, options.top_k)
            for name in choose(options.arms, ARMS, "arm", [PARAGRAPHS])
        ]
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
    for case in cases:
        for size in STACKS:
            papers = around(case.papers[0], texts, size)
            yield (
                case,
                size,
                [
                    {"name": f"paper-{place}.txt", "content": text, "encoding": "text"}
                    for place, (paper, text) in enumerate(texts.items(), start=1)
                    if paper in papers
                ],
            )


def around(paper: str, texts: Iterable[str], size: int) -> list[str]:
    """Return a paper with those that follow it in the file, from the beginning again at its end."""
    names = list(texts)
    at = names.index(paper)
    return [names[(at + step) % len(names)] for step in range(min(size, len(names)))]


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
