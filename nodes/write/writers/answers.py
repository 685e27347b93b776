"""What a mind answers when it writes, and the sentences that come of it."""

import re
from collections import defaultdict
from collections.abc import Iterator

from pydantic import BaseModel, Field

from state.writing import INPUT, MARKER, Sentence
from tools.text.sentences import split_sentences


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


class Section(BaseModel):
    """The mind's answer as plain prose; what its sentences rest on, the check finds."""

    text: str = Field(description="Paragraphs with an empty line between them.")


class Revision(BaseModel):
    """The mind's answer where it revises a section: what it makes of it, and the section anew."""

    reading: str = Field(default="", description="Notes on what is to be mended.")
    text: str = Field(description="The whole section: paragraphs with an empty line between them.")


Answer = Written | Section | Revision


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


def sentences_of(answer: Answer) -> list[NextSentence]:
    """Return an answer's sentences, each with what it rests on."""
    if not isinstance(answer, Written):
        return _cut(answer.text)
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
            rests_on=[one.key for one in grounds[place] if one.key != INPUT or not one.quotes],
        )
        for place, item in enumerate(answer.sentences, start=1)
    ]  # fmt: skip


def _cut(text: str) -> list[NextSentence]:
    """Cut a text into sentences, numbered by paragraph.

    One that cites nobody may speak of all that its paragraph cites, or else of all that the text cites,
    and of the researcher's own work.
    """
    text = _GROUP.sub(lambda found: "".join(f"{{{key}}}" for key in _KEY.findall(found[0])), text)
    everywhere = list(dict.fromkeys(MARKER.findall(text)))
    found: list[NextSentence] = []
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip()), start=1):
        keys = list(dict.fromkeys(MARKER.findall(paragraph))) or everywhere
        found += [
            NextSentence(
                sentence=sentence,
                line=number,
                rests_on=[*keys, INPUT] if keys and not MARKER.search(sentence) else [],
            )
            for sentence in _sentences(" ".join(paragraph.split()))
        ]
    return found


def _sentences(paragraph: str) -> Iterator[str]:
    """Yield the sentences; a citation that stands behind a full stop belongs before it."""
    ends = r"(?<!\bal)([.!?])\s*((?:\{P\d+\}\s*)+)(?=[A-Z]|$)"
    whole = re.sub(ends, lambda found: f" {found[2].strip()}{found[1]} ", paragraph)
    return (span.text for span in split_sentences(whole))


_KEY = re.compile(r"P\d+")
_GROUP = re.compile(r"\{\s*P\d+(?:\s*[,;]\s*P\d+)*\s*\}")


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
