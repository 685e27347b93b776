"""Other papers that are bound in one file with the first: told apart by the heads that papers begin with."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from state.document import Block, Unread
from tools.errors import DocumentError
from tools.pdf.front_matter import begins_paper
from tools.pdf.headings import Profile
from tools.pdf.lines import Line
from tools.pdf.page_furniture import DROPPED
from tools.text.headings import is_references

_SAME = 0.8
"""How like two titles are, 0..1, from which the second is the first again, behind a cover."""
_NAMED = 3
"""Papers of a volume that a message names."""


_ENTRIES, _BETWEEN = 5, 20
"""Entries that make a list of references, and paragraphs behind one from which the next is another."""


class _Head(NamedTuple):
    page: int
    title: str


def first_paper(
    lines: Sequence[Line], profile: Profile, name: str
) -> tuple[Sequence[Line], tuple[Unread, ...]]:
    """Return the lines of the first paper of a file, and what is left out because it is of others.

    Where no list of references stands before the first of the others, that is a cover, and one paper
    behind it is the file's; where there are several, the file is a volume.

    Raises:
        DocumentError: The file is a volume of several papers.
    """
    heads = _heads(lines, profile)
    if not heads:
        return lines, ()
    before = [line for line in lines if line.page < heads[0].page]
    if any(is_references(line.text) for line in before):
        last = lines[-1].page
        where = f"pages {heads[0].page} to {last}" if last > heads[0].page else f"page {last}"
        cause = f"another paper begins there, “{heads[0].title}”: save it as a file of its own"
        return before, (Unread(where=where, cause=cause),)
    if len(heads) == 1:
        return lines, ()
    told = "; ".join(f"page {head.page}: “{head.title}”" for head in heads[:_NAMED])
    told += "; and more" if len(heads) > _NAMED else ""
    raise DocumentError(
        f"{name} holds several papers ({told}), and CiteLoom takes one paper a file",
        remedy="split it into one PDF for each paper, and add those",
    )


def note_on_lists(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Say that a document has several lists of references, if it has."""
    lists: list[list[Block]] = []
    between = _BETWEEN
    for block in blocks:
        if block.kind == "reference":
            lists += [[]] if between >= _BETWEEN else []
            lists[-1].append(block)
            between = 0
        elif block.kind == "text":
            between += 1
    pages = [str(entries[0].page) for entries in lists if len(entries) >= _ENTRIES]
    if len(pages) < 2:
        return ()
    where = f"{', '.join(pages[:-1])} and {pages[-1]}"
    return (f"it has lists of references on pages {where}: it may hold more than one paper",)


def _heads(lines: Sequence[Line], profile: Profile) -> list[_Head]:
    """Return where papers begin behind the first page, each title once."""
    live = [line for line in lines if line.kind != DROPPED]
    pages = [(page, list(group)) for page, group in groupby(live, key=attrgetter("page"))]
    found = [_Head(page, begins_paper(group, profile)) for page, group in pages]
    return [
        head
        for at, head in enumerate(found)
        if at and head.title and not any(_is_same(head, other) for other in found[:at])
    ]


def _is_same(head: _Head, other: _Head) -> bool:
    matcher = SequenceMatcher(None, head.title.lower(), other.title.lower(), autojunk=False)
    return matcher.ratio() >= _SAME
