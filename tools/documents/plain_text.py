"""Plain text: paragraphs apart by empty lines or, where lines are long, one on each line."""

import re

from state.document import Document
from tools.documents.file_types import decoded, unix_lines
from tools.documents.markup import BlockCollector, clean
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS, FileLimits
from tools.pdf.glyphs import WordVocabulary
from tools.text.headings import is_abstract, is_known, is_references

_NUMBERED = re.compile(
    r"(?:(?:appendix|chapter|section|part)\s+)?((?:\d{1,2}(?:\.\d{1,2}){0,4}|[IVX]{1,5}|[A-H](?:\.\d{1,2}){1,3}))"
    r"[.):]?\s+([A-Z\d“\"(][^\n]{1,118})",
)
_ENDS = (".", ",", ";", "?", "!")
_LONG = 160  # characters: beyond what anybody wraps lines at
_MOST_HEADING_WORDS = 14
_PARTED = re.compile(r"([^\W\d_])-[ \t]*\n*\f\s*([^\W\d_A-Z]+\S*)[ \t]?")
"""A word that goes on on the next page."""


def read_text(content: bytes, *, name: str, limits: FileLimits = FILE_LIMITS) -> Document:
    """Return the text; form feeds, as pdftotext writes them, part pages."""
    text = _PARTED.sub(r"\1\2\n\f", unix_lines(decoded(content)))
    out = BlockCollector(name, limits)
    pages = text.rstrip("\f\n ").split("\f")
    wrapped = _is_wrapped(text)
    words = WordVocabulary()
    for line in text.splitlines():
        words.learn(line)
    title = ""
    for number, page in enumerate(pages, start=1):
        out.page = number if len(pages) > 1 else None
        paragraphs = _paragraphs(page, wrapped)
        for lines, next_lines in zip(paragraphs, [*paragraphs[1:], [""]], strict=False):
            if not wrapped and _stands_above(lines[0], next_lines[0]):
                out.heading(1, lines[0])
            elif not title and not out.blocks and not out.section and _is_title(lines):
                title = clean(" ".join(lines))
            else:
                _take(out, lines, words)
    if not out.blocks:  # nothing but headings
        out.end(1)
        out.add(text)
        title = ""
    if not out.blocks:
        raise DocumentError(f"{name} is empty: there is only white space in it")
    return Document(
        title=title or None,
        abstract=out.abstract(),
        blocks=out.blocks,
        pages=len(pages) if len(pages) > 1 else None,
    )


def _is_wrapped(text: str) -> bool:
    """Whether lines were broken to a width, so that a paragraph takes several."""
    sizes = [len(line) for line in text.splitlines() if line.strip()]
    long = sum(size for size in sizes if size > _LONG)
    return long * 2 < sum(sizes)


def _stands_above(line: str, below: str) -> bool:
    """Whether a line is short as headings are, above a paragraph that is one long line."""
    words = line.split()
    short = len(words) <= 8 and len(line) < 80 and not line.endswith((*_ENDS, ":"))
    return short and line[0].isupper() and len(below) > _LONG and not _is_entry(line)


def _paragraphs(page: str, wrapped: bool) -> list[list[str]]:
    lines = [line.strip() for line in page.split("\n")]
    if not wrapped:
        return [[line] for line in lines if line]
    found: list[list[str]] = [[]]
    for line in lines:
        if line:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [one for one in found if one]


def _take(out: BlockCollector, lines: list[str], words: WordVocabulary) -> None:
    """Add a paragraph; headings may stand on its first lines."""
    rest = list(lines)
    while rest and (level := _heading_level(rest, alone=len(rest) == 1)):
        out.heading(level, rest.pop(0).rstrip(":"))
        if rest and _is_underline(rest[0]):
            rest.pop(0)
    if len(rest) > 2 and out.in_references and sum(_is_entry(line) for line in rest) > 1:
        for entry in _entries(rest):
            out.add(_joined(entry, words))
    elif not all(map(_is_underline, rest)):
        out.add(_joined(rest, words))


def _heading_level(lines: list[str], *, alone: bool) -> int:
    """Return the level of a heading on the first line, 0 where there is none."""
    line = lines[0]
    if is_references(line) or is_abstract(line) or is_known(line):
        return 1
    if len(lines) > 1 and _is_underline(lines[1]) and len(line) <= len(lines[1]) + 3:
        return 2 if lines[1][0] in "-~^" else 1
    if len(line.split()) > _MOST_HEADING_WORDS or line.endswith(_ENDS):
        return 0
    if found := _NUMBERED.fullmatch(line):
        next_is_item = not alone and any(_NUMBERED.match(other) for other in lines[1:3])
        return 0 if next_is_item else found[1].count(".") + 1
    letters = [char for char in line if char.isalpha()]
    capitals = len(letters) >= 4 and all(char.isupper() for char in letters)
    return 1 if capitals and set("=<>|{}").isdisjoint(line) else 0


def _is_underline(line: str) -> bool:
    return len(line) > 2 and len(set(line)) == 1 and line[0] in "=-~^*#"


def _is_title(lines: list[str]) -> bool:
    words = " ".join(lines).split()
    plain = (
        len(lines) <= 3 and 2 <= len(words) <= 30 and not lines[-1].endswith((".", ":", ",", ";"))
    )
    return (
        plain
        and not _NUMBERED.fullmatch(lines[0])
        and not is_known(lines[0])
        and not (is_abstract(lines[0]) or _is_underline(lines[-1]))
    )


def _is_entry(line: str) -> bool:
    label = line.partition(" ")[0]
    counted = len(label) < 5 and label[:-1].isdecimal() and label[-1] in ".)"
    return counted or (line.startswith("[") and "]" in line[2:23])


def _entries(lines: list[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for line in lines:
        if _is_entry(line) or not found:
            found.append([])
        found[-1].append(line)
    return found


def _joined(lines: list[str], vocabulary: WordVocabulary) -> str:
    """Return wrapped lines as one; a hyphen at a line's end stays where it is part of the word."""
    text = lines[0]
    for line in lines[1:]:
        halves = text.endswith("-") and text[-2:-1].isalpha() and line[:1].islower()
        text = vocabulary.joined(text[:-1], line) if halves else f"{text} {line}"
    return text
