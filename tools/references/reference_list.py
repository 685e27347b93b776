"""Read a reference list that stands in a text: its entries, and what each says of its paper."""

import re
from collections.abc import Sequence

from state.bibliography import ReferenceEntry
from tools.bibliography.plain_latex import plain_text
from tools.references.names import read_names
from tools.references.read_entry import read_entry
from tools.text.headings import is_references

_NUMBERED = re.compile(r"^\s*(?:[-*+]\s+)?(?:\[(\^?[\w:.+-]{1,40})\]:?|\(?(\d{1,3})[.)])\s+(?=\S)")
_LONGEST = 400


def split_references(text: str) -> tuple[str, list[ReferenceEntry]]:
    """Return a text without its reference list, and the entries of the list.

    It stands under its heading, up to the next one, or as entries '[1] ...' at the end.
    """
    lines = text.splitlines(keepends=True)
    heads = [at for at, line in enumerate(lines) if is_references(_bare(line))]
    start = heads[-1] + 1 if heads else _numbered_end(lines)
    ends = (at for at in range(start, len(lines)) if lines[at].startswith("#"))
    end = next(ends, len(lines))
    body = [*lines[: start - bool(heads)], *lines[end:]]
    listed = _entries(lines[start:end])
    return "".join(body), [read_reference(raw, label) for label, raw in listed]


def _bare(line: str) -> str:
    r"""Return a line without the marks of a heading: '## References', '\\section*{References}'."""
    words = line.strip()
    return words.partition("{")[2].rstrip("}") if words.startswith("\\") else words.strip("#*_ \t:")


def _numbered_end(lines: Sequence[str]) -> int:
    """Return the place from which there are only entries with numbers in brackets, and a blank line before them."""
    start = len(lines)
    for at in range(len(lines) - 1, -1, -1):
        found = _NUMBERED.match(lines[at])
        if found and (found[1] or "").isdecimal():
            entry = read_entry(" ".join([lines[at][found.end() :], *lines[at + 1 : start]]), 0)
            if not (entry.authors and entry.year):
                break
            start = at
    return start if 0 < start < len(lines) and not lines[start - 1].strip() else len(lines)


def _entries(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Cut a list at its labels; one without any at blank lines, or else at the ends of lines."""
    if any(_NUMBERED.match(line) for line in lines):
        entries: list[tuple[str, str]] = []
        for line in lines:
            if found := _NUMBERED.match(line):
                entries.append((found[1] or found[2], line[found.end() :]))
            elif entries and line.strip():
                entries[-1] = (entries[-1][0], f"{entries[-1][1]} {line.strip()}")
        return entries
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", "".join(lines))]
    if sum(bool(block) for block in blocks) < 2:
        blocks = [line.strip(" -*+\t") for line in lines]
    return [("", block) for block in blocks if len(block.split()) >= 3]


def read_listed(text: str) -> list[ReferenceEntry]:
    """Read a text that is nothing but a list: with numbers where its first line has one, else one entry a line."""
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and _NUMBERED.match(lines[0]):
        listed = _entries(lines)
    else:
        listed = [("", line.strip(" -*+\t")) for line in lines if len(line.split()) > 2]
    return [read_reference(raw, label) for label, raw in listed]


def read_reference(raw: str, label: str = "") -> ReferenceEntry:
    """Read one entry of any common style, plain, Markdown or LaTeX, under its number or key.

    What cannot be told is left empty; where the title is not told, the text stands for it, with no
    confidence.
    """
    text = _plain(raw)
    entry = read_entry(text, 0)
    authors, title = entry.authors, entry.title or text.rstrip(" .,")[:_LONGEST]
    sure = entry.confidence if entry.title else 0.0
    blocks = [_plain(piece) for piece in raw.split("\\newblock")]
    if len(blocks) >= 2:
        authors, _ = read_names(blocks[0])
        title, sure = blocks[1].rstrip(" .,") or title, 1.0
    return entry.model_copy(
        update={
            "label": label,
            "text": text,
            "authors": authors,
            "title": title,
            "confidence": sure,
        }
    )


def _plain(raw: str) -> str:
    """Return an entry on one line without the commands of LaTeX and the marks of Markdown."""
    return re.sub(r"(?<!\w)[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}(?!\w)", "", plain_text(raw))
