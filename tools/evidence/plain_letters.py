"""Letters as a careful reader compares them: without accents and strokes, Greek ones by name, plain dashes and marks."""

import unicodedata
from functools import lru_cache

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－", "-") | dict.fromkeys("‘’‛′`´ʼ", "'"))
GREEK = frozenset(unicodedata.name(chr(code)).split()[-1].lower() for code in range(0x3B1, 0x3CA))
"""Names of Greek letters."""


@lru_cache(maxsize=64)
def plain_letters(text: str) -> str:
    """Return a text with plain letters, dashes and apostrophes; raised figures are told as powers."""
    chars: list[str] = []
    for char in text.translate(_DASHES):
        if char.isascii():
            chars.append(char)
            continue
        power = chars[-1:] and chars[-1].isdigit() and _is_raised(char)
        chars += ("^" if power else "", _letters(char))
    return "".join(chars)


def _is_raised(char: str) -> bool:
    return unicodedata.decomposition(char).startswith("<super>") and char.isdigit()


@lru_cache(maxsize=4096)
def _letters(char: str) -> str:
    """Return a letter without accents and strokes, and a Greek one by its name."""
    plain = ""
    for piece in unicodedata.normalize("NFKD", char.translate(_DASHES)):
        name = unicodedata.name(piece, "").split(" WITH ")[0].split(" ")
        if name[0] in {"GREEK", "LATIN"} and name[-2:-1] == ["LETTER"] and not piece.isascii():
            plain += name[-1].lower() if piece.islower() else name[-1].capitalize()
        elif not unicodedata.combining(piece):
            plain += piece
    return plain
