"""Check a quote against the text it claims to come from.

Both sides are folded (NFKD, ligatures, dashes, quotation marks, soft and end-of-line hyphens, white
space, case) and the words are looked for in the folded text; the answer is their place in the
original. A quote counts from 20 characters on, or when it is a whole sentence or the whole title.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache

from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.writing import VerdictReason
from tools.text.words import Span, split_sentences

MIN_LENGTH = 20

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_MARKS = {ord(char): "'" for char in "‘’‚‛′`´"} | {ord(char): '"' for char in "“”„‟″«»"}
_ENDS = frozenset(".,;:!?")
_DROPPED = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
# Papers keep their texts with white space folded, so the end of a line may have become a space.
_LINE_HYPHEN = re.compile(r"(?<=\w)([-‐\u00ad])\s+(?=[^\W\d_A-Z])")
_AROUND = " \t\r\n\"'“”‘’«»…"
_CUTS = ("...", "[...]", "[…]")


@lru_cache(maxsize=2048)
def _fold(text: str, *, keep_hyphens: bool = False) -> tuple[str, "array[int]"]:
    """Return the folded text and, for each of its characters, the offset it came from.

    A hyphen at the end of a line is dropped with the space after it or, where it is a word's own
    ('state-' 'of-the-art'), kept without that space.
    """
    skipped = {
        index
        for found in _LINE_HYPHEN.finditer(text)
        for index in range(found.start() + (keep_hyphens and found[1] != "\u00ad"), found.end())
    }
    chars: list[str] = []
    offsets = array("I")
    for index, char in enumerate(text):
        if index in skipped or char in _DROPPED:
            continue
        folded = unicodedata.normalize("NFKD", char.translate(_MARKS)).translate(_DASHES)
        for piece in folded.casefold():
            if piece.isspace():
                if chars and chars[-1] == " ":
                    continue
                piece = " "
            chars.append(piece)
            offsets.append(index)
    return "".join(chars), offsets


@lru_cache(maxsize=2048)
def _unhyphened(text: str) -> tuple[str, "array[int]"]:
    """Return a folded text without hyphens between letters, and the offset of each character."""
    places = array(
        "I",
        [
            at
            for at, char in enumerate(text)
            if char != "-" or not (text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha())
        ],
    )
    return "".join([text[at] for at in places]), places


def same_words(text: str) -> str:
    """Return what two texts share that differ in case, marks, white space and hyphens within words alone."""
    return _unhyphened(fold_text(text))[0]


def fold_text(text: str) -> str:
    """Return a text for comparison: without case, and with plain dashes, marks and white space."""
    return _fold(text)[0].strip()


def find_quote(claimed: str, source: str, least: int = MIN_LENGTH) -> Span | None:
    """Return where `claimed` stands in `source`, or None when it does not, or is too short.

    One of fewer than `least` characters counts where it is a whole sentence.

    An ellipsis inside a quote is no licence: the words must stand together. Quotation marks and
    ellipses around it are ignored, and so is one mark that ends it and does not stand in the source.
    """
    bare = _unwrapped(claimed)
    found = _find(bare, source, least)
    if found or not bare or bare[-1] not in _ENDS:
        return found
    return _find(bare[:-1].rstrip(), source, least)


def _find(bare: str, source: str, least: int) -> Span | None:
    for keep_hyphens, plain in ((False, False), (True, False), (False, True)):
        wanted = _fold(bare, keep_hyphens=keep_hyphens)[0].strip()
        folded, offsets = _fold(source, keep_hyphens=keep_hyphens)
        places: Sequence[int] = range(len(folded))
        if (
            plain
        ):  # whether a hyphen at the end of a line is a word's own, who read the file had to guess
            wanted, (folded, places) = _unhyphened(wanted)[0], _unhyphened(folded)
        if not any(char.isalnum() for char in wanted):
            return None
        at = _word_aligned(folded, wanted)
        if at >= 0:
            start, last = offsets[places[at]], offsets[places[at + len(wanted) - 1]]
            span = Span(source[start : last + 1], start, last + 1)
            return span if len(wanted) >= least or _is_sentence(span, source) else None
    return None


def _unwrapped(claimed: str) -> str:
    text = claimed.strip(_AROUND)
    for cut in 2 * _CUTS:
        text = text.removeprefix(cut).removesuffix(cut).strip(_AROUND)
    return text


def _word_aligned(folded: str, wanted: str) -> int:
    at = folded.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        starts = at == 0 or not (_in_word(folded[at - 1]) and _in_word(folded[at]))
        ends = end == len(folded) or not (_in_word(folded[end - 1]) and _in_word(folded[end]))
        if starts and ends:
            return at
        at = folded.find(wanted, at + 1)
    return -1


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.combining(char) > 0


def _is_sentence(span: Span, source: str) -> bool:
    bare = source[span.start : span.end].rstrip(".!? ")
    return any(bare == whole.text.rstrip(".!? ") for whole in split_sentences(source))


def quote_paper(claimed: str, paper: Paper, known: Iterable[Quote] = ()) -> Quote:
    """Check words against a paper's abstract, its title, its snippets and what is `known` of its full text.

    `verified` says how it went. Known are verified quotes, of this paper or others.
    """
    for part, text in paper.parts:
        if span := find_quote(claimed, text):
            return Quote(
                text=span.text,
                paper=paper.id,
                part=part,
                start=span.start,
                end=span.end,
                verified=True,
            )
    for item in (*paper.snippets, *(one for one in known if one.paper == paper.id)):
        if span := find_quote(claimed, item.text):
            start = (item.start or 0) + span.start
            place = {"paper": paper.id, "start": start, "end": start + len(span.text)}
            return item.model_copy(update={"text": span.text, **place})
    return Quote(text=claimed, paper=paper.id)


def quotes_of(passages: Iterable[Passage]) -> list[Quote]:
    """Return passages as words of their papers that are known to stand there."""
    return [
        Quote(
            text=item.text,
            paper=item.paper,
            part=item.part,
            start=item.start,
            end=item.start + len(item.text),
            verified=True,
            place=item.place,
        )
        for item in passages
    ]


def quotable_texts(paper: Paper, known: Iterable[Quote] = ()) -> list[str]:
    """Return the texts that `quote_paper` looks into."""
    return [
        paper.abstract or "",
        paper.title,
        *(item.text for item in paper.snippets),
        *(item.text for item in known if item.paper == paper.id),
    ]


def quote_input(claimed: str, text: str) -> Quote:
    """Check words against the researcher's own text."""
    if span := find_quote(claimed, text):
        return Quote(
            text=span.text,
            paper="input",
            part="input",
            start=span.start,
            end=span.end,
            verified=True,
        )
    return Quote(text=claimed, paper="input", part="input")


def quote_fault(claimed: str, texts: Iterable[str]) -> tuple[VerdictReason, str] | None:
    """Return why words do not count as a quote of any of these texts, or None where they do.

    Words that stand there and are too few are no lie: 'no_verified_quote', not 'fabricated_quote'.
    """
    sources = [text for text in texts if text]
    if any(find_quote(claimed, text) for text in sources):
        return None
    if any(find_quote(claimed, text, least=1) for text in sources):
        told = f"too short, copy at least {MIN_LENGTH} characters: “{claimed[:200]}”"
        return "no_verified_quote", told
    return "fabricated_quote", f"not in the source: “{claimed[:200]}”"
