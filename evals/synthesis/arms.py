"""LLM-Ref's Table 1: all relevant paragraphs beside chunks.

A file has papers with questions (see evals.asking.papers). Each question that has an answer in words is
asked of a stack: its own paper (1: 'single source'), or that and as many others as make the stack
('multiple sources'), as texts. Measured is what evals.synthesis.measures says, by words and an embedder:
no LLM judges, though one may write with --mind llm.

paragraphs        All paragraphs judged relevant by their summaries: the product's way.
basic             The best chunks by meaning.
parent_document   The parents of the best small chunks.
ensemble          The best by BM25 and meaning.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.settings import settings
from evals.asking.cases import Case
from evals.asking.papers import PaperCases
from evals.intervals import Interval, difference, interval
from evals.synthesis.measures import COMPOSITES, MEASURES, Figures, Told, composite, measures
from evals.synthesis.runs import Synthesis, Upload, synthesize, text_upload
from evals.tables import amount, span
from tools.clients import Clients
from tools.errors import InputError

ARMS = ("paragraphs", "basic", "parent_document", "ensemble")
_FEW = ("answered", "lines", "context_words", "seconds")
"""What else is told."""


@dataclass(frozen=True)
class Row:
    """One run."""

    case: str
    stack: int
    arm: str
    figures: Figures
    answer: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be run."""

    cases: Sequence[Case]
    texts: Mapping[str, str]
    """By paper, in the order of the file."""
    arms: Sequence[str] = ARMS
    stacks: Sequence[int] = (1, 3)
    top_k: int = 4
    mind: str = "extractive"


def plan_of(data: PaperCases, n: int | None = None, **others: Any) -> Plan:
    """Return a plan of the first questions that have an answer in words."""
    cases = [case for case in data.cases if case.group == "papers" and case.checkable]
    texts = {item.paper.id: item.text for item in data.sources}
    return Plan(cases=cases[:n], texts=texts, **others)


def stack_of(paper: str, texts: Mapping[str, str], size: int) -> list[Upload]:
    """Return a paper with those that follow it in the file, from the beginning again at its end."""
    names = list(texts)
    at = names.index(paper)
    places = sorted((at + step) % len(names) for step in range(min(size, len(names))))
    return [text_upload(f"paper-{place + 1}", texts[names[place]]) for place in places]


def run_all(plan: Plan) -> Iterator[Row]:
    """Yield the row of each run; all share a home, so that no paper is read twice."""
    with tempfile.TemporaryDirectory(prefix="citeloom-eval-", ignore_cleanup_errors=True) as home:
        here = settings().model_copy(update={"home": Path(home), "qdrant_url": None})
        for case in plan.cases:
            for stack in plan.stacks:
                uploads = stack_of(case.papers[0], plan.texts, stack)
                for arm in plan.arms:
                    options = {"mind": plan.mind, "context_method": arm, "top_k": plan.top_k}
                    clients = Clients(here)
                    run = synthesize(case.question, uploads, clients, options)
                    if run.stop:
                        raise InputError(f"'{case.question}' was stopped: {run.stop}")
                    figures = measures(clients.embedder, told_of(case, run, ranked=arm != ARMS[0]))
                    figures["seconds"] = run.seconds
                    yield Row(case.id, stack, arm, figures, " ".join(x.text for x in run.lines))


def told_of(case: Case, run: Synthesis, *, ranked: bool) -> Told:
    """Return what a run told.

    Args:
        case: The question and what people answered.
        run: What was run.
        ranked: Whether the contexts come best first; else they are put so by their scores.
    """
    whole = {key: item.quote.text for key, item in run.paragraphs.items()}
    contexts = [item for item in run.result["contexts"] if item.paragraph in whole]
    if not ranked:
        contexts.sort(key=lambda item: -item.score)
    texts = [
        " ".join(whole[item.paragraph][start:end] for start, end in item.spans)
        if item.spans
        else whole[item.paragraph]
        for item in contexts
    ]
    papers = [item.paper for item in run.result["references"] if item.role == "primary"]
    names = [name for paper in papers for name in (paper.title, *(a.name for a in paper.authors))]
    return Told(
        question=case.question, lines=[line.text for line in run.lines], contexts=texts,
        golds=[[point.fact for point in answer.points] for answer in case.answers],
        named=" ".join(["the authors", *names]),
    )  # fmt: skip


def summarise(rows: Sequence[Row], *, seed: int) -> dict[str, dict[str, dict[str, Interval]]]:
    """Return mean and interval of each measure, by size of the stack and arm."""
    found: dict[str, dict[str, dict[str, Interval]]] = {}
    for stack in dict.fromkeys(row.stack for row in rows):
        for arm in dict.fromkeys(row.arm for row in rows):
            mine = [row.figures for row in rows if (row.stack, row.arm) == (stack, arm)]
            if not mine:
                continue
            told = {
                key: value
                for key in (*MEASURES, *_FEW)
                if (value := interval([one.get(key) for one in mine], seed=seed))
            }
            told |= {name: composite(mine, parts, seed=seed) for name, parts in COMPOSITES.items()}
            found.setdefault(str(stack), {})[arm] = told
    return found


def minus(rows: Sequence[Row], *, seed: int) -> dict[str, dict[str, dict[str, Interval]]]:
    """Return each baseline's measures taken from those of the paragraphs, question by question."""
    by_run = {(row.stack, row.arm, row.case): row.figures for row in rows}
    cases = list(dict.fromkeys(row.case for row in rows))
    found: dict[str, dict[str, dict[str, Interval]]] = {}
    for stack, arm in dict.fromkeys((row.stack, row.arm) for row in rows if row.arm != ARMS[0]):
        pairs = [
            (by_run.get((stack, ARMS[0], case), {}), by_run.get((stack, arm, case), {}))
            for case in cases
        ]
        told = {
            key: value
            for key in MEASURES
            if (
                value := difference(
                    [a.get(key) for a, _ in pairs], [b.get(key) for _, b in pairs], seed=seed
                )
            )
        }
        if told:
            found.setdefault(str(stack), {})[arm] = told
    return found


def tables(rows: Sequence[Row], *, seed: int) -> dict[str, list[dict[str, str]]]:
    """Return the rows of the tables that a person reads, by their titles."""
    found: dict[str, list[dict[str, str]]] = {}
    for stack, arms in summarise(rows, seed=seed).items():
        title = f"{'Single source' if stack == '1' else f'Stacks of {stack}'} (mean [95 %])"
        names = [*MEASURES, *COMPOSITES]
        found[title] = [
            {"arm": arm, **{name: span(told.get(name)) for name in names}}
            | {name: amount(told.get(name)) for name in _FEW}
            for arm, told in arms.items()
        ]
    for stack, others in minus(rows, seed=seed).items():
        found[f"Question by question, stacks of {stack}"] = [
            {"stack": stack, "paragraphs minus": arm}
            | {name: span(told.get(name), sign=True) for name in MEASURES}
            for arm, told in others.items()
        ]
    return found
