"""Lines put together to paragraphs and what stands between them, each in its section."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.pdf.floats import is_bullet
from tools.pdf.front_matter import AUTHOR, TITLE, opens_text
from tools.pdf.glyphs import LINE_HYPHEN
from tools.pdf.headings import Profile
from tools.pdf.lines import TextLine
from tools.pdf.page_furniture import DROPPED
from tools.pdf.reference_entries import split_entries, split_tail

_STOPS = (".", "!", "?")
_ENDS = (*_STOPS, ":", ";")
_CITING = frozenset("0123456789,–-")
_ABSTRACT = re.compile(r"(?:abstract|summary)\b\W*", re.I)
_FLOATS = {"caption", "table", "footnote", "code"}


def ends(text: str, marks: tuple[str, ...] = _ENDS) -> bool:
    """Whether a paragraph ends as one does, before the numbers of what it cites."""
    before, _, cited = text.removesuffix("]").rpartition("[")
    bare = before if text.endswith("]") and _CITING.issuperset(cited) else text
    return bare.rstrip("0123456789").rstrip("\"”’')]").endswith(marks)


@dataclass(slots=True)
class PageBlock:
    """Lines that belong together; `text` is made of them at the end."""

    kind: str
    section: tuple[str, ...]
    lines: list[TextLine] = field(default_factory=list)


class Assembler:
    """Goes over the lines of a document in reading order and makes pieces of them."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._pieces: list[PageBlock] = []
        self._stack: list[tuple[int, str]] = []
        self._run_in = ""
        self._open: PageBlock | None = None
        self._float: PageBlock | None = None
        self._references: list[TextLine] = []

    def pieces(self, lines: Sequence[TextLine]) -> list[PageBlock]:
        """Return the pieces of a document, in reading order; headings are in their sections."""
        index = 0
        while index < len(lines):
            line = lines[index]
            if line.kind == "heading":
                index = self._heading(lines, index)
                continue
            if line.kind == "reference":
                self._references.append(line)
            elif line.kind in _FLOATS or line.kind == "equation":
                self._apart(line)
            elif line.kind not in {DROPPED, TITLE, AUTHOR}:
                self._prose(line)
            index += 1
        self._flush()
        _name_abstract(self._pieces)
        return _mended(self._pieces)

    @property
    def _section(self) -> tuple[str, ...]:
        titles = tuple(title for _, title in self._stack)
        return (*titles, self._run_in) if self._run_in else titles

    def _heading(self, lines: Sequence[TextLine], index: int) -> int:
        self._flush()
        self._open = self._float = None
        self._run_in = ""
        first = lines[index]
        words = [first.text]
        index += 1
        while index < len(lines) and lines[index].kind == "heading" and lines[index].depth < 0:
            words.append(lines[index].text)
            index += 1
        depth = max(1, first.depth)
        while self._stack and self._stack[-1][0] >= depth:
            self._stack.pop()
        self._stack.append((depth, joined_heading(words)))
        return index

    def _flush(self) -> None:
        entries, tail = split_tail(split_entries(self._references))
        for kind, group in (("reference", entries), ("table", tail)):
            self._pieces += [PageBlock(kind, self._section, entry) for entry in group]
        self._references = []

    def _apart(self, line: TextLine) -> None:
        """Put a line into a piece that the prose may go round."""
        last = self._float
        if last is not None and last.kind == line.kind and last.lines[-1].page == line.page:
            near = abs(line.y - last.lines[-1].y) < 4 * self._profile.leading * self._profile.size
            begins = line.kind == "footnote" and bool(line.mark)
            if near and not begins and (line.column == last.lines[-1].column):
                last.lines.append(line)
                return
        self._float = PageBlock(line.kind, self._section, [line])
        self._pieces.append(self._float)
        if line.kind == "equation":
            self._open = None

    def _prose(self, line: TextLine) -> None:
        if self._float is not None and self._float.kind == "equation":
            self._float = None
        current = self._open
        if current is not None and not self._begins(line, current):
            current.lines.append(line)
            return
        self._note_run_in(line)
        kind = "list" if is_bullet(line.text) else "text"
        if self._stack and _ABSTRACT.fullmatch(self._stack[-1][1]):
            kind = "abstract"
        elif (label := _ABSTRACT.match(line.text)) and not self._stack and line.page <= 2:
            self._stack = [(1, "Abstract")]
            kind = "abstract"
            if not (label[0].strip().isalpha() and line.text[label.end() :][:1].islower()):
                line.text = line.text[label.end() :]  # 'Abstract interpretation is' is no label
        self._open = PageBlock(kind, self._section, [line])
        self._pieces.append(self._open)

    def _note_run_in(self, line: TextLine) -> None:
        """Take what is set off at the beginning of a paragraph as a heading of it."""
        if not 3 <= line.lead < len(line.text) or is_bullet(line.text) or not self._stack:
            return
        title, rest = line.text[: line.lead].strip(), line.text[line.lead :].strip()
        bare = title.rstrip(" .:—–")
        fits = 3 <= len(bare) <= 80 and (bare[0].isupper() or bare[0].isdigit())
        stopped = title.endswith((".", ":", "—", "–")) or rest.startswith((":", "—", "–"))
        if (stopped or (line.lead_look == "bold" and rest[:1].isupper())) and (
            fits and not any(mark in bare for mark in ".:!?")
        ):
            self._run_in = bare

    def _begins(self, line: TextLine, current: PageBlock) -> bool:
        """Whether a line begins a new paragraph."""
        last = current.lines[-1]
        other = abs(line.size - last.size) > 0.09 * max(last.size, 1.0) and len(line.text) > 3
        if other and not self._runs_on(line, last):
            return True
        if (line.page, line.column) == (last.page, last.column):
            return self._begins_below(line, last, current)
        if line.slack > 0.3 and not ends(line.text):
            return True  # such as the head of a table: the rest of a sentence fills its lines
        if not ends(last.text) or line.text[:1].islower():
            return False
        return line.indent >= 0.8 or last.slack > 0.12 or is_bullet(line.text)

    def _runs_on(self, line: TextLine, last: TextLine) -> bool:
        """Whether a line of another size goes on with a sentence, as one in small capitals does."""
        below = (line.page, line.column) == (last.page, last.column)
        usual = self._profile.leading * max(line.size, last.size)
        near = not below or 0 < line.y - last.y <= 1.2 * usual
        full = last.slack < 0.05 and abs(line.indent) < 0.5 and not ends(last.text, _STOPS)
        return full and near and abs(line.size - last.size) <= 0.25 * last.size

    def _begins_below(self, line: TextLine, last: TextLine, current: PageBlock) -> bool:
        between = line.y - last.y
        interrupted = self._pieces[-1] is not current or line.above < between - 1
        usual = self._profile.leading * max(line.size, self._profile.size)
        scrap = last.slack > 0.5 and not ends(last.text)
        if between > 1.38 * usual and (scrap or not interrupted):
            return True
        first = current.lines[0]
        if current.kind == "list" and not is_bullet(line.text) and line.x0 > first.x0 + 2:
            return False
        if is_bullet(line.text) and (current.kind == "list" or ends(last.text)):
            return abs(line.x0 - last.x0) > 2 or last.slack > 0.03 or line.indent > 0.5
        begins = 0.7 <= line.indent <= 5 and last.indent < 0.5
        if begins and (len(current.lines) > 1 or last.slack > 0.1 or ends(last.text)):
            return ends(last.text) or line.text[:1].isupper()
        short = last.slack > 0.22 and ends(last.text, _STOPS)
        return short and not line.text[:1].islower()


