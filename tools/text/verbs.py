"""Just enough English verb morphology to move a verb between 'this paper' and 'the authors'."""

import re
from functools import lru_cache

_TO_BASE = {
    "is": "are", "has": "have", "does": "do", "goes": "go", "was": "were", "analyses": "analyse",
    "analyzes": "analyze", "focuses": "focus", "biases": "bias", "caches": "cache",
}  # fmt: skip
_FROM_BASE = {plural: single for single, plural in _TO_BASE.items()}
_PAST = frozenset(
    """found built made did chose ran gave took showed drew had began wrote saw led held met kept
    went came sought brought taught thought understood set put let cut read
    became won lost spent left rose fell grew fed dealt knew""".split()  # noqa: SIM905
)
_COMMON = frozenset(
    """accept achieve add address adopt affect aim allow alleviate analyse analyze answer appear apply argue
    arise ask assess assign assume attempt attract automate avoid base become begin behave belong benefit bring
    build calculate call capture carry categorise categorize cause change characterise characterize check
    choose cite claim classify collect combine come compare compute conclude conduct confirm consider consist
    consolidate constitute construct contain contribute control convert correct correspond count cover create
    decide decrease define deliver demonstrate depend derive describe design detect determine develop devise
    differ discover discuss distinguish drive employ enable encode encourage enhance ensure establish estimate
    evaluate evolve examine exceed exist expand explain exploit explore extend extract facilitate fail fall
    find fit focus follow form formalise formalize formulate gain generalise generalize generate get give go grow
    guide handle happen have help hold hypothesise hypothesize identify illustrate implement imply improve
    incorporate increase indicate infer inform integrate interact introduce investigate involve judge keep know
    lack lead learn leverage lie limit link lose make match matter maximise maximize meet merge minimise minimize mislead
    miss need neglect note observe obtain occur offer operate optimise optimize organise organize outline outperform
    overcome perform play point predict prefer present preserve prevent produce promise propose prove provide
    publish put quantify raise rank reach read receive recognise recognize recommend reduce refer reflect rely
    remain remove reply report represent require resolve retrieve reveal review rise run save screen search see seek
    seem select serve share shed show solve speak spend stand start state stay strive struggle study suffer suggest suit
    summarise summarize support surpass survey synthesise synthesize tackle take teach tell tend test train treat
    understand unify use utilise utilize validate vary verify want work write yield""".split()  # noqa: SIM905
)
"""Base forms of the verbs that abstracts use most."""
_FINITE = frozenset(
    """is are was were be been has have had do does did can could may might must should will would shall
    cannot isn't aren't doesn't don't""".split()  # noqa: SIM905
)
_ADVERB = re.compile(
    r"often|rarely|seldom|never|always|sometimes|usually|frequently|typically|commonly|generally|also|still|it|they|we|i"
)
_WORD = re.compile(r"[\w'-]+")
_MODALS = frozenset({"can", "could", "may", "might", "must", "should", "will", "would", "shall"})


def to_plural(verb: str) -> str:
    """Return the form that goes with a plural subject: 'introduces' -> 'introduce'."""
    word = verb.lower()
    if word in _TO_BASE:
        return _TO_BASE[word]
    if (
        word in _FROM_BASE
        or word in _MODALS
        or is_past(word)
        or not word.endswith("s")
        or word.endswith("ss")
    ):
        return verb
    if word.endswith("ies") and len(word) > 4:
        return verb[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1]


def to_singular(verb: str) -> str:
    """Return the form that goes with a singular subject: 'introduce' -> 'introduces'."""
    word = verb.lower()
    if word in _FROM_BASE:
        return _FROM_BASE[word]
    if word in _MODALS or is_past(word):
        return verb
    if word.endswith("y") and len(word) > 2 and word[-2] not in "aeiou":
        return verb[:-1] + "ies"
    if word.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    return verb + "s"


def is_past(verb: str) -> bool:
    """Whether a form serves singular and plural alike because it is past tense."""
    word = verb.lower()
    return word in _PAST or (
        word.endswith("ed")
        and word not in {"need", "exceed", "proceed", "feed", "embed", "succeed", "seed", "speed"}
    )


def has_verb(clause: str) -> bool:
    """Whether a clause has what may be its verb: an auxiliary, a past or present form.

    What stands behind an adverb counts as one, so that verbs that are not listed are found, too.
    """
    words = [word.lower() for word in _WORD.findall(clause)]
    return any(
        word in _FINITE or is_past(word) or to_plural(word) in _COMMON or _ADVERB.fullmatch(before)
        for before, word in zip(["", *words], words, strict=False)
    )


@lru_cache(maxsize=1)
def common_forms() -> frozenset[str]:
    """Return the present forms, in both numbers, of the verbs that abstracts use most."""
    return _COMMON | {to_singular(verb) for verb in _COMMON}
