"""What a person reads: the tables in Markdown, and what was left out."""

from collections.abc import Iterator, Mapping
from typing import Any

from evals.tables import amount, bullets, count, share, span, table
from evals.writing.measures import VERDICTS

_ROUGE = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}
_HONEST = {
    "citations resolve": ("resolved", "citations"),
    "cited sentences with verified quotes": ("quoted", "citing"),
    "papers cited or explained": ("accounted", "given"),
}
_COSTS = {
    "seconds": "seconds", "questions": "questions to the mind", "llm_calls": "LLM calls",
    "input_tokens": "tokens in", "output_tokens": "tokens out", "usd": "USD",
}  # fmt: skip
_SHOWN = 12
"""Most failures of runs that are listed."""


def markdown(found: Mapping[str, Any]) -> str:
    """Return the figures of a benchmark as Markdown."""
    settings = found["settings"]
    blocks = [f"# Writing: {settings['data']}, mind: {settings['mind']}"]
    for name, title in (
        ("checkable", "Rows with abstracts"),
        ("no_abstracts", "Rows whose papers all lack abstracts: nothing in them can be checked"),
    ):
        if found[name]["n"]:
            blocks += [f"## {title} ({found[name]['n']})", *_tables(found[name])]
    blocks.append(bullets(_notes(found)))
    return "\n\n".join(blocks)


def _tables(group: Mapping[str, Any]) -> Iterator[str]:
    yield _likeness(group)
    yield _differences(group)
    yield _honest(group)
    yield _verdicts(group)
    if any("plans" in totals for totals in group["totals"].values()):
        yield _adherent(group)
    yield _dear(group)


def _likeness(group: Mapping[str, Any]) -> str:
    rows = [
        [name, str(int(group["totals"][name]["runs"]))]
        + [span(figures.get(key)) for key in (*_ROUGE, "words", "sentences")]
        for name, figures in group["writers"].items()
    ]
    heads = ["writer", "runs", *_ROUGE.values(), "words", "sentences"]
    return table("Likeness to the gold (F1, mean [95 % interval])", heads, rows)


def _differences(group: Mapping[str, Any]) -> str:
    rows = [
        [name, *(span(figures.get(key), sign=True) for key in _ROUGE)]
        for name, figures in group["minus_lexrank"].items()
    ]
    return table("Minus `lexrank`, row by row", ["writer", *_ROUGE.values()], rows)


def _honest(group: Mapping[str, Any]) -> str:
    rows = []
    for name, totals in group["totals"].items():
        shares = [share(totals, part, whole) for part, whole in _HONEST.values()]
        written = int(totals["runs"] - totals["empty"])
        passed = f"{totals['passed']:.0f}/{written}" if "passed" in totals else ""
        rows.append([name, *shares, count(totals, "repeated"), passed, count(totals, "empty")])
    heads = ["writer", *_HONEST, "sentences repeated", "audits passed", "nothing written"]
    return table("Honesty, over all rows", heads, rows)


def _verdicts(group: Mapping[str, Any]) -> str:
    rows = [
        [name, count(totals, "citations"), *(count(totals, key) for key in VERDICTS)]
        for name, totals in group["totals"].items()
    ]
    heads = ["writer", "citations", *(key.replace("_", " ") for key in VERDICTS)]
    return table("Verdicts on citations", heads, rows)


def _adherent(group: Mapping[str, Any]) -> str:
    rows = []
    for name, totals in group["totals"].items():
        if "plans" not in totals:
            continue
        rows.append(
            [name, count(totals, "plans"), share(totals, "lines_right", "lines"),
             share(totals, "citing_right", "citing_lines"), share(totals, "in_place", "places"),
             share(totals, "said_right", "lines"),
             f"{totals['mean_sentences_more']:.2f} ({totals['largest_sentences_more']:.0f})",
             f"{100 * totals['mean_words_more']:.0f} %"]
        )  # fmt: skip
    heads = ["writer", "plans", "lines right, by place", "citing lines right, in order",
             "citations in place", "lines right, as the audit says", "sentences off: mean (largest)",
             "words off: mean"]  # fmt: skip
    return table("Adherence to the plan of the gold", heads, rows)


def _dear(group: Mapping[str, Any]) -> str:
    rows = []
    for name, figures in group["writers"].items():
        rows.append([name, *(amount(figures.get(key), key) for key in _COSTS)])
    return table("Mean cost of one section", ["writer", *_COSTS.values()], rows)


def _notes(found: Mapping[str, Any]) -> list[str]:
    lines = [f"{name} was left out: {why}" for name, why in found["left_out"].items()]
    skipped: dict[tuple[str, str], list[str]] = {}
    failures: list[str] = []
    for case in found["cases"]:
        for name, why in case.get("skipped", {}).items():
            skipped.setdefault((name, why), []).append(case["id"])
        failures += [f"{case['id']}, {name}: {why}" for name, why in case.get("error", {}).items()]
    for (name, why), ids in skipped.items():
        rows = f"{len(ids)} rows" if len(ids) > 1 else "1 row"
        lines.append(f"{name} was not run on {rows}: {why}")
    lines += failures[:_SHOWN]
    if len(failures) > _SHOWN:
        lines.append(
            f"{len(failures) - _SHOWN} more runs wrote nothing; the JSON file has them all"
        )
    unusable = sum(len(case["unusable"]) for case in found["cases"])
    if unusable:
        lines.append(f"{unusable} cited works have no usable record in the data and were not given")
    lines.append("Brackets are 95 % bootstrap intervals over rows. A run that wrote nothing counts 0 "
                 "in ROUGE; in honesty it has nothing to count.")  # fmt: skip
    return lines
