"""The comparison table: papers by facets, a verified quote behind each cell."""

from typing import Literal

from pydantic import Field

from state.base import Value
from state.quote import Quote

TableFacet = Literal["problem", "method", "data", "findings", "limitations"]
TABLE_FACETS: tuple[TableFacet, ...] = ("problem", "method", "data", "findings", "limitations")


class Cell(Value):
    """What one paper says to one facet."""

    text: str
    quote: Quote


class TableRow(Value):
    """One paper; a facet that its text does not answer has no cell."""

    number: int | None = Field(default=None, description="Its number in the references, if cited.")
    paper: str
    name: str = Field(description="How a sentence names it, with the year.")
    title: str
    cells: dict[TableFacet, Cell] = Field(default_factory=dict)


class ComparisonTable(Value):
    """Papers by facets."""

    facets: tuple[TableFacet, ...] = TABLE_FACETS
    rows: tuple[TableRow, ...] = ()
