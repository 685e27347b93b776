"""Find what a follow-up question refers to: the second paper, its authors, the question before.

'And the second?' after an answer that cited A and B -> 'In “B”: how do they rank papers?'. Nothing is
parsed: a closed list of words that point back decides, and a question without any stands alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from state.asking import CitedPaper, Turn
from tools.text.printable import printable_title
from tools.text.questions import IN_PAPER, read_question

_KIND = r"(?:one|papers?|work|study|article|system|method|approach|model|tool|source|author)"
_NTH = re.compile(
    rf"\bthe (first|second|third|fourth|fifth|last|latter|former|other)(?: {_KIND})?\b"
    r"(?! (?:time|step|place|stage|part|to)\b)",
    re.IGNORECASE,
)
_PLACES = {
    "first": 0, "former": 0, "second": 1, "other": 1, "third": 2, "fourth": 3, "fifth": 4,
    "last": -1, "latter": -1,
}  # fmt: skip
_MANY = re.compile(r"\b(?:they|them|their|theirs|these|those|both)\b", re.IGNORECASE)
_ONE = re.compile(
    rf"\b(?:it|its|(?:this|that|the same) {_KIND}|he|she|his|her|the authors?)\b(?! (?:of|that)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:(?:and|but|so|then|ok|okay|thanks)\b[, ]*)+", re.IGNORECASE)
_ABOUT = re.compile(r"^(?:what|how) about\b *", re.IGNORECASE)
_BARE = re.compile(
    r"^(?:why|how|how so|why so|why not|when|where|who|by whom|by how much|how much|how many|on what data|with what)$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|has|have|will|would|should)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A follow-up question that stands alone, and the papers to which it is put."""

    question: str
    papers: tuple[str, ...] = ()
    """Ids; empty where it is put to the library."""


def resolve(question: str, history: Sequence[Turn]) -> Resolved:
    """Return the question with what it takes from the conversation; the same if it stands alone.

    Args:
        question: As it was asked.
        history: Earlier turns, oldest first; the last one may tell which papers it cited.
    """
    text = " ".join(question.split())
    if not history:
        return Resolved(question)
    cited, before = history[-1].papers, _plain(history)
    bare = _LEAD.sub("", text).strip(" ?.!")
    if found := _NTH.search(bare):
        place = _PLACES[found[1].lower()]
        if cited and place < len(cited):
            rest = _ABOUT.sub("", f"{bare[: found.start()]}it{bare[found.end() :]}").strip(" ?.!")
            return _put(before if rest == "it" else f"{rest}?", cited[place : place + 1 or None])
    if _BARE.match(bare):
        return _put(_again(bare, before), cited[:1])
    if _ABOUT.match(bare) or (bare != text.strip(" ?.!") and not _ASKS.match(bare)):
        return Resolved(f"{before.rstrip('?')}, {_ABOUT.sub('', bare)}?")
    if _MANY.search(bare):
        return _put(f"{bare}?", cited, before)
    if _ONE.search(bare):
        return _put(f"{bare}?", cited[:1], before)
    return Resolved(question)


def absent(question: str, cited: Sequence[CitedPaper]) -> str:
    """Return 'the second' where that is all that is asked for and fewer papers were cited; else ''."""
    bare = _ABOUT.sub("", _LEAD.sub("", " ".join(question.split())).strip(" ?.!"))
    found = _NTH.fullmatch(bare)
    beyond = found and "author" not in bare and _PLACES[found[1].lower()] >= len(cited) > 0
    return bare.lower() if beyond else ""


def _plain(history: Sequence[Turn]) -> str:
    """Return the last question that has a matter of its own, without what put it to a paper."""
    for turn in reversed(history):
        bare = _LEAD.sub("", turn.question).strip(" ?.!")
        if not _BARE.match(bare) and not _NTH.fullmatch(_ABOUT.sub("", bare)):
            return IN_PAPER.sub("", turn.question)
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
