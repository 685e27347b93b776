"""Which paragraphs count as relevant before a mind is asked: `python -m evals.synthesis.relevance FOLDER`.

    [--every 30] [--json FILE]

FOLDER has papers_with_questions and expert_long_answers, or one of them (see evals.passages.sets). The
thresholds of nodes.synthesize.likeness were set on such data, so figures on the same flatter.

own paper     Questions on a paper in full text, and its paragraphs: those with the answer's words are
              gold. Other paragraphs may hold the answer in other words, so precision is a lower bound.
stack of 3    The same among the paragraphs of two more papers.
experts       Contexts that an expert's answer cites are gold, those of other questions wrong; whether
              contexts shown and not cited help is not known, and they count as neither.
other matter  The experts' questions put to the papers, which do not tell: all is wrong.

out, lost     Share below CLEAR_OUT; share of the gold that is lost there.
in, precise   Share from CLEAR_IN on; share of these that is gold.
calls         Questions to a mind about those between, --every paragraphs each; a question's mean.
alone         Recall and precision where the likeness alone decides; how often none is taken.
"""

import argparse
import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Any

from evals.passages.sets import gold_passages
from evals.synthesis.table import Table
from nodes.synthesize.likeness import CLEAR_IN, CLEAR_OUT, likenesses, relevant_alone
from state.passage import Passage, passage_id
from tools.documents.open import read_document
from tools.documents.paragraphs import paragraphs_of
from tools.embed.open import embedder as process_embedder
from tools.embed.port import Embedder
from tools.errors import InputError
from tools.references.bibliography import read_bibliography
from tools.text.summary import extractive_summary

OTHERS = 60
"""Contexts of other questions among which an expert's are to be found."""
_CITED = re.compile(r"\[([\d,;\s-]+)\]")


@dataclass(frozen=True)
class Asked:
    """A question, paragraphs, and whether each is relevant; None where that is not known."""

    question: str
    texts: tuple[str, ...]
    relevant: tuple[bool | None, ...]


def of_papers(rows: Sequence[Any], stack: int) -> list[Asked]:
    """Return the questions on papers whose answer is found, each among the paragraphs of a stack."""
    papers: dict[str, dict[str, Passage]] = {}
    golds: dict[tuple[str, str], frozenset[str]] = {}
    for row in rows:
        text = str(row["full_text"])
        known = papers.get(text) or {item.id: item for item in _paragraphs(text)}
        papers[text] = known
        for asked in row["qa"]:
            if gold := gold_passages(str(asked["answer"]), tuple(known.values())):
                key = text, " ".join(asked["question"].split())
                golds[key] = golds.get(key, frozenset()) | gold
    names = list(papers)
    found = []
    for (text, question), gold in golds.items():
        at = names.index(text)
        near = [papers[names[(at + step) % len(names)]] for step in range(min(stack, len(names)))]
        items = {key: item.text for paper in near for key, item in paper.items()}
        found.append(Asked(question, tuple(items.values()), tuple(key in gold for key in items)))
    return found


def _paragraphs(text: str) -> list[Passage]:
    _, document = read_document(text.encode(), name="paper.txt")
    return [
        Passage(
            id=passage_id("paper", item.text), paper="paper", title="", start=0,
            end=len(item.text), text=item.text,
        )
        for item in paragraphs_of(document, read_bibliography(document), "paper")
    ]  # fmt: skip


def of_experts(rows: Sequence[Any]) -> list[Asked]:
    """Return the experts' questions, each with its own contexts and some of other questions."""
    found = []
    for row in rows:
        groups = _CITED.findall(row["answer"])
        cited = {int(number) for group in groups for number in re.findall(r"\d+", group)}
        own = {
            text: place in cited or None
            for place, item in enumerate(row["contexts"])
            if (text := _text(item))
        }
        others = [
            text
            for other in rows
            if other is not row
            for item in other["contexts"][:2]
            if (text := _text(item)) and text not in own
        ]
        known = own | dict.fromkeys(others[:OTHERS], False)
        question = " ".join(row["question"].split())
        found.append(Asked(question, tuple(known), tuple(known.values())))
    return found


