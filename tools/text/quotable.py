"""Which sentences of a paper can be quoted, and how they are printed.

What a paper says is data: braces of its own could pass for citation markers, a reference number would
lead into our list, and tags, formulae or half a copyright notice would break the text around them.
Since a quotation is verbatim, nothing is mended: a sentence that is not fit is not shown. 'We count
voles.' becomes 'Holm counts voles.' (tools.text.self_reference), and all else stands in quotation marks
behind its authors' name.
"""

import re
from collections.abc import Sequence

from tools.text.markup import without_markup
from tools.text.self_reference import name_authors
from tools.text.text_quality import text_quality
from tools.text.words import split_sentences

FEWEST, MOST = 5, 90
"""Words of a sentence that may be printed."""
_LEAST_SIGNS, _MOST_SIGNS = 10, 400
"""Characters of one in a script without spaces between words."""
_UNFIT = re.compile(
    r"[{}\\\ufffd\x00-\x08\x0b-\x1f]|\$[^\d\s]|``|&[a-z]+;|</?[a-z][\w:-]*[ />]|https?:|www\.|@\w+\.\w|©|"
    r"\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]|\(c\) \d{4}|\bcopyright\b|\ball rights reserved\b|"
    r"\bopen[- ]access article\b|\bcreative commons\b|\bkey ?words\b:?|\bindex terms\b|"
    r"\bcode (?:is|are) available|\bavailable (?:at|from|online|under)\b",
    re.IGNORECASE,
)
_RUN_IN = re.compile(
    r"(?:(?:[A-Z0-9][\w’/-]*|of|to|in|on|for|and|the|with|a|an|from|by|as|vs\.?) )*[A-Z0-9][\w’/-]* "
    r"(?:We|Our|This|These|It|They|The) [a-z]"
)
"""A heading that runs into its sentence: 'Robustness to Noise We also investigated ...'."""
_IDEOGRAPHS = "\u2e80"
_LETTERS = 0.7
"""Least share of letters among the signs of a sentence; a line of a table has fewer."""
_LONGEST_TITLE = 40
_AROUND = ' .,;:“”"'
_SIGNS = str.maketrans("“”„", "‘’‘", "{}$\\")


def is_quotable(sentence: str) -> bool:
    """Whether a sentence is whole and can stand in quotation marks without a change.

    No heading, no cells of a table, no cut piece, no question, no markup.
    """
    solid = "".join(sentence.split())
    words = len(sentence.split())
    spaced = max(sentence, default="") < _IDEOGRAPHS or len(sentence) < 12 * words
    fits = FEWEST <= words <= MOST if spaced else _LEAST_SIGNS <= len(sentence) <= _MOST_SIGNS
    return bool(
        fits
        and not sentence[:1].islower()
        and sentence.rstrip("\"'”’)]").endswith((".", "!", "。", "！"))
        and not _UNFIT.search(sentence)
        and not _RUN_IN.match(sentence)
        and is_balanced(sentence)
        and sum(map(str.isalpha, solid)) >= _LETTERS * len(solid)
    )


def printable_title(title: str) -> str:
    """Return a title without markup and braces, fit to stand in quotation marks; long ones are cut."""
    words = without_markup(title).translate(_SIGNS).split()
    text = " ".join(words[:_LONGEST_TITLE]) + (" …" if len(words) > _LONGEST_TITLE else "")
    return text.strip(_AROUND).replace('"', "’")


def is_balanced(text: str) -> bool:
    """Whether each bracket and each typographic quotation mark of a text has its partner."""
    open_marks: list[str] = []
    partner = {")": "(", "]": "[", "”": "“"}
    for char in text:
        if char in "([“":
            open_marks.append(char)
        elif char in partner and (not open_marks or open_marks.pop() != partner[char]):
            return False
    return not open_marks and text.count('"') % 2 == 0


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


def quote_with_names(passage: str, name: str) -> str:
    """Return a passage as it is shown under its authors' name; in quotation marks alone without one."""
    if name and _speaks_of_itself(passage.lower().split()[:4]):
        told = name_authors(passage, name, " and " in name or " et al" in name)
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
        and all(is_quotable(span.text) for span in split_sentences(passage))
        and text_quality(passage) >= _SOUND
    )
