"""The authors or editors that a reference names, each by itself."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from state.paper import Author
from tools.bibliography.names import LINEAGES

_MARKS = str.maketrans("()[]*", "     ")
MOST = 200
"""Most names read of one reference."""
_OTHERS = re.compile(
    r"[,;]?\s*(?:\bet\.?\s*al\b|\b(?:and|&) others\b|\bи др\b|\bu\.\s?a\.|\by otros\b|\be outros\b).*",
    re.IGNORECASE | re.DOTALL,
)
_ROLE = re.compile(
    r",?\s*(?:[(\[]\s?(?:eds?|editors?|hrsg|ed\. by)\s?\.?\s?[)\]]|\b(?:editors?|eds?\.|hrsg\.))\.?[,:]?\s*$",
    re.IGNORECASE,
)
_AND = r"(?:and|And|AND|und|et|y|e|och|og|en|i|и|&)"
_BETWEEN = re.compile(
    rf"\s*(?:[,;]\s*(?:{_AND}\s+)?|\s{_AND}\s+|\s[/–-]\s|(?<=\w\w\w)\.\s(?=\w\.))\s*|&"
)
_PARTED = re.compile(r"\b(\w{1,9}) (?=[à-öø-ÿāăąćčďđēęěğīįıłńňōőœřśşšţťūůűųźżž]\w)")
"""A name that the fonts of its accents have parted, as in 'M üller'."""


def read_names(text: str) -> tuple[tuple[Author, ...], bool]:
    """Return the people and bodies that a text names, and whether these are all.

    'Lee, P., Kim, E.', 'P. Lee and E. Kim', 'Lee P, Kim E', 'LEE, Ann, Bo KIM' are understood, with particles
    and 'Jr.'; a name that stands family first is given as 'Lee, P.'.
    """
    bare = _ROLE.sub("", text.lstrip(" .,:;(*—–-").rstrip(" ,:;(*—–-"))
    cut = _OTHERS.search(bare)
    bare = _PARTED.sub(r"\1", bare[: cut.start()] if cut else bare)
    bare = bare.translate(_MARKS)
    gaps = list(_BETWEEN.finditer(bare))
    starts, ends = [0, *(gap.end() for gap in gaps)], [*(gap.start() for gap in gaps), len(bare)]
    pieces = [bare[start:end] for start, end in zip(starts, ends, strict=True)]
    marks = ["", *(gap[0].strip() for gap in gaps)]
    found = [
        (mark, " ".join(piece.split()))
        for mark, piece in zip(marks, pieces, strict=True)
        if any(map(str.isalpha, piece))
    ]
    names = list(_paired(found))
    return tuple(Author(name=name) for name in names[:MOST]), cut is None and len(names) <= MOST


def _paired(pieces: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield whole names of the pieces between commas, semicolons and words such as "and"."""
    at, first, turned = 0, True, False
    while at < len(pieces):
        name, given = pieces[at][1], ""
        if (
            at + 1 < len(pieces)
            and pieces[at + 1][0] == ","
            and _is_given(name, pieces[at + 1][1], alone=first or turned)
        ):
            at, given = at + 1, pieces[at + 1][1]
            turned = turned or first
        if at + 1 < len(pieces) and pieces[at + 1][1].rstrip(".").lower() in LINEAGES:
            at += 1
            given, name = (
                (f"{given} {pieces[at][1]}", name) if given else ("", f"{name} {pieces[at][1]}")
            )
        yield _whole(name, given)
        at, first = at + 1, False


def _is_given(family: str, piece: str, *, alone: bool) -> bool:
    """Whether a piece behind a comma is the given name of the family before it.

    Args:
        family: What stands before the comma.
        piece: What stands behind it.
        alone: Whether a single word is no name by itself here, but the given name of 'García Márquez'.
    """
    words = family.split()
    if "." in family or (
        len(words) > 1
        and (_is_initials(words[-1]) or (len(words[0]) > 1 and _is_initials(words[0])))
    ):
        return False  # a whole name
    after = piece.split()
    if all(map(_is_initials, after)):
        return True
    plain = len(words) == 1 or words[0].islower() or (alone and len(after) == 1)
    return (
        plain
        and len(after) <= 3
        and after[0][:1].isupper()
        and piece.lower().rstrip(".") not in LINEAGES
    )


@lru_cache(maxsize=10_000)
def _is_initials(word: str) -> bool:
    """Whether a word stands for given names: 'J.-P.', 'JK', 'Th.'."""
    parts = [part for part in re.split(r"[.’'-]+", word) if part]
    if "." in word:
        return all(
            len(one) == 1
            or (len(one) == 2 and one[1] not in "aeiou")
            or (len(one) == 3 and one.isupper())
            for one in parts
        )
    return all(len(one) <= 3 and one.isupper() for one in parts) or len(word) == 1


def _whole(name: str, given: str) -> str:
    """Return one name as Author understands it."""
    words = name.split()
    if not given:
        at = len(words)
        while at > 1 and _is_initials(words[at - 1]):
            at -= 1
        short = len(words[0]) > 1 and "." not in words[0] and "." in "".join(words[at:])  # 'LEE P.'
        if at < len(words) and (short or not _is_initials(words[0])):
            name, given = " ".join(words[:at]), " ".join(words[at:])
    if given and name.isupper() and len(name) > 2:
        name = name.title()
    if not given:
        return name if len(words) > 1 and _is_initials(words[-1]) else name.rstrip(".")
    return f"{name.rstrip('.')}, {given if _is_initials(given.split()[-1]) else given.rstrip('.')}"
