"""Tables as text: cells apart by bars, rows by semicolons."""

from collections.abc import Callable, Iterable, Sequence

from tools.documents.blocks import clean
from tools.documents.markup import Element, children, find_all

_ROWS = ("tr", "row")
_CELLS = ("td", "th", "entry", "cell")


def table_text(table: Element, read: Callable[[Element], str]) -> str:
    """Return an HTML, JATS or TEI table as text; `read` gives the text of a cell."""
    return rows_text(
        [read(cell) for cell in children(row, *_CELLS)] for row in find_all(table, *_ROWS)
    )


def rows_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of cells as text; empty cells and rows are left out."""
    lines = [" | ".join(words for cell in row if (words := clean(cell))) for row in rows]
    return " ; ".join(line for line in lines if line)
