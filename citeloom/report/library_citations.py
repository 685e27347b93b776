"""What the papers of a library say of one another, as text, CSV and JSON: grouped by what it says."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citeloom.report.comparison_table import defused
from citeloom.report.escaping import one_line
from state.citing import CUE_WORDS, CitingSentence, LibraryCitations, Stance
from tools.counting import counted

STANCES: Mapping[Stance | None, str] = {
    "supports": "supports",
    "contrasts": "contrasts",
    "uses": "uses",
    "background": "background",
    "unclear": "unclear",
    None: "not typed",
}
"""What a reader is told of a sentence, in the order in which it is told."""


def as_rows(told: LibraryCitations) -> list[dict[str, Any]]:
    """Return the sentences, a record each: of one paper first what others say of it; by type."""
    order = list(STANCES)
    items = sorted(
        told.sentences, key=lambda item: (item.cited != told.paper, order.index(item.stance))
    )
    return [
        {
            "citing": item.citing,
            "citing_name": told.papers[item.citing].name,
            "citing_year": told.papers[item.citing].year,
            "cited": item.cited,
            "cited_name": told.papers[item.cited].name,
            "cited_year": told.papers[item.cited].year,
            "type": STANCES[item.stance],
            "typed_by": item.by,
            "same_author": item.own,
            "sentence": item.text,
            "marker": item.marker,
            "section": " > ".join(item.section),
            "page": item.page,
        }
        for item in items
    ]


def as_csv(told: LibraryCitations) -> str:
    """Return the sentences as CSV (RFC 4180), one a row."""
    rows = as_rows(told)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(rows[0] if rows else ["citing", "cited", "type", "sentence"])
    for row in rows:
        writer.writerow([defused(one) if isinstance(one, str) else one for one in row.values()])
    return out.getvalue()


def as_text(told: LibraryCitations) -> str:
    """Return what others say of a paper and what it says of others; of a whole library the former for each paper."""
    shown = [told.paper] if told.paper else _most_cited(told)
    parts = [part for paper in shown for part in _said_of(told, paper)]
    if told.paper:
        says = [item for item in told.sentences if item.citing == told.paper]
        parts += _grouped(told, "What it says of others", says, of=True)
    return "\n".join(parts) or "no paper here cites another in the text that CiteLoom has of it"


def _most_cited(told: LibraryCitations) -> list[str]:
    cited = [item.cited for item in told.sentences]
    return sorted(dict.fromkeys(cited), key=lambda paper: (-cited.count(paper), paper))


def _said_of(told: LibraryCitations, paper: str) -> Iterator[str]:
    named = told.papers[paper]
    yield f"{one_line(named.name)} ({named.year or 'n.d.'}): {one_line(named.title)} [{paper}]"
    said = [item for item in told.sentences if item.cited == paper]
    yield from _grouped(told, "What others say of it here", said)


def _grouped(
    told: LibraryCitations, title: str, items: Sequence[CitingSentence], *, of: bool = False
) -> list[str]:
    lines = [f"  {title}: {counted(len(items), 'sentence')}"]
    for stance, name in STANCES.items():
        mine = [item for item in items if item.stance == stance]
        lines += [f"    {name}: {len(mine)}"] if mine else []
        for item in mine:
            other = told.papers[item.cited if of else item.citing]
            place = f", {item.place}" if item.place else ""
            own = ", an author of both" if item.own else ""
            by = f" (by {CUE_WORDS})" if item.by == CUE_WORDS else ""
            who = f"{one_line(other.name)} ({other.year or 'n.d.'}){one_line(place)}{own}"
            lines += [f"      {who}:", f"        “{one_line(item.text)}”{by}"]
    return [*lines, ""]
