"""`citeloom eval passages`: retrievers side by side, as in KAR's Table 1."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evals.passages.sets import GOLD_SHARE, GOLD_STEMS, GOLD_TIES, QuestionSet, read_sets
from evals.passages.trial import ARMS, Asked, K, Measured, measure
from evals.retrieval.intervals import Interval, difference, interval
from evals.side_by_side import quiet
from tools.embed.open import embedder
from tools.errors import CiteLoomError, InputError

if TYPE_CHECKING:
    from rich.console import Console

HALVES = ("held-out", "tuning", "all")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command as given."""

    data: Path
    half: str = "held-out"
    sets: str = ""
    json: Path | None = None
    seed: int = 0


def run(options: Options) -> int:
    """Measure vectors, keywords and hybrid on question sets in a folder; return the exit code.

    0: it was measured. 1: it could not go on. 2: what was given cannot be used.
    """
    from rich.console import Console

    console, errors = Console(), Console(stderr=True)
    try:
        found = _measure(options, errors)
    except CiteLoomError as error:
        errors.print(f"Error: {error}", markup=False, highlight=False, soft_wrap=True)
        return 2 if isinstance(error, InputError) else 1
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    tell(found, console)
    return 0


def _measure(options: Options, errors: "Console") -> dict[str, Any]:
    if options.half not in HALVES:
        raise InputError(f"--half cannot be '{options.half}': choose {', '.join(HALVES)}")
    chosen = _choose(read_sets(options.data), options.sets)
    views: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as home, quiet():
        for made in chosen:
            with errors.status(f"{made.name}: {len(made.texts)} documents"):
                measured = measure(made, options.half, Path(home), embedder())
            views += [_figures(view, made, options.seed) for view in measured]
    return {
        "settings": {
            "data": str(options.data), "half": options.half, "k": K, "seed": options.seed,
            "embedder": embedder().name,
        },
        "views": views,
    }  # fmt: skip


def _choose(sets: Sequence[QuestionSet], names: str) -> list[QuestionSet]:
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    known = [made.name for made in sets]
    if unknown := [name for name in wanted if name not in known]:
        raise InputError(f"there is no set {', '.join(unknown)}: there are {', '.join(known)}")
    return [made for made in sets if not wanted or made.name in wanted]


def _figures(view: Measured, made: QuestionSet, seed: int) -> dict[str, Any]:
    build = {
        "vectors": view.build["vectors"],
        "hybrid": view.build["vectors"],
        "keywords": view.build["keywords"],
    }
    hybrid = view.arms["hybrid"]
    return {
        "view": view.view,
        "passages": view.passages,
        "documents": len(made.texts),
        "asked": made.asked,
        "qualify": len(made.questions),
        "questions": view.questions,
        "arms": {name: {**_row(view.arms[name], seed), "build_s": build[name]} for name in ARMS},
        "hybrid_minus": {
            name: difference(hybrid.recall, view.arms[name].recall, seed=seed)
            for name in ARMS
            if name != "hybrid"
        },
    }


def _row(asked: Asked, seed: int) -> dict[str, Any]:
    times = np.array(asked.seconds or [0.0]) * 1000
    return {
        "recall": interval(asked.recall, seed=seed),
        "mrr": interval(asked.reciprocal, seed=seed),
        "context_ms": {"p50": float(np.median(times)), "p95": float(np.percentile(times, 95))},
    }


def tell(found: dict[str, Any], console: "Console") -> None:
    """Print the figures."""
    settings = found["settings"]
    lines = [f"# Passages: {settings['half']} questions, embedder {settings['embedder']}"]
    for view in found["views"]:
        lines += [
            "",
            f"## {view['view']}: {view['questions']} of {view['qualify']} questions that qualify "
            f"({view['asked']} in the file), {view['passages']} passages of {view['documents']} "
            "documents",
            "",
            f"| retriever | recall@{K} | MRR@{K} | context time p50 / p95, ms | build, s |",
            "|---|---|---|---|---|",
        ]
        for name, row in view["arms"].items():
            time = row["context_ms"]
            lines.append(
                f"| {name} | {_span(row['recall'])} | {_span(row['mrr'])} "
                f"| {time['p50']:.1f} / {time['p95']:.1f} | {row['build_s']:.1f} |"
            )
        differences = [
            f"{name} {_span(value, sign=True)}" for name, value in view["hybrid_minus"].items()
        ]
        lines += ["", f"Recall of hybrid minus that of {'; '.join(differences)}."]
    lines += [
        "",
        f"In papers_with_questions a question qualifies whose answer has {GOLD_STEMS} content stems "
        f"or more and stands, by a share of {GOLD_SHARE} of them, in at most {GOLD_TIES} passages. "
        "Brackets are 95 % bootstrap intervals over questions. Build is the time for vectors, or "
        "for keywords beside vectors that are there.",
    ]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _span(value: Interval | None, *, sign: bool = False) -> str:
    if value is None:
        return "–"
    form = "+.3f" if sign else ".3f"
    return f"{value['mean']:{form}} [{value['low']:{form}}, {value['high']:{form}}]"
