"""What `table` takes and gives: questions as columns, the papers of a library as rows."""

from typing import Annotated, Literal

from pydantic import Field

from state.channels import Result, Routed
from state.inputs import InputChannel, LibraryPapers
from state.quote import Quote
from state.reducers import keep_last
from state.value import FrozenModel

CellKind = Literal["answer", "nearest", "not_found", "not_read"]
TextKind = Literal["full_text", "abstract", "annotation", "none"]


class TableInput(LibraryPapers):
    """Questions to put to each paper of a library."""

    questions: InputChannel[list[str]] = Field(
        default=[],
        description="The questions, each a column: at most 20, of 2,000 characters each.",
        examples=[["Which dataset?", "How many participants?"]],
    )


class TableCell(FrozenModel):
    """What one paper says to one question."""

    kind: CellKind = Field(
        description="'answer' by a model, 'nearest' sentence without one, 'not_found' in the text read, "
        "'not_read' where the paper has no text or the model gave no answer."
    )
    answer: str = Field(default="", description="In few words; empty but for an answer.")
    quote: Quote | None = Field(default=None, description="The paper's words, found by code.")
    read: int = Field(default=0, ge=0, description="How many passages were read for it.")
    cause: str = Field(default="", description="Why there is no answer, where it was not read.")


class LibraryRow(FrozenModel):
    """A paper of the library, and its cells in the order of the columns."""

    paper: str = Field(description="Its id.")
    name: str = Field(description="Authors and year, as people write them.")
    title: str
    text: TextKind = Field(description="What the library has of it to read.")
    passages: int = Field(ge=0, description="How many passages that text has.")
    cells: tuple[TableCell, ...]


class TableState(Routed, total=False):
    """What the nodes of `table` share. Rows are in the run store, by paper."""

    columns: Annotated[list[str], keep_last(list[str])]
    """The questions, checked."""
    row_ids: Annotated[list[str], keep_last(list[str])]
    """The papers, in the library's order."""
    done: int
    """How many of them were read."""


class TableOutput(Result, total=False):
    """What `table` gives."""

    columns: Annotated[list[str], keep_last(list[str])]
    rows: list[LibraryRow]
    counts: dict[str, int]
    """'papers' chosen, 'rows' read, and how many cells are of each kind."""


class TableUpdate(TableState, TableOutput, total=False):
    """What a node of `table` may write."""
