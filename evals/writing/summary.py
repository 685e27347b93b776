"""From the rows of all runs to the figures of each writer."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from evals.figures import grouped, means, minus, noted, sums
from evals.trials import Row
from evals.writing.cases import Case
from evals.writing.gold import without_marks
from evals.writing.measures import VERDICTS, Counts
from evals.writing.rouge import rouge
from evals.writing.trial import LEXRANK

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
