"""A section as Markdown for Pandoc: citations as [@key], in whatever style Pandoc is given."""

import re

from citeloom.cli.export.document import TITLE, Document, spaced, written_with
from tools.bibliography.in_text import Group
from tools.bibliography.latex import split_maths
from tools.bibliography.runs import clean

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|@$^~\"'])")
_LINE_START = re.compile(r"^(\(?\w{1,3}[.)]|[-+=:%])(?=\s|$)")


def to_pandoc(document: Document) -> str:
    """Return Markdown that names references.csl.json and style.csl beside it."""
    blocks = [
        _started(
            " ".join(written_with(document, item, escape_pandoc, _cited) for item in paragraph)
        )
        for paragraph in document.paragraphs
    ]
    return "\n\n".join(
        (
            "---\nbibliography: references.csl.json\ncsl: style.csl\nlink-citations: true\n---",
            f"# {TITLE}",
            *(f"<!-- {clean(text).replace('--', '- -')} -->" for text in document.notices),
            *blocks,
            "# References\n\n::: {#refs}\n:::\n",
        )
    )


def _started(paragraph: str) -> str:
    """Return a paragraph that begins no list, heading or table."""
    if found := _LINE_START.match(paragraph):
        return f"{found[0][:-1]}\\{found[0][-1]}{paragraph[found.end() :]}"
    return paragraph


def _cited(written: str, group: Group, document: Document) -> str:
    """Return what is written so far with a citation behind it."""
    papers, keys = document.papers, document.keys
    if not document.style.by_author or not group.named:
        return f"{written}[{'; '.join(f'@{keys[key]}' for key in group.markers)}]"
    name = spaced(group.name, escape_pandoc)
    whole = written.rstrip(" ,")
    alone = len(group.markers) == 1 and not group.possessive and papers[group.markers[0]].authors
    if alone and whole.endswith(name):
        return f"{whole[: -len(name)]}@{keys[group.markers[0]]}"
    shown = [f"{'-' if key in group.named else ''}@{keys[key]}" for key in group.markers]
    return f"{whole} [{'; '.join(shown)}]"


def escape_pandoc(text: str) -> str:
    """Return text that Pandoc prints as it is; formulas stay formulas."""
    return "".join(
        part if formula else _SPECIAL.sub(r"\\\1", part) for part, formula in split_maths(text)
    )
