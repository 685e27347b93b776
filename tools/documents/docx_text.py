"""The words of Word's paragraphs, their styles and footnotes."""

import re
from collections.abc import Iterator
from typing import Any

from tools.documents.blocks import clean
from tools.documents.markup import Element, attribute, children, find_all, local, parse_xml
from tools.errors import DocumentError

_SPACES = frozenset({"tab", "br", "cr", "ptab"})
_LEFT_OUT = frozenset(
    {"del", "movefrom", "txbxcontent", "fallback", "rpr", "ppr", "instrtext", "deltext"}
)
_HEADING = re.compile(r"heading ([1-9])")
_DEEPEST_STYLES = 20


def paragraph_text(paragraph: Element) -> str:
    """Return the text of a paragraph: insertions taken, deletions and hidden text left out."""
    return "".join(_words(paragraph))


def _words(element: Element) -> Iterator[str]:
    waiting = [iter(element)]
    while waiting:
        one = next(waiting[-1], None)
        if one is None:
            waiting.pop()
            continue
        name = local(one)
        if name == "t":
            yield one.text or ""
        elif name in _SPACES:
            yield " "
        elif name == "nobreakhyphen":
            yield "-"
        elif name not in _LEFT_OUT and not (name == "r" and _is_hidden(one)):
            waiting.append(iter(one))


def _is_hidden(run: Element) -> bool:
    for properties in children(run, "rpr"):
        for mark in children(properties, "vanish", "specvanish"):
            return attribute(mark, "val") not in {"0", "false", "off"}
    return False


def note_ids(paragraph: Element) -> Iterator[str]:
    """Yield which footnotes and endnotes a paragraph calls, such as 'footnote 2'."""
    for one in find_all(paragraph, "footnotereference", "endnotereference"):
        yield f"{local(one).removesuffix('reference')} {attribute(one, 'id')}"


def footnotes(word: Any) -> dict[str, str]:
    """Return the footnotes and endnotes of a document by their ids; none where they are damaged."""
    notes: dict[str, str] = {}
    for relation in word.part.rels.values():
        kind = relation.reltype.rpartition("/")[2]
        if relation.is_external or kind not in {"footnotes", "endnotes"}:
            continue
        try:
            root, _ = parse_xml(relation.target_part.blob, "the footnotes")
        except DocumentError:
            continue
        for note in children(root, "footnote", "endnote"):
            text = clean(" ".join(paragraph_text(one) for one in find_all(note, "p")))
            notes[f"{local(note)} {attribute(note, 'id')}"] = text
    return notes


class Styles:
    """The styles of a document: a paragraph's style name in lower case, and its heading level."""

    def __init__(self, word: Any) -> None:
        self._names: dict[str, str] = {}
        self._levels: dict[str, int] = {}
        self._parents: dict[str, str] = {}
        for style in children(word.styles.element, "style"):
            key = attribute(style, "styleId")
            for one in style:
                if local(one) == "name":
                    self._names[key] = attribute(one, "val").lower()
                elif local(one) == "basedon":
                    self._parents[key] = attribute(one, "val")
            for one in find_all(style, "outlinelvl"):
                self._levels[key] = _level(attribute(one, "val"))

    def of(self, paragraph: Element) -> tuple[str, int]:
        """Return the style's name, and from 1 the level of a heading or 0."""
        own = next(children(paragraph, "ppr"), None)
        if own is None:
            return "", 0
        outline = next(children(own, "outlinelvl"), None)
        style = next(children(own, "pstyle"), None)
        key = "" if style is None else attribute(style, "val")
        name = self._names.get(key, key.lower())
        if outline is not None:
            return name, _level(attribute(outline, "val"))
        return name, 0 if name in {"title", "subtitle"} else self._heading(key)

    def _heading(self, key: str) -> int:
        for _ in range(_DEEPEST_STYLES):
            if key in self._levels:
                return self._levels[key]
            if found := _HEADING.fullmatch(self._names.get(key, "")):
                return int(found[1])
            if key not in self._parents:
                return 0
            key = self._parents[key]
        return 0


def _level(value: str) -> int:
    """Return the level of an outline level, which counts from 0; 9 is body text."""
    return int(value) + 1 if value.isdecimal() and int(value) < 9 else 0
