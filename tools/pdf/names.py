"""The names of the authors on the lines below a title."""

import re
from collections.abc import Sequence
from dataclasses import replace

from tools.pdf.lines import Line
from tools.pdf.sidebar import SIDE

_WORD = re.compile(r"[^\W\d_][^\W\d_'’.‐-]*(?:['’.‐-]+[^\W\d_]*)*")
_PARTICLES = re.compile(
    r"d|da|de|di|do|du|das|dos|del|della|van|von|der|den|des|la|le|el|al|bin|ibn|ten|ter|zu|zur|y|e|af"
)
_SET_ASIDE = re.compile(
    r"\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|^\s*by\s|\b(?:ph\.?\s?d|m\.?d|m\.?sc|b\.?sc|dr|prof|professor|mph|jr|sr)\b\.?",
    re.I,
)
"""What stands among names: marks in brackets, degrees, 'by'."""
_BETWEEN = re.compile(r"[*∗†‡§¶♠♣♥♦⋆,;·•|]|\b(?:and|AND)\b|&|\d+|\s[a-z](?=\s*(?:[*∗,;]|$))")
_GOES_ON = re.compile(r"(?:[,;&]|\band)\s*$", re.I)
_NOT_NAMES = re.compile(
    r"universit|institut|depart|laborator|school|college|research|center|centre|inc\b|corp|group|"
    r"\bof\b|\band\b|street|@|\d|academy|faculty|google|microsoft|facebook|science|abstract|"
    r"avenue|linguistic|comput|applied|usa\b|china|germany|japan|technolog",
    re.I,
)


def authors_in(lines: Sequence[Line]) -> tuple[str, ...]:
    """Return the names on the lines below the title.

    Names go on in the next line where the list is open or the lines are alike; behind an affiliation
    only in a face that is the names' and not the affiliation's.
    """
    found: list[str] = []
    first: Line | None = None
    last: Line | None = None
    """The last line of names before one that has none."""
    other: Line | None = None
    for line in _whole(lines):
        names = _names(line)
        if first is None:
            found, first = names, line if names else None
        elif not names or not _alike(line, first):
            other = line
            continue
        elif (other is not None and not _alike(line, other)) or (
            other is None and last is not None and _follows(line, names, last)
        ):
            found += names
        else:
            other = line
        last = line
    unique = list(dict.fromkeys(found))
    mixed = [name for name in unique if not name.isupper()]
    unique = mixed or unique  # a few words in capitals among names are words of a figure
    return tuple(unique) if len(unique) <= 60 else ()


def _whole(lines: Sequence[Line]) -> list[Line]:
    """Return the lines below a title with letters in them, a name that two lines part as one line."""
    found: list[Line] = []
    for line in lines:
        if line.column == SIDE or not any(map(str.isalpha, line.text)):
            continue
        last = found[-1] if found else None
        if last and _PARTICLES.fullmatch(last.text.split()[-1]) and _alike(line, last):
            shift = len(last.text) + 1
            found[-1] = replace(
                last,
                text=f"{last.text} {line.text}",
                raised=(*last.raised, *((a + shift, b + shift) for a, b in line.raised)),
                cuts=(*last.cuts, *(at + shift for at in line.cuts)),
                loose=(*last.loose, *(at + shift for at in line.loose)),
            )
        else:
            found.append(line)
    return found


def _alike(one: Line, other: Line) -> bool:
    size = abs(one.size - other.size) <= 0.6
    return size and abs(one.bold - other.bold) < 0.5 and abs(one.italic - other.italic) < 0.5


def _follows(line: Line, names: Sequence[str], last: Line) -> bool:
    """Whether a line of names goes on with the list of the line above it."""
    if len(names) > 1 or line.raised or line.cuts or _GOES_ON.search(last.text):
        return True
    return len(_names(last)) == 1 or line.text.lower().startswith(("and ", "& "))


def _names(line: Line) -> list[str]:
    text = list(line.text)
    for start, end in line.raised:
        text[start:end] = "," * (end - start)
    for cut in (*line.cuts, *line.loose):
        if cut < len(text) and text[cut] == " ":
            text[cut] = ","
    plain = _BETWEEN.sub(",", _SET_ASIDE.sub(",", "".join(text)))
    parts = [" ".join(part.split()) for part in plain.split(",") if part.strip(" .")]
    return parts if all(map(_is_name, parts)) else []


def _is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 5 or _NOT_NAMES.search(text) or not words[-1][0].isupper():
        return False
    return all(_WORD.fullmatch(x) and (x[0].isupper() or _PARTICLES.fullmatch(x)) for x in words)
