"""What an earlier question was about, and what its answer told of."""

import re
from collections.abc import Sequence

from tools.text.asking.keywords import plain_question
from tools.text.asking.naming import is_strong, names
from tools.text.phrases import candidate_phrases
from tools.text.words import content_stems, stem

KIND = (
    r"(?:papers?|work|stud(?:y|ies)|articles?|systems?|methods?|approach(?:es)?|models?|tools?|frameworks?|algorithms?|techniques?|data ?sets?|"
    r"benchmarks?|corpus|corpora|metrics?|library|project|pipeline)"
)
THEIRS = re.compile(
    r"\b(limitations|shortcomings|drawbacks|weaknesses|problems|advantages|datasets|data sets|benchmarks|metrics|results|findings) of (.+)$",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(r"^what(?: is| are| was| were|['’]s) (?:the |an? )?(.+)$", re.IGNORECASE)
UNKNOWN = re.compile(
    rf"^(?:(?:which|what) (?:\w+ ){{0,3}}?{KIND}|who|which one|name|list)\b", re.IGNORECASE
)
GENERIC = frozenset(
    stem(word)
    for word in """limitation shortcoming drawback weakness advantage disadvantage benefit strength dataset data corpus benchmark
    metric measure result finding method methodology approach technique algorithm architecture author evaluation evaluate motivation
    goal problem task application cause reason cost baseline experiment conclusion contribution accuracy performance score train
    test use work compare year input output model code example main key detail much many large size good well find
    found report show perform publish write built build develop fail alternative future step part component system tool framework paper study library project pipeline approache
    wrote made did gave took found write""".split()  # noqa: SIM905
)
_CITED = re.compile(r"([A-Z][\w.+-]*(?:[ -][A-Z][\w.+-]*){0,3}) \((?:[A-Z][^()]{2,60}, )\d{4}\)")
_FEW = 3
"""Things that an answer named, up to which 'they' are all of them."""
MOST_WORDS = 6
"""Content words of a question that may lack its subject; one of more stands alone."""


def subject_of(question: str, answer: str) -> str:
    """Return what a question that stands alone was about, as a phrase; empty where nothing tells."""
    found = names(question)
    told = answered(answer)
    if UNKNOWN.match(question) and 1 <= len(told) <= _FEW and not any(map(is_strong, found)):
        return _listed(told)
    if found:
        return _listed(found)
    if (found_is := _WHAT_IS.match(plain_question(question))) is not None:
        owner = THEIRS.search(found_is[1])
        thing = owner[2] if owner else found_is[1]
        if len(thing.split()) <= MOST_WORDS:
            return thing
    phrases = [
        phrase
        for phrase in candidate_phrases(_topic(question))
        if set(content_stems(phrase)) - GENERIC
    ]
    if phrases:
        return max(phrases, key=lambda phrase: (len(phrase.split()), -phrases.index(phrase)))
    return told[0] if told else ""


def _listed(items: Sequence[str]) -> str:
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else items[0]


def _topic(question: str) -> str:
    return re.sub(r"^\w+", lambda word: word[0].lower(), plain_question(question))


def answered(answer: str) -> list[str]:
    """Return the names of what an answer tells of, in order."""
    cited = [found[1] for found in _CITED.finditer(answer)]
    strong = [
        name for name in names(answer) if is_strong(name) and not re.search(r"et al|\d{4}", name)
    ]
    return list(dict.fromkeys(cited or strong))
