"""Characters as a PDF has them, made into text: ligatures, accents, hyphens, noise."""

import re
import unicodedata
from functools import lru_cache

from tools.text.text_quality import is_known

LINE_HYPHEN = "\u00ad"
"""Stands for a hyphen at the end of a line until the line is joined with the next."""

_ACCENTS = {
    "\u00a8": "\u0308",
    "\u00b4": "\u0301",
    "\u02ca": "\u0301",
    "\u02c6": "\u0302",
    "\u02dc": "\u0303",
    "\u00b8": "\u0327",
    "\u02c7": "\u030c",
    "\u02d8": "\u0306",
    "\u02da": "\u030a",
    "\u02d9": "\u0307",
    "\u02dd": "\u030b",
    "\u02db": "\u0328",
    "\u00af": "\u0304",
    "\u02cb": "\u0300",
}
_ACCENTED = re.compile(f"([{''.join(_ACCENTS)}]) ?([A-Za-z\u0131\u0237])")
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
_FOLDED = {
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st",
    0xFB06: "st", 0x02: "-", 0xFFFE: "-", 0xAD: LINE_HYPHEN, 0x2010: "-",
    0x2011: "-", 0xF0B7: "\u2022", 0xF0A7: "\u2022", 0x200B: "", 0x200C: "", 0x200D: "",
    0x2060: "", 0xFEFF: "", 0xFFFD: "", 0xFFFF: "",
}  # fmt: skip
_NOISE = {"Cs", "Cn", "Co", "Cc"}


@lru_cache(maxsize=4096)
def glyph(code: int) -> str:
    """Return the text of one character of a page: '' for noise, ' ' for white space."""
    if code in _FOLDED:
        return _FOLDED[code]
    if code == 0 or code > 0x10FFFF:
        return ""
    character = chr(code)
    if character.isspace():
        return " "
    if 0xFB50 <= code <= 0xFEFC:  # forms that Arabic letters have within a word
        character = unicodedata.normalize("NFKC", character)
    return "" if unicodedata.category(character[0]) in _NOISE else character


def composed(text: str) -> str:
    """Return text with accents that stand beside their letters put on them."""
    if not text.isascii():
        text = _ACCENTED.sub(_put_on, text)
        return unicodedata.normalize("NFC", text)
    return text


def _put_on(match: re.Match[str]) -> str:
    accent, letter = match.groups()
    return unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _ACCENTS[accent])


def accented(text: str, accent: str, share: float) -> str | None:
    """Return a word with an accent put on the letter that stands at a share of its width.

    None where no letter near there can carry it.
    """
    mark = _ACCENTS[accent]
    at = share * len(text) - 0.5
    for index in sorted(range(len(text)), key=lambda i: abs(i - at))[:3]:
        letter = _DOTLESS.get(text[index], text[index])
        whole = unicodedata.normalize("NFC", letter + mark)
        if len(whole) == 1:
            return text[:index] + whole + text[index + 1 :]
    return None


def is_accent(text: str) -> bool:
    """Whether a text is an accent that stands beside its letter."""
    return text in _ACCENTS


class WordVocabulary:
    """The words of a document, by which it is decided whether a hyphen is part of a word."""

    _WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")

    def __init__(self) -> None:
        self._whole: set[str] = set()
        self._hyphened: set[str] = set()

    def learn(self, line: str) -> None:
        """Take in a line; what may be half of a word at its end is left out."""
        words = self._WORD.findall(line.lower())
        for word in words[:-1] if line.endswith((LINE_HYPHEN, "-")) else words:
            (self._hyphened if "-" in word else self._whole).add(word)

    def joined(self, first: str, second: str) -> str:
        """Return two halves of a word that a hyphen at the end of a line parts.

        The hyphen stays where the document has the word with it elsewhere and never without,
        and where it is hardly a division: before a capital or a digit of no word that it has. Where the document has
        neither, it stays if both halves are words, of four letters and more or behind another
        hyphen, and the whole is none.
        """
        before = self._WORD.findall(first, first.rfind(" ") + 1)
        after = self._WORD.match(second)
        if not before or not after or not first[-1].isalpha():
            return f"{first}-{second}"
        left, right = before[-1].lower(), after[0].lower()
        if not after[0][0].islower():
            whole = left + right in self._whole and f"{left}-{right}" not in self._hyphened
            return first + second if whole else f"{first}-{second}"
        parts, head = left.split("-"), right.split("-")[0]
        if left + right in self._whole or left + right in self._hyphened:
            return first + second
        if f"{left}-{right}" in self._hyphened or f"{left}-{head}" in self._hyphened:
            return f"{first}-{second}"
        if parts[-1] + head in self._whole:
            return first + second
        long = len(parts) > 1 or min(len(left), len(head)) >= 4
        keep = long and self._is_word(parts[-1]) and self._is_word(head)
        return f"{first}-{second}" if keep and not is_known(parts[-1] + head) else first + second

    def _is_word(self, word: str) -> bool:
        return word in self._whole or is_known(word)
