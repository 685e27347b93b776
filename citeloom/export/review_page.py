"""A run's result as one page: the text with its references and evidence, the table, the picture, the papers.

Nothing is loaded; only the script of the picture runs, and what records hold stays text.
"""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from citeloom.export.citation_graph import citation_graph
from citeloom.export.completeness import completeness_text
from citeloom.export.document import TITLE, SectionDocument, section_document, spaced, support_of
from citeloom.export.escaping import entry
from citeloom.export.html import page, rendered
from citeloom.export.markdown import RESTS_ON_LABEL, account, evidence, notice, omitted, ranked
from citeloom.export.table import table_html
from state.results import CitedSentence, ComparisonTable, Link, RankedPaper
from tools.bibliography.write_csl import reference_line


def review_page(
    values: Mapping[str, Any],
    files: str,
    *,
    document: SectionDocument | None = None,
    about: str = "",
) -> str:
    """Return the page; `files` lists the others in Markdown, `about` names the researcher's text."""
    shown = document or section_document(values)
    written = bool(shown.paragraphs)
    title = TITLE if written else "Papers found"
    papers: list[RankedPaper] = values.get("papers") or []
    links: list[Link] = values.get("links") or []
    numbers = {item.paper.id: item.number for item in shown.references if shown.numbered}
    picture = citation_graph(papers, links, numbers)
    table: ComparisonTable = values.get("table") or ComparisonTable()
    kept = "\n\n".join("\n".join(ranked(item)) for item in papers if item.selected)
    parts = {
        "References": "".join(_references(shown)) if written else "",
        "Comparison": table_html(table) if written and table.rows else "",
        "Citation graph": picture.body if papers else "",
        "Evidence": "".join(_evidence(shown)) if written else "",
        "Papers": _papers(kept, folded=written) if kept else "",
        "How complete it is": rendered(completeness_text(values).partition("\n\n")[2]),
        "How this was made": rendered("\n".join([omitted(values), "", *account(values)])),
        "Files": rendered(files),
    }
    there = {heading: part for heading, part in parts.items() if part}
    to = " · ".join(f'<a href="#{_anchor(heading)}">{heading}</a>' for heading in there)
    body = "".join(
        f'<section id="{_anchor(heading)}">\n<h2>{heading}</h2>\n{part}</section>\n'
        for heading, part in there.items()
    )
    for_whom = f"<p>For: <bdi>{escape(spaced(about))}</bdi></p>\n" if about else ""
    return page(
        title,
        f'<div class="text">\n<h1>{title}</h1>\n{for_whom}<nav>{to}</nav>\n{rendered(notice(values))}'
        f"{''.join(_paragraphs(shown))}</div>\n{body}",
        style=picture.style,
        script=picture.digest,
    )


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _papers(kept: str, *, folded: bool) -> str:
    if not folded:
        return rendered(kept)
    about = "The papers kept, best first, with the arguments for and against each"
    return f"<details>\n<summary>{about}</summary>\n{rendered(kept)}</details>\n"


def _paragraphs(shown: SectionDocument) -> Iterator[str]:
    for paragraph in shown.paragraphs:
        yield f"<p>{' '.join(_sentence(item, shown) for item in paragraph)}</p>\n"


def _sentence(sentence: CitedSentence, shown: SectionDocument) -> str:
    """Return a sentence; its citations lead to the references, a mark behind it to its evidence."""
    numbers = {item.marker: item.number for item in shown.references}
    support = {item.key: support_of(item) for item in sentence.citations}
    told = ""
    for piece in shown.pieces(sentence):
        text = spaced(piece.text, escape)
        if piece.marker in numbers and text.strip():
            why = escape(support.get(piece.marker, ""), quote=True)
            text = f'<a href="#reference-{numbers[piece.marker]}" title="{why}">{text}</a>'
        told += text
    mark = f'<sup><a href="#evidence-{sentence.number}" title="What this rests on">†</a></sup>'
    behind = mark if any(True for _ in evidence(sentence, shown)) else ""
    return f'<span id="sentence-{sentence.number}">{told}</span>{behind}'


def _references(shown: SectionDocument) -> Iterator[str]:
    yield "<ol>\n" if shown.numbered else "<ul>\n"
    for item in shown.references:
        text = rendered(entry(item.entry or reference_line(item.paper)), inline=True)
        yield f'<li id="reference-{item.number}">{text}</li>\n'
    yield "</ol>\n" if shown.numbered else "</ul>\n"


def _evidence(shown: SectionDocument) -> Iterator[str]:
    yield f"<p>{RESTS_ON_LABEL}</p>\n<ul>\n"
    for paragraph in shown.paragraphs:
        for item in paragraph:
            if lines := [line.removeprefix("- ") for line in evidence(item, shown)]:
                told = "<br>\n".join(rendered(line, inline=True) for line in lines)
                back = f'<a href="#sentence-{item.number}" title="To the sentence">↑</a>'
                yield f'<li id="evidence-{item.number}">{told} {back}</li>\n'
    yield "</ul>\n"
