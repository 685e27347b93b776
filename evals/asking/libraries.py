"""The libraries that are asked, made before any question."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from evals.asking.papers import Source
from state.document import DocumentEntry
from state.paper import Paper
from tools.embed.open_embedder import embedder
from tools.library.library import Library
from tools.library.open_library import close_libraries, create_library, open_library
from tools.library.starter_library import STARTER
from tools.retrieve.keywords import fill_missing_keywords
from tools.settings import Settings, settings

PAPERS = "papers"
"""The library of the caller's documents."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """A library that is ready to be asked."""

    name: str
    records: dict[str, Paper]
    passages: int
    vector_seconds: float
    """What it took to take the papers in and to make vectors, of records and of passages."""
    keyword_seconds: float
    """What it took to make the keywords of the passages."""


def home_at(folder: Path) -> Settings:
    """Return the process's settings with another home, and the embedded engine."""
    return settings().model_copy(update={"home": folder, "qdrant_url": None})


def build_starter(home: Path) -> Built:
    """Make the starter library, with vectors and keywords of its passages."""
    began = perf_counter()
    return _indexed(open_library(STARTER, home_at(home), embedder()), STARTER, began)


def build_papers(home: Path, sources: Sequence[Source]) -> Built:
    """Make a library of these documents, read and cut as `citeloom library add` does."""
    from tools.documents.cut_passages import cut_passages

    began = perf_counter()
    library = create_library(PAPERS, home_at(home), embedder())
    library.add([source.paper for source in sources])
    for source in sources:
        key, (kind, document) = hashlib.sha256(source.content).hexdigest(), source.read
        passages = cut_passages(
            document, paper=source.paper.id, title=source.paper.title, sha256=key
        )
        entry = DocumentEntry(
            sha256=key,
            paper=source.paper.id,
            name=source.name,
            kind=kind,
            reader=document.reader,
            passages=len(passages),
        )
        library.texts.put(entry, document.text, passages)
    return _indexed(library, PAPERS, began)


def _indexed(library: Library, name: str, began: float) -> Built:
    library.index()
    vectors = perf_counter()
    fill_missing_keywords(library)
    keywords = perf_counter()
    records = library.get(library.ids()).values()
    built = Built(
        name=name,
        records={paper.id: paper for paper in records},
        passages=library.texts.count(),
        vector_seconds=vectors - began,
        keyword_seconds=keywords - vectors,
    )
    close_libraries()
    return built
