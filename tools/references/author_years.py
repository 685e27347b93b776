"""Find the citations of a text that name author and year: '(Lee et al., 2021)', 'Lee [2021a]'.

Each year is a starting point: the names are read backwards from it, so the time taken grows with the
text's length and not with its brackets.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from state.paper import title_key

WINDOW = 260
"""Characters before a year within which its names stand."""
MOST_NAMES = 8
YEAR = r"(?:1[6-9]|20)\d\d"
_MORE = r"\s{0,2}(?:[,;/&]|\band\b|[–-])\s{0,2}"
_YEARS = re.compile(
    rf"(?<![\w:/–$€£#])(?<!\d[.,])({YEAR}(?:[a-z](?:{_MORE}[a-z]\b)*)?"
    rf"(?:{_MORE}{YEAR}(?:[a-z](?:{_MORE}[a-z]\b)*)?(?!\w)){{0,8}})"
    r"(?![\w%]|[-–]\w|\.\d|/\d)"
    r"|(?<=[,( ])(n\.d\.|in press|to appear|forthcoming)(?=\s{0,2}[);,\]])"
    r"|(?<=[^\W\d_] )['’]?(\d\d[a-z]?)(?=\s?[;,)\]])"
)
_ONE_YEAR = re.compile(rf"({YEAR})([a-z]?)|\b([a-z])\b")
_TOKEN = re.compile(r"[^\W_](?:[\w~]|['’`.-](?=[^\W_]))*|[^\w\s]|_")
_INITIAL = re.compile(r"[^\W\d_a-zß-öø-ÿ]")
_PARTICLES = frozenset(
    """van von vom zu zum zur de der den del della dela di da das do dos du la las le los ter ten te el al
    bin ibn ben af av im""".split()  # noqa: SIM905
)
_LINEAGE = frozenset({"jr", "sr", "ii", "iii", "iv"})
_AND = frozenset({"and", "&", "und", "et", "y"})
_OTHERS = frozenset({"others", "colleagues", "coworkers", "co-workers", "collaborators"})
_NO_NAMES = frozenset(
    """january february march april may june july august september october november december jan feb
    mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter since until before after
    in by from during around circa section figure table chapter version edition copyright updated
    accessed and early late mid""".split()  # noqa: SIM905
)
_LEADING = frozenset(
    """see cf in the for as following while although since and but like both unlike by from recently
    similarly however e.g i.e also compare example examples when where whereas at on to of with our we this that
    these those their there then thus here it its if an a according given work works recent earlier
    previous later more most many other others some such first second third finally next another
    inspired based contrary using after before because hence therefore moreover furthermore
    additionally indeed instead specifically notably interestingly unfortunately either neither""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Dated:
    """Names and the years behind them."""

    start: int
    """Where the first name begins."""
    years_start: int
    end: int
    """Behind the last year."""
    names: tuple[str, ...]
    named: str
    """The names as printed."""
    years: tuple[tuple[int | None, str], ...]
    """Each with its letter; no year for 'in press' and the like."""
    others: bool
    """Whether 'et al.' or the like stands behind the names."""
    opened: str
    """The bracket that stands between names and year, empty where there is none."""
    certain: bool = True
    """Whether it can be told without the list of references."""


def find_dated(text: str, families: frozenset[str] = frozenset()) -> Iterator[Dated]:
    """Yield what may be citations by author and year, in order.

    Args:
        text: Any text.
        families: Family names of first authors, folded by `title_key`: words before one of these are
            not taken for names.
    """
    last = 0
    for found in _YEARS.finditer(text):
        if (item := _backwards(text, found, last, families)) is not None:
            yield item
            last = item.end


def _backwards(
    text: str, found: re.Match[str], last: int, families: frozenset[str]
) -> Dated | None:
    base = max(last, found.start() - WINDOW)
    tokens = [
        (base + token.start(), base + token.end(), token[0])
        for token in _TOKEN.finditer(text[base : found.start()])
    ]
    reader = _Reader(tokens, families)
    opened, of_work = reader.lead()
    others = reader.others()
    names = reader.names()
    if not names:
        return None
    first = title_key(names[0][2])
    if first in _NO_NAMES and first not in families:
        return None
    years = tuple(_years(found[1])) if found[1] else ((None, ""),)
    if short := found[3]:
        number = int(short[:2])
        years = ((number + (1900 if number >= 30 else 2000), short[2:]),)
    return Dated(
        start=names[0][0], years_start=found.start(), end=found.end(),
        names=tuple(name for _, _, name in names), named=text[names[0][0] : reader.behind],
        years=years, others=others, opened=opened,
        certain=not (short or of_work),
    )  # fmt: skip


def _years(text: str) -> Iterator[tuple[int | None, str]]:
    year: int | None = None
    for found in _ONE_YEAR.finditer(text):
        year = int(found[1]) if found[1] else year
        yield year, found[2] or found[3] or ""


