"""A section as Markdown for Pandoc: citations as [@key], in whatever style Pandoc is given."""

import re

from citeloom.cli.export.document import TITLE, Document
from state.paper import Paper
from state.results import CitedSentence
from tools.bibliography.in_text import Group, split_marked
from tools.bibliography.latex import split_maths
from tools.bibliography.runs import clean

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|@$^~\"'])")
_LINE_START = re.compile(r"^(\(?\w{1,3}[.)]|[-+=:%])(?=\s|$)")


def to_pandoc(document: Document) -> str:
    """Return Markdown that names references.csl.json and style.csl beside it."""
    papers = {item.marker: item.paper for item in document.references}
    keys = {item.marker: item.key for item in document.references}
    blocks = [
        _started(" ".join(_sentence(item, papers, keys, document) for item in paragraph))
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


def _sentence(
    sentence: CitedSentence, papers: dict[str, Paper], keys: dict[str, str], document: Document
) -> str:
    written = ""
    for part in split_marked(sentence.marked or sentence.text, papers):
        if isinstance(part, str):
            written += escape_pandoc(part)
        else:
            written = _cited(written, part, papers, keys, document.style.by_author)
    return written.strip()


def _cited(
    written: str, group: Group, papers: dict[str, Paper], keys: dict[str, str], by_author: bool
) -> str:
    """Return what is written so far with a citation behind it."""
    if not by_author or not group.named:
        return f"{written}[{'; '.join(f'@{keys[key]}' for key in group.markers)}]"
    name = escape_pandoc(group.name)
    whole = written.rstrip(" ,")
    alone = len(group.markers) == 1 and not group.possessive and papers[group.markers[0]].authors
    if alone and whole.endswith(name):
        return f"{whole[: -len(name)]}@{keys[group.markers[0]]}"
    shown = [f"{'-' if key in group.named else ''}@{keys[key]}" for key in group.markers]
    return f"{whole} [{'; '.join(shown)}]"


def escape_pandoc(text: str) -> str:
    """Return text that Pandoc prints as it is; formulas stay formulas; space at the ends is kept."""
    inner = clean(text)
    if not inner:
        return " " if text else ""
    whole = "".join(
        part if formula else _SPECIAL.sub(r"\\\1", part) for part, formula in split_maths(inner)
    )
    return f"{' ' if text[0].isspace() else ''}{whole}{' ' if text[-1].isspace() else ''}"
