"""Words that turn what is said into its opposite: negations, and pairs of opposites."""

from tools.text.words import stem

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


def opposite_of(first: str, second: str) -> bool:
    """Whether two words are opposites, such as 'raise' and 'lower', in any form of theirs."""
    return frozenset((stem(first), stem(second))) in _OPPOSITES
