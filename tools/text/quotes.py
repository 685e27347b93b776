"""Check a quote against the text it claims to come from.

Both sides are folded (NFKC, ligatures, dashes, quotation marks, soft and end-of-line hyphens, white
space, case) and the words are looked for in the folded text; the answer is their place in the
original. A quote counts from 20 characters on, or when it is a whole sentence or the whole title.
"""

import re
import unicodedata
from functools import lru_cache

from state.paper import Paper
from state.quote import Quote
from tools.text.sentences import Span, split_sentences

MIN_LENGTH = 20

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_MARKS = {ord(char): "'" for char in "‘’‚‛′`´"} | {ord(char): '"' for char in "“”„‟″«»"}
_DROPPED = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_LINE_HYPHEN = re.compile(r"(?<=\w)-[ \t]*\n\s*(?=[a-z])")
_WRAPPING = "\"'“”‘’«»…"


@lru_cache(maxsize=2048)
def _fold(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the folded text and, for each of its characters, the offset it came from."""
    skipped = {i for found in _LINE_HYPHEN.finditer(text) for i in range(*found.span())}
    chars: list[str] = []
    offsets: list[int] = []
    for index, char in enumerate(text):
        if index in skipped or char in _DROPPED:
            continue
        folded = unicodedata.normalize("NFKC", char).translate(_DASHES).translate(_MARKS)
        for piece in folded.casefold():
            if piece.isspace():
                if chars and chars[-1] == " ":
                    continue
                piece = " "
            chars.append(piece)
            offsets.append(index)
    return "".join(chars), tuple(offsets)


def find_quote(claimed: str, source: str) -> Span | None:
    """Return where `claimed` stands in `source`, or None when it does not, or is too short.

    An ellipsis inside a quote is no licence: the words must stand together. Quotation marks and
    ellipses around it are ignored.
    """
    wanted = _fold(claimed.strip().strip(_WRAPPING).strip())[0].strip()
    folded, offsets = _fold(source)
    if not wanted:
        return None
    at = _word_aligned(folded, wanted)
    if at < 0:
        return None
    start, last = offsets[at], offsets[at + len(wanted) - 1]
    span = Span(source[start : last + 1], start, last + 1)
    return span if len(wanted) >= MIN_LENGTH or _is_sentence(span, source) else None


def _word_aligned(folded: str, wanted: str) -> int:
    at = folded.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        starts = at == 0 or not (folded[at - 1].isalnum() and folded[at].isalnum())
        ends = end == len(folded) or not (folded[end - 1].isalnum() and folded[end].isalnum())
        if starts and ends:
            return at
        at = folded.find(wanted, at + 1)
    return -1


def _is_sentence(span: Span, source: str) -> bool:
    bare = source[span.start : span.end].rstrip(".!? ")
    return any(bare == whole.text.rstrip(".!? ") for whole in split_sentences(source))


def quote_paper(claimed: str, paper: Paper) -> Quote:
    """Check words against a paper's abstract, then its title; `verified` says how it went."""
    for part, text in (("abstract", paper.abstract), ("title", paper.title)):
        if text and (span := find_quote(claimed, text)):
            return Quote(
                text=span.text, paper=paper.id, part=part,
                start=span.start, end=span.end, verified=True,
            )  # fmt: skip
    return Quote(text=claimed, paper=paper.id)


def quote_input(claimed: str, text: str) -> Quote:
    """Check words against the researcher's own text."""
    if span := find_quote(claimed, text):
        return Quote(
            text=span.text, paper="input", part="input",
            start=span.start, end=span.end, verified=True,
        )  # fmt: skip
    return Quote(text=claimed, paper="input", part="input")
