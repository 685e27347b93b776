"""Find where sentences that were read from a text stand in it, by their words.

Reading drops markup, joins lines and moves notes, but keeps the words and their order. So the words of what was
read are aligned with those of the file. A sentence whose words are not found close together has no place.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from unicodedata import category, combining, normalize

from rapidfuzz.distance import LCSseq

from state.value import Place

_FOUND = 0.5
"""Share of a sentence's words that the file must have in order."""
_LOOSE = 3
_SPARE = 20
"""Words of the file among them: at most so many for each word of the sentence, and these besides."""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A run of letters or digits, and where it stands."""

    text: str
    start: int
    end: int


def words_in(text: str) -> list[PlacedWord]:
    """Return the words of a text, without accents and unseen characters; digits are words of their own."""
    folded = [
        (letter, at)
        for at, char in enumerate(text)
        for letter in normalize("NFKD", char)
        if not combining(letter) and category(letter) != "Cf"
    ]
    words: list[PlacedWord] = []
    for kind, group in groupby(folded, lambda one: _kind(one[0])):
        if kind:
            run = list(group)
            words.append(PlacedWord("".join(one for one, _ in run), run[0][1], run[-1][1] + 1))
    return words


def _kind(letter: str) -> int:
    return 1 if letter.isalpha() else 2 if letter.isdecimal() else 0


class Lines:
    """The lines of a file, which end with a line feed, a carriage return, or both."""

    def __init__(self, source: str, file: str = "", *, paragraphs: bool = False) -> None:
        """Take the file; see PlaceFinder."""
        self._file, self._paragraphs = file, paragraphs
        ends = (
            at + 1
            for at, char in enumerate(source)
            if char == "\n" or (char == "\r" and source[at + 1 : at + 2] != "\n")
        )
        self._starts = [0, *ends]

    def place(self, start: int, end: int) -> Place:
        """Return the place of the characters from `start` to before `end`."""
        line, column = self._line_and_column(start)
        if self._paragraphs:
            return Place(file=self._file, paragraph=line)
        end_line, end_column = self._line_and_column(end)
        return Place(
            file=self._file,
            line=line,
            column=column,
            length=end - start,
            end_line=end_line,
            end_column=end_column,
        )

    def _line_and_column(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


class PlaceFinder:
    """Gives places in one file."""

    def __init__(
        self, source: str, file: str = "", *, latex: bool = False, paragraphs: bool = False
    ) -> None:
        """Take the file.

        Args:
            source: Its text as it is on disk; of a Word file one line a paragraph.
            file: Its name.
            latex: Whether '%' begins a comment in it.
            paragraphs: Whether its lines are the paragraphs of a Word file.
        """
        self._source, self._lines = source, Lines(source, file, paragraphs=paragraphs)
        self._words = words_in(_without_comments(source, latex=latex))

    def find(self, texts: Sequence[str]) -> "list[FoundText | None]":
        """Return where each of these texts stands, which were read from the file in this order."""
        read = [words_in(text) for text in texts]
        at = self._aligned([word for words in read for word in words])
        found: list[FoundText | None] = []
        first = 0
        for text, words in zip(texts, read, strict=True):
            pairs = {step: at[first + step] for step in range(len(words)) if first + step in at}
            first += len(words)
            # What reading has moved, such as a note, is not in order, nor is what it was moved out of.
            near = self._nearest(words, pairs)
            if not _close(words, near):
                near = self._nearest(words, self._aligned(words))
            found.append(FoundText(self, text, words, near) if _close(words, near) else None)
        return found

    def _aligned(self, words: Sequence[PlacedWord]) -> dict[int, int]:
        """Return the places in the file of words that it has in this order."""
        read, known = [word.text for word in words], [word.text for word in self._words]
        blocks = LCSseq.editops(read, known).as_matching_blocks()
        return {one.a + step: one.b + step for one in blocks for step in range(one.size)}

    def _nearest(self, words: Sequence[PlacedWord], pairs: dict[int, int]) -> dict[int, int]:
        """Move words that the file repeats to where they stand closest to the others."""
        near = dict(pairs)
        for steps, way in ((sorted(pairs, reverse=True), -1), (sorted(pairs), 1)):
            for step, after in zip(steps[1:], steps, strict=False):
                places = range(near[after] + way, near[step], way)
                same = (at for at in places if self._words[at].text == words[step].text)
                near[step] = next(same, near[step])
        return near

    def word(self, at: int) -> PlacedWord:
        """Return a word of the file."""
        return self._words[at]

    def place(self, start: int, end: int) -> Place:
        """Return the place of the characters from `start` to before `end`."""
        return self._lines.place(start, end)

    def widened(self, start: int, end: int, before: str, after: str) -> tuple[int, int]:
        """Return a stretch with the marks around it in the text, such as '[@' and ']', if the file has them too."""
        for mark in reversed(before):
            start -= start > 0 and self._source[start - 1] == mark
        for mark in after:
            end += self._source[end : end + 1] == mark
        return start, end


@dataclass(frozen=True, slots=True)
class FoundText:
    """A text that stands in the file."""

    finder: PlaceFinder
    text: str
    words: Sequence[PlacedWord]
    pairs: dict[int, int]
    """The places of its words among those of the file."""

    def place(self, start: int = 0, end: int | None = None) -> Place | None:
        """Return where `text[start:end]` stands, from the first to the last of its words that the file has."""
        end = len(self.text) if end is None else end
        steps = [
            step
            for step in sorted(self.pairs)
            if start <= self.words[step].start and self.words[step].end <= end
        ]
        if not steps:
            return None
        first, last = self.words[steps[0]], self.words[steps[-1]]
        span = (
            self.finder.word(self.pairs[steps[0]]).start,
            self.finder.word(self.pairs[steps[-1]]).end,
        )
        return self.finder.place(
            *self.finder.widened(*span, self.text[start : first.start], self.text[last.end : end])
        )


def _close(words: Sequence[PlacedWord], pairs: dict[int, int]) -> bool:
    enough = bool(words) and len(pairs) >= _FOUND * len(words)
    return enough and max(pairs.values()) - min(pairs.values()) <= _LOOSE * len(words) + _SPARE


def _without_comments(source: str, *, latex: bool) -> str:
    """Return a text of the same length without what LaTeX or HTML comments out: it may repeat the sentence."""
    parts = source.split("<!--")
    shown = [parts[0]]
    for part in parts[1:]:
        inside, closed, rest = part.partition("-->")
        shown.append(" " * (4 + len(inside) + len(closed)) + rest if closed else f"<!--{part}")
    source = "".join(shown)
    return "".join(_uncommented(source)) if latex else source


def _uncommented(source: str) -> Iterator[str]:
    for line in source.splitlines(keepends=True):
        end = line.find("%")
        # '\%' and the '%' of '5% of' print; LaTeX takes the latter for a comment, and the reader of texts does not.
        while end > 0 and (line[end - 1] == "\\" or line[end - 1].isdigit()):
            end = line.find("%", end + 1)
        yield line if end < 0 else line[:end] + " " * (len(line) - end - 1) + line[-1]
