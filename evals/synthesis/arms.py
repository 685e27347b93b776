"""LLM-Ref's Table 1: all relevant paragraphs beside chunks.

A file has papers with questions (see evals.asking.cases). Each question that has an answer in words is
asked of a stack: its own paper (1: 'single source'), or that and as many others as make the stack
('multiple sources'), as texts; where the file has questions of several papers, each of its own papers only.
Measured is what evals.synthesis.measures says, by words and an embedder: no LLM judges, though one may write
with --mind llm.

paragraphs        All paragraphs judged relevant by their summaries: the product's way.
basic             The best chunks by meaning.
parent_document   The parents of the best small chunks.
ensemble          The best by BM25 and meaning.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evals.asking.cases import Case, PaperCases
from evals.figures import ArmFigures, means, minus, run_of, spent
from evals.synthesis.chunks import BASELINES, retrieving
from evals.synthesis.measures import COMPOSITES, Figures, Told, composite, measures
from evals.trials import Row, fresh_home, run_graph
from graphs.synthesize import wired
from state.synthesis import Origin
from tools.clients import Clients
from tools.errors import InputError

Upload = dict[str, str]


def file_upload(path: Path) -> Upload:
    """Return a file as the graph takes it."""
    return {"name": path.name, "content": base64.b64encode(path.read_bytes()).decode()}


def text_upload(name: str, text: str) -> Upload:
    """Return a text as the graph takes it."""
    return {"name": f"{name}.txt", "content": text, "encoding": "text"}


def synthesize(
    question: str,
    uploads: Sequence[Upload],
    clients: Clients,
    choices: Mapping[str, Any],
    graph: Any = "synthesize",
) -> dict[str, Any]:
    """Answer a question from papers and return what the graph gives; `choices` are fields of RunSettings.

    Raises:
        InputError: The run was stopped.
    """
    inputs = {"question": question, "uploads": [dict(item) for item in uploads]}
    result = run_graph(graph, inputs, clients, choices)
    if result["stop"]:
        raise InputError(f"'{question}' was stopped: {result['stop'].cause}")
    return result


def paragraphs_of(run: Mapping[str, Any]) -> dict[str, Origin]:
    """Return the paragraphs that a text was made from, whole, by id."""
    return {item.paragraph: item for item in run["used"]}


PARAGRAPHS = "paragraphs"
ARMS = (PARAGRAPHS, *BASELINES)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be run."""

    cases: Sequence[Case]
    texts: Mapping[str, str]
    """By paper, in the order of the file."""
    stacks: Sequence[int] = (1, 3)
    top_k: int = 4
    mind: str = "extractive"


def plan_of(data: PaperCases, n: int | None = None, **others: Any) -> Plan:
    """Return a plan of the first questions that have an answer in words."""
    cases = [case for case in data.cases if case.group == "papers" and case.checkable]
    texts = {item.paper.id: item.text for item in data.sources}
    return Plan(cases=cases[:n], texts=texts, **others)


def asked_of(plan: Plan) -> Iterator[tuple[Case, int, list[Upload]]]:
    """Yield each question with each stack that it is asked of, and how many papers that has."""
    own = any(len(case.within) > 1 for case in plan.cases)
    for case in plan.cases:
        for size in [len(case.within)] if own else plan.stacks:
            papers = case.within if own else around(case.papers[0], plan.texts, size)
            yield case, size, stack_of(papers, plan.texts)


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


def run_all(plan: Plan) -> Iterator[Row]:
    """Yield the row of each run; all share a home, so that no paper is read twice.

    A row has 'case', 'stack' (how many papers), 'arm', 'figures', 'answer', 'told' (what a judge is shown of it) and
    'tasks'.
    """
    graphs: dict[str, Any] = {
        method: wired(retrieving(method, plan.top_k)).compile() for method in BASELINES
    }
    with fresh_home() as here:
        for case, stack, uploads in asked_of(plan):
            for arm in ARMS:
                graph, clients = graphs.get(arm, "synthesize"), Clients(here)
                run = synthesize(case.question, uploads, clients, {"mind": plan.mind}, graph)
                told = told_of(case, run, ranked=arm != PARAGRAPHS)
                figures = measures(clients.embedder, told) | {"seconds": run["took"]}
                yield {
                    "case": case.id,
                    "stack": stack,
                    "arm": arm,
                    "figures": figures,
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
