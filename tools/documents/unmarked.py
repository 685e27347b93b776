"""Markdown's marks taken off a piece of text."""

import re

_KEPT = re.compile(
    r"(`{1,3})(?!`)(.{1,400}?)(?<!`)\1(?!`)|(\$[^$\n]{1,500}\$)"
    r"|\\([\\`*_{}\[\]()#+\-.!|<>~$])",
    re.DOTALL,
)
_LONGEST = 100_000
"""Characters of a paragraph up to which emphasis is looked for; nobody writes longer ones."""
_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE = re.compile(f"{_OPEN}(\\d{{1,9}}){_CLOSE}")
_IMAGE = re.compile(r"!\[([^\[\]]{0,1000})\]\([^()\s]{0,2000}(?:\s[^()]{0,500})?\)")
_LINK = re.compile(
    r"\[([^\[\]]{0,1000})\](?:\([^()\s]{0,2000}(?:\s[^()]{0,500})?\)|\[[^\[\]]{0,200}\])"
)
_WIKI = re.compile(r"!?\[\[(?:[^\[\]|]{0,300}\|)?([^\[\]|]{1,300})\]\]")
_NOTE = re.compile(r"\[\^[^\]\s]{1,60}\]")
_AUTO = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_STRONG = re.compile(r"(\*\*\*|\*\*|~~|==)(?=\S)(.{1,400}?)(?<=\S)\1", re.DOTALL)
_STAR = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]{1,400}?)(?<=[^\s*])\*(?![\w*])")
_LINE = re.compile(r"(?<!\w)(__?)(?=\S)(.{1,400}?)(?<=\S)\1(?!\w)", re.DOTALL)


def unmarked(text: str) -> str:
    """Return the words of Markdown text: links as their text, code and formulas as they are."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[2] or found[3] or found[4])
        return f"{_OPEN}{len(kept) - 1}{_CLOSE}"

    plain = _plain(_KEPT.sub(keep, text.replace(_OPEN, "").replace(_CLOSE, "")))
    return _PLACE.sub(lambda found: kept[int(found[1])], plain)


def _plain(text: str) -> str:
    for pattern in (_WIKI, _IMAGE, _LINK, _LINK):
        text = pattern.sub(r"\1", text)
    text = _TAG.sub(" ", _AUTO.sub(r"\1", _NOTE.sub("", text)))
    if len(text) > _LONGEST:
        return text
    return _LINE.sub(r"\2", _STAR.sub(r"\1", _STRONG.sub(r"\2", text)))
