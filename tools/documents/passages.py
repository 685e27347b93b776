"""Cutting a document into passages: of one section where it can be, at the ends of paragraphs.

All is counted in words as `_WORDS` finds them, which are never fewer than those between white space:
a long token counts for several, and so does a text in a script without spaces.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from state.document import JOINT, Block, Document
from state.passage import LARGEST, SMALLEST, Passage, passage_id
from tools.documents.blocks import ABSTRACT
from tools.text.sentences import split_sentences

TARGET = 160
"""Words; a small embedding model reads 256 tokens, which are some 190 words of English."""
_SLACK = 1.25
"""A paragraph of up to so many targets stays whole."""
_LARGE_NUMBERS = 60
"""Words of a table, formula or listing with hardly a word in it, from which it is left out."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORDS = re.compile(rf"[{_CJK}]{{1,2}}|[^\s{_CJK}]{{1,40}}")
_SPEAKING = re.compile(r"[^\W\d_]{3,}")
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


@dataclass(slots=True)
class _Run:
    """Neighbouring blocks of one section."""

    section: tuple[str, ...]
    blocks: list[tuple[int, int]]
    """First word and the one behind the last, of each."""
    after_gap: bool


def cut(
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
    text = document.text
    starts, ends = array("q"), array("q")
    for found in _WORDS.finditer(text):
        starts.append(found.start())
        ends.append(found.end())
    if not starts:
        return []
    cutter = _Cutter(text, starts, ends, max(SMALLEST, min(target, int(LARGEST / _SLACK))))
    offsets = _offsets(document.blocks)
    runs = cutter.runs(document.blocks, offsets)
    begins = [begin for begin, _ in offsets]
    made: dict[str, Passage] = {}
    for piece in _joined(cutter, [piece for run in runs for piece in cutter.pieces(run)]):
        start, end = starts[piece.begin], ends[piece.end - 1]
        key = passage_id(paper, text[start:end])
        if key not in made:
            page = document.blocks[bisect_left(begins, start + 1) - 1].page
            made[key] = Passage(
                id=key, paper=paper, title=title, section=piece.section, page=page,
                start=start, end=end, text=text[start:end], document=sha256,
            )  # fmt: skip
    return list(made.values())


def _offsets(blocks: Iterable[Block]) -> list[tuple[int, int]]:
    found, start = [], 0
    for block in blocks:
        found.append((start, start + len(block.text)))
        start += len(block.text) + len(JOINT)
    return found


def _is_left_out(block: Block, size: int) -> bool:
    if block.kind == "reference":
        return True
    if block.kind not in {"table", "equation", "code"} or size <= _LARGE_NUMBERS:
        return False
    return len(_SPEAKING.findall(block.text)) * 10 < size


class _Cutter:
    """Cuts one text."""

    def __init__(self, text: str, starts: "array[int]", ends: "array[int]", target: int) -> None:
        self._text = text
        self._starts = starts
        self._stops = ends
        self._target = target
        self._whole = int(target * _SLACK)

    def runs(self, blocks: Iterable[Block], offsets: list[tuple[int, int]]) -> Iterator[_Run]:
        """Yield the neighbouring blocks of a section that make passages."""
        run: _Run | None = None
        gap = False
        for block, (start, end) in zip(blocks, offsets, strict=True):
            begin, behind = bisect_left(self._starts, start), bisect_left(self._starts, end)
            if begin == behind:
                continue
            if _is_left_out(block, behind - begin):
                gap = True
                continue
            section = ABSTRACT if block.kind == "abstract" else block.section
            if run is None or gap or section != run.section:
                if run is not None:
                    yield run
                run = _Run(section, [], gap)
                gap = False
            run.blocks.append((begin, behind))
        if run is not None:
            yield run

    def pieces(self, run: _Run) -> list[_Piece]:
        """Return the pieces of a run; none is short unless the run is."""
        found: list[_Piece] = []
        for begin, end in self._parts(run):
            last = found[-1] if found else None
            if last and (end - last.begin <= self._target or last.size < SMALLEST):
                last.end = end
            else:
                found.append(_Piece(begin, end, run.section))
        if len(found) > 1 and found[-1].size < SMALLEST:
            last = found.pop()
            found[-1].end = last.end
        found[0].after_gap = run.after_gap
        return [part for piece in found for part in self.fitting(piece)]

    def _parts(self, run: _Run) -> Iterator[tuple[int, int]]:
        for begin, end in run.blocks:
            if end - begin <= self._whole:
                yield begin, end
            else:
                yield from self._sentences(begin, end)

    def _sentences(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Cut a long paragraph into even parts between sentences."""
        aim = (end - begin) / ceil((end - begin) / self._target)
        start = begin
        for stop in self._ends(begin, end):
            while stop - start > LARGEST:  # a sentence without end
                step = ceil((stop - start) / ceil((stop - start) / self._target))
                yield start, start + step
                start += step
            if stop - start >= aim - 1 and end - stop >= SMALLEST:
                yield start, stop
                start = stop
        if start < end:
            yield start, end

    def _ends(self, begin: int, end: int) -> Iterator[int]:
        """Yield behind which words a sentence ends, in order; `end` last."""
        while begin < end:
            first = self._starts[begin]
            stop = min(end, bisect_left(self._starts, first + _LONGEST_TEXT))
            stop = max(stop, begin + 1)
            piece = self._text[first : self._stops[stop - 1]]
            spans = _split(piece)
            whole = spans if stop == end or len(spans) < 2 else spans[:-1]
            for span in whole:
                at = bisect_left(self._starts, first + span.end)
                if begin < at < end:
                    yield at
            begin = max(
                bisect_left(self._starts, first + whole[-1].end) if whole else stop, begin + 1
            )
        yield end

    def fitting(self, piece: _Piece) -> Iterator[_Piece]:
        """Yield a piece, or its even halves where it is too large."""
        if piece.size <= LARGEST:
            yield piece
            return
        count = ceil(piece.size / LARGEST)
        step = ceil(piece.size / count)
        for begin in range(piece.begin, piece.end, step):
            end = min(begin + step, piece.end)
            yield _Piece(begin, end, piece.section, piece.after_gap and begin == piece.begin)


def _joined(cutter: _Cutter, pieces: list[_Piece]) -> list[_Piece]:
    """Join what is too short to the neighbour with which it shares most headings."""
    done: list[_Piece] = []
    for at, piece in enumerate(pieces):
        if piece.size >= SMALLEST:
            done.append(piece)
            continue
        before = done[-1] if done and not piece.after_gap else None
        after = pieces[at + 1] if at + 1 < len(pieces) and not pieces[at + 1].after_gap else None
        if after and (before is None or _shared(piece, after) > _shared(piece, before)):
            pieces[at + 1] = _united(piece, after)
        elif before:
            done[-1:] = cutter.fitting(_united(before, piece))
        else:
            done.append(piece)
    return [part for piece in done for part in cutter.fitting(piece)]


def _united(first: _Piece, second: _Piece) -> _Piece:
    larger = first if first.size >= second.size else second
    return _Piece(first.begin, second.end, larger.section, first.after_gap)


def _shared(one: _Piece, other: _Piece) -> int:
    count = 0
    for left, right in zip(one.section, other.section, strict=False):
        if left != right:
            break
        count += 1
    return count
