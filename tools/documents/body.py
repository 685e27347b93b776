"""The passages that are a paper's own text, without its list of references, each with the page it begins on."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise

from state.document import JOINT, Document
from state.passage import Passage, passage_id
from tools.evidence.quotes import fold_text
from tools.text.headings import is_references
from tools.text.words import split_sentences

_LISTED = 0.5
"""Share of a paragraph's letters from which entries of a list of references make it a part of the list."""


def body_of(passages: Sequence[Passage], entries: Collection[str] = ()) -> list[Passage]:
    """Return the passages that are the paper's text, in order: no record, annotation or list of references.

    Args:
        passages: Of one document, or of a library's paper.
        entries: What the paper lists, each as printed: a list is known by them where no heading tells.
    """
    listed = [text for entry in entries if len(text := fold_text(entry)) > 1]
    own = [item for item in passages if item.document and not any(map(is_references, item.section))]
    return [part for item in own for part in _unlisted(item, listed)] if listed else own


def _unlisted(passage: Passage, entries: Sequence[str]) -> Iterator[Passage]:
    """Yield the stretches of a passage between paragraphs that are entries; most often all of it."""
    begin = offset = 0
    for paragraph in [*passage.text.split(JOINT), ""]:
        end, text = offset + len(paragraph), fold_text(paragraph)
        listed = sum(len(one) for one in entries if one in text) >= _LISTED * len(text)
        if listed and begin < offset:  # as is the end of the passage, which is empty
            words = passage.text[begin:offset].rstrip()
            yield _part(passage, begin, words, passage.page)
        offset = end + len(JOINT)
        begin = offset if listed else begin


def _part(passage: Passage, begin: int, words: str, page: int | None) -> Passage:
    start = passage.start + begin
    return passage.model_copy(
        update={
            "id": passage_id(passage.paper, words),
            "text": words,
            "start": start,
            "end": start + len(words),
            "page": page,
        }
    )


def on_pages(passages: Sequence[Passage], document: Document | None) -> list[Passage]:
    """Return passages cut where a page ends, so that each names the page on which its sentences begin.

    A sentence that goes on on the next page stays whole, with the first.

    Args:
        passages: Of one document.
        document: What was read; without it, or where its text is another, the passages stay as they are.
    """
    if document is None or not document.pages:
        return list(passages)
    text = document.text
    if any(text[item.start : item.end] != item.text for item in passages):
        return list(passages)
    begins = [0, *accumulate(len(block.text) + len(JOINT) for block in document.blocks)]
    turns: list[tuple[int, int]] = []
    for block, begin in zip(document.blocks, begins, strict=False):
        first = (0, block.page) if block.page else (0, turns[-1][1] if turns else 1)
        turns += [(begin + offset, page) for offset, page in (first, *block.turns)]
    starts = [start for start, _ in turns]
    return [piece for item in passages for piece in _pieces(item, starts, turns)]


def _pieces(
    passage: Passage, starts: Sequence[int], turns: Sequence[tuple[int, int]]
) -> Iterator[Passage]:
    among = range(bisect_right(starts, passage.start), bisect_left(starts, passage.end))
    inside = [starts[at] for at in among if turns[at][1] != turns[at - 1][1]]
    sentences = [span.start for span in split_sentences(passage.text)] if inside else []
    places = (bisect_left(sentences, start - passage.start) for start in inside)
    cuts = sorted({sentences[at] for at in places if 0 < at < len(sentences)})
    for first, last in pairwise([0, *cuts, len(passage.text)]):
        words = passage.text[first:last].rstrip()
        page = turns[bisect_right(starts, passage.start + first) - 1][1]
        yield _part(passage, first, words, page)
