"""The files of a finished section: Markdown, LaTeX, Word, its references; and the list of all files."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from posixpath import relpath
from typing import Any

from citeloom.cli.export.document import document_of
from citeloom.cli.export.docx import to_docx
from citeloom.cli.export.latex import to_latex
from citeloom.cli.export.markdown import review_text
from citeloom.cli.files import write_whole
from tools.bibliography.style import CitationStyle
from tools.bibliography.write_bibtex import to_bibtex
from tools.bibliography.write_csl import to_csl
from tools.bibliography.write_ris import to_ris

TOLD: Mapping[str, str] = {
    "review.html": "open this: the text with its references and evidence, the comparison, the citation graph",
    "papers.html": "open this: the papers found, with the arguments for and against each, and the citation graph",
    "review.md": "the text with its references and evidence as Markdown",
    "papers.md": "the papers kept as Markdown",
    "papers.json": "every paper that was judged, with its debate and how it was found",
    "audit.json": "the verdict on each citation, to gate on",
    "run.json": "what was asked, done, found and spent, and what failed",
    "files/references.bib": "the references as BibTeX",
    "files/references.csl.json": "the references as CSL-JSON",
    "files/references.ris": "the references for reference managers",
    "files/table.md": "the comparison of the cited papers as Markdown",
    "files/table.csv": "the comparison of the cited papers for a spreadsheet",
    "files/section.tex": "the section as LaTeX; it uses references.bib",
    "files/review.docx": "the section as a Word document",
}
"""What each file is, by its place in the folder of a run, first what a reader opens."""


def contents(names: Collection[str], *, within: str = "") -> str:
    """Return the list of those files in Markdown, with links that lead there from the folder `within`."""
    return "\n".join(
        f"- [{name}]({relpath(name, within or '.')}): {what}"
        for name, what in TOLD.items()
        if name in names
    )


def write_exports(
    folder: Path,
    values: Mapping[str, Any],
    formats: Sequence[str] = (),
    *,
    style: CitationStyle | None = None,
) -> list[str]:
    """Write review.md, the references and the formats asked for; return the names of the files.

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
        "files/references.bib": bibtex, "files/references.csl.json": f"{csl}\n",
        "files/references.ris": to_ris(document.references), "review.md": review,
    }  # fmt: skip
    if "tex" in formats:
        files["files/section.tex"] = to_latex(document, bibtex)
    if "docx" in formats:
        files["files/review.docx"] = to_docx(document)
    for name, content in files.items():
        write_whole(folder / name, content)
    return list(files)
