"""Which of the papers at hand an entry of a reference list is of, by its identifier or by the title in it."""

import re
from collections.abc import Iterable

from state.bibliography import ReferenceEntry
from state.paper import Paper, title_key
from tools.scholar.same_work import NEAR_LETTERS, near_titles

_CLOSE = 88
"""Percent of equal letters from which a stretch of an entry may be a title."""


def find_paper(item: ReferenceEntry, papers: Iterable[Paper]) -> Paper | None:
    """Return the one of these papers that an entry is of, or None.

    The entry must have the paper's title, in whatever style it is written and with slips of
    spelling; a short title ('Deep learning') must stand by itself, with an author's family name and
    the year. An identifier on both sides decides alone. 'Lee, Ann, Kim, Bo. On owls. 2020.' needs
    no parsing for this.
    """
    found = [(points, paper) for paper in papers if (points := _likeness(item, paper))]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _likeness(item: ReferenceEntry, paper: Paper) -> tuple[int, int] | None:
    """Return by how much title and then by how much else paper and entry agree; None where they do not."""
    for theirs, ours in ((item.doi, (paper.doi or "").lower()), (item.arxiv, paper.arxiv)):
        if theirs and ours:
            return (len(item.text), 2) if theirs == ours else None
    place = _title_place(paper.title, item.text)
    if place is None:
        return None
    words = {title_key(word) for word in re.split(r"[\W\d_]+", item.text)}
    raw = title_key(item.text)
    named = any(
        (family := title_key(author.family)) in words or (len(family) > 5 and family in raw)
        for author in paper.authors
    )
    dated = paper.year is not None and str(paper.year) in item.text
    start, end = place
    if len(title_key(paper.title)) < NEAR_LETTERS:
        before, behind = item.text[:start].rstrip(), item.text[end:].lstrip()
        alone = not (before[-1:].isalnum() or behind[:1].isalnum())
        if not (alone and named and dated):
            return None
    return len(paper.title), named + dated


def _title_place(title: str, raw: str) -> tuple[int, int] | None:
    """Return where a title stands in an entry, a little otherwise spelt perhaps."""
    from rapidfuzz import fuzz

    wanted, there = _even(title).strip(), _even(raw)
    found = fuzz.partial_ratio_alignment(wanted, there, score_cutoff=_CLOSE)
    if not wanted or found is None or len(wanted) > len(there):
        return None
    start, end = found.dest_start, found.dest_end
    while start and there[start - 1] != " " and there[start] != " ":
        start -= 1
    while end < len(there) and there[end] != " " and there[end - 1] != " ":
        end += 1
    return (start, end) if near_titles(title, raw[start:end]) else None


def _even(text: str) -> str:
    """Return a text of the same length, in lower case, with spaces for all marks."""
    return "".join(char.lower()[0] if char.isalnum() else " " for char in text)
