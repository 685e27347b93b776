"""Which sentences of a paper can be quoted, and how they are shown.

Words are not changed: 'We count voles.' becomes 'Holm counts voles.' (tools.text.self_reference), and
all else stands in quotation marks behind its authors' name.
"""

import re
from collections.abc import Sequence

from tools.text.printable import printable
from tools.text.self_reference import attribute
from tools.text.sentences import split_sentences
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
_FORMULA = frozenset("=≤≥∈∑∏∀∃≈∝∂∇‖{}\\^_|")
_INNER = str.maketrans("“”", '""')
_SOUND = 0.7
"""tools.text.text_quality below which a sentence is garbled."""


def shown(passage: str, name: str) -> str:
    """Return a passage as it is shown under its authors' name; in quotation marks alone without one."""
    if name and _speaks_of_itself(passage.lower().split()[:4]):
        told = attribute(passage, name, " and " in name or " et al" in name)
        if told:
            return told
    quoted = f"“{passage.translate(_INNER)}”"
    return f"{name}: {quoted}" if name else quoted


def _speaks_of_itself(words: Sequence[str]) -> bool:
    """Whether words begin with 'we', 'this paper' or 'in this study, we'."""
    first, second = (*words, "", "")[:2]
    paper = first in ("this", "our") and second in ("paper", "survey", "article")
    here = first == "in" and second in ("this", "our") and list(words[3:]) == ["we"]
    return first == "we" or paper or here


def is_caption(passage: str) -> bool:
    """Whether a passage is what stands below a figure or table: 'Figure 1: Overview.'."""
    found = _POINTER.match(passage)
    return found is not None and passage[found.end() :].lstrip("0123456789").startswith((":", ". "))


def is_whole(passage: str) -> bool:
    """Whether a passage is short, can be read, and shows nothing that stands elsewhere in its paper."""
    odd = _MARK.search(passage) or _POINTER.search(passage) or _FORMULA.intersection(passage)
    return (
        len(passage.split()) <= _MOST
        and not odd
        and all(printable(span.text) for span in split_sentences(passage))
        and text_quality(passage) >= _SOUND
    )
