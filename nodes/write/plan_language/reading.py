"""The lines of a plan's text: headings, counts, and what is to be written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, get_args

from nodes.write.plan_language.measures import (
    ORDINALS,
    Count,
    number_of,
    ordinal,
    places,
    says_something,
    take_counts,
)
from state.writing import MARKER, LineRole
from tools.errors import InputError

SAME = "(same paragraph)"
_SPLIT = re.compile(
    r"(?<=[.;:]) (?=(?:(?:in|for) )?(?:the )?(?:paragraph \d|\w{5,7} paragraph))"
    r"|(?<=[.;:,]) (?=(?:line|sentence) \d{1,3} ?:)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}(?: (.*))?")
_NTH = "|".join(ORDINALS)
_PARAGRAPH = re.compile(
    rf"(?:(?:in|for) )?(?:the )?(?:paragraph (\d{{1,9}})|({_NTH}) paragraph)\b ?[:.,–-]?(.*)",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"(\d{1,3}[.):])(?: |$)")
_BULLET = re.compile(r"[-*+•](?: |$)")
_LABEL = re.compile(r"(?:line|sentence) (\d{1,3}) ?[:.)](?: |$)", re.IGNORECASE)
_TAG = re.compile(r"\(([^()]*)\)")
_WORDS_TAG = re.compile(r"(\d{1,6}) words?", re.IGNORECASE)
_SEPARATOR = re.compile(r" ?(?:,|\band\b|&)? ?")
_LINE_WORDS = re.compile(
    r",? ?\b(?:in|within|using|of|with)(?: (?:about|around|at most|up to|roughly|exactly))? "
    r"(\d{1,6}) words?\b(?! (?:in all|in total|altogether|overall|each|per))",
    re.IGNORECASE,
)
_END_WORDS = re.compile(r"(?:(?<=\}),?|,) (\d{1,6}) words?\.?$", re.IGNORECASE)
_ALL_WORDS = re.compile(
    r",? ?(?:\b(?:in|of|with|using) )?\b(\d{1,3}(?:,\d{3})+|\d{1,6}) words? (?:in all|in total|altogether|overall)\b",
    re.IGNORECASE,
)


@dataclass
class Content:
    """What one line of a list says of its sentence."""

    note: str
    keys: list[str]
    words: int | None = None
    role: LineRole | None = None
    total: int | None = None
    """Words asked for in all, where this line says it."""
    firm: bool = False
    """Whether its papers and tags stand before a colon, so that the rest is no direction."""
    directs: bool = False
    """Whether it counts sentences or points to lines."""
    fault: str = ""
    """Why it cannot be the line of a list."""


@dataclass
class TextLine:
    """One line of the plan's text."""

    kind: Literal["heading", "counts", "content"]
    text: str
    blank_before: bool = False
    numbered: bool = False
    label: int | None = None
    paragraph: int | None = None
    """For a heading: the paragraph's number, where it is said."""
    theme: str = ""
    same: bool = False
    """For a heading: whether its theme begins inside the paragraph."""
    after_heading: bool = False
    """Whether it stands on a line with 'Paragraph 2:', or right under a heading."""
    counts: list[Count] = field(default_factory=list)


def text_lines(text: str) -> list[TextLine]:
    """Read the lines of a plan in which papers are markers.

    Raises:
        InputError: A heading names a paper.
    """
    lines: list[TextLine] = []
    blank = False
    for raw in text.splitlines():
        flat = " ".join(raw.split())
        if not flat:
            blank = True
            continue
        for part in [flat] if _NUMBERING.match(flat) or _head(flat) else _SPLIT.split(flat):
            for line in _classified(part):
                line.blank_before, blank = blank, False
                line.after_heading |= bool(lines) and lines[-1].kind == "heading"
                lines.append(line)
    return lines


def _classified(text: str) -> Iterator[TextLine]:
    if heading := _HEADING.fullmatch(text):
        if MARKER.search(text):
            raise InputError(
                f"the plan's heading '{text[:80]}' names a paper: name papers on the lines that cite them"
            )
        yield _heading(text, heading[1] or "")
        return
    if named := _PARAGRAPH.fullmatch(text):
        rest = named[3].strip()
        number = int(named[1]) if named[1] else ordinal(named[2])
        speaks = MARKER.search(rest) or take_counts(rest)[0] or places(rest)
        theme = "" if speaks else rest.rstrip(" .:")
        line = _heading(text, theme[1:-1] if _TAG.fullmatch(theme) else theme)
        line.paragraph, line.same = number, False
        yield line
        if speaks:
            yield _body(rest)
        return
    yield _body(text)


