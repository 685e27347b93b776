"""The files of a result: the page, the text in each format, its references, the table; and the list of all."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from posixpath import relpath
from types import MappingProxyType
from typing import Any

from citeloom.export.document import SectionDocument, section_document
from citeloom.export.docx import to_docx
from citeloom.export.latex import to_latex
from citeloom.export.markdown import papers_text, review_text
from citeloom.export.plain import SCHEMA_VERSION, dump, plain
from citeloom.export.review_page import review_page
from citeloom.export.table import table_csv, table_markdown
from state.results import Reference
from tools.bibliography.citation_style import CitationStyle
from tools.bibliography.keys import numbered
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


def text_files(
    values: Mapping[str, Any], formats: Sequence[str] = (), *, style: CitationStyle | None = None
) -> dict[str, str | bytes]:
    """Return review.md, the references and the formats asked for, by their names.

    `style` is the one in which `values` are printed, where that was not the run's own. Without
    sentences there is none.

    Raises:
        InputError: The processor cannot work with the style.
    """
    if not values.get("sentences"):
        return {}
    return _texts(values, formats, section_document(values, style))


def _texts(
    values: Mapping[str, Any], formats: Sequence[str], document: SectionDocument
) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {
        **_listed(document.references),
        "review.md": review_text(values, document=document),
    }
    if "tex" in formats:
        files["files/section.tex"] = to_latex(document, to_bibtex(document.references))
    if "docx" in formats:
        files["files/review.docx"] = to_docx(document)
    return files


def _listed(references: Sequence[Reference]) -> dict[str, str]:
    csl = json.dumps(to_csl(references), ensure_ascii=False, indent=2)
    return {
        "files/references.bib": to_bibtex(references),
        "files/references.csl.json": f"{csl}\n",
        "files/references.ris": to_ris(references),
    }


def all_files(
    graph: str,
    values: Mapping[str, Any],
    formats: Sequence[str] = (),
    *,
    style: CitationStyle | None = None,
    more: Mapping[str, str | bytes] = MappingProxyType({}),
) -> dict[str, str | bytes]:
    """Return every file of a result of `find`, `write`, `review` or `revise`, and of `more`, by name.

    Raises:
        InputError: The processor cannot work with the style.
    """
    files: dict[str, str | bytes] = {**dict(_beside(graph, values)), **more}
    if values.get("papers") or values.get("sentences"):
        document = section_document(values, style)
        if values.get("sentences"):
            files = _texts(values, formats, document) | files
        page = "papers.html" if graph == "find" else "review.html"
        about = getattr(values.get("request"), "title", None) or ""
        files[page] = review_page(values, contents(files), document=document, about=about)
        files["files/README.md"] = (
            f"# Files of this run\n\n{contents([page, *files], within='files')}\n"
        )
    return files


def papers_record(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what papers.json holds."""
    return {
        "schema_version": SCHEMA_VERSION,
        "papers": plain(values.get("papers") or []),
        "links": plain(values.get("links") or []),
    }


def _beside(graph: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the files besides the text and its references, so far as the run came to them."""
    if values.get("papers"):
        yield "papers.json", dump(papers_record(values)) + "\n"
        if graph == "find":
            yield "papers.md", papers_text(values)
            if kept := [item.paper for item in values["papers"] if item.selected]:
                yield from _listed(numbered(kept)).items()
    if (audit := values.get("audit")) and values.get("sentences"):
        yield "audit.json", dump({"schema_version": SCHEMA_VERSION, **plain(audit)}) + "\n"
    if (table := values.get("table")) and table.rows and values.get("sentences"):
        yield "files/table.md", table_markdown(table)
        yield "files/table.csv", table_csv(table)
