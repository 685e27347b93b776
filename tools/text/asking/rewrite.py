"""Rewrite a follow-up question so that it stands alone."""

import re
from collections.abc import Sequence

from state.asking import Turn
from tools.text.asking.keywords import plain_question
from tools.text.asking.naming import names
from tools.text.asking.pointers import ALSO, LEAD, pointed
from tools.text.asking.turns import GENERIC, KIND, MOST_WORDS, UNKNOWN, answered, subject_of
from tools.text.words import content_stems, stem, tokens

_WHAT_ABOUT = re.compile(
    r"^(?:(?:and|but|so|ok|thanks)\b,? )*(?:what|how) about +(.+)$", re.IGNORECASE
)
_VERB_FIRST = re.compile(
    r"^(?:do|does|did|is|are|was|were|can|could|should|has|have|will|would)\b", re.IGNORECASE
)
_BARE = re.compile(
    r"^(?:why|how|how so|why so|why not|when|who|where|really|in what way|since when|by whom|by how much|to what extent)$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"^which (?:one )?(?:of (?:them|these|the two|those) )?((?:is|are|does|has|performs?|works?|gives?)\b.*)$",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"^(?:when |as )?compared (?:with|to|against) (.+)$", re.IGNORECASE)
_NTH = re.compile(
    rf"\bthe (?P<nth>first|second|third|fourth|fifth|last|latter|former|other)(?: (?:one|{KIND}))?\b(?! (?:\w+ )?(?:time|step|to)\b)",
    re.IGNORECASE,
)
_ORDER = {
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
_BOTH = re.compile(r"\b(?:both|the two|two of them|each of them|all of them)\b", re.IGNORECASE)

_TURNS = 6
"""Turns that are looked back on."""


def rewrite(question: str, history: Sequence[Turn]) -> str:
    """Return the question with what it takes from earlier turns put in; the same if it stands alone.

    Args:
        question: As it was asked.
        history: Earlier turns, oldest first.
    """
    if not history:
        return question
    history = history[-_TURNS:]
    before = rewrite(history[-1].question, history[:-1])
    subject = _subject(before, history)
    text = " ".join(question.split())
    bare = ALSO.sub("", text).strip(" ?.!")
    if _BARE.match(bare):
        return _ask_again(bare, before)
    if found := _WHAT_ABOUT.match(text.strip(" ?.!")):
        return _another(found[1], before, subject, history)
    if (made := _nth(text, before, history)) is not None:
        return made
    if not subject:
        return question
    if (found := _WHICH.match(bare)) and " and " in subject:
        return f"Which {found[1]}, {subject.replace(' and ', ' or ')}?"
    if found := _COMPARED.match(bare):
        return f"How {'do' if ' and ' in subject else 'does'} {subject} compare with {found[1]}?"
    if (made := pointed(text, before, subject)) is not None:
        return made
    return _elliptic(text, bare, before, subject) or question


def _subject(before: str, history: Sequence[Turn]) -> str:
    """Return what the last turn was about, or else the one before it."""
    found = subject_of(before, history[-1].answer)
    if found or len(history) < 2:
        return found
    earlier = history[:-1]
    return _subject(rewrite(earlier[-1].question, earlier[:-1]), earlier)


def _ask_again(bare: str, before: str) -> str:
    """Ask the earlier question in another way: 'Why?' after 'Does X outperform Y?'."""
    bare = re.sub(r" (?:so|not)$", "", bare)
    word = bare.split()[0].lower()
    plain = plain_question(before)
    if _VERB_FIRST.match(plain) and word in {"why", "how", "when", "where", "by", "to"}:
        return f"{bare[0].upper()}{bare[1:]} {plain[0].lower()}{plain[1:]}?"
    if word in {"why", "how"} and (
        found := re.match(r"(?:how|why|what|which|when|who)\b", plain, re.IGNORECASE)
    ):
        rest = plain[found.end() :].strip()
        if found[0].lower() in {"how", "why"}:
            return f"{word.capitalize()} {rest}?"
    return f"{bare[0].upper()}{bare[1:]}, regarding the question: {plain}?"


def _another(said: str, before: str, subject: str, history: Sequence[Turn]) -> str:
    """Ask of another thing, or for another thing, what was asked before: 'what about LitLLM?'."""
    said = said.strip(" ?.!")
    if (made := _nth(said, before, history)) is not None:
        said = made
    if re.match(r"(?:its|their)\b", said, re.IGNORECASE) and subject:
        return f"What are the {said.partition(' ')[2]} of {subject}?"
    content = set(content_stems(said))
    if names(said) or not content <= GENERIC:
        old = names(before)
        if said in old or (UNKNOWN.match(before) and names(said)):
            return f"What is {said}?"
        if (old and names(said)) or (len(old) == 1 and len(said.split()) <= 3):
            return _replaced(before, old[-1], said)
        if subject and names(said) and subject in before:
            return _replaced(before, subject, said)
        if subject and re.match(r"(?:for|in|on|with|when|if|using)\b", said):
            return f"{plain_question(before)} {said}?"
        if subject and subject in before and not old:
            return _replaced(before, subject, said)
        return f"What about {said}, with regard to {subject}?" if subject else f"What about {said}?"
    bare = re.sub(r"^(?:the|any|some) ", "", said)
    return f"What are the {bare} of {subject}?" if subject else f"What about {said}?"


def _replaced(question: str, old: str, new: str) -> str:
    text = question.replace(old, new, 1)
    return text if text.rstrip().endswith(("?", ".", "!")) else f"{text}?"


def _nth(text: str, before: str, history: Sequence[Turn]) -> str | None:
    found = _NTH.search(text)
    if found is None:
        return None
    told = names(before)
    if len(told) < 2:
        told = answered(history[-1].answer)
    place = _ORDER[found["nth"].lower()]
    if len(told) < 2 or place >= len(told):
        return None
    if found[0] == ALSO.sub("", text).strip(" ?.!"):
        return f"What is {told[place]}?" if LEAD.match(before) and text != found[0] else told[place]
    return text[: found.start()] + told[place] + text[found.end() :]


def _elliptic(text: str, bare: str, before: str, subject: str) -> str:
    """Complete a question that has no subject of its own; empty where it has one."""
    if names(text):
        if LEAD.match(bare) or len(bare.split()) > 4:
            return ""
        old = names(before)
        return (
            _replaced(before, old[0] if old else subject, bare)
            if (old or subject in before)
            else ""
        )
    content = content_stems(bare)
    if len(content) > MOST_WORDS or set(content) - GENERIC - {
        stem(word) for word in tokens(before)
    }:
        also = bool(ALSO.match(text)) and len(content) <= 3 and not LEAD.match(bare)
        return f"{plain_question(before)}, {bare}?" if also else ""
    if set(content) & set(content_stems(subject)):
        return ""
    if _BOTH.search(bare):
        return _BOTH.sub(subject, bare) + "?"
    if not LEAD.match(bare):
        return f"What are the {re.sub(r'^(?:the|any|some) ', '', bare)} of {subject}?"
    ends_in_noun = re.search(
        r"\b(?:is|are|was|were) (?:the |its |their )?(?:main |key )?[\w-]+$", bare, re.IGNORECASE
    )
    participle = re.search(r"(?:ed|used|done|built|found|shown|made)$", bare)
    joint = "of" if ends_in_noun and not participle else "for"
    return f"{bare[0].upper()}{bare[1:]} {joint} {subject}?"
