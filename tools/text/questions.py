"""What a question is about, whether a record answers it, and which questions it puts at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, content_stems, stem, tokens

_ASKING = frozenset(("who", "whose", "whom", "what", "which", "when", "where", "why", "how"))
_IS = frozenset(("is", "are", "was", "were", "do", "does", "did", "can", "has", "have"))
_BEFORE_ASKING = frozenset(("by", "on", "in", "for", "with", "from", "to", "at", "of"))
_OF_RECORDS = frozenset(
    ("author", "authors", "authored", "affiliation", "affiliations", "doi", "venue")
)
_APPEARED = frozenset(("written", "published", "appear", "presented"))
_MADE = frozenset(
    "wrote published proposed introduced developed created made built invented presented".split()  # noqa: SIM905
)
_RECORD_PAIRS = frozenset(
    {("who", word) for word in _MADE}
    | {(which, word) for which in ("what", "which") for word in ("year", "journal", "conference")}
    | {("written", "by"), ("published", "by")}
)
_SIZES = frozenset("many much large big long often fast high small old frequent accurate".split())  # noqa: SIM905
_AROUND = ".,;:!?()[]“”‘’\"'"
_SMALL = 0.4
"""Weight of a word that all academic prose has, such as 'performance', beside one that tells."""
_POLITE = frozenset("hi hello hey thanks thank ok okay please tell show know like".split())  # noqa: SIM905
_OF_THE_QUESTION = frozenset(
    stem(word)
    for word in """many much large big long often called mean means used using paper papers article study work author
    authors wrote written write appear appeared publish published number exactly tell know known explain say said
    kind kinds sort way ways thing things example describe""".split()  # noqa: SIM905
).union(map(stem, _POLITE))
_ACADEMIC = frozenset(stem(word) for word in ACADEMIC_WORDS)
_LEANING = frozenset(("it", "its", "they", "them", "their"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is held against sentences."""

    text: str
    terms: tuple[str, ...]
    """Stems of the words that say what it is about, in order; without those that only ask."""
    for_record: bool
    """Whether it asks for authors, year or venue, which a paper's record tells."""
    for_number: bool = False

    def weight(self, term: str) -> float:
        """Return how much a term tells, before how rare it is."""
        return _SMALL if term in _ACADEMIC else 1.0


def without_papers(question: str) -> str:
    """Return a question without 'In “X” and “Y”: ', which puts it to papers and is not what is asked."""
    return question.partition("”: ")[2] if question.startswith("In “") else question


@lru_cache(maxsize=512)
def read_question(text: str) -> Question:
    """Return what a question is about and asks for."""
    plain = without_papers(" ".join(text.split()))
    terms = dict.fromkeys(term for term in content_stems(plain) if term not in _OF_THE_QUESTION)
    words = tokens(plain)
    appeared = ("when" in words or "where" in words) and bool(_APPEARED.intersection(words))
    pairs = set(pairwise(words))
    record = appeared or bool(_OF_RECORDS.intersection(words) or pairs & _RECORD_PAIRS)
    return Question(
        text=plain,
        terms=tuple(terms),
        for_record=record or words in (["who"], ["by", "whom"]),
        for_number=any(("how", size) in pairs for size in _SIZES),
    )


def question_parts(text: str) -> list[str]:
    """Return the questions that a text puts at once, or the text; each with the names of the one before it.

    'How large is Norla, and who may use it?' -> 'How large is Norla?', 'who may use it (Norla)?'.
    """
    words = without_papers(" ".join(text.split())).split()
    cuts = [0, *(place for place in range(2, len(words)) if _begins_part(words, place)), len(words)]
    parts = [_part(words[start:end]) for start, end in pairwise(cuts)]
    parts = [part for part in parts if any(tokens(part))]
    if len(parts) < 2 or any(len(part.split()) < 2 for part in parts):
        return [text]
    whole, named = list[str](), ""
    for part in parts:
        own = names(part)
        leans = not own or not _LEANING.isdisjoint(tokens(part))
        whole.append(f"{part} ({named})?" if leans and named else f"{part}?")
        named = " ".join(own) or named
    # 'Who won the cup, and who scored?': by itself the second asks about anything.
    sound = all(names(part) or len(content_stems(part)) > 1 for part in whole)
    return whole if sound else [text]


def names(text: str) -> list[str]:
    """Return the words of a question that are written as names are; a capital at its beginning tells nothing."""
    words = _bare(text)
    return [
        word
        for place, word in enumerate(words)
        if is_name(word) and (place or not word.istitle()) and word.lower() not in STOP_WORDS
    ]


def is_name(word: str) -> bool:
    """Whether a word has a capital, as names and abbreviations do."""
    return len(word) > 1 and not word.islower() and any(map(str.isupper, word))


def keywords(question: str, spellings: Mapping[str, str]) -> str:
    """Return the words of a question to search for, spelt right; the question where few are left.

    'How does LitLLM rank papers?' -> 'LitLLM rank papers'.
    """
    right = {wrong.casefold(): word for wrong, word in spellings.items()}
    words = [right.get(word.casefold(), word) for word in _bare(without_papers(question))]
    kept = [word for word in words if word.lower() not in STOP_WORDS | _POLITE]
    return " ".join(kept) if len(kept) > 1 else " ".join(words)


def _bare(text: str) -> list[str]:
    """Return the words of a text as they are written, without the marks around them."""
    return [word for item in text.split() if any(map(str.isalnum, word := item.strip(_AROUND)))]


def _begins_part(words: Sequence[str], place: int) -> bool:
    word, before = words[place].lower().strip(_AROUND), words[place - 1].lower()
    following = words[place + 1].lower() if place + 1 < len(words) else ""
    asks = word in _ASKING or (word in _BEFORE_ASKING and following in _ASKING)
    ended = words[place - 2][-1:] in tuple(",;?")
    if before == "and":
        return asks or (ended and word in _IS)
    return before[-1:] in ("?", ";") or (asks and before[-1:] == ",")


def _part(words: Sequence[str]) -> str:
    kept = words[:-1] if words[-1:] in (["and"], ["And"]) else words
    return " ".join(kept).rstrip(" ,;?.")
