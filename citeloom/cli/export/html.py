"""Pages that need nothing else: a section, and the table of its papers."""

from html import escape

# Nothing is loaded and nothing runs, whatever a record may hold.
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body{{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;margin:1.5rem;line-height:1.5;color:#222;\
background:#fff}}
h1{{font-size:1.35rem}}
.text{{max-width:46rem;margin:0 auto;overflow-wrap:anywhere}}
.text blockquote{{margin:0 0 1rem;padding:.1rem 1rem;border-left:4px solid #ccc;color:#555}}
table{{border-collapse:collapse;font-size:.9rem}}
td,th{{padding:.35rem .6rem;border:1px solid #ddd;text-align:start;vertical-align:top;overflow-wrap:anywhere}}
thead th{{background:#f3f7f3}}
summary{{cursor:pointer;color:#555;font-size:.85em}}
td blockquote{{margin:.3rem 0 0;color:#444}}
</style>
</head>
<body>
{body}</body>
</html>
"""


def page(title: str, body: str) -> str:
    """Return a page of its own; `title` is text, `body` HTML."""
    return _PAGE.format(title=escape(title), body=body)


def to_html(title: str, markdown: str) -> str:
    """Return Markdown as a page; HTML within it stays text."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    return page(title, f'<div class="text">\n{body}</div>\n')
