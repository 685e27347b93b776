"""What the papers of a library say of one another, as text, CSV and JSON: grouped by what it says."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citeloom.report.comparison_table import defused
from citeloom.report.escaping import one_line
from state.citing import CUE_WORDS, CitingSentence, LibraryCitations, Stance
from tools.errors import counted

STANCES: Mapping[Stance | None, str] = {
    "supports": "supports",
    "contrasts": "contrasts",
    "uses": "uses",
    "background": "background",
    "unclear": "unclear",
    None: "not typed",
}
"""The words for each type, in the order in which reports list them."""
_COLUMNS = (
    "citing",
    "citing_name",
    "citing_year",
    "cited",
    "cited_name",
    "cited_year",
    "type",
    "typed_by",
    "same_author",
    "sentence",
    "marker",
    "section",
    "page",
)


def as_rows(told: LibraryCitations) -> list[dict[str, Any]]:
    """Return the sentences, a record each: of one paper first what others say of it; by type."""
    order = list(STANCES)
    items = sorted(
        told.sentences, key=lambda item: (item.cited != told.paper, order.index(item.stance))
    )
    rows = (
        (
            item.citing,
            told.papers[item.citing].name,
            told.papers[item.citing].year,
            item.cited,
            told.papers[item.cited].name,
            told.papers[item.cited].year,
            STANCES[item.stance],
            item.by,
            item.own,
            item.text,
            item.marker,
            " > ".join(item.section),
            item.page,
        )
        for item in items
    )
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


def as_csv(told: LibraryCitations) -> str:
    """Return the sentences as CSV (RFC 4180), one a row."""
    out = io.StringIO()
    rows = (
        [defused(one) if isinstance(one, str) else one for one in row.values()]
        for row in as_rows(told)
    )
    csv.writer(out, lineterminator="\r\n").writerows([_COLUMNS, *rows])
    return out.getvalue()


def as_text(told: LibraryCitations) -> str:
    """Return what others say of a paper and what it says of others; of a whole library the former for each paper."""
    cited = Counter(item.cited for item in told.sentences)
    most_cited = sorted(cited, key=lambda paper: (-cited[paper], paper))
    shown = [told.paper] if told.paper else most_cited
    parts = [part for paper in shown for part in _said_of(told, paper)]
    if told.paper:
        says = [item for item in told.sentences if item.citing == told.paper]
        parts += _grouped(told, "What it says of others", says, of=True)
    return "\n".join(parts) or "no paper here cites another in the text that CiteLoom has of it"


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
