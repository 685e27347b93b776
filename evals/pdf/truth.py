"""What is known of the papers that the benchmark reads: truth.jsonl, and GROBID's JSON beside a PDF."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.json_lines import json_lines

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
    mentions: tuple[Mention, ...]


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
        mentions=tuple(_mentions(parsed)),
    )


def _mentions(parsed: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield the citations of GROBID's JSON that are linked to an entry."""
    inner = parsed.get("pdf_parse") or {}
    titles = {key: one.get("title") or "" for key, one in (inner.get("bib_entries") or {}).items()}
    for paragraph in inner.get("body_text") or ():
        text = paragraph["text"]
        for span in paragraph.get("cite_spans") or ():
            if title := titles.get(span.get("ref_id") or ""):
                start = max(0, span["start"] - _BEFORE)
                yield Mention(text[start : span["end"] + _BEHIND], title)
