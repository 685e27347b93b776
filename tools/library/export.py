"""Writing a library's records and passages to files that others can read."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4

from state.paper import Paper
from tools.bibliography.keys import numbered
from tools.errors import InputError
from tools.library.library import Library

_BATCH = 500


def export_records(library: Library, path: Path, *, force: bool = False) -> int:
    """Write all records in the format of the file's name; return how many.

    JSON Lines are read again by `citeloom library add` as they were. The others hold what their
    formats can hold.

    Raises:
        InputError: The name ends otherwise, or the file is there and `force` is off.
    """
    kind = path.suffix.lower()
    if kind not in (".jsonl", ".bib", ".json", ".ris"):
        raise InputError(f"{path} must end in .jsonl, .bib, .json (CSL) or .ris")
    count = 0
    with _writing(path, force=force) as stream:
        if kind == ".jsonl":
            for paper in all_papers(library):
                stream.write(json.dumps(_fields(paper), ensure_ascii=False) + "\n")
                count += 1
            return count
        papers = list(all_papers(library))
        stream.write(_formatted(kind, papers))
        return len(papers)


def export_passages(library: Library, path: Path, *, force: bool = False) -> int:
    """Write all passages as JSON Lines; return how many.

    Raises:
        InputError: The file is there and `force` is off.
    """
    count = 0
    with _writing(path, force=force) as stream:
        for page in library.texts.pages(_BATCH):
            for passage in page:
                stream.write(passage.model_dump_json() + "\n")
                count += 1
    return count


def _formatted(kind: str, papers: list[Paper]) -> str:
    from tools.bibliography.write_bibtex import to_bibtex
    from tools.bibliography.write_csl import to_csl
    from tools.bibliography.write_ris import to_ris

    references = numbered(papers)
    if kind == ".bib":
        return to_bibtex(references)
    if kind == ".ris":
        return to_ris(references)
    return json.dumps(to_csl(references), ensure_ascii=False, indent=1) + "\n"


def all_papers(library: Library) -> Iterator[Paper]:
    """Yield all records, in the order of their coming."""
    ids = library.ids()
    for start in range(0, len(ids), _BATCH):
        yield from library.get(ids[start : start + _BATCH]).values()


def _fields(paper: Paper) -> dict[str, object]:
    fields: dict[str, object] = paper.model_dump(mode="json", exclude_defaults=True)
    names = [author.name for author in paper.authors]
    fields["authors"] = [*names, *([] if paper.authors_complete else ["others"])]
    for name in ("authors_complete", "origin"):
        fields.pop(name, None)
    return fields


@contextmanager
def _writing(path: Path, *, force: bool) -> Iterator[IO[str]]:
    """Open a file that appears under its name when it is whole."""
    if path.exists() and not force:
        raise InputError(f"there is a file {path}: give another name, or have it replaced")
    draft = path.with_name(f".{path.name}-{uuid4().hex[:8]}")
    try:
        with draft.open("w", encoding="utf-8") as stream:
            yield stream
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
