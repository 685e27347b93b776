"""What is no part of the text: headers, footers, page numbers, notices, and raised marks within lines."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from tools.pdf.headings import Profile
from tools.pdf.lines import TextLine, with_before
from tools.pdf.reference_entries import numbered_entries
from tools.text.headings import is_references
from tools.text.identifiers import find_identifiers
from tools.text.words import NUMBERS, UNITS, letters_before

DROPPED = "dropped"
"""Kind of a line that is no part of the text."""
_LARGE = 1.5
"""Size of type, as a multiple of that of prose, that no header has."""

_NUMBER = re.compile(
    r"(?:page\s+)?[\[(–—-]*\s*(?:[a-z]{1,2}[-.:]?)?(?:\d{1,5}|[ivxlc]{1,6})\s*[\])–—-]*"
    r"(?:\s*(?:/|of)\s*\d{1,4})?",
    re.I,
)
_NOTICE = re.compile(
    r"permission to make (?:digital|copies)|^\W*©|^@ ?(?:19|20)\d\d\b|\(c\) ?(?:19|20)\d\d|^\W*copyright\b|"
    r"licen[sc]ed under|creative commons|\bis[bs]n\b|acm reference format|all rights reserved|"
    r"^proceedings of\b|^in proceedings of\b|^\W*(?:association for computational linguistics)\.?$|"
    r"\bpersonal use is permitted|^manuscript received|^digital object identifier|"
    r"^(?:this|the) (?:paper|work|article) is published under|^preprint\b|^under review\b|"
    r"^published (?:as|in|at)\b|^accepted (?:as|at|to)\b|^corresponding author\b",
    re.I,
)


def mark_furniture(lines: Sequence[TextLine], profile: Profile) -> None:
    """Set the kind of lines that are furniture to `DROPPED`."""
    pages: dict[int, list[TextLine]] = defaultdict(list)
    for line in lines:
        pages[line.page].append(line)
    for number, page in pages.items():
        if number <= 2:
            _mark_notices(page, profile)
            if any(is_references(line.text) for line in page):
                break
    for outward in (1, -1):
        _mark_running(pages, outward, _LARGE * profile.size)


def _mark_running(pages: dict[int, list[TextLine]], outward: int, large: float) -> None:
    """Mark what repeats at the top (`outward` 1) or at the foot (-1), and page numbers there.

    A title in type of size `large` or more is none, though later pages repeat it.
    """
    edges = {
        number: [
            line
            for line in sorted(page, key=lambda line: outward * line.y)
            if (line.place < 0.13 if outward == 1 else line.place > 0.87)
        ][:8]
        for number, page in pages.items()
    }
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    said: dict[str, set[int]] = defaultdict(set)
    for number, edge in edges.items():
        for line in edge:
            for part in _parts(line):
                said[part].add(number)
            for shift in (0, 1):
                seen[_key(line.text), round(line.y / 8 + shift / 2)].add(number)
    for edge in edges.values():
        for line in edge:
            repeats = max(len(seen[_key(line.text), round(line.y / 8 + s / 2)]) for s in (0, 1))
            often = all(len(part) >= 6 and len(said[part]) >= 3 for part in _parts(line))
            outer = [other for other in edge if outward * other.y < outward * line.y]
            outermost = all(
                other.kind == DROPPED or abs(other.y - line.y) < line.size for other in outer
            ) and (not outer or any(_is_next(line, other) for other in outer))
            first = line.page == next(iter(pages)) and line.size >= large
            if line.mark or line.gaps > 3 or first:
                continue  # a note, a row of figures or a title, though the like may come again
            if outermost and (_NUMBER.fullmatch(line.text) or repeats >= 2 or often):
                line.kind = DROPPED


def _is_next(line: TextLine, outer: TextLine) -> bool:
    """Whether a line is near enough to one nearer to the edge to belong to the same furniture."""
    return abs(outer.y - line.y) < 3 * max(line.size, outer.size)


def _key(text: str) -> str:
    return "".join(char if char.isalpha() else " " for char in text.lower()).strip() or "#"


def _parts(line: TextLine) -> list[str]:
    """Return what stands between the wide gaps of a line, as a key each."""
    ends = [*line.cuts, len(line.text)]
    parts = [line.text[a:b] for a, b in pairwise([0, *ends])]
    return [_key(part.strip()) for part in parts if part.strip()]


def _mark_notices(page: Sequence[TextLine], profile: Profile) -> None:
    """Mark notices of copyright and the like on a first page, and the lines that follow them."""
    inside = False
    for before, line in with_before(page):
        if is_references(line.text):
            return  # what follows are references, which have DOIs and 'Proceedings of'
        same = before is not None and before.column == line.column
        near = same and line.above <= 1.6 * profile.leading * line.size
        small = line.size < 0.97 * profile.size
        if line.kind == DROPPED:
            inside = False
        elif _NOTICE.search(line.text[:90]) and (small or line.place > 0.85 or line.place < 0.12):
            line.kind, inside = DROPPED, True
        elif (
            (small or line.place > 0.8)
            and "10." in line.text
            and not find_identifiers(line.text).rest
        ) or (inside and near and small and not line.mark):
            line.kind = DROPPED
        else:
            inside = False


_MARK = re.compile(r"\d{1,2}|[*∗†‡§¶]{1,3}")
_EVEN = str.maketrans("‐‑–—−;", "-----,")
_ADDRESS = (
    "universit",
    "institut",
    "depart",
    "laborator",
    "school",
    "college",
    "mail",
    "@",
    "address",
)
_PROSE = {"", "abstract", "caption"}
"""Kinds of lines in which a raised number may cite."""
_LEAST = 3
"""Raised numbers that fit the list of references, from which they are taken for citations."""


def clear_marks(lines: Sequence[TextLine]) -> None:
    """Take the marks that point to a footnote of the same page out of the lines' texts.

    Raised numbers that cite a numbered list of references are put into brackets, as in "[3-5]".
    Others stay; behind a digit they get a circumflex.
    """
    count = cited_by_raising(lines)
    marks = _marks(lines, spare_addresses=count > 0)
    for line in lines:
        for start, end in reversed(_spans(line)):
            _clear(line, start, end, marks[line.page], count)


def cited_by_raising(lines: Sequence[TextLine]) -> int:
    """Return how many entries raised numbers cite; 0 where raised numbers are no citations.

    They are where the list of references is numbered, at least three of them fit it, and numbers
    in brackets are fewer.
    """
    count = numbered_entries(lines)
    if not count:
        return 0
    prose = [line for line in lines if line.kind in _PROSE]
    raised = sum(_is_citation(line, *span, count) for line in prose for span in _spans(line))
    bracketed = sum(len(NUMBERS.findall(line.text)) for line in prose)
    return count if raised >= _LEAST and raised > bracketed else 0


def _marks(lines: Sequence[TextLine], *, spare_addresses: bool) -> dict[int, set[str]]:
    """Return the marks of the footnotes of each page."""
    marks: dict[int, set[str]] = defaultdict(set)
    for line in lines:
        match = line.kind == "footnote" and _MARK.match(line.mark or line.text)
        addressed = any(word in line.text.lower() for word in _ADDRESS)
        if match and not (spare_addresses and addressed):
            marks[line.page].add(match[0])
    return marks


def _spans(line: TextLine) -> list[tuple[int, int]]:
    """Return where something stands raised, what only white space parts as one."""
    found: list[tuple[int, int]] = []
    for start, end in line.raised:
        if found and not line.text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        elif line.text[start:end].strip():
            found.append((start, end))
    return found


def _is_citation(line: TextLine, start: int, end: int, count: int) -> bool:
    raised, before, after = line.text[start:end].strip(), line.text[:start], line.text[end:]
    listed = [
        one.strip() for one in raised.translate(_EVEN).rstrip(",").replace("-", ",").split(",")
    ]
    if after[:1].isalnum() or not all(map(str.isdecimal, listed)):
        return False
    word = before.rstrip()
    letters = letters_before(word)
    power = word[-1:].isdigit() or len(letters) == 1 or letters in UNITS
    return not power and all(1 <= int(number) <= count for number in listed)


def _clear(line: TextLine, start: int, end: int, marks: set[str], count: int) -> None:
    raised = line.text[start:end]
    before = line.text[start - 1 : start]
    if raised in marks and before and not before.isdigit():
        line.text = (line.text[:start].rstrip() + line.text[end:]).strip()
    elif count and line.kind in _PROSE and _is_citation(line, start, end, count):
        numbers = "".join(raised.split()).translate(_EVEN).strip(",")
        line.text = f"{line.text[:start].rstrip()}[{numbers}]{line.text[end:]}"
    elif before.isdigit() and raised.lstrip("-−–+").isdecimal():
        line.text = f"{line.text[:start]}^{line.text[start:]}"
