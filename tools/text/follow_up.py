"""Find what a follow-up question refers to: the second paper, its authors, the question before.

'And the second?' after an answer that cited A and B -> 'In “B”: how do they rank papers?'. Nothing is
parsed: a short list of words that point back decides, and a question without any stands alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from state.ask import CitedPaper, ConversationTurn
from tools.text.questions import read_question, without_papers
from tools.text.quotable import printable_title
from tools.text.words import stem, tokens

_PLACES = {
    "first": 0,
    "former": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "last": -1,
    "latter": -1,
}
_KIND = ("one", "paper", "work", "study", "article", "")
"""What 'the second' is of, where a paper is meant."""
_MANY = frozenset("they them their theirs these those both".split())  # noqa: SIM905
_ONE = frozenset("it its he she his her".split())  # noqa: SIM905
_ASKS = frozenset(
    """what which who whose when where why how is are was were do does did can could has have will would
    should""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A follow-up question that stands alone, and the papers to which it is put."""

    question: str
    papers: tuple[str, ...] = ()
    """Ids; empty where it is put to the library."""


def resolve_follow_up(question: str, history: Sequence[ConversationTurn]) -> Resolved:
    """Return the question with what it takes from the conversation; the same if it stands alone.

    Args:
        question: As it was asked.
        history: Earlier turns, oldest first; the last one may tell which papers it cited.
    """
    if not history:
        return Resolved(question)
    cited, words, place = history[-1].papers, frozenset(tokens(question)), _place(question)
    told = (without_papers(turn.question) for turn in reversed(history))
    before = next(filter(_has_subject, told), history[-1].question).rstrip("?")
    alone = _has_subject(question) or read_question(question).for_record
    if place is not None and place < len(cited):
        return _put(question if alone else f"{before}?", cited[place : place + 1 or None])
    if not _has_subject(question):
        return _put(question if alone else f"{before}: {question}", cited[:1])
    if words & _MANY:
        return _put(question, cited, before)
    if words & _ONE:
        return _put(question, cited[:1], before)
    about = question.lower().startswith(("what about", "how about"))
    return Resolved(f"{before}: {question}" if about or words.isdisjoint(_ASKS) else question)


def absent(question: str, cited: Sequence[CitedPaper]) -> str:
    """Return 'second' where that is all that is asked for and fewer papers were cited; else ''."""
    place = _place(question)
    beyond = place is not None and place >= len(cited) > 0 and not _has_subject(question)
    return next(word for word in tokens(question) if word in _PLACES) if beyond else ""


def _place(question: str) -> int | None:
    """Return which of the papers 'the second paper' is; None without such words."""
    words = [*tokens(question), ""]
    for word, following in pairwise(words):
        if word in ("former", "latter") or (word in _PLACES and following in _KIND):
            return _PLACES[word]
    return None


def _has_subject(question: str) -> bool:
    """Whether a question says by itself what it is about: 'Why?' and 'And the second?' do not."""
    return not set(read_question(question).terms) <= {*map(stem, (*_PLACES, *_KIND))}


def _put(question: str, papers: Sequence[CitedPaper], before: str = "") -> Resolved:
    """Put a question to papers; where none is known, the question before says what it is about."""
    if not papers:
        return Resolved(f"{question.rstrip('?')} ({before})?" if before else question)
    titles = " and ".join(f"“{printable_title(paper.title)}”" for paper in papers)
    return Resolved(
        f"In {titles}: {question[:1].lower()}{question[1:]}", tuple(paper.id for paper in papers)
    )