def _text(item: Any) -> str:
    return item["text"].strip() if isinstance(item["text"], str) else ""


def off_topic(experts: Sequence[Asked], papers: Sequence[Asked]) -> list[Asked]:
    """Return the experts' questions, each put to one of the papers in turn."""
    stacks = list(dict.fromkeys(item.texts for item in papers))
    return [
        Asked(item.question, texts, (False,) * len(texts))
        for number, item in enumerate(experts)
        if (texts := stacks[number % len(stacks)])
    ]


def row(name: str, items: Sequence[Asked], embedder: Embedder, every: int) -> dict[str, object]:
    """Return what is told of one group of questions."""
    scored = [_scores(item, embedder) for item in items]
    pairs = [
        pair
        for item, scores in zip(items, scored, strict=True)
        for pair in zip(scores, item.relevant, strict=True)
    ]
    gold = sum(fits is True for _, fits in pairs)
    below = [fits for score, fits in pairs if score < CLEAR_OUT]
    above = [fits for score, fits in pairs if score >= CLEAR_IN]
    calls = [
        ceil(sum(CLEAR_OUT <= score < CLEAR_IN for score in scores) / every) for scores in scored
    ]
    return {
        "questions": name,
        "n": len(items),
        "paragraphs": f"{len(pairs) / len(items):.0f}",
        "out": f"{len(below) / len(pairs):.2f}",
        "lost": f"{below.count(True) / gold:.3f}" if gold else "",
        "in": f"{len(above) / len(pairs):.3f}",
        "precise": _mean(above) if gold else "",
        "calls": f"{fmean(calls):.1f}",
        **_alone(items, scored),
    }


def _scores(item: Asked, embedder: Embedder) -> list[float]:
    summaries = [extractive_summary(text) for text in item.texts]
    return likenesses(embedder, item.question, item.texts, summaries)


def _alone(items: Sequence[Asked], scored: Sequence[Sequence[float]]) -> dict[str, str]:
    """Return what comes of it where the likeness alone decides; means over questions."""
    recalls, precisions, none = [], [], 0
    for item, scores in zip(items, scored, strict=True):
        taken = relevant_alone({str(place): score for place, score in enumerate(scores)})
        told = [item.relevant[int(place)] for place in taken]
        none += not told
        if any(item.relevant):
            recalls.append(told.count(True) / item.relevant.count(True))
            if known := [fits for fits in told if fits is not None]:
                precisions.append(fmean(known))
    return {
        "alone: recall": _mean(recalls),
        "alone: precision": _mean(precisions),
        "alone: none": f"{none / len(items):.2f}",
    }


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{fmean(known):.2f}" if known else ""


def _rows(folder: Path, name: str) -> list[Any]:
    for path in (folder / f"{name}.jsonl.gz", folder / f"{name}.jsonl"):
        if path.is_file():
            raw = path.read_bytes()
            text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    return []


def measure(folder: Path, embedder: Embedder, every: int) -> Table:
    """Return the table over the sets that a folder has.

    Raises:
        InputError: It has none of them.
    """
    papers, experts = _rows(folder, "papers_with_questions"), _rows(folder, "expert_long_answers")
    groups: dict[str, list[Asked]] = {}
    if papers:
        groups |= {"own paper": of_papers(papers, 1), "stack of 3": of_papers(papers, 3)}
    if experts:
        groups["experts"] = of_experts(experts)
    if papers and experts:
        groups["other matter"] = off_topic(groups["experts"], groups["own paper"])
    rows = [row(name, items, embedder, every) for name, items in groups.items() if items]
    if not rows:
        raise InputError(f"'{folder}' has no questions: see evals/synthesis/relevance.py")
    return Table("Paragraphs by their likeness to the question", rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=30, help="paragraphs in a question to a mind")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    try:
        found = measure(options.folder, process_embedder(), options.every)
    except InputError as error:
        parser.error(str(error))
    print(found.markdown())
    if options.json:
        options.json.write_text(json.dumps(list(found.rows), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
