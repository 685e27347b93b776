"""The picture of what a search found, as a part of a page that loads nothing; laid out as in the app's page.

It is citation_graph.html with the papers put in as JSON, and citeloom/page/graph_layout.js within.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from citeloom.report.escaping import one_line
from state.paper import Paper
from state.results import Link, RankedPaper
from tools.ranking.discovery_channels import ChannelKind, kind_of_hit

CHANNELS: Mapping[ChannelKind, str] = {
    "keywords": "keyword queries",
    "meaning": "meaning of the input",
    "references": "cited by papers found",
    "citations": "citing papers found",
    "recommendations": "recommended as similar",
    "named": "named by you",
}
"""What a reader is told of a channel."""


@dataclass(frozen=True)
class Picture:
    """The picture as parts of a page."""

    style: str
    body: str
    digest: str
    """Of the only script that the page must let run, as a content security policy names it."""


def citation_picture(values: Mapping[str, Any], numbers: Mapping[str, int]) -> Picture:
    """Return the picture of the papers of a result, of their links, and of what is missing.

    `numbers` are those by which a text cites papers, by the ids of these.
    """
    missing = values["completeness"].missing if values.get("completeness") else ()
    data = {
        "papers": [_ranked(item) for item in values.get("papers") or ()],
        "links": [_link(one) for one in values.get("links") or ()],
        "references": [{"paper": {"id": id_}, "number": at} for id_, at in numbers.items()],
        "request": {"must_include": list(_musts(values))},
        "completeness": {
            "missing": [
                {"id": one.id, "cited_by": one.cited_by, "paper": one.paper and _paper(one.paper)}
                for one in missing
            ]
        },
    }
    text = (files(__package__) / "citation_graph.html").read_text(encoding="utf-8")
    layout = (files("citeloom") / "page" / "graph_layout.js").read_text(encoding="utf-8")
    style, _, body = text.partition("<style>\n")[2].partition("</style>\n")
    body = body.replace("GRAPH-LAYOUT", layout.replace("export ", ""))
    script = body.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # No '<' within: no text of a paper can end the element that it stands in.
    told = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return Picture(style, body.replace("GRAPH-DATA", told), f"sha256-{digest}")


def _link(link: Link) -> dict[str, Any]:
    told = {"stance": link.stance, "by": link.by, "sentence": one_line(link.sentence, 400)}
    return {"citing": link.citing, "cited": link.cited} | {
        key: one for key, one in told.items() if one
    }


def _ranked(item: RankedPaper) -> dict[str, Any]:
    kinds = list(CHANNELS)
    found = sorted((hit.hop, kinds.index(kind_of_hit(hit))) for hit in item.found_by)
    shown = {
        **_paper(item.paper),
        "rank": item.rank,
        "score": round(item.score),
        "found_by": ", ".join(dict.fromkeys(CHANNELS[kinds[at]] for _, at in found)),
    }
    return {
        "paper": shown,
        "selected": item.selected,
        "score": item.score,
        "theme": one_line(item.theme, 60),
    }


def _musts(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of papers that the caller named."""
    for item in values.get("papers") or ():
        if any(hit.via == "must_include" for hit in item.found_by):
            yield item.paper.id


def _paper(paper: Paper) -> dict[str, Any]:
    is_web = (paper.url or "").lower().startswith(("http://", "https://"))
    doi = paper.doi and f"https://doi.org/{quote(paper.doi, safe='/()')}"
    return {
        "id": paper.id,
        "title": one_line(paper.title, 400) + (" (retracted)" if paper.retracted else ""),
        "who": one_line(paper.citation, 60) if paper.authors else "",
        "year": paper.year,
        "address": doi or (paper.url if is_web else None),
    }
