"""A quote, and the arguments that rest on quotes."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, computed_field, model_validator

from state.value import FrozenModel

ANNOTATION = "annotation"
"""Words about a paper by somebody else, as a library may have them in place of its abstract."""


_WORDS_OF: Mapping[str, str] = {
    "abstract": "the paper's abstract",
    "title": "the paper's title",
    "passage": "the paper's text",
    "record": "the paper's record, not its own words",
    ANNOTATION: "an annotation, not the paper's own words",
    "input": "the input text",
}


def words_of(part: str) -> str:
    """Return whose words a quote is, for people; all that shows a quote takes this from here."""
    return _WORDS_OF.get(part, part)


def quote_owner(part: str) -> str:
    """Return what stands behind words, or behind who says them, where they are not their paper's."""
    return {ANNOTATION: f" ({ANNOTATION})", "input": " (the input text)"}.get(part, "")


class Quote(FrozenModel):
    """Words claimed to stand in a paper.

    `verified` is set by code only (tools.evidence.quotes), never by a model, and then `start` and
    `end` are the offsets of the words in the text they are from: `source_text[start:end]`.
    """

    text: str
    paper: str = Field(description="Id of the paper, or 'input' for the researcher's own text.")
    part: str = Field(
        default="abstract",
        description="Where it stands: 'abstract', 'annotation' (what a bibliographer wrote in place of an "
        "abstract), 'title', 'passage' (of a full text or of what a library searches), 'record' (a sentence that "
        "a library makes of it), 'input'.",
    )
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    verified: bool = False
    place: str = Field(
        default="", description="Where in a full text, for people: '3.2 Training, p. 7'."
    )

    @computed_field(description="Whose words these are, for people.")  # type: ignore[prop-decorator]
    @property
    def words_of(self) -> str:
        """Told with each quote wherever it goes, so that nobody has to know the parts."""
        return words_of(self.part)

    @property
    def whose(self) -> str:
        """What stands behind the words where they are printed: see `whose`."""
        return quote_owner(self.part)

    @model_validator(mode="before")
    @classmethod
    def _read_back(cls, value: object) -> object:
        """Leave out what is made of `part` each time."""
        if isinstance(value, Mapping) and "words_of" in value:
            return {name: worth for name, worth in value.items() if name != "words_of"}
        return value

    @model_validator(mode="after")
    def _verified_has_offsets(self) -> "Quote":
        if self.verified and (self.start is None or self.end is None):
            raise ValueError("a verified quote has offsets")
        if self.verified and (self.end or 0) - (self.start or 0) != len(self.text):
            raise ValueError("the offsets of a verified quote span its text")
        return self


class Argument(FrozenModel):
    """One reason for or against citing a paper, with what it rests on."""

    claim: str
    quote: Quote | None = Field(default=None, description="Its verified quote; none if it failed.")
    note: str = Field(default="", description="Why the argument is unsupported, if it is.")

    @property
    def supported(self) -> bool:
        """Whether a verified quote stands behind it."""
        return self.quote is not None and self.quote.verified


class Criterion(FrozenModel):
    """One condition that a question, or a list of conditions, puts to papers."""

    criterion: str = Field(min_length=1)
    required: bool = Field(
        default=True, description="Whether a paper that does not meet it is no answer."
    )
    from_year: int | None = Field(
        default=None, description="A condition on time alone: the first year that meets it."
    )
    to_year: int | None = Field(default=None, description="The last year that meets it.")

    @property
    def of_time(self) -> bool:
        """Whether the paper's year alone decides."""
        return not (self.from_year is None and self.to_year is None)


Met = Literal["yes", "partly", "no", "unknown"]


class CriterionVerdict(Criterion):
    """Whether one paper meets one condition."""

    met: Met = Field(
        default="unknown",
        description="'unknown' where its text does not say, no quote could be checked, or no model judged it.",
    )
    quote: str = Field(
        default="",
        description="At most 20 words that CiteLoom found in the paper; those of its closest sentence where no "
        "model judged; its year for a condition on time.",
    )
    part: str = Field(default="", description="Where these words stand, as the `part` of a quote.")


class Debate(FrozenModel):
    """Arguments for and against citing a paper, and the score that came of them."""

    paper: str
    arguments_for: tuple[Argument, ...] = ()
    arguments_against: tuple[Argument, ...] = ()
    raw_score: float = Field(ge=0, le=100, description="What the mind gave, 0..100.")
    score: float = Field(ge=0, le=100, description="After the quote check lowered it, 0..100.")
    reductions: tuple[str, ...] = Field(default=(), description="Each lowering, in words.")
    criteria: tuple[CriterionVerdict, ...] = ()
    by: str = Field(description="Which mind debated: a model's name or 'extractive'.")
