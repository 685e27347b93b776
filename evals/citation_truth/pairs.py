"""The pairs: true sentences about papers, and the same made false, from data the user gives."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from evals.citation_truth.falsify import KINDS, falsified
from evals.json_lines import json_lines
from state.paper import Paper
from tools.bibliography.read_record import RecordError, paper_from
from tools.documents.cut_passages import cut_passages
from tools.documents.open_document import read_document
from tools.text.self_reference import name_authors
from tools.text.sentences import split_sentences

GIVEN = 600
"""Papers of which sentences are taken, in the order of a hash of their ids."""
_BARE = re.compile(r"\[[\d,\s–-]+\]|https?://|[{}]")


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence that cites one paper, and whether the paper says it."""

    paper: Paper
    text: str
    """With the marker {P1}."""
    true: bool
    kind: str
    """How it was made false; 'own' for a paper's own sentence, 'paraphrase' for a person's, 'elsewhere'
    for the own sentence of another paper."""
    source: str
    """The sentence of the paper that it was made of; empty for a paraphrase."""
    passage: str = ""
    """The passage of the full text in which it stands, where it is at hand; else the abstract is."""

    @property
    def held_out(self) -> bool:
        """Whether it belongs to the half that nobody tunes on."""
        return _hash(self.paper.id) % 2 == 1


def load(data: Path, each: int) -> list[Case]:
    """Return the cases: `each` pairs of each kind, and every gold sentence that cites one paper.

    Args:
        data: A folder with citation_graph/papers.jsonl.gz and related_work/related_work.jsonl.gz.
        each: Pairs of each kind.
    """
    rows = [row for _, row in json_lines(data / "citation_graph" / "papers.jsonl.gz")]
    wanted = sorted((row for row in rows if row["abstract"]), key=lambda row: _hash(row["id"]))
    papers = [paper for row in wanted if (paper := _paper(row))]
    works = [row for _, row in json_lines(data / "related_work" / "related_work.jsonl.gz")]
    pairs = list(_pairs(papers, each))
    return [*pairs, *_elsewhere([case for case in pairs if case.true]), *_paraphrases(works)]


def load_full_texts(folder: Path, each: int) -> list[Case]:
    """Return cases of the bodies of documents: sentences that do not stand in the abstract.

    Args:
        folder: Documents, and a truth.jsonl with file, id, title, abstract and year of each.
        each: Pairs of each kind.
    """
    bodies: list[tuple[Paper, str]] = []
    for _, row in json_lines(folder / "truth.jsonl"):
        if row.get("abstract") and (paper := _paper(row)):
            content = (folder / row["file"]).read_bytes()
            _, document = read_document(content, name=row["file"])
            passages = cut_passages(document, paper=paper.id, title=paper.title, sha256=_NO_HASH)
            bodies += [(paper, " ".join(item.text.split())) for item in passages]
    others = [sentence for _, passage in bodies for sentence in _sentences(passage)]
    cases: list[Case] = []
    left = dict.fromkeys(KINDS, each)
    for paper, passage in sorted(bodies, key=lambda body: _hash(body[1])):
        dice = Random(_hash(passage))
        given = [
            one
            for one in _sentences(passage)
            if one not in (paper.abstract or "") and not _CITES.search(one)
        ]
        for kind in sorted(left, key=lambda kind: -left[kind]):
            if left[kind] and (pair := _pair(paper, given, kind, others, dice)):
                left[kind] -= 1
                cases += [replace(case, passage=passage) for case in pair]
                break
    return [*cases, *_elsewhere([case for case in cases if case.true])]


_NO_HASH = "0" * 64
_CITES = re.compile(r"et al\.|\(\D*\d{4}\w?\)|^(?:Figure|Table) ")
"""A sentence that cites others, or a caption."""


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _paper(row: dict[str, Any]) -> Paper | None:
    fields = ("id", "title", "abstract", "year", "authors")
    try:
        return paper_from({key: row.get(key) for key in fields})
    except RecordError:
        return None


def _pairs(papers: Sequence[Paper], each: int) -> Iterator[Case]:
    others = [sentence for paper in papers[:GIVEN] for sentence in _sentences(paper.abstract or "")]
    left = dict.fromkeys(KINDS, each)
    for paper in papers:
        dice = Random(_hash(paper.id))
        # One pair a paper; the kind that is rarest so far first.
        for kind in sorted(left, key=lambda kind: -left[kind]):
            if left[kind] and (
                pair := _pair(paper, _sentences(paper.abstract or ""), kind, others, dice)
            ):
                left[kind] -= 1
                yield from pair
                break
        if not any(left.values()):
            return


def _elsewhere(own: Sequence[Case]) -> Iterator[Case]:
    """Say of each paper what another one says."""
    for case, other in zip(own, [*own[1:], *own[:1]], strict=True):
        text = f"{other.source.rstrip('.')} {{P1}}."
        yield Case(case.paper, text, False, "elsewhere", case.source, case.passage)


def _pair(
    paper: Paper, sentences: Sequence[str], kind: str, others: Sequence[str], dice: Random
) -> tuple[Case, Case] | None:
    for source in sentences:
        if changed := falsified(source, kind, others, dice):
            form = dice.choice(("quoted", "attributed", "bare"))
            said, lied = (_formed(text, paper, form) for text in (source, changed))
            return Case(paper, said, True, "own", source), Case(paper, lied, False, kind, source)
    return None


def _formed(text: str, paper: Paper, form: str) -> str:
    name, several = paper.citation, len(paper.authors) > 1
    if form == "attributed" and (turned := name_authors(text, f"{name} {{P1}}", several)):
        return turned
    if form == "quoted":
        return f"{name} {{P1}} write{'' if several else 's'}: “{text}”"
    return f"{text.rstrip('.')} {{P1}}."


def _sentences(given: str) -> list[str]:
    spans = [" ".join(span.text.split()) for span in split_sentences(given)]
    return [
        text
        for text in spans
        if 8 <= len(text.split()) <= 40
        and text[0].isupper()
        and text.endswith(".")
        and not _BARE.search(text)
    ]


def _paraphrases(works: Sequence[dict[str, Any]]) -> Iterator[Case]:
    for work in works:
        cited = {row["key"]: row for row in work["cited"] if row["abstract"] and row["title"]}
        for item in work.get("gold_sentences") or ():
            keys, text = set(item["cites"]), item["text"]
            if len(keys) != 1 or not keys <= cited.keys():
                continue
            row = cited[keys.pop()]
            paper = _paper(row)
            if paper and (marked := _marked(text, row["key"], paper)):
                yield Case(paper, marked, True, "paraphrase", "")


def _marked(text: str, key: str, paper: Paper) -> str | None:
    """Put the marker where the citation stands, by number or by author and year."""
    if f"[{key}]" in text:
        return text.replace(f"[{key}]", "{P1}")
    if not paper.authors:
        return None
    family = re.escape(paper.authors[0].family)
    marked, count = re.subn(rf"\(?{family}[^()]{{0,40}}\(?\d{{4}}[a-z]?\)", "{P1}", text, count=1)
    return marked if count else None
