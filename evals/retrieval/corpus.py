"""The citation graph on disk, and what is asked of it: query papers or questions, and the gold of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from evals.trials import Cases, json_lines
from state.paper import Author, Paper, canonical_id, title_key
from state.value import FrozenModel
from tools.bibliography.read_record import RecordError
from tools.errors import InputError

_LAX = ConfigDict(extra="ignore", str_strip_whitespace=True)


def _as_day(given: object) -> object:
    text = str(given)
    return date.fromisoformat(f"{text}-01-01" if text.isdigit() and len(text) == 4 else text)


class Sought(FrozenModel):
    """A paper that a question should find, by its id or its title."""

    model_config = _LAX

    id: str = ""
    title: str = ""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        found = {"id": given} if isinstance(given, str) else given
        if isinstance(found, dict) and not (found.get("id") or found.get("title")):
            raise ValueError("gold has neither 'id' nor 'title'")
        return found


class Query(FrozenModel):
    """A query paper by its id, or a question."""

    model_config = _LAX

    id: str = Field(min_length=1)
    text: str = ""
    """The question; empty for a paper, whose abstract is the text."""
    gold: tuple[Sought, ...] = ()
    before: Annotated[date, BeforeValidator(_as_day)] | None = None

    @model_validator(mode="after")
    def _answered(self) -> "Query":
        if self.text and not self.gold:
            raise ValueError("a 'text' and no 'gold'")
        return self


def read_queries(path: Path) -> list[Query]:
    """Return the queries of a file of JSON lines, each id once.

    A line has `id`, of a paper; or of a question: `id`, `text`, `gold` (ids, or objects with `id` and
    `title`) and perhaps `before` (a day or a year).

    Raises:
        InputError: The file cannot be read, is empty, or a line is no query; the message names it.
    """
    found: dict[str, Query] = {}
    for number, row in json_lines(path):
        try:
            query = Query.model_validate(row if isinstance(row, dict) else {"id": row})
        except ValidationError as error:
            first = error.errors()[0]
            where = f"'{first['loc'][0]}'" if first["loc"] else "it"
            raise InputError(
                f"line {number} of '{path}' is no query, see {where}: {first['msg']}"
            ) from error
        found.setdefault(query.id, query)
    if not found:
        raise InputError(f"'{path}' holds no queries: give JSON lines with 'id'")
    return list(found.values())


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
    """One query: what is searched for, what should be found, and what must be hidden."""

    id: str
    text: str
    before: date | None
    """Only works before this day are to be found."""
    gold: frozenset[str]
    """Canonical ids."""
    cited: frozenset[str] = frozenset()
    """Of a query paper all references that can be found, those without an abstract too: what a section would cite."""
    own: tuple[str, ...]
    """Canonical ids of the paper itself and of other records of it."""
    hidden: tuple[int, ...]
    """Their places in the corpus."""
    lacking: int = 0
    """Gold of a question that the corpus does not hold, or only after the day."""
    named: Mapping[str, str] = field(default_factory=dict)
    """The gold by each name under which a source may know it, where there is no corpus."""

    @property
    def until(self) -> int | None:
        """The first year whose works are hidden: their years are all that a corpus knows of them."""
        if self.before is None:
            return None
        return self.before.year + ((self.before.month, self.before.day) != (1, 1))

    def name_of(self, paper: Paper) -> str:
        """Return the id by which the gold, if it has this paper, names it."""
        return next(
            (
                self.named[key]
                for key in ((paper.id, *paper.aliases, _titled(paper.title)))
                if key in self.named
            ),
            paper.id,
        )


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


def choose_cases(corpus: Corpus | None, queries: Sequence[Query], count: int) -> Cases[Case]:
    """Return the first `count` queries that have gold and, if papers, an abstract, in the order given.

    Without a corpus they are questions whose gold the sources can know, by an id of theirs or a title.

    Raises:
        InputError: A query paper is not in the data, there are fewer queries than `count`, or none can be measured.
    """
    ids = [query.id for query in queries if not query.text]
    if corpus is None and ids:
        raise InputError(f"'{ids[0]}' is a query paper: name the data that has it with --data")
    unknown = [key for key in ids if corpus and canonical_id(key) not in corpus.positions]
    if unknown:
        shown = ", ".join(unknown[:_SHOWN]) + (" and others" if len(unknown) > _SHOWN else "")
        raise InputError(
            f"{len(unknown)} of {len(ids)} queries are not in the data: {shown}; take them out, or "
            "give the data that they belong to"
        )
    if not 1 <= count <= len(queries):
        raise InputError(f"--n {count} is not possible: the file has {len(queries)} queries")
    chosen = Cases[Case]()
    for query in queries:
        if len(chosen.cases) == count:
            break
        try:
            chosen.cases.append(_case_of(corpus, query))
        except RecordError as error:
            chosen.left_out[query.id] = str(error)
    if not chosen.cases:
        raise InputError(
            f"no query can be measured, the first because {next(iter(chosen.left_out.values()))}"
        )
    return chosen


def _case_of(corpus: Corpus | None, query: Query) -> Case:
    """Return a case; RecordError says why there is none."""
    if corpus is None:
        return _live(query)
    return _asked(corpus, query) if query.text else _paper(corpus, query)


def _asked(corpus: Corpus, query: Query) -> Case:
    case = Case(
        id=query.id, text=query.text, before=query.before, gold=frozenset(), own=(), hidden=()
    )
    places = [_place(corpus, one) for one in query.gold]
    shown = [at for at in places if at is not None and _is_shown(corpus.records[at], case)]
    if not shown:
        raise RecordError(f"the data holds none of its {len(places)} gold papers before its day")
    return replace(
        case, gold=frozenset(map(corpus.name_of, shown)), lacking=len(places) - len(shown)
    )


def _live(query: Query) -> Case:
    golds = [names for one in query.gold if (names := _names(one))]
    if not golds:
        raise RecordError("no source knows its gold: it has neither titles nor DOIs or the like")
    return Case(
        id=query.id,
        text=query.text,
        before=query.before,
        gold=frozenset(names[0] for names in golds),
        own=(),
        hidden=(),
        lacking=len(query.gold) - len(golds),
        named={name: names[0] for names in golds for name in names},
    )


def _names(sought: Sought) -> list[str]:
    names = ((canonical_id(sought.id) if sought.id else "local:"), _titled(sought.title))
    return [name for name in names if not name.startswith("local:") and name != "title:"]


def _titled(title: str) -> str:
    return f"title:{title_key(title)}"


def _place(corpus: Corpus, sought: Sought) -> int | None:
    """Return where a paper stands that a question's gold names."""
    at = corpus.positions.get(canonical_id(sought.id)) if sought.id else None
    return (
        at
        if at is not None
        else next(
            iter(corpus.titled.get(title_key(sought.title), ()) if sought.title else ()), None
        )
    )


def _is_shown(record: Record, case: Case) -> bool:
    return case.until is None or (record.year is not None and record.year < case.until)


def _paper(corpus: Corpus, query: Query) -> Case:
    at = corpus.positions[canonical_id(query.id)]
    record, hidden = corpus.records[at], corpus.twins(at)
    if record.abstract is None or record.year is None:
        raise RecordError("it has no abstract" if record.abstract is None else "it has no year")
    cited = {corpus.positions.get(canonical_id(one)) for one in record.references}
    case = Case(
        id=query.id,
        text=record.abstract,
        before=date(record.year, 1, 1),
        gold=frozenset(),
        own=tuple(map(corpus.name_of, hidden)),
        hidden=hidden,
    )
    earlier = [
        at for at in cited - set(hidden) if at is not None and _is_shown(corpus.records[at], case)
    ]
    gold = frozenset(corpus.name_of(at) for at in earlier if corpus.records[at].abstract)
    if not gold:
        raise RecordError("no reference of it has an abstract and an earlier year")
    return replace(case, gold=gold, cited=frozenset(map(corpus.name_of, earlier)))