class _Reader:
    """Reads tokens from the last to the first."""

    def __init__(self, tokens: list[tuple[int, int, str]], families: frozenset[str]) -> None:
        self._tokens = tokens
        self._families = families
        self._at = len(tokens) - 1
        self.behind = 0
        """Where the names end."""

    def _token(self, back: int = 0) -> str:
        at = self._at - back
        return self._tokens[at][2] if at >= 0 else ""

    def lead(self) -> tuple[str, bool]:
        """Step over what stands between names and year; return a bracket, and whether "'s work" does."""
        opened = ""
        if self._token() in {"(", "["}:
            opened = self._token()
            self._at -= 1
        if self._token() in {",", ":"}:
            self._at -= 1
        if opened and self._token() in {"’", "'"}:
            self._at -= 1
        back = 0
        while opened and back < 3 and self._token(back).islower() and self._token(back).isalpha():
            back += 1
        if back and self._token(back).endswith(("'s", "’s")):
            self._at -= back
            return opened, True
        if back and self._token(back) in {"’", "'"}:
            self._at -= back + 1
            return opened, True
        return opened, False

    def others(self) -> bool:
        """Step over 'et al.'; return whether it was there."""
        self.behind = self._tokens[self._at][1] if self._at >= 0 else 0
        back = 2 if self._token() == "s" and self._token(1) in {"’", "'"} else 0
        while self._token(back) in {".", "’", "'", ","} and back < 4:
            back += 1
        word = self._token(back).lower().removesuffix("'s").removesuffix("’s").strip(".")
        if word == "al":
            back += 1
            if self._token(back) == ".":
                back += 1
            if self._token(back).lower() != "et":
                return False
            back += 1
        elif word in {"et.al", "etal"}:
            back += 1
        elif word in _OTHERS and self._token(back + 1).lower() in _AND:
            back += 2
        else:
            return False
        self._at -= back
        if self._token() == ",":
            self._at -= 1
        return True

    def names(self) -> list[tuple[int, int, str]]:
        """Return the names in reading order, each with its place."""
        found: list[tuple[int, int, str]] = []
        while len(found) < MOST_NAMES:
            kept = self._at
            if found and not self._joint():
                break
            name = self._name()
            if name is None:
                self._at = kept
                break
            found.insert(0, name)
        known = [at for at, (_, _, name) in enumerate(found) if title_key(name) in self._families]
        return found[known[0] :] if known else found

    def _joint(self) -> bool:
        """Step over what stands between two names; a comma, 'and', or both."""
        word = self._token().lower()
        if word in _AND:
            self._at -= 1
            if self._token() == ",":
                self._at -= 1
            return True
        if word == ",":
            self._at -= 1
            return True
        return False

    def _name(self) -> tuple[int, int, str] | None:
        self._skip_lineage()
        words: list[int] = []
        at = self._at
        while at >= 0 and len(words) < 5:
            word = self._tokens[at][2]
            if word == "." and at and _INITIAL.fullmatch(self._tokens[at - 1][2]) and words:
                at -= 2  # an initial: 'J. Lee'
                continue
            if not self._fits(word, first=not words):
                break
            words.append(at)
            at -= 1
        if not words:
            return None
        return self._taken(words)

    def _taken(self, words: list[int]) -> tuple[int, int, str] | None:
        """Return the name of some words, last word first; what is before a known family is cut off."""
        texts = [self._tokens[at][2] for at in words]
        texts[0] = re.sub(r"['’]s?$", "", texts[0])
        keep = len(words)
        for count in range(len(words), 0, -1):
            if title_key("".join(reversed(texts[:count]))) in self._families:
                keep = count
                break
        start, end = self._tokens[words[keep - 1]][0], self._tokens[words[0]][1]
        self._at = words[keep - 1] - 1
        name = re.sub(r"^(?:[^\W\d_]\.)+(?=\w)", "", " ".join(reversed(texts[:keep])))
        return (start, end, name) if any(map(str.isalpha, name)) else None

    def _fits(self, word: str, *, first: bool) -> bool:
        """Whether a word can be part of a name; the first that is read is the name's last."""
        if not word[0].isalnum():
            return False
        if word.lower() in _PARTICLES:
            return not first or title_key(word) in self._families
        if _INITIAL.match(word) or word[:2].lower() in {"d'", "d’", "l'", "l’"}:
            return not (word.lower() in _LEADING and title_key(word) not in self._families)
        return first and title_key(re.sub(r"['’]s?$", "", word)) in self._families

    def _skip_lineage(self) -> None:
        back = 1 if self._token() == "." else 0
        if self._token(back).lower() in _LINEAGE:
            self._at -= back + 1
            if self._token() == ",":
                self._at -= 1
