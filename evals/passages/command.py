"""`citeloom eval passages`: retrievers side by side, as in KAR's Table 1."""

import tempfile
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from evals.intervals import difference, interval
from evals.passages.sets import GOLD_SHARE, GOLD_STEMS, GOLD_TIES, QuestionSet, read_sets
from evals.passages.trial import ARMS, Asked, K, Measured, measure
from evals.runner import Options, Suite, choose
from evals.tables import INTERVALS, Report
from tools.embed.open_embedder import embedder


@dataclass(frozen=True, kw_only=True)
class PassagesOptions(Options):
    """The command as given."""

    data: Annotated[Path, typer.Option(help="A folder with question sets.")]
    half: Annotated[Literal["held-out", "tuning", "all"], typer.Option(help="Which questions.")] = (
        "held-out"
    )
    sets: Annotated[str, typer.Option(metavar="A,B", help="Which sets; all if left out.")] = ""


class Passages(Suite[PassagesOptions]):
    """Measure how often each retriever finds the passage that answers a question, and how fast."""

    def prepare(self) -> None:
        """Read the sets."""
        sets = {made.name: made for made in read_sets(self.options.data)}
        self.chosen = [sets[name] for name in choose(self.options.sets, list(sets), "set")]

    def rows(self) -> Generator[dict[str, Any]]:
        """Measure each set."""
        options = self.options
        with tempfile.TemporaryDirectory() as home:
            for made in self.chosen:
                views = measure(made, options.half, Path(home), embedder())
                for view in views:
                    yield _figures(view, made, options.seed)

    def outcome(self, row: dict[str, Any]) -> str:
        """Say which set was measured."""
        return f"{row['view']}: {row['questions']} questions"

    def failed(self, row: dict[str, Any]) -> bool:
        """Whether nothing was asked."""
        return not row["questions"]

    def found(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        return {
            "settings": {
                "data": str(options.data),
                "half": options.half,
                "k": K,
                "seed": options.seed,
                "embedder": embedder().name,
            },
            "views": list(rows),
        }

    def markdown(self, found: dict[str, Any]) -> str:
        """Return a table for each set."""
        tables = {}
        for view in found["views"]:
            title = (
                f"{view['view']}: {view['questions']} of {view['qualify']} questions that qualify "
                f"({view['asked']} in the file), {view['passages']} passages of {view['documents']} documents"
            )
            tables[title] = view["arms"]
            minus = {f"hybrid minus {name}": it for name, it in view["hybrid_minus"].items()}
            tables[f"{view['view']}, recall"] = {"": minus}
        note = (
            f"In papers_with_questions a question qualifies whose answer has {GOLD_STEMS} content stems "
            f"or more and stands, by a share of {GOLD_SHARE} of them, in at most {GOLD_TIES} passages. "
            f"{INTERVALS} The build is the time for vectors, or for keywords beside vectors that are there."
        )
        return Report(tables, [note]).markdown()


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
        "context_ms_p50": float(np.median(times)),
        "context_ms_p95": float(np.percentile(times, 95)),
    }
