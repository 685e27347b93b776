"""Numbers and proper names of a claim that stand nowhere in what was read: a matter of fact, for no judge.

Both sides are compared as a careful reader would: without accents, apostrophes, dashes and brackets, Greek letters
by name, with numbers in figures or words, rounded, in thousands and millions ('1.2M'), as shares ('half' beside
50 %) or only near ('over 440,000' beside 443,198). Where a sign has two readings ('1.234', '5 m') either will do.
What cannot be told apart so, such as a name written like any word, is no fact, nor is a number in words.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from tools.evidence.stated_numbers import GREEK, numbers_nowhere, plain_letters

_WORD = re.compile(r"[^\W_]++(?:[-/.'+][^\W_]++)*+")
"""A word with all that belongs to it: 'F4/80', "L'Yi", 'RecQ-class', 'v2.5'."""
_LABEL = re.compile(r"[(\[]\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*[)\]]")
"""Whole numbers alone in brackets, such as '(24)' or '[14, 15]': labels of citations, lists or formulas."""
_SIGNS = re.compile(r"[\W_]+")
_BRACKETS = str.maketrans("", "", "()[]{}^")
_LONG = 5
"""Letters from which a name is found within other letters: 'RoBERTa' in 'RoBERTa-large'."""
_INITIALS = range(2, 13)
"""Letters of an abbreviation."""
_ROMAN = frozenset("IVX")


def standing_nowhere(claim: str, read: Iterable[str]) -> list[str]:
    """Return the numbers and names of a claim that stand in none of these texts, in words for a person.

    Small whole numbers do not count, nor do labels. Names are those of others before 'et al.', and words written like
    'LitLLM', 'BERT' or 'GPT-4'; an abbreviation counts as there, too, where words that it may stand for stand
    together, there or in the claim ('LLMs' beside large language models, 'IL-6' beside interleukin-6).

    Args:
        claim: Without citation markers.
        read: All that was read, and how those who wrote it are called.
    """
    source, claim = "\n".join(read), plain_letters(_LABEL.sub(" ", claim))
    return [
        *(f"the number {number}" for number in numbers_nowhere(claim, source)),
        *(f"the name {name}" for name in _names_nowhere(claim, source)),
    ]


def _names_nowhere(claim: str, source: str) -> Iterator[str]:
    texts = _Words.of(source), _Words.of(claim)
    names = dict[str, bool]()
    for found in _WORD.finditer(claim):
        name = found[0].removesuffix("'s")
        behind = claim[found.end() : found.end() + 16].lstrip(", ")
        author = name[:1].isupper() and behind.startswith(("et al", "and colleagues"))
        if author or _is_name(name):
            names[name] = author
    for name, whole in names.items():
        if not (_stands(name, *texts) or (not whole and _stands_in_parts(name, *texts))):
            yield name


def _stands(name: str, source: "_Words", claim: "_Words") -> bool:
    return name in source or source.spells(name) or claim.spells(name)


def _stands_in_parts(name: str, source: "_Words", claim: "_Words") -> bool:
    """Whether what of a name must stand in a source does: of 'RecQ-class' 'RecQ', of 'PD-1/PD-L1' both."""
    for sign in "/-":
        pieces = name.split(sign)
        named = [piece for piece in pieces if piece and _is_name(piece)]
        kind = sign == "-" and any(
            len(piece) > 2 and piece.islower() and piece not in GREEK for piece in pieces
        )
        if len(pieces) > 1 and named and (kind or len(named) == len(pieces)):
            return all(
                _stands(piece, source, claim) or _stands_in_parts(piece, source, claim)
                for piece in named
            )
    return False


def _is_name(word: str) -> bool:
    capitals = sum(char.isupper() for char in word)
    written = capitals > 1 or (capitals == 1 and any(map(str.isdecimal, word)))
    return written and word[0].isalpha() and not set(word) <= _ROMAN


class _Words:
    """The words of a text in small letters, behind one another without signs, and where they begin."""

    def __init__(self, text: str) -> None:
        plain = plain_letters(text)
        split = (
            [*map(_folded, _SIGNS.split(form)), "|"] for form in (plain, plain.translate(_BRACKETS))
        )
        self._tokens = [word for words in split for word in words if word]
        self._joined = "".join(self._tokens)
        self._ends = {0}
        place = 0
        for token in self._tokens:
            place += len(token)
            self._ends.add(place)

    @staticmethod
    @lru_cache(maxsize=64)
    def of(text: str) -> "_Words":
        """Return the words of a text; they are kept for the next claim."""
        return _Words(text)

    def __contains__(self, name: str) -> bool:
        """Whether a name stands here, with whatever signs between its letters."""
        wanted = "".join(map(_folded, _SIGNS.split(name)))
        single = wanted.removesuffix("s")
        within = len(wanted) >= _LONG and single in self._joined
        return within or any(self._bounded(form) for form in {wanted, f"{wanted}s", single})

    def _bounded(self, wanted: str) -> bool:
        at = self._joined.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            # 'NIH 3T3' stands in 'NIH3T3'.
            if at in self._ends and (
                end in self._ends or self._joined[end].isdecimal() > wanted[-1].isdecimal()
            ):
                return True
            at = self._joined.find(wanted, at + 1)
        return False

    def spells(self, name: str) -> bool:
        """Whether words that stand together may be what an abbreviation stands for, each with its first letter."""
        bare = _SIGNS.sub("", name).removesuffix("s")
        capitals = sum(char.isupper() or char.isdecimal() for char in bare)
        letters = _folded(bare)
        if len(letters) not in _INITIALS or 2 * capitals < min(len(bare), 2 * 3):
            return False
        return any(
            token[0] == letters[0]
            and (len(token) == 1 or not letters.startswith(token))  # no name stands for itself
            and self._spelled(letters, place)
            for place, token in enumerate(self._tokens)
        )

    def _spelled(self, letters: str, place: int, *, skip: bool = False) -> bool:
        """Whether the words from a place on spell these letters: of each its first one, then any of its later ones."""
        if not letters:
            return True
        token = self._tokens[place] if place < len(self._tokens) else ""
        if not token.startswith(letters[0]):
            return skip and 0 < len(token) <= len("with") and self._spelled(letters, place + 1)
        at = -1
        for count in range(1, len(letters) + 1):
            at = token.find(letters[count - 1], at + 1)
            enough = (
                count == 1
                or len(token) >= 2 * min(count, count // 2 + 2)
                or token == letters[:count]
            )
            if at < 0:
                return False
            if enough and self._spelled(letters[count:], place + 1, skip=True):
                return True
        return False


def _folded(word: str) -> str:
    """Return a word in small letters, 'ue' and the like as without the 'e' ('Mueller' beside 'Müller')."""
    small = word.casefold()
    return small.replace("ae", "a").replace("oe", "o").replace("ue", "u")
