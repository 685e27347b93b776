"""What is usual in a document, its prose and line distance, and by that which lines are headings, and how deep."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tools.pdf.lines import TextLine, leading, most_printed, with_before
from tools.text.headings import is_known


@dataclass(frozen=True, slots=True)
class Profile:
    """Usual values of one document."""

    size: float
    font: str
    leading: float
    """Distance of base lines within a paragraph, as a multiple of the size."""

    def is_size(self, line: TextLine) -> bool:
        """Whether a line has the size of prose."""
        return abs(line.size - self.size) <= 0.06 * self.size

    def is_far(self, line: TextLine, factor: float = 1.25) -> bool:
        """Whether a line stands further below the one above than within a paragraph."""
        return line.above == 0 or line.above > factor * self.leading * max(line.size, self.size)

    def is_marked(self, line: TextLine) -> bool:
        """Whether a line's looks set it off from prose, as a heading's do."""
        return line.bold >= 0.8 or line.size > 1.06 * self.size or is_capitals(line.text)


def is_capitals(text: str) -> bool:
    """Whether a text is in capitals and long enough for that to mean something."""
    return text.isupper() and sum(map(str.isalpha, text)) >= 5


def settle_weights(lines: Sequence[TextLine]) -> None:
    """Take heavy fonts for bold, unless the file calls most of its characters heavy."""
    total = sum(len(line.text) for line in lines)
    believed = sum(line.heavy * len(line.text) for line in lines) < 0.4 * total
    for line in lines:
        if believed:
            line.bold += line.heavy
            line.lead_look = "bold" if line.lead_look == "heavy" else line.lead_look
        elif line.lead_look == "heavy":
            line.lead, line.lead_look = 0, ""


def profile_of(lines: Sequence[TextLine]) -> Profile:
    """Return what is usual in a document, by the number of its characters."""
    light = [line for line in lines if line.bold < 0.5]
    size = most_printed(light or lines, lambda line: round(line.size * 2) / 2) or 10.0
    near = [line for line in lines if abs(line.size - size) <= 0.3]
    size = sum(x.size * len(x.text) for x in near) / max(1, sum(len(x.text) for x in near)) or size
    font = most_printed(near, lambda line: str(line.font)) or ""
    prose = [line for line in near if not line.gaps]
    return Profile(size, font, leading(prose) / size)


NUMBERED = re.compile(
    r"(?P<number>(?:\d{1,2}(?:\.\d{1,2}){0,4}|[A-H](?:\.\d{1,2}){1,4}))(?P<stop>\.?)\s+(?P<title>\S.*)$"
)
_STATEMENT = re.compile(
    r"(?:theorem|proof|lemma|corollary|proposition|definition|claim|remark|conjecture)s?"
    r"(?:\s+(?:\d+|[A-Z])(?:\.\d+)*)?[.:]?",
    re.I,
)
_PARTS = ("abstract", "reference", "bibliography", "acknow", "append", "conclu")
"""Beginnings of headings that stand at the top even where they look like prose."""
_UNDER = 9
"""Depth of a heading without a number below those that have numbers."""
_ENDS = (".", ",", ";", ":")


def style_of(line: TextLine) -> tuple[str, float, bool]:
    """Return what makes headings of one depth look alike."""
    return line.font, round(line.size), is_capitals(line.text)


def mark_headings(lines: Sequence[TextLine], profile: Profile) -> None:
    """Set the kind of headings to "heading", and their depth from 1."""
    sure = _sure(lines, profile)
    known = {id(line) for line in sure}
    styles = {style_of(line)[:2] for line in sure if profile.is_marked(line)}
    for before, line in with_before(lines):
        if line.kind:
            continue
        if id(line) in known or _looks_like(line, before, profile, styles):
            line.kind = "heading"
        elif before is not None and _continues(line, before):
            line.kind, line.depth = "heading", -1
    _set_depths([x for x in lines if x.kind == "heading" and x.depth >= 0], profile)


def _sure(lines: Sequence[TextLine], profile: Profile) -> list[TextLine]:
    """Return lines that are headings by their words and looks."""
    found: list[TextLine] = []
    expected = 1
    last: tuple[int, ...] = ()
    for line in lines:
        if line.kind or len(line.text) > 130 or _STATEMENT.fullmatch(line.text.strip()):
            continue
        text = line.text.strip()
        marked = profile.is_marked(line)
        apart = profile.is_far(line, 1.1)
        match = NUMBERED.match(text)
        if is_known(text) and (marked or apart):
            if not text[0].islower() or (apart and line.above):  # no rest of a sentence
                found.append(line)
        elif match and _is_title(match["title"]) and line.indent < 6:
            number = match["number"]
            top = int(number.split(".")[0]) if number[0].isdigit() else 0
            here = numbers_of(number)
            alone = ". " not in match["title"] and ": " not in match["title"]
            set_off = alone and len(here) > 1 and follows(here, last)
            if (marked and top <= expected + 3) or (
                apart and top in {expected, expected - 1} and set_off and not text.endswith(_ENDS)
            ):
                found.append(line)
                expected, last = max(expected, top + 1), here
        elif _is_roman(text) and apart and (is_capitals(text) or line.bold > 0.8):
            found.append(line)
    return found


def _is_roman(text: str) -> bool:
    """Whether a number such as 'IV.' leads a text."""
    number, point, title = text.partition(". ")
    return 0 < len(number) < 6 and bool(point and title) and set(number) <= {"I", "V", "X"}


def numbers_of(heading: str) -> tuple[int, ...]:
    """Return the number of a heading, such as (2, 1) for 2.1; empty without digits only."""
    parts = heading.partition(" ")[0].removesuffix(".").split(".")
    return tuple(map(int, parts)) if all(p.isdecimal() and len(p) < 3 for p in parts) else ()


def follows(here: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether a number goes on from the last: 2.1 from 2; 2.2 and 3 from 2.1."""
    if not here or not last:
        return False
    size = len(here)
    first = here == (*last, 1)
    return first or (len(last) >= size and here == (*last[: size - 1], last[size - 1] + 1))


