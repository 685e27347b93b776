"""The picture of what a search found: a part of a page, whose script draws the papers by year and channel.

It is citation_graph.html with the papers put in as JSON, and loads nothing.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import quote

from state.results import Link, RankedPaper
from tools.ranking.discovery_channels import ChannelKind, kind_of_hit

CHANNELS: Mapping[ChannelKind, str] = {
    "keywords": "keyword queries",
    "meaning": "meaning of the input",
    "references": "cited by papers found",
    "citations": "citing papers found",
    "recommendations": "recommended as alike",
    "named": "named by you",
}
"""What a reader is told of a channel; of two in one hop the first one stands for a paper."""
_TURNS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f\ud800-\udfff]")


@dataclass(frozen=True)
class Picture:
    """The picture as parts of a page."""

    style: str
    body: str
    digest: str
    """Of the only script that the page must let run, as a content security policy names it."""


def citation_graph(
    papers: Sequence[RankedPaper], links: Sequence[Link], numbers: Mapping[str, int]
) -> Picture:
    """Return the picture of papers, best first; links to others are left out.

    `numbers` are those by which a text cites papers, by the ids of these.
    """
    ranks = {item.paper.id: item.rank for item in papers}
    data = {
        "channels": dict([*CHANNELS.items(), ("unknown", "way not recorded")]),
        "papers": [_row(item) | {"number": numbers.get(item.paper.id)} for item in papers],
        "links": [
            (ranks[link.citing], ranks[link.cited])
            for link in links
            if link.citing in ranks and link.cited in ranks and link.citing != link.cited
        ],
    }
    text = (files(__package__) / "citation_graph.html").read_text(encoding="utf-8")
    style, _, body = text.partition("<style>\n")[2].partition("</style>\n")
    script = body.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # No '<' within: no text of a paper can end the element that it stands in.
    told = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return Picture(style, body.replace("GRAPH-DATA", told), f"sha256-{digest}")


def _row(item: RankedPaper) -> dict[str, object]:
    paper, kinds = item.paper, list(CHANNELS)
    found = [(hit.hop, kinds.index(kind_of_hit(hit))) for hit in item.found_by]
    return {
        "rank": item.rank,
        "title": _plain(paper.title, 400) + (" (retracted)" if paper.retracted else ""),
        "who": _plain(paper.citation, 60) if paper.authors else "",
        "year": paper.year,
        "score": round(item.score),
        "kept": item.selected,
        "channel": kinds[min(found)[1]] if found else "unknown",
        "found_by": ", ".join(dict.fromkeys(CHANNELS[kinds[at]] for _, at in found)),
        "address": _address(item),
    }


def _plain(text: str, most: int) -> str:
    """Return text that turns no other text around, cut after so many characters."""
    flat = " ".join(_TURNS.sub("", text).split())
    return flat if len(flat) <= most else f"{flat[:most].rstrip()}…"


def _address(item: RankedPaper) -> str | None:
    """Return where a reader finds the paper: its DOI, else an address of the web."""
    url = item.paper.url or ""
    doi = item.paper.doi and f"https://doi.org/{quote(item.paper.doi, safe='/()')}"
    return doi or (url if re.match(r"https?://", url, re.IGNORECASE) else None)
