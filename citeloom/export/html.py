"""Pages that need nothing else."""

from html import escape

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


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a page of its own; `title` is text, `body` HTML, `script` the digest of the only one in it."""
    allowed = f"; script-src '{script}'" if script else ""
    return _PAGE.format(title=escape(title), body=body, style=style, script=allowed)


def rendered(markdown: str, *, inline: bool = False) -> str:
    """Return Markdown as HTML; HTML within it stays text."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
    return str(parser.renderInline(markdown) if inline else parser.render(markdown))


def to_html(title: str, markdown: str) -> str:
    """Return Markdown as a page."""
    return page(title, f'<div class="text">\n{rendered(markdown)}</div>\n')
