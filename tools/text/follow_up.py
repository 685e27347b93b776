"""Find what a follow-up question refers to: the second paper, its authors, the question before.

'And the second?' after an answer that cited A and B -> 'In “B”: how do they rank papers?'. Nothing is
parsed: a closed list of words that point back decides, and a question without any stands alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from state.ask import CitedPaper, ConversationTurn
from tools.text.questions import read_question, without_papers
from tools.text.quotable import printable_title

_KIND = frozenset(
    "one paper papers work study article system method approach model tool source author".split()  # noqa: SIM905
)
_PLACES = {
    "first": 0,
    "former": 0,
    "second": 1,
    "other": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "last": -1,
    "latter": -1,
}
_NO_PAPER = frozenset(("time", "step", "place", "stage", "part", "to"))
"""What 'the first' and 'the second' may tell of instead."""
_MANY = frozenset("they them their theirs these those both".split())  # noqa: SIM905
_ONE = frozenset("it its he she his her".split())  # noqa: SIM905
_LEAD = frozenset("and but so then ok okay thanks".split())  # noqa: SIM905
_BARE = frozenset(
    (
        "why",
        "how",
        "how so",
        "why so",
        "why not",
        "when",
        "where",
        "who",
        "by whom",
        "by how much",
        "how much",
        "how many",
        "on what data",
        "with what",
    )
)
_ASKS = frozenset(
    """what which who whose when where why how is are was were do does did can could has have will would
    should""".split()  # noqa: SIM905
)
_MARKS = ".,;:!?()“”\"'"


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
    text = " ".join(question.split()).strip(" ?.!")
    if not history:
        return Resolved(question)
    cited, before = history[-1].papers, _plain(history)
    bare = _without_lead(text)
    if found := _nth(bare):
        place, rest = found
        if cited and place < len(cited):
            rest = _about(rest)
            return _put(before if rest == "it" else f"{rest}?", cited[place : place + 1 or None])
    if bare.lower() in _BARE:
        return _put(_again(bare, before), cited[:1])
    words = [word.lower().strip(_MARKS) for word in bare.split()]
    if bare != _about(bare) or (bare != text and words and words[0] not in _ASKS):
        return Resolved(f"{before.rstrip('?')}, {_about(bare)}?")
    if _MANY.intersection(words):
        return _put(f"{bare}?", cited, before)
    if _points_to_one(words):
        return _put(f"{bare}?", cited[:1], before)
    return Resolved(question)


def absent(question: str, cited: Sequence[CitedPaper]) -> str:
    """Return 'the second' where that is all that is asked for and fewer papers were cited; else ''."""
    bare = _about(_without_lead(" ".join(question.split()).strip(" ?.!")))
    found = _nth(bare)
    beyond = found and found[1] == "it" and "author" not in bare and found[0] >= len(cited) > 0
    return bare.lower() if beyond else ""


def _without_lead(text: str) -> str:
    words = text.split()
    while words and words[0].lower().strip(_MARKS) in _LEAD:
        words = words[1:]
    return " ".join(words)


def _about(text: str) -> str:
    """Return a text without 'what about' before it."""
    start = text[:11].lower().startswith("what about") or text[:10].lower().startswith("how about")
    return text.partition("about")[2].strip() if start else text


def _nth(text: str) -> tuple[int, str] | None:
    """Return which of the papers 'the second paper' is, and the text with 'it' instead; None without such words."""
    words = text.split()
    plain = [word.lower().strip(_MARKS) for word in words] + ["", ""]
    for at, (article, word) in enumerate(pairwise(plain)):
        if article == "the" and word in _PLACES and plain[at + 2] not in _NO_PAPER:
            end = at + 3 if plain[at + 2] in _KIND else at + 2
            return _PLACES[word], " ".join([*words[:at], "it", *words[end:]])
    return None


def _points_to_one(words: Sequence[str]) -> bool:
    """Whether a question has 'it', 'this method' or 'the authors', and does not say which: 'the method of Lee'."""
    triples = zip(["", *words], [*words, ""], [*words[1:], "", ""], strict=False)
    for before, word, following in triples:
        kind = before in ("this", "that", "same") and word in _KIND
        authors = before == "the" and word in ("author", "authors")
        if (word in _ONE or kind or authors) and following not in ("of", "that"):
            return True
    return False


def _plain(history: Sequence[ConversationTurn]) -> str:
    """Return the last question that has a matter of its own, without what put it to a paper."""
    for turn in reversed(history):
        bare = _without_lead(turn.question.strip(" ?.!"))
        nth = _nth(_about(bare))
        if bare.lower() not in _BARE and not (nth and nth[1] == "it"):
            return without_papers(turn.question)
    return history[-1].question


def _again(bare: str, before: str) -> str:
    """Return the question before, asked with another question word: 'Why?' -> 'Why: is X ...?'."""
    if read_question(bare).kind == "record":
        return f"{bare}?"
    return f"{bare[:1].upper()}{bare[1:]}: {before}"


def _put(question: str, papers: Sequence[CitedPaper], before: str = "") -> Resolved:
    """Put a question to papers; where none is known, the question before says what it is about."""
    if not papers:
        return Resolved(f"{question.rstrip('?')} ({before.rstrip('?')})?" if before else question)
    titles = " and ".join(f"“{printable_title(paper.title)}”" for paper in papers)
    return Resolved(
        f"In {titles}: {question[:1].lower()}{question[1:]}", tuple(paper.id for paper in papers)
    )
