"""Keys of BibTeX entries: stable, readable, unique within a list."""

import unicodedata
from collections.abc import Sequence

from state.paper import Paper
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, tokens


def citation_keys(papers: Sequence[Paper]) -> list[str]:
    """Return a key such as `lewis2020retrieval` for each paper, in order.

    Family name of the first author, year, first telling word of the title; a letter is added from
    the second paper on that would have the same key.
    """
    seen: dict[str, int] = {}
    keys: dict[str, None] = {}
    for paper in papers:
        key = base = f"{_author(paper)}{paper.year or 'nd'}{_word(paper.title)}"
        while key in keys:
            seen[base] = seen.get(base, 0) + 1
            key = base + _letters(seen[base])
        keys[key] = None
    return list(keys)


def _letters(count: int) -> str:
    text = ""
    while count >= 0:
        text = chr(ord("a") + count % 26) + text
        count = count // 26 - 1
    return text


def _author(paper: Paper) -> str:
    return (_ascii(paper.authors[0].family) if paper.authors else "") or "anon"


def _word(title: str) -> str:
    words = tokens(title)
    telling = [word for word in words if word not in STOP_WORDS and word not in ACADEMIC_WORDS]
    return next((_ascii(word) for word in [*telling, *words] if _ascii(word)), "untitled")


# Letters that no normal form takes apart.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(char for char in folded.lower() if char.isascii() and char.isalnum())
