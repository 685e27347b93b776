"""What a question is about, and which kind of sentence answers it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, content_stems, stem, tokens

Kind = Literal["number", "record", "reason", "definition", "name", "other"]
"""What an answer has: a number, authors or a year, a reason, 'X is', a name; or nothing of these."""

_POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|thanks|thank you|ok|okay|so|well|now|and|but|please)[,!. ]+)+"
    r"|^(?:can|could|would|will) you (?:please )?|^do you know |^i (?:would|['’]d) like to know "
    r"|^(?:please )?(?:tell|show) (?:me|us) (?:about )?",
    re.IGNORECASE,
)
_ASKS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("record", re.compile(
        r"\b(?:authors?|authored|affiliations?|doi|venue)\b"
        r"|\bwho\s+(?:wrote|published|proposed|introduced|developed|created|made|built|invented|presented)\b"
        r"|\bwho\s+(?:is|are|was|were)\s+(?:it|they|this|the\s+paper)\b|\b(?:written|published)\s+by\b|^who$|^by whom$"
        r"|\b(?:when|where)\s+(?:was|were|did)\b.*\b(?:written|published|appear|presented)|^when$"
        r"|\b(?:what|which)\s+(?:year|journal|conference)\b", re.IGNORECASE)),
    ("number", re.compile(
        r"\bhow (?:many|much|large|big|long|often|fast|high|small|old|frequent|accurate|well)\b"
        r"|\b(?:number|size|accuracy|score|rate|share|percentage|proportion|fraction|value|f1|bleu|rouge|kappa)\b", re.IGNORECASE)),
    ("reason", re.compile(r"^why\b|\b(?:reasons?|motivation)\b", re.IGNORECASE)),
    ("definition", re.compile(
        r"^what (?:is|are|does|do) (?:meant by )?(?:an? |the )?(?P<what>[\w-]+(?: [\w-]+){0,3}?)(?: mean| stand for)?\W*$", re.IGNORECASE)),
    ("name", re.compile(r"\b(?:which|what) \w+", re.IGNORECASE)),
)  # fmt: skip
IN_PAPER = re.compile(r"^In “[^”]*”(?: and “[^”]*”)*: ")
"""What puts a question to papers of the conversation; it is no part of what is asked."""
_COUNTED = re.compile(
    r"\bhow many ((?:[\w-]+ ){0,3}?[\w-]+)(?= (?:is|are|was|were|do|does|did|has|have|had|can|in|of|from|for|on|at)\b|\W*$)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.])\d[\d,.]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|half|"
    r"hundreds?|thousands?|millions?)\b",
    re.IGNORECASE,
)
_NO_AMOUNT = re.compile(
    r"\[[\d, –-]+\]|\(?\b(?:19|20)\d\d[a-z]?\b\)?|(?:Section|Sec\.|Figure|Fig\.|Table|Step|Eq\.|Equation|Chapter)\s*[\dA-Z][\d.]*|§\s*[\d.]+"
)
_BECAUSE = re.compile(
    r"\b(?:because|since|due to|in order to|so that|reasons?|therefore|thus|to avoid|as it|as they)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=\w )[^\w\s]?([A-Z][\w+-]*[A-Z0-9][\w+-]*|[A-Z][a-z][\w-]*)")
_SMALL = 0.4
"""Weight of a word that all academic prose has, such as 'performance', beside one that tells."""
_OF_THE_QUESTION = frozenset(
    stem(word)
    for word in """many much large big long often called mean means used using paper papers article study work author
    authors wrote written write appear appeared publish published number exactly tell know known explain say said
    kind kinds sort way ways thing things example describe""".split()  # noqa: SIM905
)
_ACADEMIC = frozenset(stem(word) for word in ACADEMIC_WORDS)
_NEAR = 4
"""Words before the thing counted within which its number stands: '1,155 labelled conversations'."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is held against sentences."""

    text: str
    kind: Kind
    terms: tuple[str, ...]
    """Stems of the words that say what it is about, in order; without those that only ask."""
    counted: str = ""
    """The stem of what is counted: 'convers' of 'How many conversations were used?'."""
    defined: str = ""
    """What is to be defined, in lower case: 'babar' of 'What is BABAR?'."""

    def weight(self, term: str) -> float:
        """Return how much a term tells, before how rare it is."""
        return _SMALL if term in _ACADEMIC else 1.0

    def suits(self, sentence: str) -> float:
        """Return how far a sentence is of the kind that answers, 0..1.

        'How many nodes does it have?': 1 for 'It has 12M nodes', less for a number of other things.
        """
        if self.kind == "number":
            return self._number(sentence)
        if self.kind == "reason":
            return float(_BECAUSE.search(sentence) is not None)
        if self.kind == "definition":
            name = re.escape(self.defined)
            says = rf"(?:the |an? )?{name}s?\b[^.]{{0,20}}(?:\bis\b|\bare\b|consist|denote|mean|refer)|.*\b(?:called|named) {name}\b"
            return float(re.match(says, sentence.lower()) is not None)
        if self.kind == "name":
            asked = self.text.lower()
            return float(any(name.lower() not in asked for name in _NAMED.findall(sentence)))
        return 0.0

    def _number(self, sentence: str) -> float:
        text = _NO_AMOUNT.sub("", sentence)
        if not _NUMBER.search(text):
            return 0.0
        if not self.counted:
            return 0.7
        words = text.split()
        near = (
            any(_NUMBER.search(word) for word in words[max(0, place - _NEAR) : place])
            for place, word in enumerate(words)
            if self.counted in content_stems(word)
        )
        return 1.0 if any(near) else 0.3


@lru_cache(maxsize=512)
def read_question(text: str) -> Question:
    """Return what a question is about and asks for."""
    plain = IN_PAPER.sub("", " ".join(text.split()))
    while (bare := _POLITE.sub("", plain, count=1)) != plain and bare:
        plain = bare
    kind: Kind = "other"
    found: re.Match[str] | None = None
    for name, asks in _ASKS:
        if found := asks.search(plain):
            kind = name
            break
    terms = tuple(
        term for term in dict.fromkeys(content_stems(plain)) if term not in _OF_THE_QUESTION
    )
    counted = _COUNTED.search(plain) if kind == "number" else None
    head = stem(tokens(counted[1])[-1].rpartition("-")[2]) if counted and tokens(counted[1]) else ""
    defined = found["what"].lower() if kind == "definition" and found else ""
    return Question(plain, kind, terms, head if head in terms else "", defined)


def keywords(question: str, spellings: Mapping[str, str]) -> str:
    """Return the words of a question to search for, spelt right; the question where few are left.

    'How does LitLLM rank papers?' -> 'LitLLM rank papers'.
    """
    plain = read_question(question).text
    right = {wrong.casefold(): word for wrong, word in spellings.items()}
    words = [
        right.get(word.casefold(), word) for word in re.findall(r"[^\W_]+(?:[-'’./+][^\W_]+)*", plain)
    ]  # fmt: skip
    kept = [word for word in words if word.lower() not in STOP_WORDS]
    return " ".join(kept) if len(kept) > 1 else " ".join(words)
