"""A section as a page of its own: citations lead to the list, and show the words they rest on."""

from html import escape

from citeloom.cli.export.document import TITLE, Document, linked, spaced, support_of
from state.results import CitedSentence, Reference
from tools.bibliography.runs import Mark, Run, clean

# Nothing is loaded and nothing runs, whatever a record may hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CSS = """\
body{font-family:Georgia,'Times New Roman',serif;max-width:46rem;margin:2rem auto;padding:0 1rem;line-height:1.5;\
color:#222;background:#fff}
h1,h2{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;line-height:1.2}
a{color:#1a4f8b;text-decoration:none}
a:hover{text-decoration:underline}
blockquote{margin:0 0 1rem;padding:.1rem 1rem;border-left:4px solid #ccc;color:#555;font-size:.92rem}
ul.references{list-style:none;padding:0}
ul.references li{margin:.5rem 0;overflow-wrap:anywhere}
ul.numbered li{padding-left:3rem;text-indent:-3rem}
ul.numbered .number{display:inline-block;width:3rem;text-indent:0}
li:target{background:#fff6d6}
details{margin:.4rem 0}
summary{cursor:pointer}
"""
_TAGS: dict[Mark, tuple[str, str]] = {
    "italic": ("<i>", "</i>"), "bold": ("<b>", "</b>"), "underline": ("<u>", "</u>"),
    "sup": ("<sup>", "</sup>"), "sub": ("<sub>", "</sub>"),
    "small_caps": ('<span style="font-variant:small-caps">', "</span>"),
}  # fmt: skip


def to_html(document: Document) -> str:
    """Return an HTML page with the section, its references and its evidence."""
    listed = "references numbered" if document.numbered else "references"
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{TITLE}</title>\n<style>\n{_CSS}</style>\n</head>\n<body>\n<h1>{TITLE}</h1>",
            *(
                f"<blockquote><p>{escape(clean(text))}</p></blockquote>"
                for text in document.notices
            ),
            *(_paragraph(document, paragraph) for paragraph in document.paragraphs),
            f'<h2>References</h2>\n<ul class="{listed}">',
            *(_reference(document, item) for item in document.references),
            "</ul>\n<h2>Evidence</h2>",
            "<p>What each citation rests on, word for word from the cited paper’s record.</p>",
            *(_evidence(document, item) for paragraph in document.paragraphs for item in paragraph),
            "</body>\n</html>\n",
        )
    )


def _paragraph(document: Document, sentences: list[CitedSentence]) -> str:
    return "<p>" + "\n".join(_sentence(document, item) for item in sentences) + "</p>"


def _sentence(document: Document, sentence: CitedSentence) -> str:
    words = {item.key: support_of(item) for item in sentence.citations}
    parts = [f'<span id="s{sentence.number}">']
    for piece in document.pieces(sentence):
        text = escape(spaced(piece.text))
        if piece.marker:
            title = escape(words.get(piece.marker, ""))
            text = f'<a class="cite" href="#ref-{document.keys[piece.marker]}" title="{title}">{text}</a>'
        parts.append(text)
    return "".join(parts) + "</span>"


def _reference(document: Document, item: Reference) -> str:
    number = f'<span class="number">[{item.number}]</span>' if document.numbered else ""
    entry = "".join(_run(run, where) for run, where in linked(document, item))
    return f'<li id="ref-{item.key}">{number}<bdi>{entry}</bdi></li>'


def _run(run: Run, where: str) -> str:
    text = escape(run.text)
    for mark in sorted(run.marks):
        before, after = _TAGS[mark]
        text = f"{before}{text}{after}"
    return f'<a href="{escape(where)}" rel="noreferrer">{text}</a>' if where else text


def _evidence(document: Document, sentence: CitedSentence) -> str:
    if not sentence.citations and not sentence.basis:
        return ""
    lines = [
        f"<li>{escape(document.cited_as(item.paper))} {escape(support_of(item))}</li>"
        for item in sentence.citations
    ]
    if sentence.basis:
        lines.append(f"<li>your own text: “{escape(clean(sentence.basis.text))}”</li>")
    return (
        f'<details><summary>Sentence <a href="#s{sentence.number}">{sentence.number}</a></summary>'
        f"<ul>{''.join(lines)}</ul></details>"
    )
