"""Values that others are made of: frozen models, days and moments, and places in a file."""

from datetime import date, datetime
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)


class FrozenModel(BaseModel):
    """A frozen value: a node cannot edit in place what a checkpoint already holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _as_day(value: object) -> object:
    """Read [year, month, day], which older checkpoints give where a server shows them as JSON."""
    match value:
        case [int() as year, int() as month, int() as day]:
            return date(year, month, day)
    return value


Day = Annotated[
    date,
    BeforeValidator(_as_day),
    PlainSerializer(date.isoformat, return_type=str),
    WithJsonSchema({"type": "string", "format": "date"}),
]
"""A day, which a checkpoint keeps as YYYY-MM-DD: a `date` would come back from a server as a list of numbers."""


def _as_moment(value: str) -> str:
    datetime.fromisoformat(value)
    return value


Moment = Annotated[
    str,
    AfterValidator(_as_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""A moment as ISO 8601 writes it; kept as text, like a day."""


class Place(FrozenModel):
    """Part of a file on disk. Lines, columns and paragraphs count from 1, columns in characters."""

    file: str = Field(default="", description="The file, as it was named; empty for a text.")
    line: int | None = Field(default=None, ge=1, description="None in a Word file.")
    column: int | None = Field(default=None, ge=1)
    length: int | None = Field(default=None, ge=0, description="Characters, line ends included.")
    end_line: int | None = Field(default=None, ge=1)
    end_column: int | None = Field(default=None, ge=1, description="Behind the last character.")
    paragraph: int | None = Field(default=None, ge=1, description="Of a Word file.")
