"""The picture of what a search found, as a page of its own."""

from collections.abc import Sequence
from html import escape

from state.results import Link, RankedPaper
from tools.citation_graph.captions import address_of, found_by, plain
from tools.citation_graph.picture import citation_graph_svg

# Nothing is loaded and nothing runs, whatever a record may hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """\
body{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;margin:1.5rem;color:#222;background:#fff}
.picture{overflow-x:auto;border:1px solid #ddd;border-radius:8px}
h1{font-size:1.35rem}
p{max-width:60rem;line-height:1.45}
details{margin-top:1.2rem}
summary{cursor:pointer;font-weight:600}
table{border-collapse:collapse;margin-top:.6rem;font-size:.9rem}
td,th{padding:.25rem .6rem;border-bottom:1px solid #e5e5e5;text-align:start;vertical-align:top;overflow-wrap:anywhere}
td.number{text-align:end;white-space:nowrap}
tr.kept td{background:#f3f7f3}
"""


def citation_graph_page(
    papers: Sequence[RankedPaper], links: Sequence[Link], *, about: str = ""
) -> str:
    """Return an HTML page with the picture and its papers as a table; `about` names the input."""
    heading = f"Found for: {plain(about, 120)}" if about.strip() else "Papers found"
    rows = "\n".join(_row(item) for item in papers)
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(heading)}</title>
<style>
{_STYLE}</style>
</head>
<body>
<h1><bdi>{escape(heading)}</bdi></h1>
<p>Each circle is a paper: across its year, down the way in which it was found first, larger for a
better score, and filled if it was kept. A line joins two kept papers of which one cites the other.
A circle leads to its paper.</p>
<div class="picture">
{citation_graph_svg(papers, links)}</div>
<details>
<summary>All {len(papers)} papers as a table</summary>
<table>
<thead><tr><th>Rank</th><th>Paper</th><th>Year</th><th>Score</th><th>Kept</th><th>Found by</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</details>
</body>
</html>
"""


def _row(item: RankedPaper) -> str:
    title = f"<bdi>{escape(plain(item.paper.title, 400))}</bdi>"
    if address := address_of(item):
        title = f'<a href="{escape(address)}" rel="noreferrer">{title}</a>'
    title += " (retracted)" if item.paper.retracted else ""
    return (
        f'<tr{" class=kept" if item.selected else ""}><td class="number">{item.rank}</td>'
        f"<td>{title}</td><td>{item.paper.year or ''}</td>"
        f'<td class="number">{item.score:.0f}</td><td>{"yes" if item.selected else "no"}</td>'
        f"<td>{escape(found_by(item))}</td></tr>"
    )
