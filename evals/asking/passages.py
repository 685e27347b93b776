"""`citeloom eval passages`: is the passage that answers among the first ten? Retrievers as in KAR's Table 1."""

import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from tools.library.search_types import PassageFilter, RetrieverName
from tools.retrieve.keywords import fill_missing_keywords
from tools.retrieve.retriever import Retriever
from tools.settings import Settings

ARMS: tuple[RetrieverName, ...] = get_args(RetrieverName)
K = 10


def measure(
    made: QuestionSet, half: str, home: Path, embedder: Embedder, seed: int
) -> Iterator[dict[str, Any]]:
    """Build a set's library in `home` and ask; yield the figures, of papers' questions of their paper and of all.

    `build_s` are seconds: for dense vectors and terms, or for keywords beside these.
    """
    settings = Settings(home=home, qdrant_url=None, _env_file=None)  # type: ignore[call-arg]
    library = create_library(made.name.replace("_", "-"), settings, embedder)
    try:
        build = _build(made, library, embedder)
        questions = made.half(half)
        whole = any(question.paper for question in questions)
        for suffix in (", its paper", ", all papers") if whole else ("",):
            asked = {
                name: _ask(Retriever(name, library), questions, within="its" in suffix)
                for name in ARMS
            }
            yield {
                "view": f"{made.name}{suffix}",
                "passages": library.texts.count(),
                "documents": len(made.texts),
                "asked": made.asked,
                "qualify": len(made.questions),
                "questions": len(questions),
                "arms": {
                    name: {**_figures(one, seed), "build_s": build[name]}
                    for name, one in asked.items()
                },
                "hybrid_minus": {
                    name: difference(asked["hybrid"]["recall"], one["recall"], seed=seed)
                    for name, one in asked.items()
                    if name != "hybrid"
                },
            }
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
    vectors = indexed - started
    return {"vectors": vectors, "hybrid": vectors, "keywords": time.perf_counter() - indexed}


def _ask(way: Retriever, questions: Sequence[Question], *, within: bool) -> dict[str, list[float]]:
    """Return of each question the recall, 1 / the rank of the first gold passage, and the milliseconds."""
    found: dict[str, list[float]] = {"recall": [], "mrr": [], "context_ms": []}
    if questions:  # opens files and fills caches, which a session does once
        way.retrieve(questions[0].text, limit=K, wanted=PassageFilter())
    for question in questions:
        papers = frozenset({question.paper}) if within and question.paper else frozenset[str]()
        started = time.perf_counter()
        hits = way.retrieve(question.text, limit=K, wanted=PassageFilter(papers=papers))
        found["context_ms"].append(1000 * (time.perf_counter() - started))
        ids = [hit.passage for hit in hits]
        found["recall"].append(len(question.gold & set(ids)) / len(question.gold))
        ranks = [rank for rank, key in enumerate(ids, 1) if key in question.gold]
        found["mrr"].append(1 / ranks[0] if ranks else 0.0)
    return found


def _figures(asked: Mapping[str, list[float]], seed: int) -> dict[str, Any]:
    p50, p95 = np.percentile(asked["context_ms"] or [0.0], [50, 95])
    return {
        "recall": interval(asked["recall"], seed=seed),
        "mrr": interval(asked["mrr"], seed=seed),
        "context_ms_p50": float(p50),
        "context_ms_p95": float(p95),
    }


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
                yield from measure(made, options.half, Path(home), embedder(), options.seed)

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
