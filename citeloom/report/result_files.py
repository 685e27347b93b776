"""The files of a result: the page, the text in each format, its references, the table; and the list of all."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from posixpath import relpath
from types import MappingProxyType

from citeloom.report.comparison_table import table_csv, table_markdown
from citeloom.report.json_files import dump, jsonable, papers_json
from citeloom.report.latex import latex
from citeloom.report.library_table import library_csv, library_xlsx
from citeloom.report.markdown import markdown
from citeloom.report.notes import notes_zip
from citeloom.report.quarto import quarto
from citeloom.report.result_report import SECTIONS, ResultReport
from citeloom.report.web_page import web_page
from citeloom.report.word import word
from state.results import SCHEMA_VERSION, Reference
from tools.bibliography.keys import numbered
from tools.bibliography.write_bibtex import to_bibtex
from tools.bibliography.write_records import to_csl, to_ris

Files = Mapping[str, str | bytes]
"""By their places in the folder of a run."""
TOLD: Mapping[str, str] = {
    "review.html": "open this: the text with references and evidence, the comparison, the citation "
    "graph",
    "papers.html": "open this: the papers found, the arguments for and against each, the citation "
    "graph",
    "review.md": "the text with references and evidence as Markdown",
    "papers.md": "the kept papers as Markdown",
    "papers.json": "every judged paper, with arguments and how it was found",
    "audit.json": "the verdict on each citation, for scripts",
    "run.json": "input, steps, results, costs and failures",
    "files/references.bib": "the references as BibTeX",
    "files/references.csl.json": "the references as CSL-JSON",
    "files/references.ris": "the references for reference managers",
    "files/table.md": "the comparison of the cited papers as Markdown",
    "files/table.csv": "the comparison of the cited papers for a spreadsheet",
    "files/lacking.bib": "those references that your own .bib file does not have yet",
    "files/section.tex": "the section as LaTeX; it uses references.bib",
    "files/section.qmd": "the section for Quarto and Pandoc; it uses references.bib",
    "files/notes.zip": "a note for each paper, for Obsidian",
    "files/review.docx": "the section as a Word document",
    "files/README.md": "the list of these files",
    "synthesis.html": "open this: the synthesis with its evidence",
    "audit.html": "open this: the verdict on each citation",
    "table.html": "open this: each paper with its cells and their quotes",
    "table.csv": "the table for a spreadsheet, each cell with its quote",
    "table.xlsx": "the table as an Excel file",
    "novelty.html": "open this: each claim with the nearest earlier work",
    "screening.html": "open this: the decision on each paper",
}
"""What each file is, by its place in the folder of a run, first what a reader opens."""


_NAMES = {
    "ask": "answer",
    "synthesize": "synthesis",
    "verify": "audit",
    "novelty": "novelty",
    "table": "table",
    "screen": "screening",
}
"""How the files of a result that is no section are called."""


def result_files(
    report: ResultReport, formats: Sequence[str] = (), *, more: Files = MappingProxyType({})
) -> Files:
    """Return every file of a result, and `more`; of `formats` (tex, qmd, docx, notes, xlsx) those that it can have."""
    if report.graph not in SECTIONS:
        name = _NAMES[report.graph]
        if not report.told:
            return more
        made = {**more, f"{name}.md": markdown(report), f"{name}.html": web_page(report)}
        if name == "table":
            columns, rows = report.values["columns"], report.values["rows"]
            made["table.csv"] = library_csv(columns, rows)
            made |= {"table.xlsx": library_xlsx(columns, rows)} if "xlsx" in formats else {}
        return made
    files: dict[str, str | bytes] = {**dict(_section_files(report, formats)), **more}
    if report.values.get("papers") or report.paragraphs:
        page = page_of(report)
        files[page] = web_page(report, _contents(files))
        listed = _contents([page, *files], within="files")
        files["files/README.md"] = f"# Files of this run\n\n{listed}\n"
    return files


def page_of(report: ResultReport) -> str:
    """Return the name of the page, which a reader opens first."""
    if report.graph in SECTIONS:
        return "papers.html" if report.graph == "find" else "review.html"
    return f"{_NAMES[report.graph]}.html"


def _contents(names: Collection[str], *, within: str = "") -> str:
    """Return the list of those files in Markdown, with links that lead there from the folder `within`."""
    return "\n".join(
        f"- [{name}]({relpath(name, within or '.')}): {what}"
        for name, what in TOLD.items()
        if name in names
    )


def _section_files(
    report: ResultReport, formats: Sequence[str]
) -> Iterator[tuple[str, str | bytes]]:
    """Yield the files besides the page, so far as the run came to them."""
    values = report.values
    if report.paragraphs:
        yield from _listed(report.references)
        yield "review.md", markdown(report)
        if "tex" in formats:
            yield "files/section.tex", latex(report, to_bibtex(report.references))
        if report.lacking:
            yield "files/lacking.bib", to_bibtex(report.lacking)
        if "qmd" in formats:
            yield "files/section.qmd", quarto(report)
        if "docx" in formats:
            yield "files/review.docx", word(report)
    if values.get("papers"):
        yield "papers.json", dump(papers_json(values)) + "\n"
        if report.graph == "find":
            yield "papers.md", markdown(report)
            if kept := [item.paper for item in values["papers"] if item.selected]:
                yield from _listed(numbered(kept))
    if "notes" in formats and (report.paragraphs or values.get("papers")):
        yield "files/notes.zip", notes_zip(report)
    if (audit := values.get("audit")) and report.paragraphs:
        yield "audit.json", dump({"schema_version": SCHEMA_VERSION, **jsonable(audit)}) + "\n"
    if (table := values.get("table")) and table.rows and report.paragraphs:
        yield "files/table.md", table_markdown(table)
        yield "files/table.csv", table_csv(table)


def _listed(references: Sequence[Reference]) -> Iterator[tuple[str, str]]:
    yield "files/references.bib", to_bibtex(references)
    csl = json.dumps(to_csl(references), ensure_ascii=False, indent=2)
    yield "files/references.csl.json", f"{csl}\n"
    yield "files/references.ris", to_ris(references)
