"""Markdown: made HTML by markdown-it, and read like a page."""

import re
from collections.abc import Mapping
from typing import Any

from state.document import Document
from tools.documents.article_walk import head_of
from tools.documents.file_types import FRONT_MATTER, decoded, unix_lines
from tools.documents.html import read_article
from tools.documents.markup import BlockCollector, parse_html
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS, FileLimits

_DISPLAY = re.compile(r"^ {0,3}\$\$(.{0,20000}?)\$\$[ \t]*$", re.DOTALL | re.MULTILINE)
_FORMULA = re.compile(r"(?<![\\$`])\$(?![\s$])([^$\n`]{0,499}[^\s$`\\])\$(?![\d$])")
_WIKI = re.compile(r"!?\[\[(?:[^\[\]|]{0,300}\|)?([^\[\]|]{1,300})\]\]")
_NOTE = re.compile(
    r"^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*(.*(?:\n(?:[ \t]+\S.*|\n(?=[ \t]+\S)))*)", re.MULTILINE
)
_CALL = re.compile(r"\[\^([^\]\s]{1,60})\]")
_ATTRIBUTES = re.compile(r"^( {0,3}#{1,6} .*?) ?\{[#.][^{}\n]*\}[ \t]*$", re.MULTILINE)
_FENCED = re.compile(
    r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)


def read_markdown(content: bytes, *, name: str, limits: FileLimits = FILE_LIMITS) -> Document:
    """Return the text without marks; see tools.documents.open_document.read_document."""
    text = unix_lines(decoded(content))
    front = FRONT_MATTER.match(text)
    head = _head(front[1]) if front else Document()
    out = BlockCollector(name, limits)
    if head.abstract:
        out.add(head.abstract, "abstract")
    html = _html(text[front.end() :] if front else text)
    root, _ = parse_html(f"<body>{html} </body>".encode("utf-8", "replace"), name)
    document = read_article(root, out, head)
    if not out.blocks:
        raise DocumentError(f"{name} has no text in it", remedy="add a file that has some")
    return document


def _html(text: str) -> str:
    """Return Markdown as HTML: formulas as code, and footnotes where they are called."""
    from markdown_it import MarkdownIt

    notes: dict[str, str] = {}

    def prose(part: str) -> str:
        notes.update({found[1]: found[2] for found in _NOTE.finditer(part)})
        part = _NOTE.sub("", part)
        part = _DISPLAY.sub(r"\n```math\n\1\n```\n", _ATTRIBUTES.sub(r"\1", part))
        part = _WIKI.sub(r"\1", part)
        return "".join(
            _FORMULA.sub(r"`$\1$`", piece) if at % 2 == 0 else piece
            for at, piece in enumerate(re.split(r"(```math\n.*?\n```)", part, flags=re.DOTALL))
        )

    parts, position = [], 0
    for fence in _FENCED.finditer(text):
        parts += [prose(text[position : fence.start()]), fence[0]]
        position = fence.end()
    parts.append(prose(text[position:]))
    marks = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    html = str(marks.render("".join(parts)))

    def called(found: re.Match[str]) -> str:
        note = notes.pop(found[1], None)
        return f'<span class="ltx_note">{marks.renderInline(note)}</span>' if note else ""

    return _CALL.sub(called, html)


def _head(text: str) -> Document:
    """Return what front matter says; of YAML that is none, its plain lines."""
    import yaml

    try:
        said = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        lines = (line.partition(":") for line in text.splitlines())
        said = {name: value.strip() for name, colon, value in lines if colon and value.strip()}
    fields = said.items() if isinstance(said, Mapping) else ()
    return head_of({str(key).lower(): _values(value) for key, value in fields})


def _values(value: Any) -> list[str]:
    """Return a value as texts: of a list its items, of a mapping its name."""
    items = value if isinstance(value, list) else [value]
    named = [
        item.get("name") or item.get("literal") if isinstance(item, Mapping) else item
        for item in items
    ]
    return [
        " ".join(str(item).split()) for item in named if not isinstance(item, list | Mapping | None)
    ]
