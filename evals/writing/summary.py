"""From the rows of all runs to the figures of each writer: likeness by ROUGE and BERTScore, and what was counted."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from statistics import fmean
from typing import Any

from evals.figures import grouped, means, minus, noted, sums
from evals.trials import Row
from evals.writing.cases import Case, without_marks
from evals.writing.trial import LEXRANK, VERDICTS, Counts
from tools.errors import InputError

MEASURES = ("rouge1", "rouge2", "rougeL")


def rouge(gold: str, text: str) -> dict[str, float]:
    """Return the F1 of each measure, 0..1, words stemmed; 0 for an empty text.

    Raises:
        InputError: The package rouge-score is not installed.
    """
    found = scorer().score(gold, text)
    return {name: float(found[name].fmeasure) for name in MEASURES}


@cache
def scorer() -> Any:
    """Open the scorer, which takes a second.

    Raises:
        InputError: The package rouge-score is not installed.
    """
    try:
        package = import_module("rouge_score.rouge_scorer")
    except ModuleNotFoundError as error:
        raise InputError(
            "ROUGE needs the package rouge-score, which comes with no other part of CiteLoom: "
            "install it with `uv pip install rouge-score`"
        ) from error
    return package.RougeScorer(list(MEASURES), use_stemmer=True)


def bertscore(model: str) -> Callable[[str, str], dict[str, float]]:
    """Return what measures the F1 of BERTScore, 0..1, not rescaled; 0 for an empty text.

    Args:
        model: A name of Hugging Face's that the package knows, such as roberta-large, or a folder and the
            layer to take, such as models/minilm:6. At most as many tokens count as the model takes.

    Raises:
        InputError: The package bert-score is not installed, or does not know the model.
    """
    try:
        package = import_module("bert_score")
    except ModuleNotFoundError as error:
        raise InputError(
            "BERTScore needs the package bert-score, which brings PyTorch: install it with "
            "`uv pip install bert-score`"
        ) from error
    name, _, layer = model.rpartition(":") if ":" in model else (model, "", "")
    try:
        scorer: Any = package.BERTScorer(
            model_type=name, num_layers=int(layer) if layer else None, device="cpu"
        )
    except (OSError, KeyError, ValueError, AssertionError) as error:
        raise InputError(
            f"there is no model '{model}' for BERTScore: name one that the package knows, such as "
            f"roberta-large, or a folder and its layer, such as models/minilm:6 ({error!r})"
        ) from error

    def measured(gold: str, text: str) -> dict[str, float]:
        if not text.strip():
            return {"bertscore": 0.0}
        *_, f1 = scorer.score([text], [gold])
        return {"bertscore": float(f1[0])}

    return measured


Figures = dict[str, float | None]
Likeness = Callable[[str, str], dict[str, float]]
"""Measures of how like a text is to the gold, which comes first."""
SHARES = {
    "covered": ("cited", "given"),
    "hallucinated": ("hallucinated", "citations"),
    "quoted": ("quoted", "citing"),
    "accounted": ("accounted", "given"),
    "lines_right": ("lines_right", "lines"),
    "citing_right": ("citing_right", "citing_lines"),
    "in_place": ("in_place", "places"),
}
"""What is told as a share, of what it is one."""
AMOUNTS = ("sentences", "words", "repeated", "passed", *VERDICTS)
COSTS = ("seconds", "questions", "llm_calls", "input_tokens", "output_tokens", "usd")


def summarise(
    cases: Sequence[Case], rows: Sequence[Row], likeness: Likeness = rouge, *, seed: int
) -> dict[str, Any]:
    """Return the figures of each writer, over rows that can be checked and over the others apart.

    A run that broke counts in likeness as one that wrote nothing; one that was skipped does not count.
    """
    told = [_case(case, mine, likeness) for case, mine in grouped(cases, rows)]
    return {
        "checkable": _group([one for one in told if one["checkable"]], seed),
        "no_abstracts": _group([one for one in told if not one["checkable"]], seed),
        "cases": told,
    }


def _case(case: Case, rows: Mapping[str, Row], likeness: Likeness) -> dict[str, Any]:
    gold = without_marks(case.gold)
    arms = {
        name: _figures(likeness(gold, row["text"]), row)
        for name, row in rows.items()
        if not row.get("skipped")
    }
    found: dict[str, Any] = {
        "id": case.id,
        "checkable": case.checkable,
        "papers": len(case.papers),
        "with_abstract": sum(bool(paper.abstract) for paper in case.papers),
        "gold_words": len(gold.split()),
        "unusable": list(case.unusable),
        "arms": arms,
        "counts": {},
        "adherence": {},
        "texts": {name: row["text"] for name, row in rows.items()},
    }
    return found | noted(rows, ("counts", "adherence", "printed", "skipped", "error", "failures"))


def _figures(like: Mapping[str, float], row: Row) -> Figures:
    """Return all measures of one run; None where one does not apply."""
    counts: Counts = {**row["counts"], **row["adherence"]}
    found: Figures = {**like, "empty": float(not row["text"])}
    found |= {name: counts[name] for name in AMOUNTS if name in counts}
    for name, (part, whole) in SHARES.items():
        if counts.get(whole):
            found[name] = counts[part] / counts[whole]
    if row["adherence"]:
        found |= {name: counts[name] for name in ("same_length", "sentences_more", "words_more")}
    return found | {name: row["cost"][name] for name in COSTS if name in row["cost"]}


def _group(told: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Any]:
    names = list(dict.fromkeys(name for one in told for name in one["arms"]))
    return {
        "n": len(told),
        "writers": means(told, names, seed=seed),
        "minus_lexrank": minus(told, names, LEXRANK, seed=seed),
        "totals": {name: _totals(told, name) for name in names},
    }


def _totals(told: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    """Return the sums of all that was counted over the rows, and how far plans were missed."""
    mine = [one["arms"][name] for one in told if name in one["arms"]]
    plans = [one["adherence"][name] for one in told if name in one["adherence"]]
    empty = sum(bool(one["empty"]) for one in mine)
    found: dict[str, float] = {"runs": len(mine), "empty": empty}
    found |= sums((*(one["counts"].get(name, {}) for one in told), *plans))
    if plans:
        more = [abs(one["sentences_more"]) for one in plans]
        found["plans"] = len(plans)
        found["mean_sentences_more"], found["largest_sentences_more"] = fmean(more), max(more)
        found["mean_words_more"] = fmean(abs(one["words_more"]) for one in plans)
    return found
