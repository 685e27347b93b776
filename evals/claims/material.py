"""What claims are held against: the text of the papers that a question needs, whole or the passages nearest to them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.asking.cases import Case, read_questions
from evals.asking.papers import Source, read_papers
from nodes.ask.search_passages import record_passage
from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.documents.cut_passages import cut_passages
from tools.embed.embedder import Embedder, Vectors
from tools.library.starter_library import starter_papers
from tools.library.vector_index import ScoredPoint, bm25, fused

_WHOLE = 12
"""Passages of a paper that are shown whole; of a longer one those nearest to the claims."""
_EACH = 3
"""Passages shown for each claim."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Questions, and the papers that they need."""

    cases: Sequence[Case]
    records: Mapping[str, Paper]
    passages: Mapping[str, Sequence[str]]
    embedder: Embedder
    _vectors: dict[str, Vectors] = field(default_factory=dict)

    @property
    def years(self) -> dict[str, int]:
        """The years of the papers, where they are known."""
        return {key: paper.year for key, paper in self.records.items() if paper.year}

    def shown(self, case: Case, claims: Sequence[str]) -> list[dict[str, str]]:
        """Return what these claims are held against, in reading order. CPU-bound."""
        return [
            {"paper": self.records[key].title, "text": text}
            for key in case.papers
            for text in (*self._record(key), *self._near(key, claims))
        ]

    def _record(self, key: str) -> list[str]:
        paper = self.records[key]
        return [record_passage(paper).text] if paper.authors or paper.year else []

    def _near(self, key: str, claims: Sequence[str]) -> list[str]:
        passages = self.passages[key]
        if len(passages) <= _WHOLE:
            return list(passages)
        if key not in self._vectors:
            self._vectors[key] = self.embedder.embed(passages)
        near = self.embedder.embed(claims) @ self._vectors[key].T
        picked: set[int] = set()
        for claim, row in zip(claims, near, strict=True):
            meant = [ScoredPoint(place, float(score)) for place, score in enumerate(row)]
            words = [ScoredPoint(place, score) for place, score in enumerate(bm25(claim, passages))]
            both = fused([meant, [one for one in words if one.score > 0]], _EACH)
            picked |= {one.id for one in both}
        return [passages[place] for place in sorted(picked)]


def read_material(data: Path | None, embedder: Embedder) -> Material:
    """Return the questions of a file with their papers, or the packaged ones with the starter library's.

    Raises:
        InputError: The file cannot be read.
    """
    if data is not None:
        read = read_papers(data)
        return Material(
            cases=read.cases,
            records={item.paper.id: item.paper for item in read.sources},
            passages={item.paper.id: _passages(item) for item in read.sources},
            embedder=embedder,
        )
    with starter_papers() as path:
        records = {item.id: item for item in read_records(path) if isinstance(item, Paper)}
    return Material(
        cases=read_questions(),
        records=records,
        embedder=embedder,
        passages={key: [paper.abstract or paper.title] for key, paper in records.items()},
    )


def _passages(source: Source) -> list[str]:
    key = hashlib.sha256(source.content).hexdigest()
    paper = source.paper
    return [
        item.text
        for item in cut_passages(source.read[1], paper=paper.id, title=paper.title, sha256=key)
    ]
