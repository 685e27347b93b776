"""Make a slice of OpenAlex's dump: DuckDB reads and filters its files into Parquet, SQLite indexes that.

Each file of the dump becomes a part of its own, so a build that was stopped goes on with the next
file, and later files of the dump are added to what is there. Neither step holds the works in memory.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from state.merging import ids_of
from state.paper import Paper, known_since
from tools.errors import InputError, counted, how_to_install
from tools.scholar.openalex_format import FIELDS, read_work
from tools.scholar.snapshot import INDEX, OpenAlexSlice, slice_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_INSTALL = f"a slice is built with DuckDB: {how_to_install('snapshot')}"
_FILTERS, _PARTS = "filters.json", "parts"
_KINDS = (".gz", ".jsonl", ".json", ".ndjson")
_BATCH = 1000
_LEVELS = ("", ".subfield", ".field", ".domain")
_NAMES = ", ".join(
    f"json_extract_string(json, '$.topics[*]{level}.display_name')" for level in _LEVELS
)
_TOPICS = f"list_transform(flatten([{_NAMES}]), lambda name: lower(name))"

_FIELDS = (*(name for name in FIELDS if name != "authorships"), "display_name", "ids")
"""What a paper is made of, beside its authors' names; a work of OpenAlex holds some thirty fields more."""
_PART = f"""
SELECT TRY_CAST(regexp_extract(json->>'id', '(\\d+)$') AS BIGINT) AS number,
    coalesce(json->>'updated_date', '') AS updated,
    CAST(json_object(
        'authorships', list_transform(json_extract_string(json, '$.authorships[*].author.display_name'),
            lambda name: {{'author': {{'display_name': name}}}}),
        {", ".join(f"'{name}', json_extract(json, '{name}')" for name in _FIELDS)}
    ) AS VARCHAR) AS record
FROM read_ndjson_objects($file, ignore_errors = true)
WHERE number IS NOT NULL
"""
_NEWEST = """
SELECT number, record, updated FROM read_parquet($parts)
QUALIFY row_number() OVER (PARTITION BY number ORDER BY updated DESC) = 1 ORDER BY number
"""
_SCHEMA = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
CREATE TABLE works (
    number INTEGER PRIMARY KEY, first TEXT, last TEXT, cited_by INTEGER NOT NULL, record BLOB NOT NULL
);
CREATE TABLE keys (key TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE links (cited INTEGER, citing INTEGER, PRIMARY KEY (cited, citing)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (title, abstract, content = '', tokenize = 'porter unicode61');
CREATE TABLE slice (day TEXT NOT NULL, told TEXT NOT NULL);
"""


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which works of the dump are taken; what is left empty takes all."""

    first_year: int | None = None
    last_year: int | None = None
    fields: tuple[str, ...] = ()
    """Names of topics, subfields, fields or domains, one of which a work must be of."""
    languages: tuple[str, ...] = ()
    """Codes such as 'en'."""
    abstracts: bool = False
    """Whether only works with an abstract are taken."""

    def told(self) -> str:
        """Say which works are taken, for a person."""
        years = f"{self.first_year or ''}-{self.last_year or ''}"
        abstracts = "with abstract" if self.abstracts else ""
        parts = (
            "" if years == "-" else years,
            ", ".join(self.fields),
            ", ".join(self.languages),
            abstracts,
        )
        return "; ".join(filter(None, parts)) or "all works"

    def conditions(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield conditions of SQL, and what they name."""
        year = "TRY_CAST(json->>'publication_year' AS INTEGER)"
        if self.first_year is not None:
            yield f"{year} >= $first", {"first": self.first_year}
        if self.last_year is not None:
            yield f"{year} <= $last", {"last": self.last_year}
        if self.languages:
            yield "list_contains($languages, json->>'language')", {"languages": self.languages}
        if self.abstracts:
            yield "json_type(json->'abstract_inverted_index') = 'OBJECT'", {}
        if self.fields:
            wanted = [name.casefold() for name in self.fields]
            yield f"list_has_any({_TOPICS}, $fields)", {"fields": wanted}


def build(
    sources: Sequence[Path], out: Path, filters: Filters, tell: Callable[[str], None]
) -> OpenAlexSlice:
    """Add files of OpenAlex's dump (works, JSON lines, gzip or not) to a slice, and return what it holds then.

    Args:
        sources: Files, and folders that hold them.
        out: The slice's folder, made where there is none.
        filters: Which works are taken.
        tell: Takes a line for each step.

    Raises:
        InputError: DuckDB is not installed, a file cannot be read, or the folder's works were chosen otherwise.
    """
    duckdb = _duckdb()
    files = sorted({one for source in sources for one in _files(source)})
    parts = out / _PARTS
    parts.mkdir(parents=True, exist_ok=True)
    _keep(out / _FILTERS, filters)
    with closing(duckdb.connect(config={"temp_directory": str(out / "tmp")})) as engine:
        engine.execute(
            "SET memory_limit = '2GB'; SET threads = 2; SET preserve_insertion_order = false"
        )
        for at, file in enumerate(files, 1):
            part = parts / f"{_digest(file)}.parquet"
            if not part.exists():
                try:
                    _make_part(engine, file, part, filters)
                except duckdb.Error as error:
                    raise InputError(
                        f"'{file}' cannot be read as JSON lines ({str(error).splitlines()[0]}): fetch it again "
                        "and give the same command; the files before it are done"
                    ) from error
            tell(f"read {at} of {counted(len(files), 'file')}: {file.name}")
        _make_index(engine, parts, out / INDEX, filters, tell)
    return slice_of(out)


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise InputError(_INSTALL) from error
    return duckdb


def _files(source: Path) -> Iterator[Path]:
    found = [one for one in source.rglob("*") if one.suffix in _KINDS] if source.is_dir() else []
    if not found and not source.is_file():
        raise InputError(f"'{source}' is neither a dump file nor a folder with .gz or .jsonl files")
    yield from (one.resolve() for one in found or [source])


def _keep(path: Path, filters: Filters) -> None:
    """Remember the filters, which hold for all files of a slice."""
    told = json.dumps(asdict(filters))
    if path.exists() and path.read_text("utf-8") != told:
        before = Filters(**json.loads(path.read_text("utf-8")))
        raise InputError(
            f"'{path.parent}' holds a slice of other works ({before.told()}): name another folder, "
            "or give the same choice of works"
        )
    path.write_text(told, "utf-8")


def _digest(file: Path) -> str:
    """Return a name for a file as it is now."""
    found = file.stat()
    return sha256(f"{file}|{found.st_size}|{found.st_mtime_ns}".encode()).hexdigest()[:20]


def _make_part(engine: "DuckDBPyConnection", file: Path, part: Path, filters: Filters) -> None:
    query = _PART
    given: dict[str, object] = {"file": str(file)}
    for condition, named in filters.conditions():
        query, given = f"{query} AND {condition}", given | named
    half = part.with_suffix(".half")
    engine.sql(query, params=given).write_parquet(str(half), compression="zstd")
    half.replace(part)


def _make_index(
    engine: "DuckDBPyConnection",
    parts: Path,
    path: Path,
    filters: Filters,
    tell: Callable[[str], None],
) -> None:
    half = path.with_suffix(".half")
    half.unlink(missing_ok=True)
    rows = engine.execute(_NEWEST, {"parts": str(parts / "*.parquet")})
    done, day = 0, ""
    with closing(sqlite3.connect(half)) as index:
        index.executescript(_SCHEMA)
        while batch := rows.fetchmany(_BATCH):
            works = [
                (number, paper)
                for number, text, _ in batch
                if (paper := read_work(json.loads(text)))
            ]
            _put(index, works)
            done, day = done + len(works), max(day, *(updated for _, _, updated in batch))
            tell(f"indexed {counted(done, 'work')}")
        index.execute("INSERT INTO slice VALUES (?, ?)", (day[:10], filters.told()))
        index.commit()
        index.execute("PRAGMA journal_mode = DELETE")
    half.replace(path)


def _put(index: sqlite3.Connection, works: Iterable[tuple[int, Paper]]) -> None:
    index.executemany(
        "INSERT INTO works VALUES (?, ?, ?, ?, ?)",
        [
            (
                number,
                *_days(paper),
                paper.cited_by or 0,
                zlib.compress(paper.model_dump_json().encode(), 1),
            )
            for number, paper in works
        ],
    )
    # Two records of one work may bear one DOI: the later one has it.
    keys = [(key, number) for number, paper in works for key in ids_of(paper)]
    index.executemany("INSERT OR REPLACE INTO keys VALUES (?, ?)", keys)
    links = [
        (int(key.removeprefix("openalex:W")), number)
        for number, paper in works
        for key in paper.references
    ]
    index.executemany("INSERT OR IGNORE INTO links VALUES (?, ?)", links)
    words = [(number, paper.title, paper.abstract or "") for number, paper in works]
    index.executemany("INSERT INTO words (rowid, title, abstract) VALUES (?, ?, ?)", words)


def _days(paper: Paper) -> tuple[str | None, str | None]:
    """Return the first and the last day on which a paper may have appeared, as a preprint or elsewhere."""
    given, year = paper.published, paper.year
    if given is None and year is None:
        return None, None
    first = given or date(year or 0, 1, 1)
    since = known_since(given, year, paper.arxiv) or first
    last = given or date(year or 0, 12, 31)
    return min(first, since).isoformat(), last.isoformat()
