"""What the picture of a search says of a paper, safe to put into XML and HTML once it is escaped."""

import re
from unicodedata import east_asian_width
from urllib.parse import quote

from state.results import RankedPaper
from tools.citation_graph.discovery_channels import way_of
from tools.citation_graph.layout import Lane

LANE_NAMES: dict[Lane, str] = {
    "keywords": "keyword queries",
    "meaning": "meaning of the input",
    "references": "cited by papers found",
    "citations": "citing papers found",
    "recommendations": "recommended as alike",
    "named": "named by you",
    "unknown": "way not recorded",
}
_HOVER_CHARACTERS = 300
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TURNS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str, most: int) -> str:
    """Return text that XML can hold, at most so wide, and that turns no other text around."""
    text = " ".join(_TURNS.sub("", _NOT_XML.sub("", text)).split())
    room = float(most)
    for at, character in enumerate(text):
        room -= 2 if east_asian_width(character) in "WF" else 1
        if room < 0:
            return text[:at].rstrip() + "…"
    return text


def address_of(item: RankedPaper) -> str | None:
    """Return where a reader finds the paper: its DOI, else an address of the web."""
    paper = item.paper
    if paper.doi:
        return f"https://doi.org/{quote(plain(paper.doi, 400), safe='/()')}"
    if paper.url and re.match(r"https?://", paper.url, re.IGNORECASE):
        return plain(paper.url, 2000)
    return None


def found_by(item: RankedPaper) -> str:
    """Say in which ways a paper was found, each once."""
    return ", ".join(dict.fromkeys(LANE_NAMES[way_of(hit)] for hit in item.found_by))


def hover_text(item: RankedPaper) -> str:
    """Say of a paper what the picture cannot show."""
    facts = [f"score {item.score:.0f}", "kept" if item.selected else "not kept"]
    ways = f"; found by: {found_by(item)}" if item.found_by else ""
    return f"{item.rank}. {name_of(item, _HOVER_CHARACTERS)}\n{', '.join(facts)}{ways}"


def name_of(item: RankedPaper, most: int) -> str:
    """Name a paper; isolating marks keep a title from right to left from turning the line around."""
    paper = item.paper
    who = plain(paper.citation, 34) if paper.authors else ""
    lead = ", ".join([*([who] if who else []), str(paper.year or "undated")])
    lead += ", retracted" if paper.retracted else ""
    return f"{lead}: \u2068{plain(paper.title, most - len(lead))}\u2069"
