"""Answers made for the tests: sentences with quotes of the starter library's papers."""

from collections.abc import Mapping, Sequence

from evals.asking.cases import Case, Point, read_questions
from evals.asking.measures import Sources, Told
from state.ask import Claim
from state.paper import Paper
from state.passage import Passage, passage_id
from state.quote import Quote

QUESTIONS: Mapping[str, Case] = {case.id: case for case in read_questions()}


def point(case: str, number: int) -> Point:
    """The point of this number, from 1, of a packaged question."""
    return QUESTIONS[case].answers[0].points[number - 1]


def passage_of(paper: Paper) -> Passage:
    """A paper's text as one passage."""
    text = paper.abstract or ""
    return Passage(
        id=passage_id(paper.id, text),
        paper=paper.id,
        title=paper.title,
        section=("Annotation",),
        start=0,
        end=len(text),
        text=text,
    )


def claim(passage: Passage, words: str, number: int = 1) -> Claim:
    """A claim with these words of the passage as its quote."""
    start = passage.text.index(words)
    quote = Quote(
        text=words,
        paper=passage.paper,
        part="passage",
        start=start,
        end=start + len(words),
        verified=True,
    )
    return Claim(number=number, text=words, passage=passage.id, paper=passage.paper, quote=quote)


def told(text: str, *quotes: tuple[str, str]) -> Told:
    """A sentence that rests on quotes, each a paper and its words; nothing is looked up."""
    claims = [
        Claim(
            number=number,
            text=words,
            passage="p",
            paper=paper,
            quote=Quote(text=words, paper=paper, start=0, end=len(words), verified=True),
        )
        for number, (paper, words) in enumerate(quotes, 1)
    ]
    return Told(text=text, claims=tuple(claims))


def sources_of(papers: Sequence[Paper]) -> Sources:
    """What quotes of these papers are checked by."""
    passages = [passage_of(paper) for paper in papers]
    return Sources(
        {paper.id: paper.abstract or "" for paper in papers},
        {paper.id: paper for paper in papers},
        {passage.id: passage for passage in passages},
    )
