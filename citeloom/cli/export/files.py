"""The files of a finished section: Markdown, Pandoc, LaTeX, HTML, Word, and its references."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.cli.export.document import Document, document_of
from citeloom.cli.export.markdown import review_text
from citeloom.cli.files import write_whole
from tools.bibliography.style import CitationStyle
from tools.bibliography.write_bibtex import to_bibtex
from tools.bibliography.write_csl import to_csl
from tools.bibliography.write_ris import to_ris


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
        InputError: The processor cannot work with the style.
    """
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
    for name in formats:
        files |= _MAKERS[name](document, bibtex)
    for name, content in files.items():
        write_whole(folder / name, content)
    return list(files)


def _pandoc(document: Document, bibtex: str) -> dict[str, str | bytes]:
    from citeloom.cli.export.pandoc import to_pandoc

    return {"section.pandoc.md": to_pandoc(document), "style.csl": document.style.source}


def _latex(document: Document, bibtex: str) -> dict[str, str | bytes]:
    from citeloom.cli.export.latex import to_latex

    return {"section.tex": to_latex(document, bibtex)}


def _html(document: Document, bibtex: str) -> dict[str, str | bytes]:
    from citeloom.cli.export.html import to_html

    return {"review.html": to_html(document)}


def _docx(document: Document, bibtex: str) -> dict[str, str | bytes]:
    from citeloom.cli.export.docx import to_docx

    return {"review.docx": to_docx(document)}


_MAKERS: dict[str, Callable[[Document, str], dict[str, str | bytes]]] = {
    "md": lambda document, bibtex: {},  # always written
    "pandoc": _pandoc,
    "tex": _latex,
    "html": _html,
    "docx": _docx,
}
