"""Papers and decisions from files of others: tables (CSV), and notes of RIS files.

Decisions are those that CiteLoom, ASReview and Rayyan write.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from state.paper import Paper, canonical_id, title_key
from state.screening import Choice, ScreeningDecision, Stage
from state.value import FrozenModel
from tools.bibliography.read_record import BadRecord, RecordError, bad_record, paper_from
from tools.bibliography.read_records import decoded_text, read_records, read_whole
from tools.errors import InputError
from tools.screening.screening import Screening

MARKS: Mapping[str, tuple[str, ...]] = {
    "include": ("CiteLoom: include", "ASReview_relevant"),
    "exclude": ("CiteLoom: exclude", "ASReview_irrelevant"),
    "maybe": ("CiteLoom: maybe",),
    "not_retrieved": ("CiteLoom: not_retrieved",),
}
"""Notes that tell a decision, as they are written; Rayyan's are also read."""
REASON = "CiteLoom reason: "
_WORDS: Mapping[str, Choice] = {
    **dict.fromkeys(("include", "included", "yes", "1", "relevant"), "include"),
    **dict.fromkeys(("exclude", "excluded", "no", "0", "irrelevant"), "exclude"),
    **dict.fromkeys(("maybe", "unclear"), "maybe"),
    **dict.fromkeys(("not_retrieved", "not retrieved"), "not_retrieved"),
}
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id",),
    "title": ("title", "primary_title", "article title", "document title"),
    "abstract": ("abstract", "abstract note"),
    "doi": ("doi",),
    "year": ("year", "publication year", "publication_year"),
    "authors": ("authors", "author", "author full names"),
    "venue": ("venue", "journal", "source title", "publication title"),
    "url": ("url", "link"),
    "decision": ("decision", "included", "label", "label_included"),
    "reason": ("reason", "criterion number"),
    "note": ("note", "notes"),
    "screener": ("screener",),
    "stage": ("stage",),
}
"""What a column may be called, in lower case; others are left out."""


def read_papers_to_screen(path: Path) -> Iterator[Paper | BadRecord]:
    """Yield the papers of a file, CSV too, and what of it could not be read.

    Raises:
        InputError: The file cannot be read, or is a table without titles.
    """
    if path.suffix.lower() != ".csv":
        yield from read_records(path)
        return
    for number, row in _rows(path, "title"):
        try:
            listed = row.pop("authors", "").replace(" and ", ";").split(";")
            names = [name.strip() for name in listed if name.strip()]
            notes: list[str] = []
            filled = {name: worth for name, worth in row.items() if worth}
            yield paper_from({**filled, "authors": names}, notes)
            yield from (bad_record(number, note, row["title"], lost=False) for note in notes)
        except RecordError as error:
            yield bad_record(number, str(error), " ".join(row.values()))


class Records(FrozenModel):
    """The papers of a source to be screened."""

    source: str
    papers: tuple[Paper, ...]
    faults: tuple[str, ...] = ()
    """What could not be read: LINE: REASON."""
    sha256: str = ""
    """Of a file's bytes."""


def read_screening_file(path: str, name: str) -> Records:
    """Return the papers of a file, which a person knows by a name."""
    read = [*read_papers_to_screen(Path(path))]
    return Records(
        source=name,
        papers=tuple(one for one in read if isinstance(one, Paper)),
        faults=tuple(f"{one.line}: {one.reason}" for one in read if isinstance(one, BadRecord)),
        sha256=sha256(Path(path).read_bytes()).hexdigest(),
    )


def read_decisions(
    path: Path, screening: Screening, by: str, stage: Stage
) -> tuple[list[ScreeningDecision], int]:
    """Return a screener's decisions from a file, and how many of its records are not in the screening.

    Papers are known by id, DOI or title. A file that names its screeners tells those of `by` alone.

    Raises:
        InputError: The file has no decision that can be used, or says one in words that are not known.
    """
    known = {
        key: paper.id
        for paper in screening.papers.values()
        for key in (title_key(paper.title), *paper.aliases, paper.id)
    }
    found: list[ScreeningDecision] = []
    unknown = 0
    told = _of_table(path, by, stage) if path.suffix.lower() == ".csv" else _of_notes(path, by)
    for keys, choice, reason, note in told:
        paper = next((known[key] for key in keys if key in known), "")
        unknown += not paper
        if paper:
            found.append(
                ScreeningDecision(
                    paper=paper, stage=stage, by=by, decision=choice, reason=reason, note=note
                )
            )
    if not found:
        raise InputError(f"{path.name} has no decision of {by} on a paper of this screening")
    return found, unknown


Told = tuple[tuple[str, ...], Choice, str, str]


def _of_table(path: Path, by: str, stage: Stage) -> Iterator[Told]:
    for number, row in _rows(path, "decision"):
        if row.get("screener", by) != by or row.get("stage", stage) != stage:
            continue
        said = row.get("decision", "").casefold()
        if said and said not in _WORDS:
            raise InputError(
                f"{path.name}, line {number}: '{row['decision']}' is no decision: write include, exclude or maybe"
            )
        if said:
            ids = [canonical_id(row[name]) for name in ("id", "doi") if row.get(name)]
            keys = (*ids, title_key(row.get("title", "")))
            yield keys, _WORDS[said], row.get("reason", ""), row.get("note", "")


def _of_notes(path: Path, by: str) -> Iterator[Told]:
    marks = {mark: _WORDS[choice] for choice, told in MARKS.items() for mark in told}
    for paper in read_records(path):
        if isinstance(paper, BadRecord) or not paper.record:
            continue
        notes = [value for tag, value in paper.record.fields if tag in {"N1", "KW"}]
        said = [(marks.get(note) or _of_rayyan(note, by), note) for note in notes]
        reasons = [note.removeprefix(REASON) for note in notes if note.startswith(REASON)]
        # A file that was written twice has the later notes behind the earlier.
        choice, note = next((one for one in reversed(said) if one[0]), (None, ""))
        if choice:
            keys = (paper.id, *paper.aliases, title_key(paper.title))
            reason = reasons[-1].partition(" ")[0] if reasons else ""
            yield keys, choice, reason, note


def _of_rayyan(note: str, by: str) -> Choice | None:
    """Return what Rayyan's note tells of a screener; where it names one alone, of that one."""
    told = note.partition("RAYYAN-INCLUSION:")[2].partition("}")[0].replace("=>", ":")
    try:
        said = json.loads(told + "}")
    except ValueError:  # another note
        return None
    word = next(iter(said.values())) if len(said) == 1 else said.get(by)
    return _WORDS.get(str(word).casefold())


def _rows(path: Path, needed: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a table by the names of `_COLUMNS`, with the numbers of their lines."""
    text, _ = decoded_text(read_whole(path))
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    lines = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        heads = [one.strip().casefold() for one in next(lines, [])]
        names = {
            heads.index(other): name
            for name, others in _COLUMNS.items()
            for other in others[::-1]
            if other in heads
        }
        if needed not in names.values():
            raise InputError(
                f"{path.name} has no column '{needed}'; it has: {', '.join(heads) or 'none'}"
            )
        for row in lines:
            if any(row):
                yield (
                    lines.line_num,
                    {name: row[at].strip() for at, name in names.items() if at < len(row)},
                )
    except csv.Error as error:
        raise InputError(f"{path.name}, line {lines.line_num}: {error}") from error
