"""One library: filled, indexed, and asked every question in every way."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from evals.passages.sets import Question, QuestionSet
from tools.embed.embedder import Embedder
from tools.library.library import Library
from tools.library.open_library import close_libraries, create_library
from tools.library.search_types import PassageFilter, RetrieverName
from tools.retrieve.keywords import fill_missing_keywords
from tools.retrieve.retriever import Retriever
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
        ways = {name: Retriever(name, library) for name in ARMS}
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
