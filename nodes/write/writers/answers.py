"""What a mind answers when it writes, and the sentences that come of it."""

from collections import defaultdict

from pydantic import BaseModel, Field

from state.writing import Sentence

INPUT = "input"
"""Key of the researcher's own text."""


class WrittenSentence(BaseModel):
    """One sentence as the mind gives it."""

    line: int = Field(
        default=1,
        description="Number of the plan's line, or of the paragraph where it shows no lines.",
    )
    text: str = Field(description="One whole sentence with markers such as {P3}.")


class Ground(BaseModel):
    """What one sentence rests on."""

    sentence: int = Field(description="Place of the sentence in the list, from 1.")
    key: str = Field(description="Key of a paper, or 'input'.")
    quotes: list[str] = Field(
        default=[], description="One to three stretches of its words, verbatim."
    )


class Written(BaseModel):
    """The mind's answer: the sentences in order, and then what each rests on."""

    sentences: list[WrittenSentence]
    grounds: list[Ground] = []


class Support(BaseModel):
    """The words behind one citation."""

    key: str
    quotes: list[str]


class NextSentence(BaseModel):
    """A sentence with its support, not checked yet."""

    sentence: str
    support: list[Support] = []
    basis: str = ""
    """Words of the input, for a sentence on the authors' own work."""
    rests_on: list[str] = []
    """Keys of the papers that a sentence without citations speaks of together."""
    line: int = 1


def sentences_of(answer: Written) -> list[NextSentence]:
    """Return an answer's sentences, each with what it rests on."""
    grounds: dict[int, list[Ground]] = defaultdict(list)
    for ground in answer.grounds:
        grounds[ground.sentence].append(ground)
    return [
        NextSentence(
            sentence=item.text,
            line=item.line,
            support=[
                Support(key=one.key, quotes=one.quotes)
                for one in grounds[place]
                if one.key != INPUT
            ],
            basis=next((words for one in grounds[place] if one.key == INPUT for words in one.quotes), ""),
            rests_on=[one.key for one in grounds[place] if one.key != INPUT],
        )
        for place, item in enumerate(answer.sentences, start=1)
    ]  # fmt: skip


def as_written(items: list[NextSentence]) -> Written:
    """Return sentences as a mind would answer them."""
    grounds = [
        Ground(sentence=place, key=one.key, quotes=one.quotes)
        for place, item in enumerate(items, start=1)
        for one in [*item.support, *([Support(key=INPUT, quotes=[item.basis])] if item.basis else [])]
    ]  # fmt: skip
    return Written(
        sentences=[WrittenSentence(line=item.line, text=item.sentence) for item in items],
        grounds=grounds,
    )


def as_answered(sentence: Sentence, line: int = 1) -> NextSentence:
    """Return a sentence that stands as a mind would answer it."""
    given = [
        Support(key=mark.key, quotes=[item.text for item in (mark.quote, *mark.further)])
        for mark in sentence.citations
        if mark.quote
    ]
    given += [Support(key=key, quotes=[]) for key in sentence.rests_on]
    return NextSentence(
        sentence=sentence.text, support=given, line=line, rests_on=list(sentence.rests_on),
        basis=sentence.basis.text if sentence.basis else "",
    )  # fmt: skip
