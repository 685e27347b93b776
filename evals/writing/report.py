"""What a person reads: the tables in Markdown, and what was left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from evals.tables import (
    broken_runs,
    bullets,
    costs_table,
    count,
    figures_table,
    share,
    signed,
    span,
    table,
)
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
    heads = {**_ROUGE, "words": "words", "sentences": "sentences"}
    title = "Likeness to the gold (F1, mean [95 % interval])"
    yield figures_table(title, group["writers"], heads, span, "writer")
    title = "Minus `lexrank`, row by row"
    yield figures_table(title, group["minus_lexrank"], _ROUGE, signed, "writer")
    yield _honest(group)
    yield _verdicts(group)
    if any("plans" in totals for totals in group["totals"].values()):
        yield _adherent(group)
    yield costs_table("Mean cost of one section", group["writers"], _COSTS, "writer")


def _honest(group: Mapping[str, Any]) -> str:
    rows = []
    for name, totals in group["totals"].items():
        shares = [share(totals, part, whole) for part, whole in _HONEST.values()]
        written = int(totals["runs"] - totals["empty"])
        passed = f"{totals['passed']:.0f}/{written}" if "passed" in totals else ""
        runs = [count(totals, key) for key in ("runs", "empty")]
        rows.append([name, *shares, count(totals, "repeated"), passed, *runs])
    heads = ["writer", *_HONEST, "sentences repeated", "audits passed", "runs", "nothing written"]
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


def _notes(found: Mapping[str, Any]) -> list[str]:
    lines = [f"{name} was left out: {why}" for name, why in found["left_out"].items()]
    skipped = Counter(why for case in found["cases"] for why in case.get("skipped", {}).items())
    lines += [f"{name} was not run on {n} rows: {why}" for (name, why), n in skipped.items()]
    lines += broken_runs(found["cases"])
    unusable = sum(len(case["unusable"]) for case in found["cases"])
    if unusable:
        lines.append(f"{unusable} cited works have no usable record in the data and were not given")
    lines.append("Brackets are 95 % bootstrap intervals over rows. A run that wrote nothing counts 0 "
                 "in ROUGE; in honesty it has nothing to count.")  # fmt: skip
    return lines
