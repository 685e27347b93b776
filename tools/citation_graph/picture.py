"""The picture of what a search found: papers by year and way, and which cites which.

An SVG that needs nothing from elsewhere and no script: hovering shows a paper's title and brings its
links forward. tools.citation_graph.page puts it into an HTML page.
"""

from collections.abc import Iterable, Sequence
from html import escape

from state.results import Link, RankedPaper
from tools.citation_graph.captions import LANE_NAMES, address_of, hover_text, name_of
from tools.citation_graph.layout import PITCH, PLOT, Band, Column, Lane, Layout, Spot, lay_out

LABELLED = 25
"""Papers that are named below the plot, the best ones kept; the others by hovering."""
# Dark enough for white numbers on them, and told apart by the colour-blind (after Okabe and Ito).
_COLOURS: dict[Lane, str] = {
    "keywords": "#0b5fa5",
    "meaning": "#0a7f5a",
    "references": "#b8500a",
    "citations": "#96407c",
    "recommendations": "#857000",
    "named": "#3d3d3d",
    "unknown": "#7a7a7a",
}
_LEFT, _TOP, _RIGHT = 176.0, 96.0, 24.0
_LINE = 17.0
_YEAR_WIDTH = 36.0
_KEY_CHARACTERS = 84


def citation_graph_svg(papers: Sequence[RankedPaper], links: Sequence[Link]) -> str:
    """Draw the papers, best first, and the links among them; links to other papers are left out."""
    layout = lay_out(papers)
    named = _named(papers)
    by_id = {spot.item.paper.id: spot for spot in layout.spots}
    pairs = [
        (by_id[link.citing], by_id[link.cited])
        for link in links
        if link.citing in by_id and link.cited in by_id and link.citing != link.cited
    ]
    wide = max(layout.width, PLOT)
    width, foot = _LEFT + wide + _RIGHT, _TOP + layout.height + 44
    rows = -(-len(named) // 2)
    height = foot + (rows * _LINE + 42 if named else 6)
    kept = sum(item.selected for item in papers)
    about = (
        f"{kept} papers kept of {len(papers)} shown; {len(pairs)} citations among them. "
        "Across: year. Down: how a paper was found first."
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" class="graph">',
        f"<title>What was found, and how</title><desc>{escape(about)}</desc>",
        f"<style>{_style(layout.spots, pairs)}</style>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
        *_head(about),
        f'<g transform="translate({_LEFT:.0f} {_TOP:.0f})">',
        *(_band(band, wide) for band in layout.bands),
        *_years(layout),
        '<g fill="none" stroke="#43506b">',
        *(_link(citing, cited) for citing, cited in pairs),
        "</g>",
        *(_paper(spot, spot.number in named) for spot in reversed(layout.spots)),
        "</g>",
        *_key([papers[number] for number in named], named, foot, wide),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _named(papers: Sequence[RankedPaper]) -> list[int]:
    kept = [number for number, item in enumerate(papers) if item.selected]
    return (kept or list(range(len(papers))))[:LABELLED]


def _style(spots: Sequence[Spot], pairs: Sequence[tuple[Spot, Spot]]) -> str:
    # Links are faint where there are many of them; hovering over an end brings them out.
    faint = 0.5 if len(pairs) < 80 else 0.28 if len(pairs) < 300 else 0.14
    linked = sorted({spot.number for pair in pairs for spot in pair})
    rules = [
        "text{font-family:system-ui,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif}",
        f".link{{opacity:{faint}}}",
        ".paper:hover circle{stroke:#000;stroke-width:2.5}",
        *(
            f".graph:has(#p{number}:hover) .c{number}{{opacity:1;stroke:#000;stroke-width:2}}"
            for number in linked
        ),
    ]
    return " ".join(rules)


def _text(x: float, y: float, text: str, size: float = 12, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{more}>{escape(text)}</text>'


def _head(about: str) -> list[str]:
    """The title and the legend."""
    parts = [
        _text(16, 28, "What was found, and how", 18, ' font-weight="600"'),
        _text(16, 49, about, 12, ' fill="#444"'),
    ]
    x, y = 22.0, 72.0
    marks = [
        (f'<circle cx="{x}" cy="{y}" r="7" fill="#555"/>', "kept"),
        (
            f'<circle cx="{x + 66}" cy="{y}" r="7" fill="#fff" stroke="#555" stroke-width="1.5"/>',
            "judged, not kept",
        ),
        (
            "".join(
                f'<circle cx="{x + 196 + at}" cy="{y}" r="{radius}" fill="none" stroke="#555"/>'
                for at, radius in ((0, 6.5), (19, 8.5), (44, 12))
            ),
            "score 20, 50, 100",
        ),
        (
            f'<path d="M{x + 376} {y + 5} q18 -16 36 -6" fill="none" stroke="#43506b"/>',
            "one cites the other",
        ),
        (
            f'<circle cx="{x + 556}" cy="{y}" r="9" fill="#555"/>'
            + _text(x + 556, y + 3.5, "1", 10, ' fill="#fff" text-anchor="middle"'),
            "named below; hover over any circle for its title and links",
        ),
    ]
    for (drawn, words), at in zip(marks, (x + 13, x + 79, x + 258, x + 420, x + 571), strict=True):
        parts += [drawn, _text(at, y + 4, words, 12, ' fill="#333"')]
    return parts


def _band(band: Band, wide: float) -> str:
    middle = band.top + band.height / 2
    colour = _COLOURS[band.lane]
    count = "1 paper" if band.papers == 1 else f"{band.papers} papers"
    return (
        f'<rect x="0" y="{band.top + 2:.1f}" width="{wide:.1f}" height="{band.height - 4:.1f}" '
        f'rx="6" fill="{colour}" fill-opacity="0.06"/>'
        + _text(
            -12, middle - 3, LANE_NAMES[band.lane], 12,
            f' text-anchor="end" font-weight="600" fill="{colour}"',
        )
        + _text(-12, middle + 12, count, 11, ' text-anchor="end" fill="#555"')
    )  # fmt: skip


def _years(layout: Layout) -> Iterable[str]:
    """Lines between the years, dashed where some are skipped, and the years that find room."""
    free = float("-inf")
    for column in layout.columns:
        if column.left:
            dash = ' stroke-dasharray="2 4"' if column.skips else ""
            stroke = "#8a8a8a" if column.skips else "#e3e3e3"
            yield (f'<path d="M{column.left:.1f} 0 V{layout.height:.1f}" stroke="{stroke}"{dash}/>')
        middle = column.left + column.width / 2
        label = _year(column)
        room = _YEAR_WIDTH if column.year else _YEAR_WIDTH * 1.3
        if middle - room / 2 >= free:
            yield _text(middle, layout.height + 17, label, 11, ' text-anchor="middle" fill="#333"')
            free = middle + room / 2
    notes = [f"each column holds {layout.years} years"] if layout.years > 1 else []
    if any(column.skips for column in layout.columns):
        notes.append("dotted lines: years of which nothing was found are left out")
    if notes:
        yield _text(0, layout.height + 34, "; ".join(notes), 11, ' fill="#666"')


def _year(column: Column) -> str:
    return str(column.year) if column.year else "undated"


def _link(citing: Spot, cited: Spot) -> str:
    across, down = cited.x - citing.x, cited.y - citing.y
    # A bow, so that links along a row do not run through the papers in between.
    bow = min(0.22 * (abs(across) + abs(down)), 3 * PITCH)
    x, y = (citing.x + cited.x) / 2, max((citing.y + cited.y) / 2 - bow, 0.0)
    return (
        f'<path class="link c{citing.number} c{cited.number}" '
        f'd="M{citing.x:.1f} {citing.y:.1f} Q{x:.1f} {y:.1f} {cited.x:.1f} {cited.y:.1f}"/>'
    )


def _paper(spot: Spot, numbered: bool) -> str:
    item, colour = spot.item, _COLOURS[spot.lane]
    fill = (
        f'fill="{colour}" stroke="#fff"'
        if item.selected
        else f'fill="#fff" stroke="{colour}" stroke-opacity="0.7"'
    )
    drawn = f'<circle cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="{spot.radius:.1f}" {fill} stroke-width="1.5"/>'
    if numbered:
        ink = "#fff" if item.selected else "#222"
        more = f' text-anchor="middle" fill="{ink}" font-weight="600"'
        drawn += _text(spot.x, spot.y + 3.3, str(item.rank), 9.5, more)
    drawn = f"<title>{escape(hover_text(item))}</title>{drawn}"
    if address := address_of(item):
        drawn = f'<a href="{escape(address)}" target="_blank" rel="noreferrer">{drawn}</a>'
    return f'<g class="paper" id="p{spot.number}">{drawn}</g>'


def _key(
    items: Sequence[RankedPaper], numbers: Sequence[int], top: float, wide: float
) -> Iterable[str]:
    """The names of the numbered papers, in two columns that cut what is too long."""
    rows = -(-len(items) // 2)
    across = (_LEFT + wide) / 2
    if items:
        yield _text(16, top + 20, "The best of them", 13, ' font-weight="600"')
    for place, (item, number) in enumerate(zip(items, numbers, strict=True)):
        column, row = divmod(place, rows)
        rank = _text(20, 12, f"{item.rank}", 11, ' text-anchor="end" font-weight="600"')
        name = _text(26, 12, name_of(item, _KEY_CHARACTERS), 11)
        yield (
            f'<svg class="key k{number}" x="{16 + column * across:.1f}" '
            f'y="{top + 30 + row * _LINE:.1f}" width="{across - 8:.1f}" height="{_LINE:g}">'
            f"{rank}{name}</svg>"
        )
