"""The comparison table as Markdown, CSV and HTML; what records hold stays text in each of them."""

import csv
import io
import re
from html import escape as escape_html

from citeloom.report.escaping import one_line
from state.results import Cell, ComparisonTable, TableFacet, TableRow

_HEADS = {
    "problem": "Problem",
    "method": "Method",
    "data": "Data",
    "findings": "Findings",
    "limitations": "Limitations",
}
# Besides what Markdown marks: formulas, strike-through, mentions, and addresses that renderers link by themselves.
_MARKDOWN = re.compile(r"([\\`*_{}<>#|\[\]$~@!]|(?<=:)/(?=/)|(?<=\bwww)\.)")


def table_markdown(table: ComparisonTable) -> str:
    """Return the table in Markdown; the quote behind each cell is a footnote."""
    notes: list[str] = []
    facets = _told(table)
    lines = [
        f"| Paper | {' | '.join(_HEADS[facet] for facet in facets)} |",
        f"|---|{'---|' * len(facets)}",
    ]
    for row in table.rows:
        cells = [_noted(row.cells.get(facet), row, notes) for facet in facets]
        lines.append(f"| {_md(_label(row))}: {_md(row.title)} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *notes]).rstrip("\n") + "\n"


def _told(table: ComparisonTable) -> list[TableFacet]:
    """Return the columns in which any paper has a cell."""
    return [facet for facet in table.facets if any(facet in row.cells for row in table.rows)]


def _noted(cell: Cell | None, row: TableRow, notes: list[str]) -> str:
    if cell is None:
        return ""
    mark = f"[^q{len(notes) + 1}]"
    notes.append(
        f"{mark}: {_md(_label(row))}, {_md(cell.quote.words_of)}: “{_md(cell.quote.text)}”"
    )
    return f"{_md(cell.text)}{mark}"


def table_csv(table: ComparisonTable) -> str:
    """Return the table as CSV (RFC 4180); beside each cell its quote and where that stands.

    A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    facets = _told(table)
    behind = ("", "_quote", "_part", "_start", "_end")
    heads = ["number", "id", "paper", "title", *(f"{one}{end}" for one in facets for end in behind)]
    rows = (
        [
            "" if row.number is None else row.number,
            *map(defused, (row.paper, row.name, row.title)),
            *(value for facet in facets for value in _columns(row.cells.get(facet))),
        ]
        for row in table.rows
    )
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([heads, *rows])
    return out.getvalue()


def _columns(cell: Cell | None) -> list[str | int]:
    if cell is None:
        return [""] * 5
    ends = ("" if place is None else place for place in (cell.quote.start, cell.quote.end))
    return [*map(defused, (cell.text, cell.quote.text, cell.quote.part)), *ends]


def table_html(table: ComparisonTable) -> str:
    """Return the table as HTML; each quote can be unfolded."""
    facets = _told(table)
    heads = "".join(f'<th scope="col">{_HEADS[facet]}</th>' for facet in facets)
    rows = "\n".join(
        f'<tr><th scope="row"><bdi>{_html(_label(row))}</bdi><br><bdi>{_html(row.title)}</bdi></th>'
        + "".join(_data(row.cells.get(facet)) for facet in facets)
        + "</tr>"
        for row in table.rows
    )
    return (
        "<p>Each cell quotes its paper. Unfold a cell to see the whole quote and whose "
        "words it is. An empty cell: CiteLoom found no such words in the "
        "paper.</p>\n<table>\n<thead><tr><th "
        f'scope="col">Paper</th>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n'
    )


def _data(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    return (
        f"<td><bdi>{_html(cell.text)}</bdi><details><summary>{_html(cell.quote.words_of)}</summary>"
        f"<blockquote><bdi>{_html(cell.quote.text)}</bdi></blockquote></details></td>"
    )


def _label(row: TableRow) -> str:
    return row.name if row.number is None else f"[{row.number}] {row.name}"


def _md(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text).replace("&", "&amp;"))


def _html(text: str) -> str:
    return escape_html(one_line(text), quote=True)


def defused(text: str) -> str:
    """Return text on one line; what a spreadsheet would take for a formula begins with an apostrophe."""
    flat = one_line(text)
    return f"'{flat}" if flat.startswith(tuple("=+-@\t\r\n＝＋－＠")) else flat
