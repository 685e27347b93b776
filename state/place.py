"""Where something stands in a file that a person keeps."""

from pydantic import Field

from state.value import FrozenModel


class Place(FrozenModel):
    """A stretch of a file as it is on disk. Lines, columns and paragraphs count from 1, columns in characters."""

    file: str = Field(default="", description="The file, as it was named; empty for a text.")
    line: int | None = Field(default=None, ge=1, description="None in a Word file.")
    column: int | None = Field(default=None, ge=1)
    length: int | None = Field(default=None, ge=0, description="Characters, line ends included.")
    end_line: int | None = Field(default=None, ge=1)
    end_column: int | None = Field(default=None, ge=1, description="Behind the last character.")
    paragraph: int | None = Field(default=None, ge=1, description="Of a Word file.")
