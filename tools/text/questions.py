"""What a question is about, which kind of sentence answers it, and which questions it puts at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Literal

from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, content_stems, stem, tokens

Kind = Literal["number", "record", "definition", "other"]
"""What an answer has: a number, authors or a year, 'X is'; or nothing of these."""

_POLITE = (
    "hi",
    "hello",
    "hey",
    "thanks",
    "thank you",
    "ok",
    "okay",
    "so",
    "well",
    "now",
    "and",
    "but",
    "please",
    "can you",
    "could you",
    "would you",
    "will you",
    "do you know",
    "i would like to know",
    "i'd like to know",
    "i’d like to know",
    "tell me about",
    "tell us about",
    "tell me",
    "tell us",
    "show me",
    "show us",
)
_ASKING = frozenset(("who", "whose", "whom", "what", "which", "when", "where", "why", "how"))
_IS = frozenset(("is", "are", "was", "were", "do", "does", "did", "can", "has", "have"))
_BEFORE_ASKING = frozenset(("by", "on", "in", "for", "with", "from", "to", "at", "of"))
_OF_RECORDS = frozenset(
    ("author", "authors", "authored", "affiliation", "affiliations", "doi", "venue")
)
_MADE = frozenset(
    "wrote published proposed introduced developed created made built invented presented".split()  # noqa: SIM905
)
_APPEARED = frozenset(("written", "published", "appear", "presented"))
_RECORD_PAIRS = frozenset(
    {("who", word) for word in _MADE}
    | {("who is", word) for word in ("it", "they", "this", "the paper")}
    | {(which, word) for which in ("what", "which") for word in ("year", "journal", "conference")}
    | {("written", "by"), ("published", "by")}
)
_HOW = frozenset(
    "many much large big long often fast high small old frequent accurate well".split()  # noqa: SIM905
)
_MEASURES = frozenset(
    "number size accuracy score rate share percentage proportion fraction value f1 bleu rouge kappa".split()  # noqa: SIM905
)
_NUMBERS = frozenset(
    """one two three four five six seven eight nine ten eleven twelve twenty half hundred hundreds thousand
    thousands million millions""".split()  # noqa: SIM905
)
_POINTERS = frozenset("section sec figure fig table step eq equation chapter §".split())  # noqa: SIM905
_IS_WHAT = (
    "is a",
    "is an",
    "is the",
    "are",
    "consists",
    "denotes",
    "means",
    "refers",
    "stands for",
)
_APPOSED = (", a", ", an", ", the", ", which")
"""What follows a name in the sentence that says what it is: where it begins with the name, and anywhere."""
_AROUND = ".,;:!?()[]“”‘’\"'"
_SMALL = 0.4
"""Weight of a word that all academic prose has, such as 'performance', beside one that tells."""
_OF_THE_QUESTION = frozenset(
    stem(word)
    for word in """many much large big long often called mean means used using paper papers article study work author
    authors wrote written write appear appeared publish published number exactly tell know known explain say said
    kind kinds sort way ways thing things example describe""".split()  # noqa: SIM905
)
_ACADEMIC = frozenset(stem(word) for word in ACADEMIC_WORDS)
_LONGEST_NAME = 4
_LEANING = frozenset(("it", "its", "they", "them", "their"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is held against sentences."""

    text: str
    kind: Kind
    terms: tuple[str, ...]
    """Stems of the words that say what it is about, in order; without those that only ask."""
    sought: tuple[str, ...] = ()
    """Stems of what is asked for: 'optim' of 'Which optimizer was used?', 'convers' of 'How many conversations?'."""
    defined: str = ""
    """What is to be defined, in lower case: 'babar' of 'What is BABAR?'."""

    @property
    def strict(self) -> bool:
        """Whether only a sentence of its kind answers: one with a number, or that defines a name."""
        counts = self.kind == "number" and bool(self.sought)
        return counts or bool(self.defined and names(self.text))

    def weight(self, term: str) -> float:
        """Return how much a term tells, before how rare it is."""
        return _SMALL if term in _ACADEMIC else 1.0

    def suits(self, sentence: str) -> bool:
        """Whether a sentence is of the kind that answers: has an amount, or says what something is."""
        if self.kind == "number":
            return any(
                _is_amount(word, before) for before, word in pairwise(["", *sentence.split()])
            )
        return self.kind == "definition" and _defines(sentence.lower(), self.defined)


def without_papers(question: str) -> str:
    """Return a question without 'In “X” and “Y”: ', which puts it to papers and is not what is asked."""
    return question.partition("”: ")[2] if question.startswith("In “") else question


