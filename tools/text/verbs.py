"""Just enough English verb morphology to move a verb between 'this paper' and 'the authors'."""

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
