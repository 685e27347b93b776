"""What a mind answers when it writes."""

from pydantic import BaseModel, Field

from state.writing import Sentence


class Support(BaseModel):
    """The words behind one citation, as the mind gives them."""

    key: str
    quotes: list[str] = Field(description="One to three stretches of that paper's words, verbatim.")


class NextSentence(BaseModel):
    """One sentence."""

    sentence: str = Field(description="One whole sentence with markers such as {P3}.")
    support: list[Support] = Field(default=[], description="One entry for each cited paper.")
    basis: str = Field(
        default="", description="Words of the input, for a sentence on the authors' own work."
    )
    rests_on: list[str] = Field(
        default=[],
        description="Keys of the papers that a sentence without citations speaks of together.",
    )


class PassageSentence(NextSentence):
    """One sentence of several."""

    line: int = Field(default=1, description="The plan's line that it is, where there is a plan.")


class Passage(BaseModel):
    """Several sentences."""

    sentences: list[PassageSentence]


def as_answered(sentence: Sentence, line: int = 1) -> PassageSentence:
    """Return a sentence that stands as a mind would answer it."""
    given = [
        Support(key=mark.key, quotes=[item.text for item in (mark.quote, *mark.further)])
        for mark in sentence.citations
        if mark.quote
    ]
    return PassageSentence(
        sentence=sentence.text, support=given, line=line, rests_on=list(sentence.rests_on),
        basis=sentence.basis.text if sentence.basis else "",
    )  # fmt: skip
