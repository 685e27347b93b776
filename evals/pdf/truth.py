"""What is known of the papers that the benchmark reads: truth.jsonl, and GROBID's JSON beside a PDF."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.data_files import json_lines

_BEFORE, _BEHIND = 90, 25
"""Characters about a citation by which its place is found again."""


@dataclass(frozen=True)
class Work:
    """One work that the list of references names."""

    label: str
    id: str
    """A DOI or an address; empty where it is unknown."""
    title: str


@dataclass(frozen=True)
class Context:
    """A paragraph, and the labels that each of its sentences cites."""

    text: str
    cites: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Mention:
    """One citation of one work, with the words about it."""

    around: str
    title: str


@dataclass(frozen=True)
class Parsed:
    """One paragraph of GROBID's: its text, and the title of each citation's work, if linked."""

    text: str
    spans: tuple[tuple[int, int, str | None], ...]


@dataclass(frozen=True)
class Truth:
    """What is known of one file."""

    file: str
    group: str
    """The folder it stands in, such as 'acm'."""
    title: str
    abstract: str
    numbered: bool
    count: int | None
    """Entries of the list of references, where all are known."""
    works: tuple[Work, ...]
    headings: tuple[str, ...]
    texts: tuple[str, ...]
    contexts: tuple[Context, ...]
    parsed: tuple[Parsed, ...]
    """GROBID's paragraphs."""

    @property
    def mentions(self) -> list[Mention]:
        """GROBID's citations that are linked to an entry."""
        return [
            Mention(one.text[max(0, start - _BEFORE) : end + _BEHIND], title)
            for one in self.parsed
            for start, end, title in one.spans
            if title
        ]


def read_truth(folder: Path) -> list[Truth]:
    """Return what a folder's truth.jsonl says, a file a line."""
    return [truth_of(row, folder) for _, row in json_lines(folder / "truth.jsonl")]


def truth_of(row: Mapping[str, Any], folder: Path) -> Truth:
    """Return one line's truth, with the citations that a JSON file of the same name has."""
    file = str(row["file"])
    sections: Sequence[Any] = row.get("sections") or ()
    beside = (folder / file).with_suffix(".json")
    parsed = json.loads(beside.read_text("utf-8")) if beside.is_file() else {}
    return Truth(
        file=file,
        group=Path(file).parent.name,
        title=row["title"],
        abstract=row["abstract"] or "",
        numbered=row.get("citation_style") == "numbered",
        count=row.get("n_references"),
        works=tuple(
            Work(str(one["label"] or ""), one["id"] or "", one["title"] or "")
            for one in row.get("references") or ()
        ),
        headings=tuple(s["heading"] if isinstance(s, dict) else s for s in sections),
        texts=tuple(s["text"] for s in sections if isinstance(s, dict)),
        contexts=tuple(
            Context(one["text"], tuple(map(tuple, one["cites"])))
            for one in row.get("contexts") or ()
        ),
        parsed=tuple(_parsed(parsed)),
    )


def _parsed(parsed: Mapping[str, Any]) -> Iterator[Parsed]:
    inner = parsed.get("pdf_parse") or {}
    titles = {key: one.get("title") for key, one in (inner.get("bib_entries") or {}).items()}
    for paragraph in inner.get("body_text") or ():
        spans = (
            (one["start"], one["end"], titles.get(one.get("ref_id") or "") or None)
            for one in paragraph.get("cite_spans") or ()
        )
        yield Parsed(paragraph["text"], tuple(spans))
