"""What a person reads: the tables, and what was left out."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from evals.retrieval.intervals import Interval
from evals.retrieval.summary import POOLED

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PLOTTED = {
    "coverage": "Coverage: share of the references found among the papers kept",
    "normalised_recall_at_k": "Normalised recall@k: how much of what was found comes first",
    "source_calls": "Calls to sources for one query",
}


def tell(found: Mapping[str, Any], console: "Console") -> None:
    """Print the figures of a benchmark as two tables."""
    arms: Mapping[str, Mapping[str, Interval]] = found["arms"]
    settings = found["settings"]
    k = settings["k"]
    quality = {
        "coverage": "coverage", "precision_at_k": f"precision\n@{k}",
        "normalised_recall_at_k": f"normalised\nrecall@{k}", "recall_at_k": f"recall\n@{k}",
        POOLED: f"of default's\npool@{k}",
    }  # fmt: skip
    cost = {
        "kept": "kept", "source_calls": "source\ncalls", "usd": "source\nUSD",
        "questions": "mind\nasked", "llm_calls": "LLM\ncalls", "seconds": "sec-\nonds",
        "texts": "texts", "failures": "fail-\nures",
    }  # fmt: skip
    count = len(found["queries"])
    console.print(_table(arms, quality, f"{count} queries, {settings['keep']} papers kept", _share))
    console.print(_table(arms, cost, "Mean cost of one query", _amount))
    for line in _notes(found):
        console.print(line, markup=False, highlight=False)


def _table(
    arms: Mapping[str, Mapping[str, Interval]],
    columns: Mapping[str, str],
    title: str,
    write: Callable[[Interval], str],
) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("arm", no_wrap=True)
    for heading in columns.values():
        table.add_column(heading, justify="right")
    for name, figures in arms.items():
        cells = (write(figures[key]) if key in figures else "" for key in columns)
        table.add_row(name, *cells)
    return table


def _share(found: Interval) -> str:
    return f"{found['mean']:.3f}\n{found['low']:.2f}–{found['high']:.2f}"


def _amount(found: Interval) -> str:
    mean = found["mean"]
    return f"{mean:.4f}" if 0 < abs(mean) < 1 else f"{mean:.1f}"


def _notes(found: Mapping[str, Any]) -> list[str]:
    lines = [f"{name} minus default, coverage: {_span(figures['coverage'])}"
             for name, figures in found["minus_default"].items() if "coverage" in figures]  # fmt: skip
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
    if not found["complete"]:
        lines.append("Stopped before the end: the figures are of what was done until then.")
    lines.append("Brackets are 95 % bootstrap intervals over queries. Seconds hold no network: the "
                 "source is on this machine, and vectors of texts are made once for all arms.")  # fmt: skip
    return lines


def _span(found: Interval) -> str:
    return f"{found['mean']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f})"
