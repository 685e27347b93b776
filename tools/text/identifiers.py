"""The DOI, arXiv id and address in an entry of a list of references, mended where a line broke them."""

import re
from dataclasses import dataclass

from state.paper import canonical_id

_DOI = re.compile(
    r"(?:\bdoi\s{0,2}[:.]?\s{0,2}|\bhttps?\s?:\s?//\s?(?:dx\.\s?)?doi\.\s?org\s?/\s?)?"
    r"\b10\.\d{4,9}/\s?[^\s\"<>{}]+",
    re.IGNORECASE,
)
_ARXIV = re.compile(
    r"\b(?:arxiv|corr)(?:\.org)?\b[^\d\n]{0,30}?"
    r"(?:(?<!\d)(\d{4}\.\s?\d{4,5})(?!\d)|\b([a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})(?!\d))(?:v\d+)?",
    re.IGNORECASE,
)
_URL = re.compile(r"\b(?:(?:https?|ftp)\s?:\s?//\s?|www\.)[^\s<>\"]+", re.IGNORECASE)
_DOI_ON = re.compile(r"(?<=[-_/.])\s((?=[^\s\d]*\d)[^\W_](?:(?!http)[^\s\"<>{}]){0,200})")
_URL_ON = re.compile(
    r"(?<=[-_/.~=?&])\s((?=[a-z%~])[^\s\"<>{}]*[./_=~](?![.,;)]*(?:\s|$))[^\s\"<>{}]*)"
)
"""What goes on behind white space: a piece with a digit, or one with a sign of an address in it."""
_STOPS = ".,;:'’”"
_CLOSING = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Identifiers:
    """What identifies the work of an entry, and the entry without it."""

    rest: str
    doi: str | None = None
    """In lower case, without 'https://doi.org/'."""
    arxiv: str | None = None
    """Without its version."""
    url: str | None = None


def find_identifiers(text: str) -> Identifiers:
    """Return the identifiers printed in an entry; of several DOIs or addresses the first."""
    rest, doi, url = text, None, None
    if found := _DOI.search(text):
        end = _mended(text, found.end(), _DOI_ON)
        doi = _trimmed("".join(text[text.index("10.", found.start()) : end].split())).lower()
        rest = f"{text[: found.start()]} {text[end:]}"
    arxiv = arxiv_in(text)
    if doi and (key := canonical_id(doi)).startswith("arxiv:"):
        doi, arxiv = None, key.removeprefix("arxiv:")
    if found := _URL.search(_DOI.sub(lambda one: " " * len(one[0]), rest)):
        end = _mended(rest, found.end(), _URL_ON)
        url = _trimmed("".join(rest[found.start() : end].split()))
        rest = f"{rest[: found.start()]} {rest[end:]}"
    rest = " ".join(_URL.sub(" ", _DOI.sub(" ", rest)).split())
    return Identifiers(rest=rest, doi=doi, arxiv=arxiv, url=url)


def _mended(text: str, end: int, goes_on: re.Pattern[str]) -> int:
    """Return where an identifier ends that white space may have cut into pieces."""
    for _ in range(3):
        piece = goes_on.match(text, end)
        word = piece[1].strip("().,;") if piece else ""
        if not piece or (word[:4].isdecimal() and len(word) < 6 and word[:4] < "2100"):  # a year
            break
        end = piece.end()
    return end


def arxiv_in(text: str) -> str | None:
    """Return the arXiv id that a text names as one: by arXiv's address, or behind its name."""
    found = _ARXIV.search(text)
    return "".join((found[1] or found[2]).split()) if found else None


def _trimmed(found: str) -> str:
    """Take off the punctuation of the sentence, and a bracket that was opened before."""
    kept = found.rstrip(_STOPS)
    while kept[-1:] in _CLOSING and kept.count(_CLOSING[kept[-1]]) < kept.count(kept[-1]):
        kept = kept[:-1].rstrip(_STOPS)
    return kept
