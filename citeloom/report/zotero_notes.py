"""What a run found of each paper, as notes, highlights and tags of Zotero."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from state.paper import Paper
from state.quote import Quote
from tools.bibliography.keys import numbered
from tools.bibliography.text_runs import on_one_line
from tools.errors import InputError
from tools.pdf.page_image import QuotePlace

SUPPORTS, CONTRADICTS = "citeloom:supports", "citeloom:contradicts"
_TAGS = {"supported": SUPPORTS, "partly": SUPPORTS, "contradicted": CONTRADICTS}


@dataclass(frozen=True)
class QuotedClaim:
    """What a run says of a paper, and the checked quotes behind it."""

    claim: str
    verdict: str
    """In words, such as 'not in abstract'; 'for' or 'against' of an argument about citing it."""
    quotes: Sequence[Quote]


@dataclass
class NotedPaper:
    """A paper of a run, and what it found of it."""

    paper: Paper
    key: str
    """Its citation key."""
    findings: list[QuotedClaim] = field(default_factory=list)

    @property
    def tags(self) -> list[str]:
        """How the paper is to be tagged."""
        return _tags(self.findings)

    @property
    def marked(self) -> Mapping[str, list[QuotedClaim]]:
        """What rests on each quote that may stand in the paper's PDF, by its words."""
        found: dict[str, list[QuotedClaim]] = {}
        for one in self.findings:
            for quote in one.quotes:
                # These words may stand in its PDF.
                if quote.part in {"abstract", "passage"}:
                    found.setdefault(quote.text, []).append(one)
        return found


def noted_papers(values: Mapping[str, Any]) -> list[NotedPaper]:
    """Return the papers that a result cites, or else keeps, with the verified quotes of each.

    Raises:
        InputError: It has none.
    """
    kept = [item for item in values.get("papers") or () if getattr(item, "selected", False)]
    listed = values.get("references") or numbered([item.paper for item in kept])
    papers = {item.paper.id: NotedPaper(item.paper, item.key) for item in listed}
    if not papers:
        raise InputError("this run cites and keeps no papers, so there is nothing to put in Zotero")
    said = [
        (
            one.paper,
            one.claim or sentence.text,
            one.verdict.replace("_", " "),
            [one.quote, *one.further],
        )
        for sentence in values.get("sentences") or ()
        for one in sentence.citations
    ] or [
        (item.paper.id, one.claim, verdict, [one.quote])
        for item in kept
        for verdict in ("for", "against")
        if item.debate
        for one in getattr(item.debate, f"arguments_{verdict}")
    ]
    for paper, claim, verdict, quotes in said:
        verified = [quote for quote in quotes if quote and quote.verified]
        if paper in papers and verified:
            papers[paper].findings.append(QuotedClaim(claim, verdict, verified))
    return list(papers.values())


def _tags(findings: Sequence[QuotedClaim]) -> list[str]:
    return sorted({_TAGS[one.verdict] for one in findings if one.verdict in _TAGS})


def note_of(noted: NotedPaper, run: str) -> str:
    """Return the note of a paper as HTML: each verdict and claim, and the words behind it with their place."""
    lines = [f"<h2>CiteLoom: quotes checked in run {escape(run)}</h2>"]
    for one in noted.findings:
        lines.append(f"<p><strong>{one.verdict}</strong>: {_told(one.claim)}</p>")
        for quote in one.quotes:
            where = quote.place or quote.words_of
            lines.append(
                f"<blockquote><p>“{_told(quote.text)}”{quote.whose} ({_told(where)})</p></blockquote>"
            )
    return "\n".join(lines)


def highlight_of(text: str, findings: Sequence[QuotedClaim], place: QuotePlace) -> dict[str, Any]:
    """Return an annotation of a PDF, but for its parent: the words marked, what rests on them as its comment."""
    position: dict[str, Any] = {"pageIndex": place.page}
    for name, boxes in (("rects", place.boxes), ("nextPageRects", place.next_boxes)):
        if boxes:
            position[name] = [[round(edge, 3) for edge in box] for box in boxes]
    tags = _tags(findings)
    return {
        "itemType": "annotation",
        "annotationType": "highlight",
        # Of a longer text Zotero keeps a part.
        "annotationText": on_one_line(text)[:7500],
        "annotationComment": "\n".join(
            dict.fromkeys(f"{one.verdict}: {on_one_line(one.claim)}" for one in findings)
        ),
        "annotationColor": {SUPPORTS: "#5fb236", CONTRADICTS: "#ff6666"}[tags[0]]
        if len(tags) == 1
        else "#ffd400",
        "annotationPageLabel": place.label[:50],
        # Where it stands among the others: its page, a letter that only Zotero can count, and how far down.
        "annotationSortIndex": f"{place.page:05d}|000000|{max(0, 50_000 - int(place.boxes[0][3])):05d}",
        "annotationPosition": json.dumps(position),
        "tags": [{"tag": tag} for tag in tags],
    }


def _told(text: str) -> str:
    return escape(on_one_line(text), quote=False)
