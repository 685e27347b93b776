"""Which sentences of a paragraph can be shown by themselves, and how they are shown.

A sentence that leans on the one before it is shown with that one, or not at all. Words are not
changed: 'We count voles.' becomes 'Holm counts voles.' (tools.text.self_reference), and all else
stands in quotation marks behind its authors' name.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from tools.text.printable import printable
from tools.text.self_reference import attribute, leans
from tools.text.text_quality import text_quality

_MOST = 70
"""Words of what is shown."""
_MARK = re.compile(r"\[[\d@]|\((?:[^()]{0,80}\D)?(?:1[89]|20)\d\d[a-z]?\)")
_POINTER = re.compile(
    r"\b(?:sub-?sections?|sections?|sec\.|fig(?:ure)?s?\.?|tab(?:le|\.)s?|appendi(?:x|ces)|chapters?|"
    r"eq(?:uation)?s?\.?|algorithms?|listings?)\s?\(?(?:\d|[A-Z]\b|[IVX]+\b)|§"
    r"|\b(?:next|previous|following|last) (?:sub-?)?sections?\b",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"[=≤≥∈∑∏∀∃≈∝∂∇‖{}\\^_|]")
_OWN = re.compile(
    r"(?:In (?:this|our) \w+,? )?we |(?:this|our) (?:paper|survey|article) ", re.IGNORECASE
)
_INNER = str.maketrans("“”", '""')
_SOUND = 0.7
"""tools.text.text_quality below which a sentence is garbled."""


def passages(sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Return what can be shown, as places in the sentences: one, or one with the one before it."""
    whole = [_is_whole(text) for text in sentences]
    leaning = [leans(text) for text in sentences]
    alone = [(at, at + 1) for at, fit in enumerate(whole) if fit and not leaning[at]]
    pairs = [
        (before, at + 1)
        for before, at in pairwise(range(len(sentences)))
        if whole[at] and leaning[at] and whole[before] and not leaning[before]
    ]
    return sorted(
        (start, end)
        for start, end in [*alone, *pairs]
        if len(" ".join(sentences[start:end]).split()) <= _MOST
    )


def shown(passage: str, name: str) -> str:
    """Return a passage as it is shown under its authors' name; in quotation marks alone without one."""
    if name and _OWN.match(passage):
        told = attribute(passage, name, " and " in name or " et al" in name)
        if told:
            return told
    quoted = f"“{passage.translate(_INNER)}”"
    return f"{name}: {quoted}" if name else quoted


def _is_whole(text: str) -> bool:
    """Whether a sentence is one, can be read, and shows nothing that stands elsewhere in its paper."""
    odd = _MARK.search(text) or _POINTER.search(text) or _FORMULA.search(text)
    return printable(text) and not odd and text_quality(text) >= _SOUND
