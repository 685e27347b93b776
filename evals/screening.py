"""Screening simulated: a paper's references are the relevant papers, among what a keyword search finds beside them.

For each review the papers are shown in the learnt order and in random order, each decision is the true one, and
screening stops where the rule says so. Printed: work saved over sampling at 95 % recall (WSS@95), the recall at
the stop, the share of papers read by then, and how often the lower limit of recall was true.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from evals.runner import say
from evals.trials import json_lines
from tools.screening.paper_order import PaperOrder
from tools.screening.stopping import TARGET, estimate_recall
from tools.text.words import content_stems

BATCH = 25
"""Decisions between two fits, and between two looks at the rule."""
Review = tuple[str, list[str], list[bool]]


def screening(
    graph: Annotated[Path, typer.Argument(help="papers.jsonl.gz of a citation graph.")],
    reviews: Annotated[int, typer.Option(help="How many reviews.")] = 20,
    candidates: Annotated[int, typer.Option(help="Papers found for each by keywords.")] = 1000,
) -> None:
    """Simulate screening on a citation graph, as if a paper's references were the papers to include."""
    done: dict[str, list[dict[str, float]]] = {"learnt": [], "random": []}
    for number, review in enumerate(_reviews(graph, reviews, candidates), start=1):
        for name, seed in (("learnt", None), ("random", 0)):
            done[name].append(_simulate(review, seed))
            say(f"{number:3} {name:7} {_line(done[name][-1])}")
    for name, runs in done.items():
        say(
            f"all {name:7} {_line({key: float(np.mean([one[key] for one in runs])) for key in runs[0]})}"
        )


def _line(figures: dict[str, float]) -> str:
    return "  ".join(f"{key} {worth:.3f}" for key, worth in figures.items())


def _reviews(path: Path, most: int, candidates: int) -> Iterator[Review]:
    """Yield the protocol's words, the texts and whether each is relevant, for the papers with most references."""
    papers: dict[str, Any] = {one["id"]: one for _, one in json_lines(path)}
    texts = {
        key: f"{one['title']}. {one['abstract']}"
        for key, one in papers.items()
        if one.get("abstract")
    }
    stems = {key: Counter(content_stems(text)) for key, text in texts.items()}
    often = Counter(term for one in stems.values() for term in one)
    held = {
        key: [one for one in papers[key].get("references") or () if one in texts] for key in texts
    }
    for key in sorted(held, key=lambda one: (-len(held[one]), one))[:most]:
        # A search for the words of the title, the rarest counting most.
        asked = {
            term: np.log(len(texts) / often[term])
            for term in {*content_stems(papers[key]["title"])}
        }
        found = {
            one: sum(weight for term, weight in asked.items() if term in terms)
            for one, terms in stems.items()
            if one != key
        }
        pool = sorted({*sorted(found, key=lambda one: (-found[one], one))[:candidates], *held[key]})
        yield papers[key]["title"], [texts[one] for one in pool], [one in held[key] for one in pool]


def _simulate(review: Review, seed: int | None) -> dict[str, float]:
    asked, texts, truth = review
    order, random = PaperOrder(texts, asked), np.random.default_rng(seed)
    labels: dict[int, bool] = {}
    total, relevant, stop, late, true, looks = len(texts), sum(truth), 0, 0, 0, 0
    while len(labels) < total:
        scores = order.scores(labels) if seed is None else random.random(total)
        ranked = [int(one) for one in np.argsort(-scores, kind="stable") if int(one) not in labels]
        labels |= {one: truth[one] for one in ranked[:BATCH]}
        found = sum(labels.values())
        if not late and found >= TARGET * relevant:
            late = int(np.searchsorted(np.cumsum([*labels.values()]), (TARGET * relevant)) + 1)
        told = estimate_recall([*labels.values()], total)
        looks, true = looks + 1, true + (told.low <= found / relevant)
        if not stop and told.may_stop:
            stop, recall, limit = len(labels), found / relevant, told.low
    return {
        "papers": total, "relevant": relevant, "wss95": 0.95 - late / total, "read": stop / total,
        "recall": recall, "reached": recall >= TARGET, "holds at stop": limit <= recall, "holds": true / looks,
    }  # fmt: skip
