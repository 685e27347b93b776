"""Split text into sentences, with offsets."""

import re
from dataclasses import dataclass
from functools import lru_cache

# sentencex ends a sentence after these although a number or name follows.
_NO_END = frozenset(
    (
        "Sect.",
        "Sects.",
        "Sec.",
        "Eq.",
        "Eqs.",
        "Tab.",
        "Ref.",
        "Refs.",
        "Alg.",
        "Def.",
        "resp.",
        "approx.",
        "cf.",
        "vs.",
        "Figs.",
    )
)
_MARK = r"\s*(?:\[\d[\d\s,;–-]{0,40}\]|\(\d[\d\s,;–-]{0,40}\)|\{P\d+\})"
_MARKS = re.compile(rf"(?:{_MARK})*\s*")
_MARKED = re.compile(rf"{_MARK}\s*\Z")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: `source[start:end] == text`."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def split_sentences(text: str) -> tuple[Span, ...]:
    """Return the sentences of an English text, without the white space around them."""
    from sentencex import get_sentence_boundaries

    spans: list[Span] = []
    begin: int | None = None
    for boundary in get_sentence_boundaries("en", text):
        start, end = boundary["start_index"], boundary["end_index"]
        begin = start if begin is None else begin
        piece = text[begin:end]
        last = piece.rstrip().rpartition(" ")[2].rpartition("-")[2]
        if last.lstrip("([“\"'") in _NO_END or _goes_on(text, end):
            continue
        _append(spans, text, begin, end)
        begin = None
    if begin is not None:
        _append(spans, text, begin, len(text))
    return tuple(spans)


def _goes_on(text: str, end: int) -> bool:
    """Whether citations stand at a boundary, and behind them the same sentence: 'Rossi et al. [14] found ...'."""
    marks = _MARKS.match(text, end)
    after = marks.end() if marks else end
    follows = text[after : after + 1]
    if text[end:after].strip():  # '{P2} say so' is a sentence of its own
        return not follows or follows in ".,;:)"
    behind = _MARKED.search(text, max(end - 50, 0), end)
    return bool(behind) and (follows.islower() or follows in set(".,;:)"))


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if stripped := piece.strip():
        left = start + len(piece) - len(piece.lstrip())
        spans.append(Span(stripped, left, left + len(stripped)))
