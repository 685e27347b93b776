"""Make a sentence false in one of nine ways, by patterns of its own: the product's are not used here."""

import re
from collections.abc import Callable, Sequence
from random import Random

_PAIRS = """increase/decrease increases/decreases increased/decreased increasing/decreasing improve/impair
    improves/impairs improved/impaired improving/impairing reduce/raise reduces/raises reduced/raised
    reducing/raising higher/lower better/worse faster/slower larger/smaller more/less high/low
    positive/negative effective/ineffective simple/complicated strong/weak easy/hard accelerate/delay
    efficient/wasteful enhance/degrade enhances/degrades enhanced/degraded supports/hinders support/hinder
    enables/prevents enable/prevent allows/forbids allow/forbid broad/narrow"""
_TURN = {
    word: other
    for pair in _PAIRS.split()
    for first, second in [pair.split("/")]
    for word, other in ((first, second), (second, first))
}
_UNITS = {
    "%": " items", "percent": "items", "seconds": "hours", "minutes": "days", "hours": "weeks", "days": "years",
    "weeks": "minutes", "months": "days", "years": "months", "ms": "minutes", "milliseconds": "minutes",
    "times": "percent", "GB": "KB", "MB": "TB", "million": "thousand", "billion": "thousand", "m": "km",
    "cm": "km", "mm": "m", "Hz": "kHz", "fps": "fpm", "TB": "MB", "km": "m", "thousand": "billion",
}  # fmt: skip
_SCOPE = {
    "some": "all",
    "several": "all",
    "many": "all",
    "most": "all",
    "often": "always",
    "usually": "always",
    "typically": "always",
    "sometimes": "always",
    "few": "all",
    "frequently": "always",
    "rarely": "never",
}
_HEDGE = {
    "may": "will certainly",
    "might": "will certainly",
    "could": "will certainly",
    "suggest": "prove",
    "suggests": "proves",
    "potentially": "certainly",
    "likely": "certainly",
    "possibly": "certainly",
    "seems": "is proven",
    "appears": "is proven",
    "indicate": "prove",
    "indicates": "proves",
}
_AUX = r"is|are|was|were|can|will|has|have|could|should"
_VERB = re.compile(
    r" (?:is|are|was|were|has|have|can|provides?|supports?|allows?|enables?|uses?|shows?|helps?|requires?) "
)
_NAME = re.compile(r"(?<![\w-])(?:[A-Z]{3,6}s?|[A-Z][a-z]+[A-Z]\w+)(?![\w-])")
_SIDE = r"(?!(?:In|We|It|This|These) )[^,;:()]{3,60}?"
_COMPARED = re.compile(
    rf"^(?P<lead>[^,;:()]{{0,60}} that )?(?P<left>{_SIDE}) (?P<verb>(?:significantly |clearly |also )?"
    r"(?:outperforms?|outperformed|surpass(?:es|ed)?|exceed(?:s|ed)?)"
    rf"|(?:is|are|was|were) (?:\w+ )?(?:more \w+|less \w+|\w+er) than) (?P<right>{_SIDE})\.$"
)


def _swapped(words: dict[str, str]) -> Callable[[str], str | None]:
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])")

    def change(sentence: str) -> str | None:
        found = pattern.search(sentence)
        if found is None:
            return None
        return f"{sentence[: found.start()]}{words[found[0]]}{sentence[found.end() :]}"

    return change


def _negation(sentence: str) -> str | None:
    if found := re.search(r"\b(?:do|does|did) not |\b(?:not|never) ", sentence):
        return f"{sentence[: found.start()]}{sentence[found.end() :]}"
    found = re.search(rf"(?<=\w )(?:{_AUX})(?= [a-z])", sentence)
    return f"{sentence[: found.end()]} not{sentence[found.end() :]}" if found else None


def _number(sentence: str) -> str | None:
    found = re.search(r"(?<![\w.,-])\d+(?:[.,]\d+)?(?![\w.-])", sentence)
    if found is None or re.fullmatch(r"(?:19|20)\d\d", found[0]):
        return None
    value = found[0].replace(",", "")
    other = str(int(value) * 2 + 7) if value.isdigit() else f"{float(value) * 2 + 7:.1f}"
    return f"{sentence[: found.start()]}{other}{sentence[found.end() :]}"


def _unit(sentence: str) -> str | None:
    found = re.search(rf"(?<=\d)(\s?)({'|'.join(map(re.escape, _UNITS))})(?![\w-])", sentence)
    if found is None:
        return None
    return f"{sentence[: found.start(2)]}{_UNITS[found[2]]}{sentence[found.end() :]}"


def _comparison(sentence: str) -> str | None:
    found = _COMPARED.match(sentence)
    if found is None:
        return None
    lead, left, right = found["lead"] or "", found["left"], found["right"]
    turned = f"{lead}{right} {found['verb']} {left[0].lower()}{left[1:]}."
    return f"{turned[0].upper()}{turned[1:]}"


_BY_ITSELF: dict[str, Callable[[str], str | None]] = {
    "negation": _negation,
    "direction": _swapped(_TURN),
    "number": _number,
    "unit": _unit,
    "scope": _swapped(_SCOPE),
    "hedge": _swapped(_HEDGE),
    "comparison": _comparison,
}
KINDS = (*_BY_ITSELF, "entity", "subject")


def falsified(sentence: str, kind: str, others: Sequence[str], dice: Random) -> str | None:
    """Return a sentence made false in one way, or None where it has nothing to change so.

    Args:
        sentence: A true one.
        kind: One of `KINDS`.
        others: Sentences of other papers, whose names and subjects may be put in.
        dice: Chooses among these.
    """
    if kind in _BY_ITSELF:
        changed = _BY_ITSELF[kind](sentence)
    elif kind == "entity":
        changed = _other_name(sentence, others, dice)
    else:
        changed = _other_subject(sentence, others, dice)
    return changed if changed and changed != sentence else None


def _other_name(sentence: str, others: Sequence[str], dice: Random) -> str | None:
    found = _NAME.search(sentence)
    names = [name for other in dice.sample(others, 60) for name in _NAME.findall(other)]
    names = [name for name in names if name not in sentence]
    if found is None or not names:
        return None
    return f"{sentence[: found.start()]}{dice.choice(names)}{sentence[found.end() :]}"


def _other_subject(sentence: str, others: Sequence[str], dice: Random) -> str | None:
    verb = _VERB.search(sentence)
    if verb is None or not _is_subject(sentence[: verb.start()]):
        return None
    subjects = [
        other[: found.start()]
        for other in dice.sample(others, 200)
        if (found := _VERB.search(other))
        and found[0] == verb[0]
        and _is_subject(other[: found.start()])
    ]
    return f"{dice.choice(subjects)}{sentence[verb.start() :]}" if subjects else None


def _is_subject(text: str) -> bool:
    words = text.split()
    return 2 <= len(words) <= 6 and words[0] in {"The", "A", "An", "Our"} and "," not in text
