"""Sentences in which one paper of a library cites another, and what they say of it."""

from typing import Literal

from pydantic import Field

from state.passage import place_of
from state.quote import Quote
from state.run import Failure
from state.value import FrozenModel

Stance = Literal["supports", "contrasts", "uses", "background", "unclear"]
CUE_WORDS = "cue words"
"""Who typed a sentence that no model did."""


class CitingSentence(FrozenModel):
    """A sentence of a paper's text that cites another paper of its library."""

    citing: str = Field(default="", description="Id of the paper whose sentence it is.")
    cited: str = Field(default="", description="Id of the paper that it cites.")
    text: str = Field(min_length=1, description="The sentence as it stands in the text.")
    marker: str = Field(description="The citation in it: '[12]', '(Lee et al., 2020)'.")
    before: str = Field(default="", description="The sentence before it in its paragraph.")
    after: str = Field(default="", description="The sentence behind it in its paragraph.")
    section: tuple[str, ...] = Field(default=(), description="Headings from the top down.")
    page: int | None = Field(default=None, ge=1, description="The page on which it begins, from 1.")
    document: str = Field(default="", description="SHA-256 of the file that it stands in.")
    start: int = Field(ge=0, description="Offset of its first character in the document's text.")
    entry: int = Field(ge=0, description="Place of the cited paper in the list of references.")
    stance: Stance | None = Field(
        default=None, description="What it does with the cited paper; none where nobody typed it."
    )
    by: str = Field(default="", description="Who typed it: a model's name, or 'cue words'.")
    own: bool = Field(default=False, description="Whether both papers have an author in common.")

    @property
    def place(self) -> str:
        """Where it stands, for people: '3.2 Training, p. 7'."""
        return place_of(self.section, self.page)

    @property
    def quote(self) -> Quote:
        """The sentence as a verified quote of the citing paper."""
        return Quote(
            text=self.text,
            paper=self.citing,
            part="passage",
            start=self.start,
            end=self.start + len(self.text),
            verified=True,
            place=self.place,
        )


class PaperName(FrozenModel):
    """How a paper is named."""

    name: str
    year: int | None = None
    title: str


class LibraryCitations(FrozenModel):
    """What the papers of a library say of one another."""

    library: str
    paper: str = Field(default="", description="Id of the paper asked about; empty for all.")
    papers: dict[str, PaperName] = Field(default={}, description="The papers named, by id.")
    sentences: tuple[CitingSentence, ...] = Field(
        default=(), description="In order of citing document and place."
    )
    failures: tuple[Failure, ...] = ()
