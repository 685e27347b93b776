"""What a file of references said of a paper, kept so that an export can say it again."""

from typing import Literal

from pydantic import Field

from state.value import FrozenModel

RecordFormat = Literal["bibtex", "csl", "ris", "nbib", "enw", "cff"]


class Record(FrozenModel):
    """One entry of a file of references as it stood there."""

    format: RecordFormat
    type: str = Field(default="", description="As the format calls it: 'book', 'JOUR'.")
    key: str = Field(default="", description="The key its owner gave it; empty without one.")
    fields: tuple[tuple[str, str], ...] = Field(
        default=(),
        description="Names and values in the order of the file, names may repeat; BibTeX's values are "
        "LaTeX with abbreviations resolved, values of CSL JSON and CFF are JSON.",
    )
