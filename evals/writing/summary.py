"""From the rows of all runs to the figures of each writer."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from evals.intervals import Interval, difference, interval
from evals.writing.cases import Case
from evals.writing.gold import without_marks
from evals.writing.measures import VERDICTS, Counts
from evals.writing.rouge import rouge
from evals.writing.trial import ARMS, LEXRANK, Row

Figures = dict[str, float | None]
SHARES = {
    "resolved": ("resolved", "citations"), "quoted": ("quoted", "citing"),
    "accounted": ("accounted", "given"), "lines_right": ("lines_right", "lines"),
    "citing_right": ("citing_right", "citing_lines"), "in_place": ("in_place", "places"),
}  # fmt: skip
"""What is told as a share, of what it is one."""
AMOUNTS = ("sentences", "words", "repeated", "passed", *VERDICTS)
COSTS = ("seconds", "questions", "llm_calls", "input_tokens", "output_tokens", "usd")


def summarise(cases: Sequence[Case], rows: Sequence[Row], *, seed: int) -> dict[str, Any]:
    """Return the figures of each writer, over rows that can be checked and over the others apart.

    A run that broke counts in ROUGE as one that wrote nothing; one that was skipped does not count.
    """
    by_case: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_case.setdefault(row["case"], {})[row["arm"]] = row
    told = [_case(case, by_case[case.id]) for case in cases if case.id in by_case]
    return {
        "checkable": _group([one for one in told if one["checkable"]], seed),
        "no_abstracts": _group([one for one in told if not one["checkable"]], seed),
        "cases": told,
    }


def _case(case: Case, rows: Mapping[str, Row]) -> dict[str, Any]:
    gold = without_marks(case.gold)
    arms = {
        name: _figures(gold, rows[name])
        for name in ARMS
        if name in rows and not rows[name]["skipped"]
    }
    found: dict[str, Any] = {
        "id": case.id, "checkable": case.checkable, "papers": len(case.papers),
        "with_abstract": sum(bool(paper.abstract) for paper in case.papers),
        "gold_words": len(gold.split()), "unusable": list(case.unusable), "arms": arms,
        "counts": {name: row["counts"] for name, row in rows.items() if row["counts"]},
        "adherence": {name: row["adherence"] for name, row in rows.items() if row["adherence"]},
        "texts": {name: row["text"] for name, row in rows.items()},
    }  # fmt: skip
    for key in ("skipped", "error", "failures"):
        if noted := {name: row[key] for name, row in rows.items() if row[key]}:
            found[key] = noted
    return found


def _figures(gold: str, row: Row) -> Figures:
    """Return all measures of one run; None where one does not apply."""
    counts: Counts = {**row["counts"], **row["adherence"]}
    found: Figures = {**rouge(gold, row["text"]), "empty": float(not row["text"])}
    found |= {name: counts[name] for name in AMOUNTS if name in counts}
    for name, (part, whole) in SHARES.items():
        if counts.get(whole):
            found[name] = counts[part] / counts[whole]
    if row["adherence"]:
        found |= {name: counts[name] for name in ("sentences_more", "words_more")}
    return found | {name: row["cost"][name] for name in COSTS if name in row["cost"]}


def _group(told: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Any]:
    names = [name for name in ARMS if any(name in one["arms"] for one in told)]
    writers: dict[str, dict[str, Interval]] = {}
    paired: dict[str, dict[str, Interval]] = {}
    for name in names:
        mine = [one["arms"].get(name, {}) for one in told]
        base = [one["arms"].get(LEXRANK, {}) for one in told]
        measures = list(dict.fromkeys(key for figures in mine for key in figures))
        values = {key: [figures.get(key) for figures in mine] for key in measures}
        writers[name] = _known({key: interval(values[key], seed=seed) for key in measures})
        if name != LEXRANK:
            paired[name] = _known(
                {
                    key: difference(values[key], [one.get(key) for one in base], seed=seed)
                    for key in measures
                }
            )
    return {
        "n": len(told),
        "writers": writers,
        "minus_lexrank": paired,
        "totals": {name: _totals(told, name) for name in names},
    }


def _known(found: Mapping[str, Interval | None]) -> dict[str, Interval]:
    return {name: value for name, value in found.items() if value is not None}


def _totals(told: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    """Return the sums of all that was counted over the rows, and how far plans were missed."""
    plans = [one["adherence"][name] for one in told if name in one["adherence"]]
    sums: dict[str, float] = {"runs": sum(name in one["arms"] for one in told)}
    sums["empty"] = sum(bool(one["arms"][name]["empty"]) for one in told if name in one["arms"])
    for counts in (*(one["counts"].get(name, {}) for one in told), *plans):
        for key, value in counts.items():
            sums[key] = sums.get(key, 0) + value
    if plans:
        sums["plans"] = len(plans)
        sums["mean_sentences_more"] = fmean(abs(one["sentences_more"]) for one in plans)
        sums["largest_sentences_more"] = max(abs(one["sentences_more"]) for one in plans)
        sums["mean_words_more"] = fmean(abs(one["words_more"]) for one in plans)
    return sums
