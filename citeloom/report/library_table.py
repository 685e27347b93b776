"""The table of a library as text, CSV and XLSX: a row for each paper, for each question a cell and its quote."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO, StringIO
from typing import Any

from citeloom.report.account import spending
from citeloom.report.comparison_table import defused
from citeloom.report.escaping import escape, one_line
from state.table import LibraryRow, TableCell
from tools.errors import InputError, counted, how_to_install

KINDS: Mapping[str, str] = {
    "nearest": "Nearest sentence",
    "not_found": "Not found in the text read",
    "not_read": "Not read",
}
"""What a cell says that has no answer."""
_TEXTS = {
    "full_text": "full text",
    "abstract": "abstract only",
    "annotation": "annotation only",
    "none": "no text",
}
_FIRST = 20
"""Rows that are shown at once; the others are in the details."""


def told(cell: TableCell) -> str:
    """Return what a cell says: the answer, or what stands in its place."""
    return cell.answer or ": ".join(filter(None, (KINDS[cell.kind], cell.cause)))


def _read(row: LibraryRow, cell: TableCell) -> str:
    """Return what was read for a cell: 'full text, 6 of 40 passages', 'abstract only'."""
    passages = f", {cell.read} of {counted(row.passages, 'passage')}"
    return _TEXTS[row.text] + (passages if row.text == "full_text" else "")


def table_blocks(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many cells are filled, then the first rows."""
    rows: Sequence[LibraryRow] = values.get("rows") or ()
    if not rows:
        return
    yield f"{len(rows)} of {counted(values['counts']['papers'], 'paper')} read."
    if values.get("mind") == "extractive":
        yield (
            "No model is configured, so CiteLoom answered nothing. It shows the sentence of each paper nearest to "
            "each question, where it has enough of the question's words."
        )
    for place, column in enumerate(values["columns"]):
        filled = sum(row.cells[place].quote is not None for row in rows)
        yield f"- {escape(column)} Filled for {filled} of {counted(len(rows), 'paper')}."
    yield from _rows(rows[:_FIRST], values["columns"])
    if (left := len(rows) - _FIRST) > 0:
        yield f"{counted(left, 'more row')} in the files."


def table_details(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the other rows, and what the run took."""
    yield from _rows((values.get("rows") or ())[_FIRST:], values.get("columns", ()))
    yield from ("## How this was made", "\n".join(spending(values)))


def _rows(rows: Sequence[LibraryRow], columns: Sequence[str]) -> Iterator[str]:
    for row in rows:
        lines = [f"**{_flat(row.name)}: {_flat(row.title)}** ({_TEXTS[row.text]})"]
        for column, cell in zip(columns, row.cells, strict=True):
            words = f" — “{_flat(cell.quote.text)}”" if cell.quote else ""
            place = f" ({_flat(cell.quote.place)})" if cell.quote and cell.quote.place else ""
            lines.append(f"- {escape(column)} {_flat(told(cell))}{words}{place}")
        yield "\n".join(lines)


def _flat(text: str) -> str:
    return escape(one_line(text))


def _grid(columns: Sequence[str], rows: Sequence[LibraryRow]) -> Iterator[list[str]]:
    """Yield the lines of a spreadsheet: behind each cell its quote, where that stands, and what was read."""
    behind = ("", " (quote)", " (place)", " (read)")
    yield ["Id", "Paper", "Title", *(f"{one}{end}" for one in columns for end in behind)]
    for row in rows:
        line = [row.paper, row.name, row.title]
        for cell in row.cells:
            quote = (cell.quote.text, cell.quote.place) if cell.quote else ("", "")
            line += [told(cell), *quote, _read(row, cell)]
        yield line


def library_csv(columns: Sequence[str], rows: Sequence[LibraryRow]) -> str:
    """Return the table as CSV (RFC 4180); what a spreadsheet would take for a formula begins with an apostrophe."""
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(
        map(defused, line) for line in _grid(columns, rows)
    )
    return out.getvalue()


def has_xlsx() -> bool:
    """Whether the package that writes XLSX is installed."""
    return find_spec("xlsxwriter") is not None


def check_xlsx() -> None:
    """Raise InputError where the extra `xlsx` is not installed."""
    if not has_xlsx():
        raise InputError(f"CiteLoom cannot write XLSX: {how_to_install('xlsx')}, or use table.csv")


def library_xlsx(columns: Sequence[str], rows: Sequence[LibraryRow]) -> bytes:
    """Return the table as XLSX, its header and first columns frozen; every cell is text.

    Raises:
        InputError: See `check_xlsx`.
    """
    check_xlsx()
    from xlsxwriter import Workbook

    out = BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("Table")
        bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        plain = book.add_format({"text_wrap": True, "valign": "top"})
        grid = [*_grid(columns, rows)]
        for at, line in enumerate(grid):
            for place, text in enumerate(line):
                # A cell of XLSX may have 32,767 characters.
                sheet.write_string(at, place, one_line(text, 32_000), plain if at else bold)
        sheet.set_column(0, len(grid[0]) - 1, 28)
        sheet.freeze_panes(1, 3)
        sheet.autofilter(0, 0, len(rows), len(grid[0]) - 1)
    return out.getvalue()
