"""How fast passages are loaded and found on the embedded engine, and how exactly.

    python -m evals.passage_speed [--passages 100000] [--home DIR]

The passages are synthetic: vectors around some hundred centres, words by Zipf's law, papers of 50
passages each with year, venue and tags. The home is temporary unless it is named.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import quantiles

import numpy as np

from citeloom.settings import Settings
from state.document import DocumentEntry
from state.paper import Paper
from state.passage import Passage, passage_id
from tools.embed.open import embedder as process_embedder
from tools.embed.port import Vectors
from tools.library.library import Library
from tools.library.open import close_libraries, create_library
from tools.library.passages import index_filter
from tools.library.port import DENSE, Filter
from tools.retrieve.port import PassageFilter

_PER_PAPER = 50
_CENTRES = 300
_SIZE = 384
_WORDS = 120
_VOCABULARY = 30_000
_QUERIES = 200
_TOP = 10


class Synthetic:
    """An embedder whose vectors lie around centres; a text's number says which."""

    name = "synthetic"
    size = _SIZE

    def __init__(self) -> None:
        self._centres = np.random.default_rng(1).standard_normal((_CENTRES, _SIZE))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors; equal texts have equal ones."""
        rows = []
        for text in texts:
            number = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
            noise = np.random.default_rng(number).standard_normal(_SIZE)
            rows.append(self._centres[number % _CENTRES] + noise)
        vectors = np.asarray(rows, dtype=np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--passages", type=int, default=100_000)
    arguments.add_argument("--home", type=Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        settings = Settings(home=given.home or Path(temporary), qdrant_url=None)
        library = create_library("speed", settings, Synthetic())
        _load(library, given.passages)
        _ask(library)
        close_libraries()


def _load(library: Library, passages: int) -> None:
    words = np.random.default_rng(2).zipf(1.3, size=(passages, _WORDS)) % _VOCABULARY
    papers = range(passages // _PER_PAPER)
    library.add((_paper(number) for number in papers), index=False)
    start = time.perf_counter()
    for number in papers:
        library.texts.put(
            *_document(number, words[number * _PER_PAPER : (number + 1) * _PER_PAPER])
        )
    stored = time.perf_counter()
    made = library.index()
    done = time.perf_counter()
    print(
        f"stored {passages} passages in {stored - start:.1f} s: {passages / (stored - start):.0f}/s"
    )
    print(
        f"indexed {made} in {done - stored:.1f} s: {made / (done - stored):.0f}/s (synthetic vectors)"
    )
    print(f"on disk {library.stats().bytes / 1e6:.0f} MB")


def _paper(number: int) -> Paper:
    return Paper(
        id=f"doi:10.1000/p{number}", title=f"Paper {number}", year=2000 + number % 25,
        venue=f"Venue {number % 40}",
    )  # fmt: skip


def _document(number: int, words: np.ndarray) -> tuple[DocumentEntry, str, list[Passage]]:
    paper = f"doi:10.1000/p{number}"
    texts = [" ".join(f"w{word}" for word in row) for row in words]
    passages, start = [], 0
    for position, text in enumerate(texts):
        passages.append(
            Passage(
                id=passage_id(paper, text), paper=paper, title="", start=start,
                end=start + len(text), text=text, section=(f"{position // 10} Part {position // 10}",),
            )
        )  # fmt: skip
        start += len(text) + 2
    entry = DocumentEntry(
        sha256=sha256(paper.encode()).hexdigest(), paper=paper, name=f"{number}.pdf", kind="pdf",
        reader="none", tags=(f"tag{number % 10}",),
    )  # fmt: skip
    return entry, "\n\n".join(texts), passages


def _ask(library: Library) -> None:
    pages = list(library.texts.pages(2000))
    texts = [page[17].text for page in pages]
    queries = [" ".join(text.split()[:12]) for text in (texts * _QUERIES)[:_QUERIES]]
    filters = {
        "no filter": PassageFilter(),
        "year and tag": PassageFilter(first_year=2010, last_year=2014, tags=frozenset({"tag3"})),
        "ten papers": PassageFilter(papers=frozenset(f"doi:10.1000/p{n}" for n in range(10))),
        "year": PassageFilter(first_year=2015),
    }
    library.texts.search("w1", limit=1)
    for name, wanted in filters.items():
        search = partial(library.texts.search, limit=_TOP, wanted=wanted)
        _time(f"hybrid, {name}", [partial(search, query) for query in queries])
        _recall(library, queries, wanted)
    _worst(library)
    words = process_embedder()
    words.embed(queries[:2])
    _time("query embedding alone", [partial(words.embed, [query]) for query in queries])


def _recall(library: Library, queries: list[str], wanted: PassageFilter) -> None:
    index = library.vector_index.serving().engine
    conditions: Filter = index_filter(wanted, wanted.papers, ())
    found = 0.0
    for query in queries:
        vector = library.embedder.embed([query])[0]
        near, exact = (
            {hit.id for hit in index.nearest([(DENSE, vector)], _TOP, conditions, exact=how)[0]}
            for how in (False, True)
        )
        found += len(near & exact) / max(len(exact), 1)
    print(f"{'':34} recall@{_TOP} against exact search: dense {found / len(queries):.4f}")


def _worst(library: Library) -> None:
    """Ask what is like no passage at all: vectors in random directions."""
    index = library.vector_index.serving().engine
    vectors = np.random.default_rng(5).standard_normal((_QUERIES, _SIZE)).astype(np.float32)
    shares = []
    for vector in vectors:
        near, exact = (
            {hit.id for hit in index.nearest([(DENSE, vector)], _TOP, Filter(), exact=how)[0]}
            for how in (False, True)
        )
        shares.append(len(near & exact) / _TOP)
    _time(
        "dense, random directions",
        [partial(index.nearest, [(DENSE, vector)], _TOP, Filter()) for vector in vectors],
    )
    print(f"{'':34} recall@{_TOP} against exact search: dense {np.mean(shares):.4f}")


def _time(what: str, calls: list[Callable[[], object]]) -> None:
    seconds = []
    for call in calls:
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    cuts = quantiles(seconds, n=20)
    print(f"{what:34} p50 {cuts[9] * 1000:7.1f} ms   p95 {cuts[18] * 1000:7.1f} ms")


if __name__ == "__main__":
    main()
