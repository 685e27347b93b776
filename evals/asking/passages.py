"""`citeloom eval passages`: is the passage that answers among the first ten? Retrievers as in KAR's Table 1."""

import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
import typer

from evals.asking.passage_sets import (
    GOLD_SHARE,
    GOLD_STEMS,
    GOLD_TIES,
    Question,
    QuestionSet,
    read_sets,
)
from evals.figures import difference, interval
from evals.report import INTERVALS, Report
from evals.runner import Options, Suite, choose
from tools.embed.embedder import Embedder
from tools.embed.open_embedder import embedder
from tools.library.library import Library
from tools.library.open_library import close_libraries, create_library
from tools.library.search_types import PassageFilter, Retriever, RetrieverName
from tools.retrieve.keywords import fill_missing_keywords
from tools.retrieve.retriever import open_retriever
from tools.settings import Settings

ARMS: tuple[RetrieverName, ...] = get_args(RetrieverName)
K = 10


@dataclass
class Asked:
    """What one way found for all questions of a view, question by question."""

    recall: list[float] = field(default_factory=list)
    """Share of the gold passages among the first K."""
    reciprocal: list[float] = field(default_factory=list)
    """1 / the rank of the first gold passage among the first K, else 0."""
    seconds: list[float] = field(default_factory=list)
    """Time from the question to its passages (KAR's context time, without the answer)."""


@dataclass
class Measured:
    """One view of one set: all ways on the same questions."""

    view: str
    passages: int
    questions: int
    build: dict[str, float]
    """Seconds: 'vectors' for dense vectors and terms, 'keywords' for keywords beside these."""
    arms: dict[RetrieverName, Asked]


def measure(made: QuestionSet, half: str, home: Path, embedder: Embedder) -> list[Measured]:
    """Build a set's library in `home` and ask; papers' questions of their paper and of all."""
    settings = Settings(home=home, qdrant_url=None, _env_file=None)  # type: ignore[call-arg]
    library = create_library(made.name.replace("_", "-"), settings, embedder)
    try:
        build = _build(made, library, embedder)
        ways = {name: open_retriever(name, library) for name in ARMS}
        questions = made.half(half)
        views = [("", questions, False)]
        if any(question.paper for question in questions):
            views = [(", its paper", questions, True), (", all papers", questions, False)]
        return [
            Measured(
                view=f"{made.name}{suffix}",
                passages=library.texts.count(),
                questions=len(asked),
                build=build,
                arms={name: _ask(way, asked, within=within) for name, way in ways.items()},
            )
            for suffix, asked, within in views
        ]
    finally:
        close_libraries()


def _build(made: QuestionSet, library: Library, embedder: Embedder) -> dict[str, float]:
    library.add(made.papers.values(), index=False)
    for text in made.texts:
        library.texts.put(text.entry, text.text, text.passages)
    embedder.embed(["the model is loaded before the clock starts"])
    started = time.perf_counter()
    library.index()
    indexed = time.perf_counter()
    fill_missing_keywords(library)
    return {"vectors": indexed - started, "keywords": time.perf_counter() - indexed}


def _ask(way: Retriever, questions: Sequence[Question], *, within: bool) -> Asked:
    found = Asked()
    if questions:  # opens files and fills caches, which a session does once
        way.retrieve(questions[0].text, limit=K, wanted=PassageFilter())
    for question in questions:
        papers = frozenset({question.paper}) if within and question.paper else frozenset[str]()
        started = time.perf_counter()
        hits = way.retrieve(question.text, limit=K, wanted=PassageFilter(papers=papers))
        found.seconds.append(time.perf_counter() - started)
        ids = [hit.passage for hit in hits]
        found.recall.append(len(question.gold & set(ids)) / len(question.gold))
        ranks = [rank for rank, key in enumerate(ids, 1) if key in question.gold]
        found.reciprocal.append(1 / ranks[0] if ranks else 0.0)
    return found


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
