"""The list of references, cut into its entries."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from tools.pdf.headings import style_of
from tools.pdf.lines import TextLine, most_printed
from tools.text.headings import is_known, is_references

BRACKET = re.compile(r"\[\s*(\d{1,4})\s*\]")
DOTTED = re.compile(r"(\d{1,4})\.?\s+\S")
_LABEL = re.compile(r"\[[^\W\d_][\w+ .,&’'-]{0,40}(?:\d{2,4}[a-z]?|[+])\]")
DATED = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b|to appear|in press|forthcoming|https?:", re.I)
"""What an entry has that a sentence seldom has: a year, or what stands for one."""
_DATED_SHARE = 0.6
"""Items of a numbered list with a year, from which it is a list of references without a heading."""
_NAME = r"(?:(?:van|von|de|der|den|del|di|da|la|le|du|el|al)\s|[dl]['’])*[A-Z\u00c0-\u024f][\w'’-]+"
_AUTHORS = re.compile(
    rf"{_NAME}(?:[ ]{_NAME})?,? (?:[A-Z]\.|[A-Z]{{1,3}}\b(?![.:]))"  # Owl, A.; Owl A
    rf"|{_NAME}, [A-Z]"  # Owl, Ada
    rf"|(?:[A-Z][\w.'’-]* ){{1,3}}{_NAME}(?:,| and |\. )"  # Ada Owl and
)
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_AUTHORED = re.compile(
    rf"(?:{_NAME}|[A-Z]\.|[A-Z]{{1,3}}\b|[\s,.&;()-]|and\b|et al\b|[Ee]ds?\b){{2,120}}?[\s(]{_YEAR}[).,:]"
    rf"|.{{40,600}}\b{_YEAR}\.?(?:\s*(?:URL|doi:|https?:).*)?$"
)
"""An entry with its year behind the authors, or at its end."""
_IN_A_ROW = 5
"""Fewest entries by author and year that are a list of references without a heading."""
_LINES = 9
"""Most lines of such an entry."""
_UNREAD = 2
"""Most parts in a row between two such entries that do not read as one."""


def mark_references(lines: Sequence[TextLine]) -> None:
    """Set the kind of the lines of the list of references to "reference"."""
    head: TextLine | None = None
    part: list[TextLine] = []
    for line in lines:
        if line.kind == "heading" and line.depth >= 0:
            if is_references(line.text):
                head = line
                continue
            if head is not None and _ends(line, head):
                head = None
        if head is not None:
            part.append(line)
    if not part:
        for line in _without_head(lines):
            line.kind = "reference"
    prose = [line for line in part if line.kind in {"", "footnote"}]
    rows = [line for line in part if line.kind == "table"]  # short entries look so
    usual = most_printed(prose or rows, lambda line: float(line.size))
    if usual is None:
        return
    for line in part:
        plain = line.kind in {"", "table", "equation", "footnote", "heading"}
        if plain and abs(line.size - usual) <= 0.06 * usual:
            line.kind = "reference"
    for order in (part, part[::-1]):
        _spread(order, usual)


def _without_head(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines of the last numbered list whose items are dated, each with what hangs below it."""
    for pattern in (BRACKET, DOTTED):
        for at in range(len(lines) - 1, -1, -1):
            first, match = lines[at], pattern.match(lines[at].text)
            if not match or match[1] != "1" or first.kind == "footnote":
                continue
            part = [line for line in lines[at:] if _is_set_like(line, first)]
            begins = [*sorted(_numbered(part, pattern)), len(part)]
            entries = [_hung(part[start:end]) for start, end in pairwise(begins)]
            dated = sum(any(DATED.search(line.text) for line in entry) for entry in entries)
            if len(entries) >= 3 and dated >= _DATED_SHARE * len(entries):
                return [line for entry in entries for line in entry]
    return _of_authors(lines)