@lru_cache(maxsize=512)
def read_question(text: str) -> Question:
    """Return what a question is about and asks for."""
    plain = without_papers(" ".join(text.split()))
    while bare := next(filter(None, (_after(plain, lead) for lead in _POLITE)), ""):
        plain = bare
    words = tokens(plain)
    terms = tuple(
        term for term in dict.fromkeys(content_stems(plain)) if term not in _OF_THE_QUESTION
    )
    defined = _defined(words)
    kind = _kind(words, defined)
    sought = tuple(item for item in _sought(words) if item in terms and not defined)
    return Question(plain, kind, terms, sought, defined)


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
    words = [right.get(word.casefold(), word) for word in _bare(read_question(question).text)]
    kept = [word for word in words if word.lower() not in STOP_WORDS]
    return " ".join(kept) if len(kept) > 1 else " ".join(words)


def _bare(text: str) -> list[str]:
    """Return the words of a text as they are written, without the marks around them."""
    return [word for item in text.split() if any(map(str.isalnum, word := item.strip(_AROUND)))]


def _after(text: str, lead: str) -> str:
    """Return what follows words at the beginning of a text; nothing where it does not begin so."""
    rest = text[len(lead) :]
    return (
        rest.lstrip(" ,!.") if text.lower().startswith(lead) and rest[:1] in tuple(" ,!.") else ""
    )


def _kind(words: Sequence[str], defined: str) -> Kind:
    pairs = set(pairwise(words))
    text = " ".join(words)
    told = words[:1] in (["when"], ["where"]) and _APPEARED.intersection(words)
    if (
        told
        or _OF_RECORDS.intersection(words)
        or pairs & _RECORD_PAIRS
        or text in ("who", "by whom", "when")
        or any(
            text.startswith(f"who {is_} {it}")
            for is_ in _IS
            for it in ("it", "they", "this", "the paper")
        )
    ):
        return "record"
    if _MEASURES.intersection(words) or any(("how", word) in pairs for word in _HOW):
        return "number"
    return "definition" if defined else "other"


def _defined(words: Sequence[str]) -> str:
    """Return what a question wants defined: 'What is BABAR?', 'What does BABAR stand for?'."""
    if words[:1] != ["what"] or words[1:2] not in (["is"], ["are"], ["does"], ["do"]):
        return ""
    told = " ".join(words[2:]).removeprefix("meant by ")
    text = told.removesuffix(" mean").removesuffix(" stand for")
    if text == told and words[1] in ("does", "do"):  # 'What does HiveNav combine?'
        return ""
    rest = text.split()
    rest = rest[1:] if rest[:1] in (["a"], ["an"], ["the"]) else rest
    whole = 0 < len(rest) <= _LONGEST_NAME and STOP_WORDS.isdisjoint(rest)
    return " ".join(rest) if whole else ""


def _defines(sentence: str, name: str) -> bool:
    """Whether a sentence in lower case says what something is: 'X is a ...', 'a method, called X', 'X, a ...'."""
    before, found, after = sentence.partition(name)
    if not found or before[-1:].isalnum():
        return False
    after = after.removeprefix("s").lstrip(')”’" ')
    kinds = _APPOSED + (_IS_WHAT if len(tokens(before)) <= 1 else ())
    follows = any(after.startswith(f"{item} ") for item in kinds)
    called = {"call", "called", "named", "termed", "dubbed"}.intersection(tokens(before)[-4:])
    return follows or bool(called)


def _sought(words: Sequence[str]) -> list[str]:
    """Return the stems of what follows 'which', 'what' or 'how many', up to a word that carries no meaning."""
    for place, (word, following) in enumerate(pairwise(words)):
        if word in ("what", "which") or (word, following) == ("how", "many"):
            start = place + (2 if word == "how" else 1)
            found = list(takewhile(lambda item: item not in STOP_WORDS, words[start:]))
            return content_stems(" ".join(found[:_LONGEST_NAME]))
    return []


def _is_amount(word: str, before: str) -> bool:
    """Whether a word of a sentence is an amount: no year, no '[12]', no number of a section or table."""
    if word.startswith("[") or word.endswith("]") or before.lower().strip("(.") in _POINTERS:
        return False
    bare = word.strip(_AROUND)
    year = len(bare) == 4 and bare.isdigit() and bare.startswith(("19", "20"))
    return bare.lower() in _NUMBERS or (bare[:1].isdigit() and not year)


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
