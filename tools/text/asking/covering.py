"""Whether a claim covers an aspect of a question."""

import re
from collections.abc import Sequence

from tools.embed.port import Embedder
from tools.text.asking.bridge import bridge, is_chain
from tools.text.asking.facets import is_aside, limits, tells
from tools.text.asking.naming import mentions, names
from tools.text.asking.port import Held
from tools.text.asking.relevance import (
    NAMED,
    WORDS,
    Wanted,
    all_stems,
    meaning,
    mentions_foreign,
    wanted,
)
from tools.text.asking.standing import named_subject

COVERED = 0.7
"""Rating from which a claim covers an aspect."""
_TITLE = 0.5
"""Of what title and claim have together of the aspect's words, for the claim."""
_FACET = 0.2
_OWN = 0.15
"""What a claim gains that is from the paper of the thing asked about."""
_ASIDE = 0.15
_OFF, _FAR = 0.25, 0.5
"""What a claim loses that has none of the words asked for beside a name, and is not close in meaning."""
_TOLD = 0.5
_NARROW = frozenset({"limitations", "data", "metrics", "size", "advantages"})
"""What only a sentence with words for it tells."""
_RESULTS = re.compile(r"\b(?:results|findings)\b", re.IGNORECASE)


def ratings(
    embedder: Embedder, question: str, aspects: Sequence[str], claims: Sequence[Held]
) -> list[list[float]]:
    """Return for each claim how well it covers each aspect; one alone is the question, too."""
    wishes = [wanted(text) for text in aspects]
    if len(wishes) == 1:
        wishes.append(wanted(question))
    near = meaning(embedder, wishes, [claim.text for claim in claims])
    said: dict[str, str] = {}
    for claim in claims:
        said[claim.paper] = f"{said.get(claim.paper, '')}\n{claim.text}\n{claim.quote}"
    table = [
        [
            _rating(wish, claim, float(near[row, place]), said[claim.paper])
            for place, wish in enumerate(wishes)
        ]
        for row, claim in enumerate(claims)
    ]
    if bridges := _bridges(question, aspects, claims):
        linked = meaning(embedder, bridges, [claim.text for claim in claims])
        for row, claim in enumerate(claims):
            for place, wish in enumerate(bridges):
                told = _rating(wish, claim, float(linked[row, place]), said[claim.paper])
                table[row][place] = max(table[row][place], told)
    return [[max(row)] for row in table] if len(aspects) == 1 else table


def _bridges(question: str, aspects: Sequence[str], claims: Sequence[Held]) -> list[Wanted]:
    """Return what is asked of a thing without a name, in the words of what is told of the one named."""
    asked = names(question)
    if not asked or not is_chain(question):
        return []
    own = [
        claim for claim in claims
        if any(mentions(f"{claim.title} {claim.text}", name) for name in asked)
    ]  # fmt: skip
    if not own or len({claim.paper for claim in claims}) < 2:
        return []
    return [wanted(bridge(question, aspect, own)) for aspect in aspects]


def _rating(wish: Wanted, claim: Held, near: float, said: str) -> float:
    """Rate a claim for a wish; `said` is what all claims of its paper say."""
    around = f"{claim.title}\n{claim.citation}\n{claim.text}\n{claim.quote}"
    # The name that one claim of a paper has is what its others tell of, too.
    if mentions_foreign(wish, f"{around}\n{said}"):
        return 0.0
    told = {facet.name: tells(facet, claim.text, 0.5) for facet in wish.facets}
    if "limitations" in told:
        # What a passage under 'Limitations' says was let through when its claims were drawn.
        told["limitations"] = max(told["limitations"], float(limits(claim.text, about=True)))
    narrow = [
        told[name]
        for name in told
        if name in _NARROW or (name == "findings" and _RESULTS.search(wish.text))
    ]
    if narrow and max(narrow) < _TOLD:
        return 0.0
    here = wish.words(claim.text)
    words = max(here, (1 - _TITLE) * here + _TITLE * wish.words(around))
    value = (
        near
        + WORDS * words
        + NAMED * (wish.is_named(f"{claim.text}\n{claim.title}\n{claim.citation}"))
    )
    own = is_about(claim, wish.names) or wish.is_named(claim.citation)
    if (own or wish.is_named(claim.text)) and not wish.stems and not wish.facets:
        return max(value, COVERED) + _OWN * own
    if wish.stems and near < _FAR and not wish.stems & all_stems(claim.text):
        value -= _OFF
    value += _OWN * own - _ASIDE * is_aside(claim.text, wish.facets)
    return value + _FACET * max(told.values(), default=0.0)


def is_about(claim: Held, known: Sequence[str]) -> bool:
    """Whether a claim is from the paper of one of these names, or begins with one."""
    own = named_subject(claim.title, f"{claim.title} {claim.text} {claim.quote}")
    return any(
        (own and mentions(own, name))
        or claim.text.casefold().startswith((name.casefold(), f"the {name.casefold()}"))
        for name in known
    )
