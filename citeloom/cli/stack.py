"""The papers that `synthesize` is given as files: found and checked before any work is done."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from citeloom.cli.telling import tell
from tools.errors import InputError

_KINDS = "PDF, HTML, JATS, TEI, DOCX, Markdown or text"
_TEXTS = frozenset({".txt", ".text", ".md", ".markdown"})


def stack_of(question: str | None, files: Sequence[str], papers: Sequence[str]) -> list[str]:
    """Return the files to read, each once, by their absolute paths; folders are looked through.

    Raises:
        InputError: No paper is given, or something that is given cannot be read as one.
    """
    _check_order(question)
    if not files and not papers:
        raise InputError(
            f"there are no papers to read: give files or folders of {_KINDS} behind the question, or "
            "papers of a library with --paper"
        )
    found: dict[str, str] = {}
    faults: list[str] = []
    for given in files:
        try:
            for path in _files(given):
                found.setdefault(os.path.realpath(path), os.path.abspath(path))
        except InputError as error:
            faults.append(str(error))
    if faults:
        raise InputError("; ".join(faults))
    return list(found.values())


def _check_order(question: str | None) -> None:
    from tools.ingest.discover_files import DOCUMENTS

    if question is None or not os.path.exists(question):
        return
    if os.path.isdir(question) or Path(question).suffix.lower() in DOCUMENTS - _TEXTS:
        raise InputError(f"the question comes first, then the papers: '{question}' is no question")


def _files(given: str) -> Iterator[str]:
    """Yield what there is to read at a path that was given."""
    shown = given.encode("utf-8", "replace").decode("utf-8")
    if not os.path.exists(given):
        raise InputError(
            f"there is no file '{shown}': check the path (papers of a library are named with --paper)"
        )
    if shown != given:
        raise InputError(f"the name '{shown}' is not UTF-8: rename it")
    if os.path.isdir(given):
        yield from _folder(given)
    else:
        _check_file(given)
        yield given


def _check_file(given: str) -> None:
    from tools.ingest.discover_files import RECORDS

    if not os.path.isfile(given):
        raise InputError(
            f"'{given}' is no file but a pipe or a device: write what it gives to a file"
        )
    if _suffixes(given) & RECORDS:
        raise InputError(
            f"'{given}' holds records, not a paper: give the papers themselves, or add it with `citeloom "
            "library add` and name its papers with --paper"
        )
    try:
        with open(given, "rb") as file:
            file.read(1)
    except OSError as error:
        raise InputError(
            f"'{given}' cannot be read: {error.strerror}; give yourself leave to read it"
        ) from error


def _folder(given: str) -> Iterator[str]:
    """Yield the papers below a folder by name; hidden files are passed over."""
    faults: list[OSError] = []
    found, left = 0, 0
    for path in _walk(given, faults):
        if _is_paper(path):
            found += 1
            yield path
        else:
            left += 1
    if faults and not found:
        raise InputError(
            f"the folder '{faults[0].filename or given}' cannot be opened: {faults[0].strerror}; give "
            "yourself leave to read it"
        )
    if not found:
        raise InputError(f"there is no paper in the folder '{given}': give one with {_KINDS} files")
    _tell_left(given, left, faults)


def _walk(folder: str, faults: list[OSError]) -> Iterator[str]:
    for here, folders, files in os.walk(folder, onerror=faults.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield os.path.join(here, name)


def _is_paper(path: str) -> bool:
    from tools.ingest.discover_files import RECORDS, is_read

    if path.encode("utf-8", "replace").decode("utf-8") != path:
        return False
    return not _suffixes(path) & RECORDS and is_read(Path(path))


def _tell_left(folder: str, left: int, faults: Sequence[OSError]) -> None:
    if left:
        what = "file is" if left == 1 else "files are"
        tell("Note", f"{left} {what} left aside in {folder}: they hold no paper.")
    for fault in faults:
        tell(
            "Not done",
            f"{fault.filename}: {fault.strerror} (give yourself leave to read it)",
        )


def _suffixes(path: str) -> set[str]:
    """Return the file's suffix in lower case, what compresses it aside."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    return set(suffixes[-1:])
