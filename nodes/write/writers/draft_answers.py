"""What a mind answers when it drafts, the sentences made of that, and what code finds wrong with them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from state.paper import Paper
from state.quote import Quote
from state.writing import INPUT, MARKER, PlanLine, Sentence, VerdictReason
from tools.evidence.quotes import quotable_texts, quote_fault, quote_input, quote_paper
from tools.evidence.unmarked_citations import invented_citations
from tools.text.words import SAME, resemblance, share_of_stems, split_sentences


class WrittenSentence(BaseModel):
    """One sentence as the mind gives it."""

    line: int = Field(
        default=1,
        description="Number of the plan's line, or of the paragraph where it shows no lines.",
    )
    text: str = Field(description="One whole sentence with markers such as {P3}.")


class SentenceGround(BaseModel):
    """What one sentence rests on."""

    sentence: int = Field(description="Place of the sentence in the list, from 1.")
    key: str = Field(description="Key of a paper, or 'input'.")
    quotes: list[str] = Field(
        default=[], description="One to three stretches of its words, verbatim."
    )


class SentencesAnswer(BaseModel):
    """The mind's answer: the sentences in order, and then what each rests on."""

    sentences: list[WrittenSentence]
    grounds: list[SentenceGround] = []


class SectionAnswer(BaseModel):
    """The mind's answer as plain prose; what its sentences rest on, the check finds."""

    text: str = Field(description="Paragraphs with an empty line between them.")


class RevisedParagraph(BaseModel):
    """A paragraph in its new wording."""

    number: int = Field(
        description="Its place in the section, from 1; a new one gets the next number."
    )
    text: str = Field(description="The whole paragraph; empty where it goes.")


class Revision(BaseModel):
    """The mind's answer where it revises a section: what it makes of it, and the paragraphs that change."""

    reading: str = Field(default="", description="Notes on what is to be mended.")
    paragraphs: list[RevisedParagraph] = Field(
        default=[], description="The paragraphs that change, and no others."
    )

    def applied_to(self, paragraphs: Sequence[str]) -> SectionAnswer:
        """Return the section in its new wording."""
        places = dict(enumerate(paragraphs, start=1))
        places |= {item.number: item.text for item in self.paragraphs}
        texts = (places[number].strip() for number in sorted(places))
        return SectionAnswer(text="\n\n".join(text for text in texts if text))


Answer = SentencesAnswer | SectionAnswer


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
    if not isinstance(answer, SentencesAnswer):
        return _cut(answer.text)
    grounds: dict[int, list[SentenceGround]] = defaultdict(list)
    for ground in answer.grounds:
        grounds[ground.sentence].append(ground)
    return [
        NextSentence(
            sentence=_one_by_one(item.text),
            line=item.line,
            support=[
                Support(key=one.key, quotes=one.quotes)
                for one in grounds[place]
                if one.key != INPUT
            ],
            basis=next(
                (words for one in grounds[place] if one.key == INPUT for words in one.quotes), ""
            ),
            rests_on=[one.key for one in grounds[place] if one.key != INPUT or not one.quotes],
        )
        for place, item in enumerate(answer.sentences, start=1)
    ]


def _cut(text: str) -> list[NextSentence]:
    """Cut a text into sentences, numbered by paragraph.

    One that cites nobody may speak of all that its paragraph cites, or else of all that the text cites,
    and of the researcher's own work.
    """
    text = _one_by_one(text)
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


def _one_by_one(text: str) -> str:
    """Give each key of a group braces of its own, '{P3, P7}' as some write however they are asked."""
    return _GROUP.sub(lambda found: "".join(f"{{{key}}}" for key in _KEY.findall(found[0])), text)


def _sentences(paragraph: str) -> Iterator[str]:
    """Yield the sentences; a citation that stands behind a full stop belongs before it."""
    ends = r"(?<!\bal)([.!?])\s*((?:\{P\d+\}\s*)+)(?=[A-Z]|$)"
    whole = re.sub(ends, lambda found: f" {found[2].strip()}{found[1]} ", paragraph)
    return (span.text for span in split_sentences(whole))


_KEY = re.compile(r"P\d+")
_GROUP = re.compile(r"\{\s*P\d+(?:\s*[,;]\s*P\d+)*\s*\}")


