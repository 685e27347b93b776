"""The picture of what a search found: a page whose script draws the papers by year and channel.

The page is graph.html with the papers put in as JSON. It loads nothing, and its policy lets no script
run but its own, whatever a record may hold.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from urllib.parse import quote

from state.results import Link, RankedPaper
from tools.citation_graph.discovery_channels import ChannelKind, kind_of_hit

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


def citation_graph_page(
    papers: Sequence[RankedPaper], links: Sequence[Link], *, about: str = ""
) -> str:
    """Return the page for papers, best first; `about` names the input. Links to others are left out."""
    ranks = {item.paper.id: item.rank for item in papers}
    data = {
        "about": f"Found for: {_plain(about, 120)}" if about.strip() else "Papers found",
        "channels": dict([*CHANNELS.items(), ("unknown", "way not recorded")]),
        "papers": [_row(item) for item in papers],
        "links": [
            (ranks[link.citing], ranks[link.cited])
            for link in links
            if link.citing in ranks and link.cited in ranks and link.citing != link.cited
        ],
    }
    page = (files("tools.citation_graph") / "graph.html").read_text(encoding="utf-8")
    script = page.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # No '<' within: no text of a paper can end the element that it stands in.
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return page.replace("SCRIPT-HASH", digest).replace("GRAPH-DATA", text)


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
