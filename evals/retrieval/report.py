"""What a person reads: the tables, and what was left out."""

from collections.abc import Mapping
from typing import Any

from evals.intervals import Interval
from evals.retrieval.summary import POOLED
from evals.tables import bullets, costs_table, figures_table, span

_COSTS = {
    "kept": "kept", "source_calls": "source calls", "usd": "source USD", "questions": "mind asked",
    "llm_calls": "LLM calls", "seconds": "seconds", "texts": "texts", "failures": "failures",
}  # fmt: skip


def markdown(found: Mapping[str, Any]) -> str:
    """Return the figures of a benchmark as Markdown."""
    arms: Mapping[str, Mapping[str, Interval]] = found["arms"]
    settings = found["settings"]
    k = settings["k"]
    quality = {
        "coverage": "coverage", "precision_at_k": f"precision@{k}",
        "normalised_recall_at_k": f"normalised recall@{k}", "recall_at_k": f"recall@{k}",
        POOLED: f"of default's pool@{k}",
    }  # fmt: skip
    title = f"{len(found['queries'])} queries, {settings['keep']} papers kept"
    return "\n\n".join(
        (
            figures_table(title, arms, quality, span),
            costs_table("Mean cost of one query", arms, _COSTS),
            bullets(_notes(found)),
        )
    )


def _notes(found: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{name} minus default, coverage: {span(figures['coverage'], sign=True)}"
        for name, figures in found["minus_default"].items()
        if "coverage" in figures
    ]
    bfs, default = found["arms"].get("bfs", {}), found["arms"].get("default", {})
    if "calls_one_per_paper" in bfs and "source_calls" in default:
        each, ours = bfs["calls_one_per_paper"]["mean"], default["source_calls"]["mean"]
        lines.append(
            f"bfs with one call per paper would take {each:.0f} calls; default took {ours:.0f} "
            f"({ours / each:.3f} of them)" if each else "bfs followed no links"
        )  # fmt: skip
    if told := found["completeness"]:
        lines.append(
            f"completeness, as default estimated it: {told['estimated_share']:.2f}; the gold says "
            f"{told['coverage']:.2f} (n = {told['n']:.0f})"
        )
    lines += [f"{name} was not run: {why}" for name, why in found["not_run"].items()]
    lines += [f"{key} was left out: {why}" for key, why in found["left_out"].items()]
    for query in found["queries"]:
        lines += [f"{query['id']}, {arm}: {why}" for arm, why in query.get("errors", {}).items()]
    lines.append(
        "Brackets are 95 % bootstrap intervals over queries. Seconds hold no network: the source is "
        "on this machine, and vectors of texts are made once for all arms."
    )
    return lines
