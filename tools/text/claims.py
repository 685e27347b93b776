"""Which part of a sentence speaks of which cited paper."""

import re
from dataclasses import dataclass

from state.writing import MARKER

_BREAK = re.compile(
    r"(?:, |; |: )(?:and,? )?(?:while|whereas|and|but|in contrast|by contrast|by comparison|in a similar spirit|"
    r"likewise|similarly)?\b(?:, )?|(?: while | whereas )"
)
_LEAD = re.compile(
    r"^(?:similarly|in the same vein|along similar lines|in a related effort|by contrast|in contrast|taking a "
    r"different route|from another angle|in later work|subsequently|more recently|while|whereas|likewise|by comparison|and|in a "
    r"similar spirit|(?:most closely related is work on|closest to the present work are studies of|a \w+ line "
    r"of work concerns|another strand of research is concerned with|turning to) [^:,]+)\b[,:]?\s*",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"^(?:they |the work |also |further )*(?:introduces?|proposes?|presents?|describes?|develops?|reviews?|surveys?|"
    r"examines?|investigates?|stud(?:y|ies)|shows?|finds?|reports?(?: on)?|demonstrates?|notes?|observes?|"
    r"explains?|points? out|puts? forward|builds?|devises?)(?: that)?\s+",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"(?:[ ,;]+(?:and|or|as well as))+$")
_NAME = (
    r"(?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|ter|ten)\s+){0,3}[A-Z][\w'’-]+"
    r"(?:\s+(?:and\s+[A-Z][\w'’-]+|et al\.))?\s*"
)
_JOINED = re.compile(
    rf"[\s,;()]*(?:(?:as well as|and|or|&)\s*)?|\s*,\s*{_NAME}|\s*(?:and|or|&|as well as)\s+{_NAME}"
)
_JOINED_LAST = re.compile(rf"\s*,\s*(?:and|or)\s+{_NAME}")


def claim_of(sentence: str, key: str, name: str) -> str:
    """Return what a sentence says of the paper under `key`, without names, markers and connectives.

    The sentence is cut between two citations at the last comma, semicolon, colon, 'while' or
    'whereas' before the next paper's name; a part without a citation belongs to the one before it.
    Citations with nothing but names between them ('{P1}, {P2}', 'Lee {P1} and Kim {P2}') share
    one part.
    """
    marks = _groups(sentence)
    place = next((index for index, mark in enumerate(marks) if key in mark.keys), None)
    if place is None:
        return ""
    start = _cut(sentence, marks[place - 1].end, marks[place].start) if place else 0
    end = (
        _cut(sentence, marks[place].end, marks[place + 1].start)
        if place + 1 < len(marks)
        else len(sentence)
    )
    part = MARKER.sub(" ", sentence[start:end])
    while found := _LEAD.match(part.strip(" ,;:.")):
        if not found.group():
            break
        part = part.strip(" ,;:.")[found.end() :]
    part = " ".join(part.replace(name, " ").split()).strip(" ,;:.")
    return _REPORT.sub("", _TRAILING.sub("", part).strip(" ,;:."))


@dataclass(frozen=True, slots=True)
class _Group:
    keys: tuple[str, ...]
    start: int
    end: int


def _groups(sentence: str) -> list[_Group]:
    groups: list[_Group] = []
    for mark in MARKER.finditer(sentence):
        last = groups[-1] if groups else None
        if last and _joined(sentence, last, mark.start()):
            groups[-1] = _Group((*last.keys, mark[1]), last.start, mark.end())
        else:
            groups.append(_Group((mark[1],), mark.start(), mark.end()))
    return groups


def _joined(sentence: str, last: _Group, start: int) -> bool:
    # ', and Kim' may begin a clause of Kim's own, but not behind 'Lee {P1}, Park {P2}'.
    listed = len(last.keys) > 1 and _JOINED_LAST.fullmatch(sentence, last.end, start)
    return bool(listed or _JOINED.fullmatch(sentence, last.end, start))


def _cut(sentence: str, start: int, end: int) -> int:
    """Return where the clause before a citation ends: the last break, or the citation's own start."""
    breaks = [found.start() for found in _BREAK.finditer(sentence, start, end)]
    return breaks[-1] if breaks else end