def _heading(text: str, theme: str) -> TextLine:
    theme = theme.strip()
    same = theme.endswith(SAME)
    while theme.endswith(SAME):
        theme = theme.removesuffix(SAME).strip()
    return TextLine("heading", text, theme=theme, same=same)


def _body(text: str) -> TextLine:
    numbering, bullet = _NUMBERING.match(text), _BULLET.match(text)
    label = _LABEL.match(text)
    start = next((found.end() for found in (numbering, bullet, label) if found), 0)
    body = text[start:]
    if not start and text.endswith(":") and not MARKER.search(text) and not take_counts(text)[0]:
        return _heading(text, text.rstrip(": "))
    counts, rest = take_counts(body)
    if counts and not MARKER.search(rest) and not says_something(rest) and not places(rest):
        kind: Literal["counts", "content"] = "content" if numbering or label else "counts"
        return TextLine(kind, body, numbered=bool(numbering or label), counts=counts)
    return TextLine(
        "content", body, numbered=bool(numbering), label=int(label[1]) if label else None
    )


def read_content(text: str) -> Content:
    """Read one line of a list, its numbering taken off."""
    head = _head(text)
    if head is not None:
        tags, keys, colon, note = head
        content = Content(note=note, keys=keys, firm=colon or not keys)
    else:
        tags = [tag[1] for tag in _TAG.finditer(text) if _is_tag(tag[1])]
        content = Content(note=_without_tags(text), keys=[])
    for tag in tags:
        _take_tag(tag, content)
    if not (content.firm and content.role):
        for tag in _TAG.findall(content.note) if head is not None else ():
            if _is_tag(tag):
                _take_tag(tag, content)
        content.note = _without_tags(content.note)
        _take_words(content)
        counts, _ = take_counts(content.note)
        content.directs = any(count.unit != "word" for count in counts) or bool(
            places(content.note)
        )
    content.note = " ".join(content.note.split()).strip()
    content.keys = list(dict.fromkeys([*content.keys, *MARKER.findall(content.note)]))
    if not MARKER.sub("", content.note).strip(" ,;.&:") or content.note.strip(" .") == "":
        content.note = ""
    return content


def _head(text: str) -> tuple[list[str], list[str], bool, str] | None:
    """Read '[1, 2] (20 words, contrast): note': tags, papers, whether there is a colon, the note.

    None where the text is no such line: something else comes before the colon or the end.
    """
    tags: list[str] = []
    keys: list[str] = []
    at = 0
    while at < len(text) and text[at] != ":":
        if marker := MARKER.match(text, at):
            keys.append(marker[1])
            at = marker.end()
        elif (tag := _TAG.match(text, at)) and _is_tag(tag[1]):
            tags.append(tag[1])
            at = tag.end()
        else:
            return None
        separator = _SEPARATOR.match(text, at)
        at = separator.end() if separator else at
    if not tags and not keys:
        return None
    return tags, keys, at < len(text), text[at + 1 :].strip()


def _without_tags(text: str) -> str:
    return _TAG.sub(lambda tag: "" if _is_tag(tag[1]) else tag[0], text)


def _is_tag(tag: str) -> bool:
    parts = [part.strip().lower() for part in tag.split(",")]
    return all(part in get_args(LineRole) or _WORDS_TAG.fullmatch(part) for part in parts)


def _take_tag(tag: str, content: Content) -> None:
    for part in (part.strip().lower() for part in tag.split(",")):
        if words := _WORDS_TAG.fullmatch(part):
            _set_words(content, int(words[1]))
            continue
        role = next(role for role in get_args(LineRole) if role == part)
        if content.role not in {None, role}:
            content.fault = (
                f"the plan gives one line two roles, '{content.role}' and '{role}': give one"
            )
        content.role = role


def _take_words(content: Content) -> None:
    for found in _ALL_WORDS.finditer(content.note):
        content.total = number_of(found[1])
    content.note = _ALL_WORDS.sub("", content.note)
    for pattern in (_LINE_WORDS, _END_WORDS):
        for found in pattern.finditer(content.note):
            _set_words(content, int(found[1]))
        content.note = pattern.sub("", content.note)


def _set_words(content: Content, words: int) -> None:
    if content.words not in {None, words}:
        content.fault = (
            f"the plan asks for {content.words} and for {words} words in one line: say one of them"
        )
    content.words = words
