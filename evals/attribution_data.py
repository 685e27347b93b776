"""Query papers of a citation graph, each with its references and its nearest other papers."""

import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

from state.paper import Paper, canonical_id
from tools.library.bm25 import document_terms, query_terms

_FEWEST, _MOST = 5, 0.5
"""Relevant papers of a case: at least so many, and at most that share of the papers ranked."""


@dataclass(frozen=True)
class Case:
    """One query paper and the papers to rank for it, nearest first."""

    id: str
    text: str
    papers: Sequence[Paper]
    relevant: frozenset[str]

    @property
    def relevant_titles(self) -> frozenset[str]:
        """The titles of the relevant papers, by which a mind is told of them."""
        return frozenset(paper.title for paper in self.papers if paper.id in self.relevant)


class Words:
    """BM25 over all papers of the set."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._places: dict[int, list[tuple[str, float]]] = defaultdict(list)
        for key, text in texts.items():
            terms = document_terms(text)
            for term, weight in zip(terms.indices, terms.values, strict=True):
                self._places[term].append((key, weight))
        self._count = len(texts)

    def near(self, text: str) -> list[str]:
        """Return the papers that share a word with the text, nearest first."""
        worth: dict[str, float] = defaultdict(float)
        query = query_terms(text)
        for term in query.indices if query else ():
            having = self._places.get(term, [])
            rarity = log(1 + (self._count - len(having) + 0.5) / (len(having) + 0.5))
            for key, weight in having:
                worth[key] += rarity * weight
        return sorted(worth, key=lambda key: (-worth[key], key))


def read_cases(data: Path, queries: Path, count: int, candidates: int) -> list[Case]:
    """Return the first `count` query papers that have enough relevant papers.

    Relevant are a query paper's references in the set with an abstract and an earlier year; papers
    of its year or later, and those without an abstract, are not among the candidates.
    """
    with gzip.open(data / "papers.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = {row["id"]: row for row in map(json.loads, file) if row["abstract"]}
    words = Words({key: f"{row['title']}\n{row['abstract']}" for key, row in rows.items()})
    cases: list[Case] = []
    with queries.open(encoding="utf-8") as file:
        for query in map(json.loads, file):
            if len(cases) == count:
                break
            if query["id"] in rows and (case := _case(query["id"], rows, words, candidates)):
                cases.append(case)
    if not cases:
        raise SystemExit(f"no paper of {queries} has {_FEWEST} references in {data}")
    return cases


def _case(
    key: str, rows: Mapping[str, dict[str, Any]], words: Words, candidates: int
) -> Case | None:
    row = rows[key]
    near = [other for other in words.near(row["abstract"]) if rows[other]["year"] < row["year"]]
    cited = set(row["references"])
    relevant = [other for other in near if other in cited][: int(_MOST * candidates)]
    if len(relevant) < _FEWEST:
        return None
    others = [other for other in near if other not in cited]
    chosen = {*relevant, *others[: candidates - len(relevant)]}
    papers = [_paper(rows[other]) for other in near if other in chosen]
    return Case(
        id=canonical_id(key), text=row["abstract"], papers=papers,
        relevant=frozenset(canonical_id(other) for other in relevant),
    )  # fmt: skip


def _paper(row: Mapping[str, Any]) -> Paper:
    return Paper(
        id=canonical_id(row["id"]), title=row["title"], abstract=row["abstract"], year=row["year"]
    )
