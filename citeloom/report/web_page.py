"""A report as a page that needs nothing else: Markdown rendered, and a section with its evidence, table and picture.

Nothing is loaded; only the script of the picture runs, and what records hold stays text.
"""

from html import escape

from citeloom.report.citation_graph import citation_picture
from citeloom.report.comparison_table import table_html
from citeloom.report.escaping import spaced
from citeloom.report.markdown import markdown, notice
from citeloom.report.result_report import RESTS_ON_LABEL, SECTIONS, ReportSentence, ResultReport
from state.results import ComparisonTable

# Nothing is loaded, and nothing runs but a script that is named by its digest, whatever a record may hold.
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'{script}">
<title>{title}</title>
<style>
body{{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;margin:1.5rem;line-height:1.5;color:#222;\
background:#fff}}
h1{{font-size:1.35rem}}
.text{{max-width:46rem;margin:0 auto;overflow-wrap:anywhere}}
.text blockquote{{margin:0 0 1rem;padding:.1rem 1rem;border-left:4px solid #ccc;color:#555}}
nav{{margin:1rem 0}}
section{{max-width:76rem;margin:2rem auto 0;overflow-x:auto}}
h2{{font-size:1.15rem}}
sup a{{text-decoration:none}}
:target{{background:#fff6d6}}
table{{border-collapse:collapse;font-size:.9rem}}
td,th{{padding:.35rem .6rem;border:1px solid #ddd;text-align:start;vertical-align:top;overflow-wrap:anywhere}}
thead th{{background:#f3f7f3}}
summary{{cursor:pointer;color:#555;font-size:.85em}}
td blockquote{{margin:.3rem 0 0;color:#444}}
{style}</style>
</head>
<body>
{body}</body>
</html>
"""
_FOLDED = """\
<details>
<summary>Kept papers, best first, with arguments for and against</summary>
"""


def web_page(report: ResultReport, files: str = "") -> str:
    """Return the page; `files` lists the other files of a section in Markdown."""
    if report.graph not in SECTIONS:
        return page(report.title, f'<div class="text">\n{rendered(markdown(report))}</div>\n')
    return _section_page(report, files)


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a page of its own; `title` is text, `body` HTML, `script` the digest of the only one in it."""
    allowed = f"; script-src '{script}'" if script else ""
    return _PAGE.format(title=escape(title), body=body, style=style, script=allowed)


def rendered(text: str, *, inline: bool = False) -> str:
    """Return Markdown as HTML; HTML within it stays text."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
    return str(parser.renderInline(text) if inline else parser.render(text))


def _section_page(report: ResultReport, files: str) -> str:
    values, written = report.values, bool(report.paragraphs)
    numbers = {item.paper.id: item.number for item in report.references if report.is_numbered}
    picture = citation_picture(values, numbers)
    table: ComparisonTable = values.get("table") or ComparisonTable()
    kept = rendered("\n\n".join(report.papers))
    parts = {
        "References": _references(report) if written else "",
        "Comparison": table_html(table) if written and table.rows else "",
        "Citation graph": picture.body if values.get("papers") else "",
        "Evidence": _evidence(report) if written else "",
        "Criteria": rendered("\n".join(report.criteria)),
        "Papers": f"{_FOLDED}{kept}</details>\n" if kept and written else kept,
        "Coverage": rendered("\n\n".join(report.coverage)),
        "How this was made": rendered("\n".join([report.omitted, "", *report.account])),
        "Files": rendered(files),
    }
    there = {
        heading: (heading.lower().replace(" ", "-"), part)
        for heading, part in parts.items()
        if part
    }
    to = " · ".join(f'<a href="#{anchor}">{heading}</a>' for heading, (anchor, _) in there.items())
    body = "".join(
        f'<section id="{anchor}">\n<h2>{heading}</h2>\n{part}</section>\n'
        for heading, (anchor, part) in there.items()
    )
    about = getattr(values.get("request"), "title", None)
    for_whom = f"<p>For: <bdi>{escape(spaced(about))}</bdi></p>\n" if about else ""
    text = "".join(
        f"<p>{' '.join(_sentence(item, report) for item in paragraph)}</p>\n"
        for paragraph in report.paragraphs
    )
    return page(
        report.title,
        f'<div class="text">\n<h1>{report.title}</h1>\n{for_whom}<nav>{to}</nav>\n{rendered(notice(report))}'
        f"{text}</div>\n{body}",
        style=picture.style,
        script=picture.digest,
    )


def _sentence(sentence: ReportSentence, report: ResultReport) -> str:
    """Return a sentence; its citations lead to the references, a mark behind it to its evidence."""
    numbers = {item.marker: item.number for item in report.references}
    told = ""
    for piece in sentence.pieces:
        text = spaced(piece.text, escape)
        if piece.marker in numbers and text.strip():
            why = escape(sentence.support.get(piece.marker, ""), quote=True)
            text = f'<a href="#reference-{numbers[piece.marker]}" title="{why}">{text}</a>'
        told += text
    mark = f'<sup><a href="#evidence-{sentence.number}" title="Evidence">†</a></sup>'
    return f'<span id="sentence-{sentence.number}">{told}</span>{mark if sentence.evidence else ""}'


def _references(report: ResultReport) -> str:
    items = (
        f'<li id="reference-{item.number}">{rendered(entry, inline=True)}</li>\n'
        for item, entry in zip(report.references, report.entries, strict=True)
    )
    tag = "ol" if report.is_numbered else "ul"
    return f"<{tag}>\n{''.join(items)}</{tag}>\n"


def _evidence(report: ResultReport) -> str:
    lines = ""
    for item in (sentence for paragraph in report.paragraphs for sentence in paragraph):
        if told := "<br>\n".join(rendered(line, inline=True) for line in item.evidence):
            back = f'<a href="#sentence-{item.number}" title="To the sentence">↑</a>'
            lines += f'<li id="evidence-{item.number}">{told} {back}</li>\n'
    return f"<p>{RESTS_ON_LABEL}</p>\n<ul>\n{lines}</ul>\n"
