"""Markdown: front matter, headings, lists, code, tables, and text without its marks."""

import re
from dataclasses import dataclass, field

from state.document import BlockKind, Document
from tools.documents.blocks import Blocks, clean
from tools.documents.decode import decoded
from tools.documents.front_matter import read_front_matter
from tools.documents.limits import LIMITS, Limits
from tools.documents.tables import rows_text
from tools.documents.unmarked import unmarked
from tools.errors import DocumentError

_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s(.*))?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)")
_ITEM = re.compile(r"( *)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_RULE = re.compile(r" {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})")
_ROW = re.compile(r"\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*")
_NOTE = re.compile(r" {0,3}\[\^([^\]]+)\]:\s*(.*)")
_TARGET = re.compile(r" {0,3}\[[^\]]+\]:\s+\S+.*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*")
_CLOSING = re.compile(r"(?:^| )#+$")
_ATTRIBUTES = re.compile(r" ?\{[#.][^{}]*\}$")


class MarkdownReader:
    """Reads Markdown (tools.documents.port.Reader)."""

    name = "markdown 1"

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits

    def read(self, content: bytes, *, name: str) -> Document:
        """Return the text without marks; see Reader.read."""
        text = decoded(content).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
        front, body = read_front_matter(text)
        out = Blocks(name, self._limits)
        if front.abstract:
            out.add(front.abstract, "abstract")
        parse = _Parse(out, given=bool(front.title))
        for line in _without_comments(body).split("\n"):
            parse.line(line)
        parse.flush()
        if not out.blocks:
            raise DocumentError(f"{name} has no text in it", remedy="add a file that has some")
        title = front.title or parse.title
        return front.document(
            title=title, abstract=out.abstract(), blocks=out.blocks, reader=self.name
        )


def _without_comments(text: str) -> str:
    parts, position = [], 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start)
        parts.append(text[position:start])
        position = end + 3 if end >= 0 else len(text)
    return "".join([*parts, text[position:]])


@dataclass
class _Parse:
    """Takes in one line after the other."""

    out: Blocks
    given: bool
    title: str = ""
    _lines: list[str] = field(default_factory=list)
    _kind: BlockKind = "text"
    _fence: str = ""
    _empty: bool = True
    _headings: int = 0

    def line(self, line: str) -> None:
        """Take in a line."""
        if self._fence:
            self._in_fence(line)
            return
        line = line.expandtabs(4)
        bare = re.sub(r"^(?: {0,3}> ?)+", "", line)
        if not bare.strip():
            self.flush()
            self._empty = True
            return
        self._content(bare)
        self._empty = False

    def _content(self, line: str) -> None:
        if found := _FENCE.fullmatch(line):
            self.flush()
            self._fence = found[1]
        elif line.strip().startswith("$$"):
            self._display(line.strip())
        elif found := _HEADING.fullmatch(line):
            self.flush()
            self._heading(len(found[1]), found[2] or "")
        elif self._lines and self._kind == "text" and (found := _UNDERLINE.fullmatch(line)):
            words, self._lines = " ".join(self._lines), []
            self._heading(1 if found[1][0] == "=" else 2, words)
        elif _RULE.fullmatch(line) or (
            not self._lines and _TARGET.fullmatch(line) and "[^" not in line
        ):
            self.flush()
        elif found := _NOTE.fullmatch(line):
            self._begin("footnote", found[2])
        elif found := _ITEM.fullmatch(line):
            self._begin("list", found[2])
        elif (
            line.startswith("    ")
            and self._kind != "list"
            and (self._empty or self._kind == "code")
        ):
            self._more("code", line)
        elif "|" in line and (
            self._kind == "table" or line.strip().startswith("|") or _ROW.fullmatch(line)
        ):
            self._row(line)
        else:
            self._more(self._kind if self._lines and self._kind != "code" else "text", line)

    def _in_fence(self, line: str) -> None:
        end = line.strip()
        if len(end) >= len(self._fence) and not end.strip(self._fence[0]):
            self.flush()
            self._fence = ""
        else:
            self._lines.append(line)

    def _display(self, line: str) -> None:
        closed = len(line) > 4 and line.endswith("$$")
        self.flush()
        if closed:
            self.out.add(line.strip("$"), "equation")
        elif len(line) > 2:
            self._more("equation", line)
        else:
            self._fence = "$$"

    def _begin(self, kind: BlockKind, text: str) -> None:
        self.flush()
        self._kind = kind
        self._lines.append(text)

    def _more(self, kind: BlockKind, line: str) -> None:
        if kind != self._kind:
            self.flush()
        self._kind = kind
        self._lines.append(line.strip() if kind != "code" else line[4:])

    def _row(self, line: str) -> None:
        if self._kind != "table":
            # The line before a row of dashes is the table's head.
            head = self._lines.pop() if self._lines and _ROW.fullmatch(line) else ""
            self.flush()
            self._kind = "table"
            self._lines += [head] if head else []
        self._lines.append(line)

    def _heading(self, level: int, words: str) -> None:
        text = clean(unmarked(_CLOSING.sub("", _ATTRIBUTES.sub("", clean(words)))))
        self._headings += 1
        if level == 1 and self._headings == 1 and not self.given and not self.out.blocks:
            self.title = text
        elif text:
            self.out.heading(level, text)

    def flush(self) -> None:
        """End the block under way."""
        lines, self._lines = self._lines, []
        kind, self._kind = self._kind, "text"
        if not lines:
            return
        if self._fence:
            self.out.add("\n".join(lines), "equation" if self._fence == "$$" else "code")
        elif kind == "table":
            rows = [
                line.strip().strip("|").split("|")
                for line in lines
                if not _ROW.fullmatch(line.strip(" |"))
            ]
            self.out.add(rows_text([unmarked(cell) for cell in row] for row in rows), "table")
        elif kind in {"code", "equation"}:
            self.out.add("\n".join(lines), kind)
        else:
            self.out.add(unmarked("\n".join(lines)), kind)
