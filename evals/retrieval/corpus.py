"""The citation graph on disk, and what is asked of it: query papers and the gold of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

from evals.json_lines import json_lines
from state.paper import Author, canonical_id, title_key
from tools.errors import InputError

PAPERS = "papers.jsonl.gz"
FIRST_WORK = 2_000_000_001
"""The number of the first paper's work in OpenAlex, as it were; the others follow."""
_SHOWN = 5
"""Most ids named in a message."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One paper of the set."""

    id: str
    """As in the data."""
    title: str
    abstract: str | None
    year: int | None
    authors: tuple[str, ...]
    venue: str | None
    references: tuple[str, ...]
    """Papers of the set; of others that it cites the source has no record, and lists none."""


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """All papers, in the order of the file."""

    records: tuple[Record, ...]

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The place of each paper by the canonical form of its id."""
        return {canonical_id(record.id): at for at, record in enumerate(self.records)}

    @cached_property
    def titled(self) -> Mapping[str, tuple[int, ...]]:
        """The places of the papers by their folded title."""
        found: dict[str, tuple[int, ...]] = {}
        for at, record in enumerate(self.records):
            key = title_key(record.title)
            found[key] = (*found.get(key, ()), at)
        return found

    def name_of(self, at: int) -> str:
        """Return the id by which a run knows the paper at a place, once OpenAlex has told of it."""
        key = canonical_id(self.records[at].id)
        return key if key.startswith(("doi:", "arxiv:")) else f"openalex:W{FIRST_WORK + at}"

    def twins(self, at: int) -> tuple[int, ...]:
        """Return the places of the paper itself and of other records of the same work."""
        mine = self.records[at]
        names = _families(mine)
        return tuple(
            other
            for other in self.titled[title_key(mine.title)]
            if other == at or not names or names & _families(self.records[other])
        )


@dataclass(frozen=True, kw_only=True)
class Case:
    """One query paper: what is searched for, what should be found, and what must be hidden."""

    id: str
    text: str
    year: int
    gold: frozenset[str]
    """Canonical ids."""
    own: tuple[str, ...]
    """Canonical ids of the paper itself and of other records of it."""
    hidden: tuple[int, ...]
    """Their places in the corpus."""


@dataclass(kw_only=True)
class Cases:
    """The query papers that can be measured, and why others cannot."""

    cases: list[Case] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """The reason, by id."""


def read_corpus(folder: Path) -> Corpus:
    """Read the papers of a citation graph.

    Raises:
        InputError: There is no such file, or a line of it is no record; the message names the line.
    """
    path = folder / PAPERS
    if not path.is_file():
        raise InputError(
            f"there is no file '{path}': --data names a folder that holds {PAPERS}, JSON lines with "
            "id, title, abstract, year and references"
        )
    records: dict[str, Record] = {}
    for number, row in json_lines(path):
        try:
            record = _record(row)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(
                f"line {number} of '{path}' is no record of a paper: {error}"
            ) from error
        records.setdefault(canonical_id(record.id), record)
    if not records:
        raise InputError(f"'{path}' holds no papers")
    return Corpus(records=tuple(records.values()))


def _record(row: Mapping[str, object]) -> Record:
    year = row.get("year")
    title = " ".join(str(row.get("title") or "").split())
    if not title or not str(row["id"]).strip():
        raise ValueError("a paper needs an id and a title")
    return Record(
        id=str(row["id"]),
        title=title,
        abstract=" ".join(str(row.get("abstract") or "").split()) or None,
        year=year if type(year) is int else None,
        authors=_texts(row.get("authors")),
        venue=str(row["venue"]) if row.get("venue") else None,
        references=_texts(row.get("references")),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value if one) if isinstance(value, list) else ()


def _families(record: Record) -> set[str]:
    return {title_key(Author(name=name).family) for name in record.authors}


def read_ids(path: Path) -> list[str]:
    """Return the ids of a file of query papers: JSON lines with `id`.

    Raises:
        InputError: The file cannot be read, is empty, or a line has no id; the message names it.
    """
    ids: list[str] = []
    for number, row in json_lines(path):
        found = row.get("id") if isinstance(row, dict) else row
        if not isinstance(found, str) or not found.strip():
            raise InputError(f"line {number} of '{path}' has no 'id'")
        ids.append(found.strip())
    if not ids:
        raise InputError(f"'{path}' holds no queries: give JSON lines with 'id'")
    return list(dict.fromkeys(ids))


def choose_cases(corpus: Corpus, ids: Sequence[str], count: int) -> Cases:
    """Return the first `count` query papers that have an abstract and gold, in the order given.

    Raises:
        InputError: An id is not in the data, or there are fewer ids than `count`.
    """
    unknown = [key for key in ids if canonical_id(key) not in corpus.positions]
    if unknown:
        shown = ", ".join(unknown[:_SHOWN]) + (" and others" if len(unknown) > _SHOWN else "")
        raise InputError(
            f"{len(unknown)} of {len(ids)} queries are not in the data: {shown}; take them out, or "
            "give the data that they belong to"
        )
    if not 1 <= count <= len(ids):
        raise InputError(f"--n {count} is not possible: the file has {len(ids)} queries")
    chosen = Cases()
    made = (_case(corpus, key, chosen.left_out) for key in ids)
    chosen.cases += islice((case for case in made if case is not None), count)
    if not chosen.cases:
        raise InputError("no query has an abstract, a year and references that could be found")
    return chosen


def _case(corpus: Corpus, key: str, left_out: dict[str, str]) -> Case | None:
    at = corpus.positions[canonical_id(key)]
    record, hidden = corpus.records[at], corpus.twins(at)
    if record.abstract is None or record.year is None:
        left_out[key] = "it has no abstract" if record.abstract is None else "it has no year"
        return None
    cited = {corpus.positions.get(canonical_id(one)) for one in record.references}
    gold = frozenset(
        corpus.name_of(one)
        for one in cited - set(hidden)
        if one is not None and _is_gold(corpus.records[one], record.year)
    )
    if not gold:
        left_out[key] = "no reference of it has an abstract and an earlier year"
        return None
    own = tuple(corpus.name_of(other) for other in hidden)
    return Case(id=key, text=record.abstract, year=record.year, gold=gold, own=own, hidden=hidden)


def _is_gold(cited: Record, year: int) -> bool:
    return bool(cited.abstract and cited.year is not None and cited.year < year)
