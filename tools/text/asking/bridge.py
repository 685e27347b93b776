"""The bridge from what is known of one thing to another that the question does not name."""

import re
from collections.abc import Sequence

from tools.text.asking.keywords import EMPTY, WORD
from tools.text.asking.naming import is_strong, mentions, names
from tools.text.asking.port import Held
from tools.text.asking.relevance import all_stems
from tools.text.words import STOP_WORDS

_SUCCESSION = re.compile(
    r"\bsuccessors?\b|\bnewer\b|\blater\b|\b(?:took|take|takes|taken) (?:\w+ )?place\b|\breplac|\btwice\b|\bagain\b|\bsecond\b|\bfollow(?:ed|-?ups?|s)\b|"
    r"\bnew version\b|\bextend|\bsequel\b|\bafterwards\b|\bnext\b",
    re.IGNORECASE,
)
"""Relations to what came after, which often has the name of what was before."""
_RELATION = re.compile(
    r"\bthat (?:\w+ )?(?:is|are|was|were|it|they|[A-Z]|uses?|builds?)|\bwhose\b|\b(?:builds?|built|based|rel(?:y|ies|ied)|rests?|draws?) (?:up)?on\b|\bbehind\b|"
    r"\bunderl(?:ies|ying)\b|\bused (?:by|in)\b|\b(?:such|that|this|these|those) (?:an? )?(?:model|method|technique|stud|paper|system|algorithm|approach|"
    r"data ?set|idea|measure|metric|work)|\b(?:come|came|borrow\w*|taken|stems?|derived?) from\b|\bwith which\b|\bwhich (?:\w+ )?(?:system|paper|stud|method|work)\w*\b"
)
_SUCCESSOR = ("successor", "new", "version")
_MOST = 8
"""Words that a query takes from a claim."""


def is_chain(question: str) -> bool:
    """Whether a question asks of what it does not name, by how that is related to what it names."""
    strong = [name for name in names(question) if is_strong(name)]
    return len(strong) < 2 and bool(_SUCCESSION.search(question) or _RELATION.search(question))


def one_sided(question: str, aspects: Sequence[str], claims: Sequence[Held]) -> bool:
    """Whether a question asks for two related things, and all claims are of one paper."""
    papers = {claim.paper or claim.title for claim in claims}
    return len(aspects) > 1 and len(papers) == 1 and bool(names(question)) and is_chain(question)


def bridge(question: str, missing: str, claims: Sequence[Held]) -> str:
    """Return a query for what is missing: its words, and those that claims bring in for the relation.

    The thing that the question names is left out, since its own paper has been read; but what came
    after it is often told with its name.
    """
    known = names(question)
    succession = bool(_SUCCESSION.search(question))
    kept = [
        word for word in WORD.findall(missing)
        if succession or not any(mentions(name, word) for name in known)
    ]  # fmt: skip
    if succession:
        return " ".join(dict.fromkeys([*kept, *_SUCCESSOR]))
    new = _new_name(known, claims)
    if new:
        return " ".join(dict.fromkeys([new, *kept]))
    return " ".join(dict.fromkeys([*kept, *_brought(question, known, claims)]))


def _linking(question: str, claims: Sequence[Held]) -> list[Held]:
    """Return the claims that have words of the question, the most first."""
    stems = all_stems(question)
    rated = [(len(stems & all_stems(claim.text)), claim) for claim in claims]
    return [claim for count, claim in sorted(rated, key=lambda item: -item[0]) if count]


def _new_name(known: Sequence[str], claims: Sequence[Held]) -> str:
    """Return a name that a claim brings in, beside that of its own paper."""
    strong = [name for name in known if is_strong(name)]
    for claim in claims:
        if not any(mentions(f"{claim.title} {claim.text}", name) for name in strong):
            continue
        for name in names(claim.text):
            old = any(mentions(name, one) or mentions(one, name) for one in strong)
            if is_strong(name) and not old and not mentions(claim.title, name):
                return name
    return ""


def _brought(question: str, known: Sequence[str], claims: Sequence[Held]) -> list[str]:
    """Return the telling words of the claim that has most of the question's."""
    linking = _linking(question, claims)
    if not linking:
        return []
    words = [
        word.lower() for word in WORD.findall(linking[0].text)
        if word.lower() not in STOP_WORDS and word.lower() not in EMPTY
        and not any(mentions(name, word) for name in known)
    ]  # fmt: skip
    return words[:_MOST]
