"""Whether a line that nearly copies a sentence has other words in it: 'twice as many' for 'half as many'.

Nobody who judges such a line sees it easily, for all else is right. It may leave words out; words that
it puts in must stand near the sentence, and none may stand in the place of another ('left' for 'right').
This only refuses: a line that passes is not thereby true.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from tools.text.words import stem, tokens

NEARLY = 0.7
"""Share of the shorter one's words that both have, in order, from which one is nearly a copy."""
_FEWEST = 5
"""Words in common below which nothing is a copy."""
_FUNCTION = frozenset(
    """a an the this these of in on at to for from with by as and or that which who is are was were be been has have
    had it its their they then so also we our can do does did""".split()  # noqa: SIM905
)
_OPENERS = frozenset(
    """after although another before besides beyond both building contrary conversely earlier finally following
    furthermore here however later like likewise moreover recently similarly since there though turning unlike
    whereas while""".split()  # noqa: SIM905
)
"""Words with which a sentence takes up the one before it, capital or not: no names."""
_NEGATIONS = frozenset(["no", "not", "none", "never", "neither", "nor", "cannot", "without"])


def altered_copy(text: str, sentence: str, around: str) -> bool:
    """Whether a line is nearly a copy of a sentence, and has words that stand nowhere near it.

    Args:
        text: The line.
        sentence: What it may be a copy of, without citations.
        around: Where the words that it puts in may come from.
    """
    wanted, there = tokens(text), tokens(sentence)
    changes = SequenceMatcher(None, there, wanted, autojunk=False).get_opcodes()
    same = sum(end - start for kind, _, _, start, end in changes if kind == "equal")
    if same < max(_FEWEST, NEARLY * min(len(wanted), len(there))):
        return False
    known = {stem(word) for word in tokens(around)} | _FUNCTION
    put_in = [
        word
        for kind, *_, start, end in changes
        if kind in ("insert", "replace")
        for word in wanted[start:end]
    ]
    if changes[0][0] == "insert":
        put_in = put_in[_speaker(wanted[: changes[0][4]], text, known) :]
    strange = any(stem(word) not in known for word in put_in)
    negated = any(word in _NEGATIONS and word not in there for word in put_in)
    exchanged = any(
        last - first == end - start == 1 and _differ(there[first], wanted[start])
        for kind, first, last, start, end in changes
        if kind == "replace"
    )
    return strange or negated or exchanged


def _differ(first: str, second: str) -> bool:
    return stem(first) != stem(second) and not {first, second} & _FUNCTION


def _speaker(lead: Sequence[str], text: str, known: set[str]) -> int:
    """Return how many words before the copy say who says it ('Lee et al. show that'), names known."""
    names = [word for word in text.split()[: len(lead)] if word[0].isupper()]
    called = [word for name in names for word in tokens(name) if word not in _OPENERS]
    known_all = all(stem(word) in known for word in called)
    return len(lead) if lead[-1] == "that" and known_all else 0
