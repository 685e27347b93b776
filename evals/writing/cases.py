"""The rows of a data set of related-work sections: a target, what it cites, and what its authors wrote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from evals.json_lines import json_lines
from state.paper import Paper
from tools.bibliography.read_record import RecordError, paper_from
from tools.errors import InputError

MOST_PAPERS = 200
"""As many as a section may cite."""


@dataclass(frozen=True, kw_only=True)
class GoldSentence:
    """One sentence that the authors wrote, and the papers it cites by the data's key."""

    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Case:
    """One target paper, the papers that its section cites, and the section."""

    id: str
    title: str
    abstract: str
    gold: str
    sentences: tuple[GoldSentence, ...] = ()
    """Empty where the data does not divide the section."""
    papers: tuple[Paper, ...]
    places: Mapping[str, int]
    """Where each paper stands in `papers`, by the key that the gold cites it by."""
    unusable: tuple[str, ...] = ()
    """What the section cites and the data does not describe, with the reason."""

    @property
    def checkable(self) -> bool:
        """Whether any paper has an abstract, so that what is said of it can be checked."""
        return any(paper.abstract for paper in self.papers)


@dataclass
class Cases:
    """The rows that can be used, and why the others cannot."""

    cases: list[Case] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Reasons by the row's id, or by its line where it has none."""


def read_cases(path: Path, count: int | None = None) -> Cases:
    """Return the first `count` rows that can be used, or all of them.

    Raises:
        InputError: The file cannot be read, or no row can be used.
    """
    found, seen = Cases(), set[str]()
    for number, row in json_lines(path):
        if len(found.cases) == count:
            break
        name = _words(row.get("id") if isinstance(row, dict) else None) or f"line {number}"
        try:
            if name in seen:
                name = f"line {number}"
                raise RecordError("an earlier row has its id")
            found.cases.append(_case(name, row))
            seen.add(name)
        except RecordError as error:
            found.left_out[name] = str(error)
    if not found.cases:
        why = "; ".join(f"{name}: {reason}" for name, reason in islice(found.left_out.items(), 3))
        raise InputError(
            f"'{path}' holds no row that can be used{f' ({why})' if why else ''}: give JSON lines with "
            "id, target, gold_related_work and cited"
        )
    return found


def _case(name: str, row: object) -> Case:
    whole = row if isinstance(row, dict) else {}
    target, cited = whole.get("target"), whole.get("cited")
    title, abstract = (
        _words(target.get(key) if isinstance(target, dict) else None)
        for key in ("title", "abstract")
    )
    gold = whole.get("gold_related_work")
    if not abstract:
        raise RecordError("its target has no abstract")
    if not isinstance(gold, str) or not gold.strip():
        raise RecordError("it has no gold_related_work to compare with")
    if not isinstance(cited, list) or not cited:
        raise RecordError("it cites nothing")
    papers, places, unusable = _papers(cited)
    if not papers:
        raise RecordError(f"none of the {len(cited)} papers that it cites has a title")
    return Case(
        id=name,
        title=title,
        abstract=abstract,
        gold=gold.strip(),
        sentences=_sentences(whole.get("gold_sentences")),
        papers=tuple(papers.values()),
        places=places,
        unusable=tuple(unusable),
    )


def _papers(cited: Sequence[object]) -> tuple[dict[str, Paper], dict[str, int], list[str]]:
    papers: dict[str, Paper] = {}
    places: dict[str, int] = {}
    unusable: list[str] = []
    for number, entry in enumerate(cited, 1):
        key = str(entry.get("key") or "") if isinstance(entry, dict) else ""
        name = key or f"entry {number}"
        try:
            if not isinstance(entry, dict):
                raise RecordError("it is no JSON object")
            more = {"title": _title(entry, name), "authors": _authors(entry.get("authors"))}
            paper = paper_from({**entry, **more})
        except ValueError as error:
            unusable.append(f"{name}: {error}")
            continue
        if paper.id not in papers and len(papers) == MOST_PAPERS:
            unusable.append(f"{name}: a section cites at most {MOST_PAPERS} papers")
            continue
        papers.setdefault(paper.id, paper)
        if key:
            places.setdefault(key, list(papers).index(paper.id))
    return papers, places, unusable


def _title(entry: Mapping[str, object], name: str) -> object:
    """Return the title; of a work that has an abstract and none, the name by which the data knows it."""
    given = entry.get("title")
    return f"Work {name}" if not given and _words(entry.get("abstract")) else given


def _authors(given: object) -> object:
    """Return a list of names, also where all stand in one text that ends in three dots."""
    if not isinstance(given, str):
        return given
    whole = given.strip()
    bare = whole.rstrip(".… ")
    if not bare:
        return []
    return [bare, "others"] if whole.endswith(("...", "…")) else [bare]


def _sentences(given: object) -> tuple[GoldSentence, ...]:
    found: list[GoldSentence] = []
    for item in given if isinstance(given, list) else []:
        if isinstance(item, dict) and (text := _words(item.get("text"))):
            keys = dict.fromkeys(map(str, item.get("cites") or ()))
            found.append(GoldSentence(text=text, cites=tuple(keys)))
    return tuple(found)


def _words(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
