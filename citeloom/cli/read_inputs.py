"""Read what a command is given: its input text, plan and list of papers."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.cli.telling import print_notice
from tools.errors import InputError

if TYPE_CHECKING:
    from state.document import Document
    from state.paper import Paper
    from tools.bibliography.read_bibtex import BibtexEntry

MAX_BYTES = 2_000_000
_TEXT_SUFFIXES = {".txt", ".md", ".markdown", ".qmd", ".text", ".rst", ".tex"}


def read_text_input(given: str | None) -> str:
    """Return the text of a file, of standard input ('-'), or the argument itself.

    Raises:
        InputError: Nothing is given, or the file cannot be read as text.
    """
    if given is None or not given.strip():
        raise InputError(
            "no input: give a text file, '-' for standard input, or the text or question in quotes"
        )
    if given == "-":
        return _decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    if _looks_like_path(given):
        return read_text_file(Path(given))
    return given


def read_draft(given: str | None) -> str:
    """Return the same, and of a draft in PDF or Word its title and abstract, or its beginning without one.

    Raises:
        InputError: Nothing is given, or the file cannot be read.
    """
    if given is None or not _is_document(given):
        return read_text_input(given)
    from tools.documents.draft_text import opening_of

    document = _read_apart(Path(given))
    part = "abstract" if document.abstract else "beginning, since it has no abstract"
    print_notice("Read", f"'{document.title or given}': its {part}")
    return "\n\n".join([*([f"# {document.title}"] if document.title else []), opening_of(document)])


def _is_document(given: str) -> bool:
    """Whether it is the path of a PDF or of a Word file."""
    if not os.path.isfile(given):
        return False
    with open(given, "rb") as file:
        return file.read(5) == b"%PDF-" or given.lower().endswith(".docx")


def _read_apart(path: Path) -> "Document":
    """Return a document, read in a process of its own as `ingest` reads files, with the same limits."""
    from tools.errors import DocumentError
    from tools.ingest.reader_processes import close_workers, read_file, run_apart
    from tools.settings import settings

    try:
        reading = asyncio.run(
            run_apart(settings(), read_file, os.path.abspath(path), path.name, None)
        )
    except DocumentError as error:
        raise InputError(f"{error}: {error.remedy}" if error.remedy else str(error)) from error
    finally:
        close_workers()  # a run reads no more of its user's files
    return reading.document


def _looks_like_path(given: str) -> bool:
    # Of what can be no name, such as a long abstract, Path.exists would raise an error.
    if os.path.exists(given):
        return True
    named = Path(given).suffix.lower() in _TEXT_SUFFIXES | {".pdf", ".docx"}
    if len(given.split()) == 1 and (named or given.startswith(("/", "./", "../"))):
        raise InputError(
            f"there is no file '{given}': check the path, or give the abstract in quotes"
        )
    return False


def read_manuscript_input(given: str | None) -> dict[str, Any]:
    """Return what `verify` takes: the text, its file, of a Word file its paragraphs and its fields' records.

    Raises:
        InputError: Nothing is given, or the file cannot be read.
    """
    if given is None or not _is_document(given):
        text = read_text_input(given)
        return {
            "text": text,
            "file": given if given and os.path.isfile(given) else "",
            "papers": [],
        }
    if not given.lower().endswith(".docx"):
        from tools.documents.draft_text import whole_of

        return {"text": whole_of(_read_apart(Path(given))), "file": given, "papers": []}
    from tools.documents.word_manuscript import word_paragraphs

    text, papers = _word(Path(given))
    return {
        "text": text,
        "file": given,
        "paragraphs": word_paragraphs(Path(given).read_bytes()),
        "papers": [paper.model_dump(mode="json") for paper in papers],
    }


def read_section(path: Path) -> str:
    """Return the text of a section that a person edited, in a text or a Word file.

    Raises:
        InputError: It cannot be read.
    """
    return _word(path, plain=True)[0] if path.suffix.lower() == ".docx" else read_text_file(path)


def _word(path: Path, *, plain: bool = False) -> tuple[str, list["Paper"]]:
    from tools.documents.word_manuscript import read_word
    from tools.errors import DocumentError

    try:
        return read_word(path.read_bytes(), name=path.name, plain=plain)
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {error.strerror}") from error
    except DocumentError as error:
        raise InputError(f"{error}: {error.remedy}" if error.remedy else str(error)) from error


def read_text_file(path: Path) -> str:
    """Return the text of a file.

    Raises:
        InputError: It cannot be read, is too large, or is not text.
    """
    if path.is_dir():
        raise InputError(f"'{path}' is a folder: give a text or Markdown file")
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"'{path}' cannot be read ({error.strerror}): check the path") from error
    return _decode(raw, f"'{path}'")


def _decode(raw: bytes, name: str) -> str:
    if len(raw) > MAX_BYTES:
        raise InputError(
            f"{name} is larger than {MAX_BYTES // 1_000_000} MB: give the abstract, not the paper"
        )
    if raw[:5] == b"%PDF-":
        raise InputError(f"{name} is a PDF, where text is expected: give a text file")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not UTF-8 text: give a text, Markdown or LaTeX file in UTF-8"
        ) from error


def read_plan_file(path: Path) -> str:
    """Return the plan in a file.

    Raises:
        InputError: It cannot be read, or is empty.
    """
    plan = read_text_file(path)
    if not plan.strip():
        raise InputError(
            f"the plan '{path}' is empty: write one line per sentence, or leave out --plan"
        )
    return plan


def paper_paths(question: str | None, files: Sequence[str], papers: Sequence[str]) -> list[str]:
    """Return the files and folders to read papers from, each once, by their absolute paths.

    Raises:
        InputError: No paper is given, something is not there, or the question is a paper.
    """
    from tools.ingest.discover_files import DOCUMENTS

    named, kinds = question or "", DOCUMENTS - _TEXT_SUFFIXES
    if os.path.isdir(named) or (Path(named).suffix.lower() in kinds and os.path.exists(named)):
        raise InputError(
            f"the question comes first, then the papers: '{question}' is not a question"
        )
    if not files and not papers:
        raise InputError(
            "no papers to read: after the question give files or folders (PDF, HTML, JATS, "
            "TEI, DOCX, Markdown, text), or papers of a library with --paper"
        )
    if missing := [given for given in files if not os.path.lexists(given)]:
        raise InputError(
            f"there is no file '{missing[0]}': check the path (for papers of a library use --paper)"
        )
    return list(dict.fromkeys(os.path.abspath(given) for given in files))


def own_style(inputs: dict[str, Any]) -> str:
    """Return the file of the user's own style, and let the graph print in the one most like it.

    Raises:
        InputError: The file is no citation style, or cannot be read.
    """
    from tools.bibliography.citation_style import is_path, open_style

    named = str(inputs.get("style", ""))
    if not is_path(named):
        return ""
    inputs["style"] = "apa" if open_style(named).by_author else "ieee"
    return str(Path(named).resolve())


def own_entries(path: Path | None) -> list["Paper"]:
    """Return the papers of the user's own BibTeX file, with their keys.

    Raises:
        InputError: It cannot be read, or holds no entry.
    """
    from state.paper import Paper
    from tools.bibliography.read_records import read_bibtex_file

    entries = (entry.record for entry in (read_bibtex_file(path) if path else ()))
    return [record for record in entries if isinstance(record, Paper)]


def read_papers_file(path: Path, *, places: bool = False) -> list[dict[str, Any]]:
    """Return the records of a file of papers, or of a papers.json that a run wrote.

    `places`: those of BibTeX with where they and their fields stand, as `verify` takes them.

    Raises:
        InputError: The file holds no usable record.
    """
    if path.suffix.lower() == ".json":
        try:
            loaded = json.loads(read_text_file(path))
        except json.JSONDecodeError as error:
            raise InputError(f"'{path}' is not JSON: {error}") from error
        if isinstance(loaded, dict) and isinstance(loaded.get("papers"), list):
            items = [item for item in loaded["papers"] if isinstance(item, dict)]
            chosen = [item.get("paper", item) for item in items if item.get("selected", True)]
            return _usable(chosen, path)
    from state.paper import Paper
    from tools.bibliography.read_bibtex import BibtexEntry
    from tools.bibliography.read_records import is_bibtex, read_bibtex_file, read_records

    records: list[dict[str, Any]] = []
    placed = places and is_bibtex(path.name)
    for entry in read_bibtex_file(path) if placed else map(BibtexEntry, read_records(path)):
        item = entry.record
        if isinstance(item, Paper):
            records.append(item.model_dump(mode="json") | (_places_of(entry) if placed else {}))
        elif item.lost:
            print_notice("Not read", f"{path}:{item.line}: {item.reason}")
    return _usable(records, path)


def _places_of(entry: "BibtexEntry") -> dict[str, Any]:
    fields = entry.checked_places().items()
    return {
        "place": entry.places[""].model_dump(mode="json"),
        "fields": {name: place.model_dump(mode="json") for name, place in fields},
    }


def _usable(records: list[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    if not records:
        raise InputError(
            f"'{path}' has no usable record of a paper: give BibTeX, RIS, CSL-JSON or JSON "
            "Lines with titles, or the papers.json of a run that found some"
        )
    return records
