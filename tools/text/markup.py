"""What publishers put into titles and abstracts besides their text: markup and marks of retraction."""

import html
import re

# Only what is certainly a tag: 'p<i and j>k' stays, and so does 'vector<int>'.
_TAG = re.compile(
    r"</?(?P<name>(?:jats|mml|m|html|xhtml):[a-z-]+|a|abstract|alternatives|article-title|b|bold|br|"
    r"div|disp-formula|em|fn|font|h[1-6]|i|inf|inline-formula|inline-graphic|italic|li|math|"
    r"monospace|ol|p|sc|scp|sec|small|span|strike|strong|sub|sup|tex-math|title|tt|u|ul|underline)"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))*\s*/?>",
    re.IGNORECASE,
)
_BLOCKS = frozenset(
    ["abstract", "br", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "sec", "title"]
)
_TEX = re.compile(r"<((?:jats:)?tex-math)\b[^>]*>.*?</\1>", re.IGNORECASE | re.DOTALL)
_CONTROL = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), " ")
_ENTITY = re.compile(r"&(?:#\d+|#x[\da-f]+|\w+);", re.IGNORECASE)
"""With its semicolon: 'R&D' and 'A &#0 B' mean themselves."""
_RETRACTED = re.compile(
    r"\W*(?:retracted|withdrawn)"
    r"(?:\s+(?:article|paper|chapter|book|study|manuscript|preprint|publication))?"
    r"(?:\s*[\])}*]|\s*[:：]|\s+[-–—]\s)",
    re.IGNORECASE,
)


_CONCERN = re.compile(r"\W*(?:editorial\s+)?expression\s+of\s+concern\s*[\])}*:：]", re.IGNORECASE)


def without_markup(text: str) -> str:
    """Return a title or abstract without markup, entities, control characters and double space."""
    if "<mml:" in text:
        text = _TEX.sub("", text)  # the formula stands there twice
    # Some deposits escape their markup, and titles that were capitalised have '&Apos;'.
    for _ in range(2):
        text = _TAG.sub(_space, text).replace("&Apos;", "'")
        text = unescaped(text)
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(paired.translate(_CONTROL).split())


def unescaped(text: str, *, spare: str = "") -> str:
    """Return a text with characters for its entities, but for those of the characters to `spare`."""

    def char(entity: re.Match[str]) -> str:
        told = html.unescape(entity[0])
        return entity[0] if told and told in spare else told

    return _ENTITY.sub(char, text)


def _space(tag: re.Match[str]) -> str:
    return " " if tag["name"].lower().split(":")[-1] in _BLOCKS else ""


def retracted_title(title: str) -> bool:
    """Whether a title begins with the mark that publishers put before a retracted work's own title.

    'RETRACTED: X', '[Retracted] X', 'Retracted article: X' and 'WITHDRAWN: X' do. Notices
    ('Retraction note to: X') and works about retractions do not.
    """
    return bool(_RETRACTED.match(title))


def concern_title(title: str) -> bool:
    """Whether a title begins with 'Expression of concern:', as a notice's does, or that of a work it stands against."""
    return bool(_CONCERN.match(title))


def without_mark(title: str, *, concern: bool = False) -> str:
    """Return a title without the mark of a retraction that a publisher put before it.

    Args:
        title: As a record has it.
        concern: Whether 'Expression of concern:' is taken off as well. It is more often the title of the notice
            than of the work, so titles alone never make the two one.
    """
    found = _RETRACTED.match(title) or (_CONCERN.match(title) if concern else None)
    return title[found.end() :].strip() or title if found else title
