"""The files of a finished section: Markdown, LaTeX, HTML, Word, and its references."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.cli.export.document import TITLE, document_of
from citeloom.cli.export.docx import to_docx
from citeloom.cli.export.html import to_html
from citeloom.cli.export.latex import to_latex
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
    bibtex, review = to_bibtex(document.references), review_text(values, document=document)
    csl = json.dumps(to_csl(document.references), ensure_ascii=False, indent=2)
    files: dict[str, str | bytes] = {
        "references.bib": bibtex, "references.csl.json": f"{csl}\n",
        "references.ris": to_ris(document.references), "review.md": review,
    }  # fmt: skip
    if "tex" in formats:
        files["section.tex"] = to_latex(document, bibtex)
    if "html" in formats:
        files["review.html"] = to_html(TITLE, review)
    if "docx" in formats:
        files["review.docx"] = to_docx(document)
    for name, content in files.items():
        write_whole(folder / name, content)
    return list(files)