def to_sentences_answer(items: list[NextSentence]) -> SentencesAnswer:
    """Return sentences as a mind would answer them."""
    grounds = [
        SentenceGround(sentence=place, key=one.key, quotes=one.quotes)
        for place, item in enumerate(items, start=1)
        for one in [
            *item.support,
            *([Support(key=INPUT, quotes=[item.basis])] if item.basis else []),
        ]
    ]
    return SentencesAnswer(
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
        sentence=sentence.text,
        support=given,
        line=line,
        rests_on=list(sentence.rests_on),
        basis=sentence.basis.text if sentence.basis else "",
    )


Action = Literal["asked_again", "replaced", "rewritten", "removed"]


@dataclass(frozen=True, slots=True)
class SentenceFault:
    """One thing that is wrong with a sentence."""

    cause: VerdictReason
    detail: str
    key: str = ""


def faults_of(
    answer: NextSentence,
    line: PlanLine | None,
    papers: Mapping[str, Paper],
    own_text: str,
    so_far: Sequence[str] = (),
) -> list[SentenceFault]:
    """Say what is wrong: markers missing or foreign, citations made up, words said twice.

    A sentence that cites nothing speaks of the researcher's own work, and must rest on its words, or
    of papers cited around it, and must name them; whether it may is for the check of citations.

    Args:
        answer: The sentence with its support.
        line: The plan's line; None where any of the papers may be cited.
        papers: The papers that may be cited, by key.
        own_text: The researcher's text.
        so_far: The sentences before it.
    """
    text = answer.sentence.strip()
    if not text:
        return [SentenceFault("off_plan", "the sentence is empty")]
    marked = list(dict.fromkeys(MARKER.findall(text)))
    found = [
        SentenceFault("fabricated", f"it cites {key}, which it was not given", key)
        for key in marked
        if key not in papers
    ]
    at_hand = [own_text, *(paper.text for paper in papers.values())]
    found += [
        SentenceFault("fabricated", f"it has a citation that is not a marker: {item}", item)
        for item in invented_citations(text, at_hand)
    ]
    if any(resemblance(text, earlier) >= SAME for earlier in so_far):
        found.append(SentenceFault("repeated", "it repeats a sentence that is there already"))
    if line is not None and (lacking := [key for key in line.keys if key not in marked]):
        found.append(
            SentenceFault("off_plan", f"it does not cite {', '.join(lacking)}", lacking[0])
        )
    if not marked and not found:
        found += _uncited(answer, papers, own_text)
    return found


def _uncited(
    answer: NextSentence, papers: Mapping[str, Paper], own_text: str
) -> list[SentenceFault]:
    if answer.rests_on:
        strange = [key for key in answer.rests_on if key not in {*papers, INPUT}]
        return [
            SentenceFault("fabricated", f"it rests on {key}, which it was not given")
            for key in strange
        ]
    if not quote_input(answer.basis, own_text).verified:
        return [
            SentenceFault("uncited_claim", "it has no citation, and its basis is not in the input")
        ]
    return []


def best_quotes(
    paper: Paper, given: Sequence[str], sentence: str, known: Sequence[Quote] = ()
) -> list[Quote]:
    """Return those of the given words that are the paper's, else its sentence that says most of it."""
    quotes = [quote_paper(words, paper, known) for words in given if words.strip()]
    held = list(dict.fromkeys(quote for quote in quotes if quote.verified))
    closest = None if held else _closest(paper, sentence)
    return [closest] if closest else held


def _closest(paper: Paper, sentence: str) -> Quote | None:
    spans = split_sentences(paper.abstract or "")
    if not spans:
        quote = quote_paper(paper.title, paper)
        return quote if quote.verified else None
    best = max(spans, key=lambda span: share_of_stems(span.text, sentence))
    quote = quote_paper(best.text, paper)
    return quote if quote.verified else None


def false_quotes(
    answer: NextSentence, papers: Mapping[str, Paper], known: Sequence[Quote] = ()
) -> list[SentenceFault]:
    """Find words given as support that are not in the paper they are said to be of, or too few."""
    return [
        SentenceFault(*wrong, item.key)
        for item in answer.support
        if (paper := papers.get(item.key))
        for words in item.quotes
        if words.strip() and (wrong := quote_fault(words, quotable_texts(paper, known)))
    ]
