"""What stands raised in a line: marks of footnotes go, powers and citations are written as such."""

import re
from collections import defaultdict
from collections.abc import Sequence

from tools.pdf.entries import numbered_entries
from tools.pdf.lines import Line

_MARK = re.compile(r"\d{1,2}|[*∗†‡§¶]{1,3}")
_POWER = re.compile(r"[-−–+]?\d{1,4}")
_CITED = re.compile(r"\d{1,4}(?:\s*[,;‐‑–—−-]\s*\d{1,4})*\s*[,;]?")
_RANGE = re.compile(r"\s*[‐‑–—−-]\s*")
_BRACKETED = re.compile(r"\[\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\]")
_UNIT = re.compile(r"(?<![^\W_])(?:[kcmdnµμ]?m|ft|in|yd|s|h|kg|g|Hz|[^\W\d_])$")
_ADDRESS = re.compile(r"universit|institut|depart|laborator|school|college|e-?mail|@|address", re.I)
_PROSE = {"", "abstract", "caption"}
"""Kinds of lines in which a raised number may cite."""
_LEAST = 3
"""Raised numbers that fit the list of references, from which they are taken for citations."""


def clear_marks(lines: Sequence[Line]) -> None:
    """Take the marks that point to a footnote of the same page out of the lines' texts.

    Raised numbers that cite a numbered list of references are put into brackets, as in "[3-5]".
    Others stay; behind a digit they get a circumflex.
    """
    count = cited_by_raising(lines)
    marks = _marks(lines, spare_addresses=count > 0)
    for line in lines:
        for start, end in reversed(_spans(line)):
            _clear(line, start, end, marks[line.page], count)


def cited_by_raising(lines: Sequence[Line]) -> int:
    """Return how many entries raised numbers cite; 0 where raised numbers are no citations.

    They are where the list of references is numbered, at least three of them fit it, and numbers
    in brackets are fewer.
    """
    count = numbered_entries(lines)
    if not count:
        return 0
    prose = [line for line in lines if line.kind in _PROSE]
    raised = sum(_is_citation(line, *span, count) for line in prose for span in _spans(line))
    bracketed = sum(len(_BRACKETED.findall(line.text)) for line in prose)
    return count if raised >= _LEAST and raised > bracketed else 0


def _marks(lines: Sequence[Line], *, spare_addresses: bool) -> dict[int, set[str]]:
    """Return the marks of the footnotes of each page."""
    marks: dict[int, set[str]] = defaultdict(set)
    for line in lines:
        match = line.kind == "footnote" and _MARK.match(line.mark or line.text)
        if match and not (spare_addresses and _ADDRESS.search(line.text)):
            marks[line.page].add(match[0])
    return marks


def _spans(line: Line) -> list[tuple[int, int]]:
    """Return where something stands raised, what only white space parts as one."""
    found: list[tuple[int, int]] = []
    for start, end in line.raised:
        if found and not line.text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        elif line.text[start:end].strip():
            found.append((start, end))
    return found


def _is_citation(line: Line, start: int, end: int, count: int) -> bool:
    raised, before, after = line.text[start:end].strip(), line.text[:start], line.text[end:]
    if not _CITED.fullmatch(raised) or after[:1].isalnum():
        return False
    if not all(1 <= int(number) <= count for number in re.findall(r"\d+", raised)):
        return False
    word = before.rstrip()
    if not word:
        return True  # the rest of a list that began on the line above
    return not word[-1].isdigit() and not (_UNIT.search(word) and word[-1].isalpha())


def _clear(line: Line, start: int, end: int, marks: set[str], count: int) -> None:
    raised = line.text[start:end]
    before = line.text[start - 1 : start]
    if line.kind == "footnote" and start == 0:
        return
    if line.kind == "title" and _MARK.fullmatch(raised) and before.isalpha():
        line.text = line.text[:start] + line.text[end:]
    elif raised in marks and before and not before.isdigit():
        line.text = (line.text[:start].rstrip() + line.text[end:]).strip()
    elif count and line.kind in _PROSE and _is_citation(line, start, end, count):
        numbers = re.sub(r"\s*[,;]\s*", ",", _RANGE.sub("-", raised.strip())).strip(",")
        line.text = f"{line.text[:start].rstrip()}[{numbers}]{line.text[end:]}"
    elif before.isdigit() and _POWER.fullmatch(raised):
        line.text = f"{line.text[:start]}^{line.text[start:]}"
