"""Cutting a document into passages: of one section where it can be, at the ends of paragraphs.

All is counted in words as `_WORDS` finds them, which are never fewer than those between white space:
a long token counts for several, and so does a text in a script without spaces.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from math import ceil

from state.document import JOINT, Block, Document
from state.passage import LARGEST, SMALLEST, Passage, passage_id
from tools.documents.markup import ABSTRACT
from tools.pdf.floats import WORDS
from tools.text.words import split_sentences

TARGET = 160
"""Words; a small embedding model reads 256 tokens, which are some 190 words of English."""
_SLACK = 1.25
"""A paragraph of up to so many targets stays whole."""
_LARGE_NUMBERS = 60
"""Words of a table, formula or listing with hardly a word in it, from which it is left out."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORDS = re.compile(rf"[{_CJK}]{{1,2}}|[^\s{_CJK}]{{1,40}}")
_split = split_sentences.__wrapped__  # past its cache: a text is cut once
_LONGEST_TEXT = 20_000  # characters given to the splitter at once


@dataclass(slots=True)
class _Piece:
    """Words `begin` to `end` of the document."""

    begin: int
    end: int
    section: tuple[str, ...]
    after_gap: bool = False
    """Whether something that makes no passage stands before it."""

    @property
    def size(self) -> int:
        return self.end - self.begin


def cut_passages(
    document: Document, *, paper: str, title: str, sha256: str, target: int = TARGET
) -> list[Passage]:
    """Return the passages of a document, in reading order.

    Each has 20 to 300 words and is one stretch of `document.text`. Short paragraphs of a section
    are joined up to `target` words, long ones cut between sentences; a section of fewer than 20
    words goes with its neighbour. Shorter are only the passage of a document that has fewer words,
    and what stands alone between references, which make no passages, nor do large tables of
    nothing but numbers. The same words make one passage.

    Args:
        document: What was read.
        paper: Canonical id of the paper that it is the text of.
        title: The paper's title.
        sha256: Of its file.
        target: Words to which paragraphs are joined, 20 to 240.
    """
    cutter = _Cutter(document.text, max(SMALLEST, min(target, int(LARGEST / _SLACK))))
    offsets = [0, *accumulate(len(block.text) + len(JOINT) for block in document.blocks)]
    made: dict[str, Passage] = {}
    for piece in cutter.joined(cutter.pieces(document.blocks, offsets)):
        start, end = cutter.starts[piece.begin], cutter.ends[piece.end - 1]
        text = document.text[start:end]
        page = document.blocks[bisect_right(offsets, start) - 1].page
        passage = Passage(
            id=passage_id(paper, text),
            paper=paper,
            title=title,
            section=piece.section,
            page=page,
            start=start,
            end=end,
            text=text,
            document=sha256,
        )
        made.setdefault(passage.id, passage)
    return list(made.values())


def _is_left_out(block: Block, size: int) -> bool:
    if block.kind == "reference":
        return True
    large = block.kind in {"table", "equation", "code"} and size > _LARGE_NUMBERS
    return large and len(WORDS.findall(block.text)) * 10 < size


class _Cutter:
    """Cuts one text."""

    def __init__(self, text: str, target: int) -> None:
        self._text = text
        self._target = target
        self.starts, self.ends = array("q"), array("q")
        for found in _WORDS.finditer(text):
            self.starts.append(found.start())
            self.ends.append(found.end())

    def pieces(self, blocks: Iterable[Block], offsets: Sequence[int]) -> list[_Piece]:
        """Return pieces of one section each, up to the target; none is short unless all of it is."""
        found: list[_Piece] = []
        gap = True
        for block, start, after in zip(blocks, offsets, offsets[1:], strict=False):
            begin, end = bisect_left(self.starts, start), bisect_left(self.starts, after)
            if begin == end:
                continue
            if _is_left_out(block, end - begin):
                gap = True
                continue
            section = ABSTRACT if block.kind == "abstract" else block.section
            for first, behind in self._parts(begin, end):
                last = found[-1] if found and not gap and found[-1].section == section else None
                size = behind - last.begin if last else 0
                if last and (size <= self._target or min(last.size, behind - first) < SMALLEST):
                    found[-1:] = self._fitting(replace(last, end=behind))
                else:
                    found.append(_Piece(first, behind, section, gap))
                gap = False
        return found

    def joined(self, pieces: list[_Piece]) -> list[_Piece]:
        """Join what is too short to the neighbour with which it shares most headings."""
        done: list[_Piece] = []
        for at, piece in enumerate(pieces):
            before = done[-1] if done and not piece.after_gap else None
            after = pieces[at + 1] if at + 1 < len(pieces) else None
            if after and after.after_gap:
                after = None
            if piece.size >= SMALLEST or not (before or after):
                done += self._fitting(piece)
            elif after and (before is None or _shared(piece, after) > _shared(piece, before)):
                pieces[at + 1] = _united(piece, after)
            elif before:
                done[-1:] = self._fitting(_united(before, piece))
        return done

    def _fitting(self, piece: _Piece) -> list[_Piece]:
        """Return a piece, or its even parts where it is too large."""
        if piece.size <= LARGEST:
            return [piece]
        return [
            _Piece(begin, end, piece.section, piece.after_gap and begin == piece.begin)
            for begin, end in self._parts(piece.begin, piece.end)
        ]

    def _parts(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Cut a long paragraph into even parts between sentences, of at most LARGEST words."""
        if end - begin <= self._target * _SLACK:
            yield begin, end
            return
        aim = (end - begin) / ceil((end - begin) / self._target)
        start = last = begin
        for stop in self._stops(begin, end):
            if stop - start > LARGEST and last - start >= SMALLEST:
                yield start, last
                start = last
            last = stop
            while stop - start > LARGEST:  # a sentence without end
                step = ceil((stop - start) / ceil((stop - start) / self._target))
                yield start, start + step
                start += step
            if stop - start >= aim - 1 and end - stop >= SMALLEST:
                yield start, stop
                start = stop
        if start < end:
            yield start, end

    def _stops(self, begin: int, end: int) -> Iterator[int]:
        """Yield behind which words a sentence ends, in order; `end` last."""
        while begin < end:
            first = self.starts[begin]
            stop = max(min(end, bisect_left(self.starts, first + _LONGEST_TEXT)), begin + 1)
            spans = _split(self._text[first : self.ends[stop - 1]])
            whole = spans if stop == end or len(spans) < 2 else spans[:-1]
            places = [bisect_left(self.starts, first + span.end) for span in whole]
            yield from (place for place in places if begin < place < end)
            begin = max(places[-1] if places else stop, begin + 1)
        yield end


def _united(first: _Piece, second: _Piece) -> _Piece:
    larger = first if first.size >= second.size else second
    return _Piece(first.begin, second.end, larger.section, first.after_gap)


def _shared(one: _Piece, other: _Piece) -> int:
    """Return how many headings, from the top, two pieces have in common."""
    alike = (left == right for left, right in zip(one.section, other.section, strict=False))
    return sum(1 for _ in takewhile(bool, alike))
