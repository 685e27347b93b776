"""Whether two sentences say the opposite of each other, told by their words alone.

A cautious rule: the two must be nearly the same words, in both directions, and differ by one
negation or by one pair of opposites. A contradiction in other words it does not see.
"""

from tools.text.words import stem, tokens

_ALIKE = 0.75
"""Share of each side's remaining words that the other must have."""
NEGATIONS = frozenset(
    """not no never neither nor cannot without fail fails failed hardly none nobody nothing isn't
    aren't wasn't weren't doesn't don't didn't can't couldn't won't wouldn't""".split()  # noqa: SIM905
)
_PAIRS = """increase decrease; increase reduce; increase lower; improve worsen; improve degrade;
    improve harm; raise lower; rise fall; higher lower; high low; more fewer; more less; better
    worse; larger smaller; faster slower; longer shorter; stronger weaker; strong weak; outperform
    underperform; positive negative; help hurt; help harm; help hinder; succeed fail; gain lose;
    necessary unnecessary; sufficient insufficient; effective ineffective; reliable unreliable;
    stable unstable; consistent inconsistent; possible impossible; supervised unsupervised; present
    absent; before after; always never; first last; easy hard; accept reject; strengthen weaken; warm
    cool; heat cool; halve double; win lose"""
_OPPOSITES = frozenset(frozenset(stem(word) for word in pair.split()) for pair in _PAIRS.split(";"))
_EMPTY = frozenset(
    """a an the of to in on at by for with from and or that this these those it its is are was were
    be been being do does did can could may might will would has have had they we as than then also
    such very so""".split()  # noqa: SIM905
)


def opposite_of(first: str, second: str) -> bool:
    """Whether two words are opposites, such as 'raise' and 'lower', in any form of theirs."""
    return frozenset((stem(first), stem(second))) in _OPPOSITES


def contradicts(first: str, second: str) -> bool:
    """Whether two sentences say the opposite of each other."""
    left, right = _stems(first), _stems(second)
    only_left, only_right = left - right, right - left
    opposite = [
        pair for one in only_left for other in only_right
        if (pair := frozenset((one, other))) in _OPPOSITES
    ]  # fmt: skip
    negated = _negations(first, right) % 2 != _negations(second, left) % 2
    if bool(opposite) == negated or len(opposite) > 1:
        return False
    turned = opposite[0] if opposite else frozenset()
    rest, others = left - turned, right - turned
    shared = len(rest & others)
    return shared >= 3 and shared >= _ALIKE * max(len(rest), len(others))


def _stems(text: str) -> set[str]:
    return {stem(word) for word in tokens(text) if word not in _EMPTY and word not in NEGATIONS}


def _negations(text: str, other: set[str]) -> int:
    """Count the negations of what the other sentence says, too; those of other matters do not count."""
    words = [word.replace("’", "'") for word in tokens(text)]
    count = 0
    for place, word in enumerate(words):
        if word in NEGATIONS:
            rest = (item for item in words[place + 1 :] if item not in _EMPTY | NEGATIONS)
            count += stem(next(rest, "")) in other
    return count
