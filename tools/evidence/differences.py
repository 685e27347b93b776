"""In what a sentence differs from the words that it nearly copies: where to look twice, and no verdict.

'raises recall by 4 points' beside 'lowers recall by 40 points' differs in two words. Who judges a near
copy overlooks such a change easily, for all else is right; so a judge that saw nothing is asked once more, and is
shown what differs. A sentence in words of its own differs in all of them, and nothing is told of it.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from tools.evidence.quotes import fold_text
from tools.text.words import STOP_WORDS, stem, tokens

_COPIED = 0.7
"""Share of the shorter text's words that both have in the same order, from which one is nearly the other."""
_FEWEST = 5
"""Such words, at least."""
_TIGHT = 3
"""Most words in the place of others; more of them say another thing, in words of their own."""
_TURNING = frozenset(
    "all always any can could every few less many may might more most must only several should some than".split()  # noqa: SIM905
)
"""Words that widen or narrow what is said."""
_DENYING = frozenset(
    "cannot hardly neither never no nobody none nor not nothing nowhere without".split()  # noqa: SIM905
)
"""Words that deny; as many on either side ('gives no guarantee', 'guarantees nothing') say the same."""


def differences(sentence: str, source: str) -> list[str]:
    """Return, in words, what differs between a sentence and the source's words that it nearly copies.

    Words that turn, widen or narrow a statement and stand on one side only, words in the place of others,
    numbers included, and the same words in another order; nothing where it is no near copy. A clause more or
    less is no difference.
    """
    new, old = _words(sentence), _words(source)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    same = sum(end - start for kind, start, end, *_ in steps if kind == "equal")
    turned = _turned_round(new, old)
    if same < max(_FEWEST, _COPIED * min(len(new), len(old))) and not turned:
        return []
    told = [_ORDER] if turned else []
    for kind, start, end, first, last in steps:
        gone, come = old[start:end], new[first:last]
        most = 2 * _TIGHT if gone and come else _TIGHT
        if kind == "equal" or max(len(gone), len(come)) > most:  # a clause more, or less
            continue
        if differs := _differs(gone, come, denied=_denials(new) != _denials(old)):
            told.append(differs)
    return told


_ORDER = "it has the same words in another order"


def _words(text: str) -> list[str]:
    return tokens(fold_text(text).replace("%", " percent "))


def _denials(words: Sequence[str]) -> int:
    return sum(word in _DENYING or word.endswith("n't") for word in words)


def _differs(gone: Sequence[str], come: Sequence[str], *, denied: bool) -> str:
    one_sided = {*gone} ^ {*come}
    turning = bool(one_sided & _TURNING) or (denied and bool(_denials(list(one_sided))))
    swapped = (
        0 < len(gone) <= _TIGHT and 0 < len(come) <= _TIGHT and _telling(gone) and _telling(come)
    )
    if not turning and (not swapped or _telling(gone) == _telling(come)):
        return ""
    if gone and come:
        return f"“{' '.join(come)}” where these words have “{' '.join(gone)}”"
    return (
        f"“{' '.join(come)}”, which these words have not" if come else f"without “{' '.join(gone)}”"
    )


def _telling(words: Sequence[str]) -> set[str]:
    return {"".join(stem(word) for word in words if word not in STOP_WORDS).replace("-", "")} - {""}


def _turned_round(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether two texts have the same telling words, and two or more of them in another order."""
    first, second = (
        [stem(word) for word in words if word not in STOP_WORDS] for words in (new, old)
    )
    if sorted(first) != sorted(second) or first == second or len(first) < _FEWEST:
        return False
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) < len(first)
