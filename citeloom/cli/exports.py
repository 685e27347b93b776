"""The files of a finished section: Markdown, Pandoc, LaTeX, HTML, Word, and its references."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.cli.document import Document, document_of
from citeloom.cli.markdown import review_text
from tools.bibliography.style import CitationStyle
from tools.bibliography.write_bibtex import to_bibtex
from tools.bibliography.write_csl import to_csl
from tools.bibliography.write_ris import to_ris
from tools.errors import InputError

FORMATS = ("md", "pandoc", "tex", "html", "docx")


def check_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """Return the formats asked for, each once.

    Raises:
        InputError: One of them is not known.
    """
    for name in formats:
        if name not in FORMATS:
            raise InputError(f"'{name}' is no format of a section: give {', '.join(FORMATS)}")
    return tuple(dict.fromkeys(formats))


def write_exports(
    folder: Path,
    values: Mapping[str, Any],
    formats: Sequence[str] = (),
    *,
    style: CitationStyle | None = None,
) -> list[str]:
    """Write review.md, the references, and the formats asked for; return the names of the files.

    `style` is the one in which `values` are printed, where that was not the run's own. Without
    sentences nothing is written. Each file is written as a whole or not at all.

    Raises:
        InputError: A format is not known, or the processor cannot work with the style.
    """
    asked = check_formats(formats)
    if not values.get("sentences"):
        return []
    document = document_of(values, style)
    bibtex = to_bibtex(document.references)
    files: dict[str, str | bytes] = {
        "references.bib": bibtex,
        "references.csl.json": json.dumps(to_csl(document.references), ensure_ascii=False, indent=2)
        + "\n",
        "references.ris": to_ris(document.references),
        "review.md": review_text(values, document=document),
    }
    for name in asked:
        files |= _MAKERS[name](document, bibtex)
    for name, content in files.items():
        write_whole(folder / name, content)
    return list(files)


def _pandoc(document: Document, bibtex: str) -> dict[str, str | bytes]:
    from citeloom.cli.export_pandoc import to_pandoc

    return {"section.pandoc.md": to_pandoc(document), "style.csl": document.style.source}


def _latex(document: Document, bibtex: str) -> dict[str, str | bytes]:
    from citeloom.cli.export_latex import to_latex

    return {"section.tex": to_latex(document, bibtex)}


def _html(document: Document, bibtex: str) -> dict[str, str | bytes]:
    from citeloom.cli.export_html import to_html

    return {"review.html": to_html(document)}


def _docx(document: Document, bibtex: str) -> dict[str, str | bytes]:
    from citeloom.cli.export_docx import to_docx

    return {"review.docx": to_docx(document)}


_MAKERS: dict[str, Callable[[Document, str], dict[str, str | bytes]]] = {
    "md": lambda document, bibtex: {},  # always written
    "pandoc": _pandoc,
    "tex": _latex,
    "html": _html,
    "docx": _docx,
}


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    temporary.replace(path)
