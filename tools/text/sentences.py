"""Split text into sentences, with offsets."""

from dataclasses import dataclass
from functools import lru_cache

# sentencex ends a sentence after these although a number or name follows.
_NO_END = frozenset(
    ("Sect.", "Sects.", "Sec.", "Eq.", "Eqs.", "Tab.", "Ref.", "Refs.", "Alg.", "Def.", "resp.", "approx.", "cf.",
     "vs.", "Figs.")
)  # fmt: skip


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
        if last.lstrip("([“\"'") in _NO_END:
            continue
        _append(spans, text, begin, end)
        begin = None
    if begin is not None:
        _append(spans, text, begin, len(text))
    return tuple(spans)


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if stripped := piece.strip():
        left = start + len(piece) - len(piece.lstrip())
        spans.append(Span(stripped, left, left + len(stripped)))
