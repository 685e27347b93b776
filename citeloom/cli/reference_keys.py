"""The keys by which a text cites the entries of a BibTeX or CSL-JSON file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citeloom.cli.inputs import read_papers, read_text
from state.paper import title_key


def read_references(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of references, each with its key in the file among its aliases.

    Raises:
        InputError: The file cannot be read or holds no usable record.
    """
    records = read_papers(path)
    keys = {title_key(title): key for key, title in _keyed(path) if title}
    for record in records:
        if key := keys.get(title_key(str(record.get("title", "")))):
            record["aliases"] = [*record.get("aliases", []), f"local:{key}"]
    return records


def _keyed(path: Path) -> Iterator[tuple[str, str]]:
    text = read_text(path)
    if path.suffix.lower() in {".bib", ".bibtex"}:
        yield from _of_bibtex(text)
    elif path.suffix.lower() == ".json":
        loaded = json.loads(text)
        for item in loaded if isinstance(loaded, list) else []:
            if isinstance(item, dict) and isinstance(item.get("title"), str) and item.get("id"):
                yield str(item["id"]), item["title"]


def _of_bibtex(text: str) -> Iterator[tuple[str, str]]:
    from tools.bibliography.read_bibtex import plain_text, read_entries

    for entry in read_entries(text.encode("utf-8")):
        if entry.key:
            yield entry.key, plain_text(entry.fields.get("title", ""))