def _name_abstract(pieces: Sequence[PageBlock]) -> None:
    """Take prose before an introduction for the abstract where no heading names one."""
    prose = {"text", "list"}
    first = next((p for p in pieces if p.section and p.kind in prose), None)
    if first is None or any(piece.kind == "abstract" for piece in pieces):
        return
    before = [p for p in pieces[: pieces.index(first)] if p.kind in prose and not p.section]
    before = [p for p in before if p.lines[0].page == before[0].lines[0].page]
    words = sum(len(line.text.split()) for piece in before for line in piece.lines)
    if opens_text(first.section[0]) and 30 <= words <= 500:
        for piece in before:
            piece.kind, piece.section = "abstract", ("Abstract",)


def _mended(pieces: Sequence[PageBlock]) -> list[PageBlock]:
    """Join what floats parted: a paragraph that stops within a sentence with the rest of it."""
    found: list[PageBlock] = []
    last: PageBlock | None = None
    for piece in pieces:
        if last is not None and _is_rest(piece, last):
            last.lines += piece.lines
            continue
        found.append(piece)
        if piece.kind not in _FLOATS and not (last and _is_scattered(piece)):
            last = piece if piece.kind in {"text", "list", "abstract"} else None
    return found


def _is_rest(piece: PageBlock, last: PageBlock) -> bool:
    if piece.kind != "text" or piece.section != last.section:
        return False
    first, end = piece.lines[0], last.lines[-1]
    moved = (first.page, first.column) != (end.page, end.column) or first.y - end.y > 3 * end.size
    if moved and end.text.endswith(("-", LINE_HYPHEN)) and first.text[:1].islower():
        return True  # half of a word, and the other half
    broken = not ends(end.text) and not end.text.endswith(",") and end.slack < 0.05
    low = first.text[:1].islower() or end.text.endswith(("-", LINE_HYPHEN))
    return moved and broken and low and abs(first.size - end.size) <= 0.06 * end.size


def _is_scattered(piece: PageBlock) -> bool:
    text = " ".join(line.text for line in piece.lines)
    low = sum(word.islower() and word.isalpha() for word in text.split())
    narrow = all(line.x1 - line.x0 < 0.7 * line.width for line in piece.lines)
    count = len(piece.lines)
    few = (count <= 3 and low < 5) or (count <= 12 and len(text) < 22 * count)
    return narrow and few and not ends(text, _STOPS)


def joined_heading(words: Sequence[str]) -> str:
    """Return the lines of a heading as one."""
    text = words[0]
    for word in words[1:]:
        text = text[:-1] + word if text.endswith("\u00ad") else f"{text} {word}"
    return " ".join(text.replace("\u00ad", "-").split())