def _of_authors(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines of the last entries in a row that begin with authors and are dated."""
    run: list[list[TextLine]] = []
    unread: list[list[TextLine]] = []
    begins = [at for at in range(len(lines)) if _begins_with_authors(lines, at)]
    for begin, end in reversed([*pairwise([*begins, len(lines)])]):
        part = list(lines[begin:end])
        entry = part if run else _hung(part)
        if _is_authored(entry):
            run = [entry, *unread, *run]
            unread = []
        elif len(unread) < _UNREAD and len(part) <= 2 * _LINES and run:
            unread = [part, *unread]
        elif len(run) >= _IN_A_ROW:
            break
        else:
            run, unread = [], []
    return [line for entry in run for line in entry] if len(run) >= _IN_A_ROW else []


def _is_authored(entry: Sequence[TextLine]) -> bool:
    text = " ".join(line.text for line in entry)
    alike = all(_is_set_like(line, entry[0]) for line in entry)
    return alike and len(entry) <= _LINES and bool(_AUTHORED.match(text))


def _begins_with_authors(lines: Sequence[TextLine], at: int) -> bool:
    line = lines[at]
    fit = line.kind not in {"heading", "footnote"} and _AUTHORS.match(line.text)
    return bool(fit) and (at == 0 or lines[at - 1].kind == "heading" or _has_ended(lines[at - 1]))


def _is_set_like(line: TextLine, first: TextLine) -> bool:
    return line.kind != "heading" and abs(line.size - first.size) <= 0.06 * first.size


def _hung(part: Sequence[TextLine]) -> list[TextLine]:
    """Return the first line and those right below it that stand no further left."""
    entry = [part[0]]
    for last, line in pairwise(part):
        near = 0 < line.y - last.y <= 1.6 * line.size and line.x0 >= part[0].x0 - 1
        if not near and (line.page, line.column) == (last.page, last.column):
            break
        entry.append(line)
    return entry


def _spread(part: Sequence[TextLine], usual: float) -> None:
    """Take in lines next to those of the list whose size is stated otherwise, as of italics."""
    for before, line in pairwise(part):
        if before.kind == "reference" and line.kind == "":
            same = (line.page, line.column) == (before.page, before.column)
            near = abs(line.y - before.y) <= 1.4 * usual
            if same and near and abs(line.size - usual) <= 0.15 * usual:
                line.kind = "reference"


def _ends(line: TextLine, head: TextLine) -> bool:
    alike = style_of(line)[:2] == style_of(head)[:2] and abs(line.bold - head.bold) < 0.3
    return alike or is_known(line.text) or line.text.lower().startswith("appendi")


def numbered_entries(lines: Sequence[TextLine]) -> int:
    """Return how many entries of a document's list of references have numbers; 0 without."""
    part = [line for line in lines if line.kind == "reference"]
    return len(_numbered(part, BRACKET) or _numbered(part, DOTTED))


def split_entries(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Return the lines of each entry of a list of references."""
    if not lines:
        return []
    begins = _numbered(lines, BRACKET) or _numbered(lines, DOTTED) or _labelled(lines)
    begins = begins or _hanging(lines) or _worded(lines)
    entries: list[list[TextLine]] = []
    for index, line in enumerate(lines):
        if index in begins or not entries:
            entries.append([])
        entries[-1].append(line)
    return entries


def split_tail(entries: list[list[TextLine]]) -> tuple[list[list[TextLine]], list[list[TextLine]]]:
    """Part the entries from what stands behind the last that names a year, if that is much."""
    dated = [any(_is_dated(line.text) for line in entry) for entry in entries]
    last = max((index for index, has in enumerate(dated) if has), default=len(entries) - 1)
    if len(entries) - last - 1 < 3:
        return entries, []
    return entries[: last + 1], entries[last + 1 :]


def _is_dated(text: str) -> bool:
    return bool(DATED.search(text)) and sum(map(str.isalpha, text)) > 0.4 * len(text)


def _numbered(lines: Sequence[TextLine], pattern: re.Pattern[str]) -> set[int]:
    """Return where a label stands that goes on with the numbers; none if that is not the style."""
    found: set[int] = set()
    expected: int | None = None
    for index, line in enumerate(lines):
        match = pattern.match(line.text)
        if not match:
            continue
        number = int(match[1])
        skipped = 2 if pattern is BRACKET and expected is not None else 0
        first = 0 if expected is None else expected
        if first <= number <= (1 if expected is None else expected + skipped):
            found.add(index)
            expected = number + 1
    return found if len(found) >= 2 and min(found) <= 2 else set()


def _labelled(lines: Sequence[TextLine]) -> set[int]:
    found = {index for index, line in enumerate(lines) if _LABEL.match(line.text)}
    return found if len(found) >= 2 and 0 in found else set()


def _by_column(lines: Sequence[TextLine]) -> dict[tuple[int, int], list[int]]:
    columns: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        columns[line.page, line.column].append(index)
    return columns


def _hanging(lines: Sequence[TextLine]) -> set[int]:
    """Return the lines that stand out to the left, where entries hang from their first line."""
    found: set[int] = set()
    for members in _by_column(lines).values():
        edge = min(lines[index].x0 for index in members)
        found |= {i for i in members if lines[i].x0 <= edge + 0.45 * lines[i].size}
    share = len(found) / len(lines)
    return found if 0.1 <= share <= 0.8 or len(lines) < 3 else set()


def _worded(lines: Sequence[TextLine]) -> set[int]:
    """Return the lines that read like the first of an entry, behind one that ends one."""
    pairs = enumerate(pairwise(lines), start=1)
    return {0, *(at for at, (a, b) in pairs if _has_ended(a) and b.text[:1].isupper())}


def _has_ended(line: TextLine) -> bool:
    return line.text.endswith((".", ")")) or line.text[-1:].isdigit()
