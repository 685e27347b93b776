"""Papers, and records of a file read."""

from pathlib import Path
from typing import Any

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.keys import citation_keys
from tools.bibliography.read_record import BadRecord
from tools.bibliography.read_records import read_records


def paper(title: str = "The title", *names: str, year: int | None = 2020, **fields: Any) -> Paper:
    authors = tuple(Author(name=name) for name in names)
    return Paper(id=f"local:{title}", title=title, authors=authors, year=year, **fields)


def references(*papers: Paper) -> list[Reference]:
    pairs = enumerate(zip(citation_keys(papers), papers, strict=True), start=1)
    return [Reference(number=number, key=key, paper=item) for number, (key, item) in pairs]


def read(path: Path, text: str | bytes) -> tuple[list[Paper], list[BadRecord]]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    records = list(read_records(path))
    good = [record for record in records if isinstance(record, Paper)]
    return good, [record for record in records if isinstance(record, BadRecord)]
