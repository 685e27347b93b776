"""The running text of a manuscript, and its list: read once from Markdown, LaTeX or plain text.

Here letters become one form, so that all behind it compares them as they are read.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from state.bibliography import ReferenceEntry
from state.paper import title_key
from tools.documents.file_types import FRONT_MATTER
from tools.documents.markup import parse_html
from tools.references.author_years import LEADING
from tools.references.latex_prose import read_latex
from tools.references.reference_list import read_reference, split_references
from tools.text.markup import unescaped

NOTE = re.compile(r"\[\^([^\]\s]{1,60})\]:\s*")
"""A footnote of Markdown, where it stands."""
_UNSEEN = dict.fromkeys(
    map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\ufeff")
)
_WIDE = str.maketrans("（）［］，；＆", "()[],;&")
_RAISED = re.compile(
    r"(?:(?<=\S)[ ~](?=<sup>|\$\s?\^))?(?:<sup>\s?|\$\s?\^\{?|(?<=[^\s^\[])\^)"
    r"(\d{1,3}(?:(?:[,;–-]|--) ?\d{1,3}){0,30})(?:\s?</sup>|\}?\s?\$|\^)",
    re.IGNORECASE,
)
_UP = str.maketrans("0123456789-;", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻,")
_LATEX = re.compile(
    r"\\(?:begin|(?:sub)*section|emph|text(?:it|bf|superscript)|label|documentclass|[A-Za-z]*[cC]ite[A-Za-z]*)\b"
)
_IBID = ("ibid", "ebd", "id", "idem")
_SHORT = 160
"""Characters of a note that may name once more what an earlier one names in full."""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A text as it is checked."""

    body: tuple[str, ...]
    """Its paragraphs, each on one line; footnotes that are no references behind them."""
    entries: tuple[ReferenceEntry, ...]
    """Of its list, and footnotes that are references, under '^' and their names."""


def read_manuscript(text: str) -> Manuscript:
    """Return the paragraphs and the references of a text."""
    text = even(text)
    latex = is_latex(text)
    own = latex and r"\begin{thebibliography}" in text
    body, listed = (text, []) if own else split_references(text)
    if latex:
        prose, items = read_latex(body)
        listed = [*listed, *(read_reference(raw, key) for key, raw in items)]
        blocks = re.split(r"\n\s*\n", _RAISED.sub(_raised, prose))
    else:
        blocks = list(_markdown(FRONT_MATTER.sub("", body, count=1)))
    lines = [" ".join(block.split()) for block in blocks]
    notes, rest = _notes([line for line in lines if any(map(str.isalpha, line))])
    return Manuscript(tuple(rest), (*listed, *notes))


def is_latex(text: str) -> bool:
    """Whether a text is LaTeX, and neither Markdown nor plain."""
    return bool(_LATEX.search(text)) and not any(
        line[:1] == "#" and line.lstrip("#")[:1] == " " for line in text.splitlines()
    )


def even(text: str) -> str:
    """Return a text in composed letters, without unseen characters, entities and wide brackets."""
    text = unescaped(text.replace("\r\n", "\n").replace("\r", "\n"))
    text = unicodedata.normalize("NFC", text.translate(_UNSEEN)).translate(_WIDE)
    return _RAISED.sub(_raised, text)


def _raised(found: re.Match[str]) -> str:
    """Return raised numbers in the letters that there are for them."""
    return found[1].strip().translate(_UP)


def _markdown(text: str) -> Iterator[str]:
    """Yield the paragraphs without headings, rules, marks of lists and blocks of code."""
    from markdown_it import MarkdownIt

    # In plain text an indented line is no code, and '[1]: ...' no address.
    reader = MarkdownIt("commonmark", {"html": True}).disable(["code", "reference", "text_join"])
    heading = lead = ""
    for token in reader.parse(text):
        if token.type == "heading_open":
            heading = token.markup
        elif token.type == "list_item_open":
            lead = (
                f"{token.info}{token.markup} " if len(token.info) > 2 else ""
            )  # a year, no number
        elif token.type == "inline":
            words = lead + "".join(_inline(token.children or ()))
            # Above a line of dashes stands a paragraph more often than a heading.
            if not heading or (heading[0] in "-=" and words.endswith((".", "?", "!", ")", "]"))):
                yield from re.split(r"\n(?=\[\^[^\]\s]{1,60}\]:)", words)
            heading = lead = ""
        elif token.type == "html_block" and not token.content.startswith("<!--"):
            root, _ = parse_html(token.content.encode("utf-8", "replace"), "the text")
            yield "".join(root.itertext("*"))


def _inline(tokens: Sequence[Any]) -> Iterator[str]:
    """Yield the words of a paragraph; code with its marks, for nothing in it cites."""
    within = ""
    for token in tokens:
        text = token.content
        if token.type in {"softbreak", "hardbreak"}:
            yield "\n"
        elif token.type == "code_inline":
            yield f"{token.markup}{text}{token.markup}"
        elif token.type == "link_open":
            within = str(token.attrGet("href"))
        elif token.type == "text" and within.startswith("#") and text.isdigit():
            yield f"[{text}]"
        elif (token.type == "text_special" and text in "@!,;:") or token.markup in {"_", "__"}:
            yield token.markup  # '\@key' is no citation; spaces and indices of formulas
        elif (
            token.type != "image"
            and not text.startswith("<!--")
            and text not in {"<sup>", "</sup>"}
        ):
            yield text
        within = "" if token.type == "link_close" else within


def _notes(lines: Sequence[str]) -> tuple[list[ReferenceEntry], list[str]]:
    """Part the footnotes that are references from all else."""
    entries: list[ReferenceEntry] = []
    rest: list[str] = []
    for line in lines:
        found = NOTE.match(line)
        entry = _reference(line[found.end() :], entries) if found else None
        if found and entry:
            entries.append(entry.model_copy(update={"label": f"^{found[1]}"}))
        else:
            rest.append(line)
    return entries, rest


def _reference(text: str, earlier: Sequence[ReferenceEntry]) -> ReferenceEntry | None:
    """Return the reference that a note is, or names once more; None where it is prose."""
    first = title_key(text.split()[0]) if text.split() else ""
    if earlier and first in _IBID:
        return earlier[-1]
    entry = read_reference(text) if text and not LEADING.match(text) else None
    if entry and entry.authors and entry.title and entry.year and _opens(text, entry):
        return entry
    named = (
        [one for one in earlier if one.authors and _opens(text, one)] if len(text) < _SHORT else []
    )
    return named[-1] if named else None


def _opens(text: str, entry: ReferenceEntry) -> bool:
    """Whether a text begins with an entry's first author."""
    return any(
        title_key(text).startswith(title_key(name))
        for name in (entry.authors[0].name, entry.authors[0].family)
    )