def _is_title(text: str) -> bool:
    letters = sum(c.isalpha() for c in text)
    first = next((c for c in text if c.isalnum()), "")
    return letters >= 3 and letters > 0.55 * len(text) and (first.isupper() or first.isdigit())


def _looks_like(
    line: TextLine, before: TextLine | None, profile: Profile, styles: set[tuple[str, float]]
) -> bool:
    text = line.text
    if not 3 <= len(text) <= 110 or line.gaps or not text[0].isalnum() or line.math > 0.3:
        return False
    small = line.size < 0.95 * profile.size
    if not profile.is_marked(line) or (small and line.bold < 0.8) or _STATEMENT.fullmatch(text):
        return False
    if not (text[0].isupper() or text[0].isdigit()) or (
        not any(c.islower() for c in text[1:]) and (not is_capitals(text))
    ):
        return False
    if text.endswith(_ENDS) and not NUMBERED.match(text):
        return False
    apart = profile.is_far(line, 1.15) or before is None or before.column != line.column
    after_heading = before is not None and before.kind == "heading"
    if style_of(line)[:2] in styles and line.size > 1.06 * profile.size:
        return apart or after_heading
    return (apart or after_heading) and len(text.split()) <= 12 and line.bold >= 0.97


def _continues(line: TextLine, before: TextLine) -> bool:
    """Whether a line goes on with a heading that did not fit on the line above."""
    alike = style_of(line)[:2] == style_of(before)[:2] and abs(line.bold - before.bold) < 0.2
    near = 0 < line.above <= 1.45 * line.size and line.column == before.column
    return before.kind == "heading" and alike and near and not NUMBERED.match(line.text)


def _set_depths(heads: Sequence[TextLine], profile: Profile) -> None:
    by_style: dict[tuple[str, float, bool], Counter[int]] = {}
    for line in heads:
        line.depth = _numbered_depth(line.text)
        if line.depth:
            by_style.setdefault(style_of(line), Counter())[line.depth] += 1
    sizes = sorted({round(line.size) for line in heads if not line.depth}, reverse=True)
    top = sizes[0] if sizes else 0
    for line in heads:
        if line.depth:
            continue
        style = by_style.get(style_of(line)) or by_style.get((*style_of(line)[:2], False))
        known = is_known(line.text)
        plain = bool(by_style) and not style and not profile.is_marked(line)
        words = line.text.lower()
        if known and (not plain or words.startswith(_PARTS) or " cited" in words):
            line.depth = 1
        elif style:
            line.depth = min(style, key=lambda depth: (-style[depth], depth))
        else:
            line.depth = _UNDER if by_style else 1 if round(line.size) == top else 2


def _numbered_depth(text: str) -> int:
    match = NUMBERED.match(text)
    return match["number"].count(".") + 1 if match else int(_is_roman(text))
