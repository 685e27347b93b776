"""Captions of figures and tables, the steps of algorithms, and the small print in figures."""

import re
from collections.abc import Sequence
from itertools import pairwise

from tools.pdf.lines import Line, with_before
from tools.pdf.profile import Profile

_CAPTION = re.compile(
    r"(?i:fig(?:ure|\.)?|tab(?:le|\.)|algorithm|listing|scheme|chart|exhibit)\s*"
    r"(?:S?\d{1,3}|[IVX]{1,6}|[A-Z]\.?\d{1,2})(?:\.\d{1,2})?[a-z]?\s*"
    r"(?P<stop>[.:|—–-](?:\s|$)|\s*$|\s+(?=[A-Z(“\"]))"
)
_STEP = re.compile(
    r"\d{1,3}:?\s|(?:input|output|require|ensure|data|result|for|foreach|while|if|else|end|return|"
    r"repeat|until|do|function|procedure)\b",
    re.I,
)
WORDS = re.compile(r"[^\W\d_]{4,}")
"""What is a word and no symbol: four letters and more."""


def mark_captions(lines: Sequence[Line], profile: Profile) -> None:
    """Mark captions, from the lines that begin as one does."""
    starts = _caption_starts(lines, profile)
    first: Line | None = None
    for before, line in with_before(lines):
        if id(line) in starts:
            line.kind, first = "caption", line
        elif (
            before and before.kind == "caption" and first and _goes_on(line, before, first, profile)
        ):
            line.kind = "caption"


def mark_algorithms(lines: Sequence[Line], profile: Profile) -> None:
    """Mark the steps below the caption of an algorithm."""
    for before, line in pairwise(lines):
        follows = (before.page, before.column) == (line.page, line.column)
        head = before.kind == "caption" and before.text.lower().startswith("algorithm")
        near = line.above <= 2 * profile.leading * profile.size
        step = line.size < 0.95 * profile.size or _STEP.match(line.text)
        if follows and (head or before.kind == "code") and near and not line.kind and step:
            line.kind = "code"


def mark_figures(lines: Sequence[Line], profile: Profile) -> None:
    """Mark small print above the caption of a figure, unless most of it fills its lines."""
    for index, line in enumerate(lines):
        if line.kind != "caption" or not line.text.lower().startswith("fig"):
            continue
        start = index
        while start > 0 and _is_small_print(lines[start - 1], line, profile):
            start -= 1
        inside = lines[start:index]
        full = [x for x in inside if x.slack < 0.05 and len(WORDS.findall(x.text)) >= 4]
        if len(full) < 0.4 * len(inside):
            for other in inside:
                other.kind = "table"


def _caption_starts(lines: Sequence[Line], profile: Profile) -> set[int]:
    """Return which lines begin a caption; where captions have a size of their own, only those."""
    found = [line for before, line in with_before(lines) if _begins_caption(line, before, profile)]
    own = [line for line in found if not profile.is_size(line)]
    if len(own) > 0.5 * len(found):
        named = {_label(line) for line in own}
        found = [
            line
            for line in found
            if not profile.is_size(line) or line.lead >= 5 or _label(line) not in named
        ]
    return {id(line) for line in found}


def _label(line: Line) -> str:
    """Return what a caption calls its figure or table, such as "fig3"."""
    match = _CAPTION.match(line.text)
    name = line.text[: match.start("stop")] if match else line.text
    return re.sub(r"[\W_]+", "", name.lower()).replace("figure", "fig").replace("table", "tab")


def _goes_on(line: Line, before: Line, first: Line, profile: Profile) -> bool:
    """Whether a line goes on with a caption."""
    usual = before.above if before is not first else 1.25 * profile.leading * line.size
    near = 0 < line.y - before.y <= 1.12 * max(usual, 1.05 * line.size)
    label = before is first and _CAPTION.fullmatch(first.text)
    if label and line.slack < 0.8 and not line.gaps and line.column == first.column:
        return near and abs(line.size - first.size) <= 0.15 * first.size
    alike = abs(line.size - (first if before is first else before).size) <= 0.3
    alike = alike and line.column == first.column
    full = before.slack < 0.2 or before.x1 - before.x0 > 0.9 * (line.x1 - line.x0)
    centred = before.indent > 1 and before.slack > 0.04 and abs(line.indent) < 0.5
    inner = before.indent > 1 and abs(line.x0 - before.x0) < 2
    return near and alike and full and not line.gaps and (inner or not centred)


def _begins_caption(line: Line, before: Line | None, profile: Profile) -> bool:
    match = _CAPTION.match(line.text)
    if not match:
        return False
    clear = match["stop"].strip() in {".", ":", "|", "—", "–", "-"}
    if not clear and line.bold < 0.5 and line.lead < 5 and match["stop"].strip():
        return False
    apart = profile.is_far(line, 1.15) or before is None or before.column != line.column
    other = not profile.is_size(line) or line.lead >= 5
    rows = before is not None and (before.gaps > 0 or before.indent > 0.8)
    return apart or other or (clear and line.indent > 0.8 and rows)


def _is_small_print(line: Line, caption: Line, profile: Profile) -> bool:
    same = (line.page, line.column) == (caption.page, caption.column)
    return same and not line.kind and line.size < 0.95 * profile.size
