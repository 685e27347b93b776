"""The rows of a data set of related-work sections: a target, what it cites, and what its authors wrote."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from state.paper import Paper
from tools.bibliography.read_record import RecordError, paper_from
from tools.errors import InputError

_GZIP = b"\x1f\x8b"
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


class _RowError(ValueError):
    """The row cannot be used; the message says why."""


def read_cases(path: Path, count: int | None = None) -> Cases:
    """Return the first `count` rows that can be used, or all of them.

    Raises:
        InputError: The file cannot be read, `count` is below 1, or no row can be used.
    """
    if count is not None and count < 1:
        raise InputError(f"--n must be 1 or more, not {count}")
    found = Cases()
    found.cases += islice(_cases(_lines(path), found.left_out), count)
    if not found.cases:
        why = "; ".join(f"{name}: {reason}" for name, reason in islice(found.left_out.items(), 3))
        raise InputError(
            f"'{path}' holds no row that can be used{f' ({why})' if why else ''}: give JSON lines with "
            "id, target, gold_related_work and cited"
        )
    return found


def _lines(path: Path) -> list[bytes]:
    try:
        raw = path.read_bytes()
        if raw[:2] == _GZIP:
            raw = gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"the data '{path}' cannot be read: {error}; give a file of JSON lines, plain or gzip"
        ) from error
    return raw.splitlines()


def _cases(lines: Sequence[bytes], left_out: dict[str, str]) -> Iterator[Case]:
    """Yield the row of each line that has one; the reason of each other line is noted."""
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name = f"line {number}"
        try:
            row = json.loads(line)
            if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"].strip():
                name = row["id"].strip()
            if name in seen:
                name = f"line {number}"
                raise _RowError("an earlier row has its id")
            case = _case(name, row)
        except (_RowError, RecordError) as error:
            left_out[name] = str(error)
        except ValueError as error:
            left_out[name] = f"it is no JSON: {error}"
        else:
            seen.add(name)
            yield case


def _case(name: str, row: object) -> Case:
    if not isinstance(row, dict):
        raise _RowError("it is no JSON object")
    target = row.get("target")
    if not isinstance(target, dict):
        raise _RowError("it has no target")
    abstract = _words(target.get("abstract"))
    if not abstract:
        raise _RowError("its target has no abstract")
    gold = row.get("gold_related_work")
    if not isinstance(gold, str) or not gold.strip():
        raise _RowError("it has no gold_related_work to compare with")
    cited = row.get("cited")
    if not isinstance(cited, list) or not cited:
        raise _RowError("it cites nothing")
    papers, places, unusable = _papers(cited)
    if not papers:
        raise _RowError(f"none of the {len(cited)} papers that it cites has a title")
    return Case(
        id=name, title=_words(target.get("title")), abstract=abstract, gold=gold.strip(),
        sentences=_sentences(row.get("gold_sentences")), papers=tuple(papers.values()),
        places=places, unusable=tuple(unusable),
    )  # fmt: skip


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
            paper = paper_from({**entry, "authors": _authors(entry.get("authors"))})
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
    if not isinstance(given, list):
        return ()
    found: list[GoldSentence] = []
    for item in given:
        if not isinstance(item, dict) or not (text := _words(item.get("text"))):
            continue
        cites = item.get("cites")
        keys = [str(key) for key in cites] if isinstance(cites, list) else []
        found.append(GoldSentence(text=text, cites=tuple(dict.fromkeys(keys))))
    return tuple(found)


def _words(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
