"""What a mind answers when it writes."""

from pydantic import BaseModel, Field

from state.writing import Sentence


class Support(BaseModel):
    """The words behind one citation, as the mind gives them."""

    key: str
    quote: str = Field(description="Words of that paper, verbatim.")


class NextSentence(BaseModel):
    """One sentence."""

    sentence: str = Field(description="One whole sentence with markers such as {P3}.")
    support: list[Support] = Field(default=[], description="One entry for each cited paper.")
    basis: str = Field(
        default="", description="Words of the input, for a sentence that cites nothing."
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
        Support(key=mark.key, quote=mark.quote.text) for mark in sentence.citations if mark.quote
    ]
    basis = sentence.basis.text if sentence.basis else ""
    return PassageSentence(sentence=sentence.text, support=given, basis=basis, line=line)
