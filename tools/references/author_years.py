"""Find the citations of a text that name author and year: '(Lee et al., 2021)', 'Lee [2021a]'.

Each year is a starting point: the names are looked for in the words before it, so the time taken grows
with the text's length and not with its brackets.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from state.paper import title_key
from tools.bibliography.names import without_possessive

WINDOW = 260
"""Characters before a year within which its names stand."""
YEAR = r"(?:1[6-9]|20)\d\d"
UNDATED = "n.d."
"""What a citation has in place of a year where the work has none; such a work has no other year."""
_MORE = r"\s{0,2}(?:[,;/&]|\band\b|[–-])\s{0,2}"
_YEARS = re.compile(
    rf"(?<![\w:/–$€£#])(?<!\d[.,])({YEAR}(?:[a-z](?:{_MORE}[a-z]\b)*)?"
    rf"(?:{_MORE}{YEAR}(?:[a-z](?:{_MORE}[a-z]\b)*)?(?!\w)){{0,8}})"
    r"(?![\w%]|[-–]\w|\.\d|/\d)"
    r"|(?<=[,( ])(?P<word>n\.\s?d\.|in press|to appear|forthcoming)(?=\s{0,2}[);,\]])"
    r"|(?<=[^\W\d_] )(?P<short>\d\d)(?P<letter>[a-z]?)(?=\s?[;,)\]])"
)
_ONE_YEAR = re.compile(rf"({YEAR})([a-z]?)|\b([a-z])\b")
_PARTICLES = (
    r"(?:(?i:van|von|vom|zu|zum|zur|de|der|den|del|della|dela|di|da|das|do|dos|du|la|las|le|los|ter|ten"
    r"|te|el|al|bin|ibn|ben|af|av|im)\s|[dl]['’])"
)
_WORD = r"[^\W\d_a-zß-öø-ÿ][\w~]*(?:['’`]\w+|-\s?\w+)*"
_INITIALS = r"(?:[^\W\d_a-zß-öø-ÿ]\.[\s-]?)"
_OTHERS = r"et\.?\s?al\b\.?"
_NAME = re.compile(
    rf"(?!(?i:and)\s){_INITIALS}{{0,3}}({_PARTICLES}{{0,3}}{_WORD}(?:\s(?!(?i:{_OTHERS}|and\b)){_PARTICLES}{{0,2}}{_WORD}){{0,3}})"
    rf"(?:,\s{_INITIALS}{{1,3}}(?<!\s))?"
)
_AND = r"(?:,?\s(?:(?i:and)|&|und|y)\s|\set\s(?!al\b))"
_BEFORE = re.compile(
    rf"(?<!\w)(?P<names>{_NAME.pattern}(?:(?:{_AND}|,\s?){_NAME.pattern}){{0,7}})"
    rf"(?P<others>,?\s?(?i:{_OTHERS})|,?\s(?:and|&)\s(?:others|colleagues|co-?workers|collaborators))?"
    r"(?:\s[\[(](?P<short>[^\W\d_a-z][\w&.-]{1,15})[\])])?"
    r"(?:,?\s(?:Jr|Sr|II|III)\b\.?)?(?:['’]s?)?(?P<work>(?:(?<=['’])|(?<=['’]s))(?:\s[a-z]+){1,3}(?=\s[(\[]))?\s{0,2}[,:]?\s{0,2}(?P<opened>[(\[])?\s?\Z"
)
_ANDS = frozenset(("and", "&", "und", "y", "et"))
_NO_NAMES = frozenset(
    """january february march april may june july august september october november december jan feb
    mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter since until before after
    in by from during around circa section figure table chapter version edition copyright updated
    accessed and early late mid""".split()  # noqa: SIM905
)
LEADING = re.compile(
    r"(?:see|cf|in|the|as|following|while|although|since|and|but|like|both|unlike|by|from|recently|similarly|however"
    r"|also|compare|when|where|whereas|at|on|to|of|with|our|we|this|these|then|thus|here|according|later|more|most"
    r"|many|other|such|first|second|finally|another|using|after|before|because|hence|therefore|moreover|furthermore"
    r"|indeed|instead|either|neither|e\.g|for|example|recent|work|works)\b[\s.,]*",
    re.IGNORECASE,
)
"""Words that open a sentence before a name: 'See Lee (2020)'."""


@dataclass(frozen=True, slots=True)
class AuthorYearMention:
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
    word: str
    """What stands in place of a year: 'n.d.', 'in press'."""
    short: str
    """The abbreviation behind the names: '[WHO]'."""
    others: bool
    """Whether 'et al.' or the like stands behind the names."""
    joined: bool
    """Whether an 'and' stands between the names."""
    opened: bool
    """Whether a bracket stands between names and year."""
    known: bool
    """Whether the first name is one of the list's."""


def find_dated(text: str, families: frozenset[str] = frozenset()) -> Iterator[AuthorYearMention]:
    """Yield what may be citations by author and year, in order.

    Args:
        text: Any text.
        families: Family names of first authors, folded by `title_key`: words before one of these are
            not taken for names.
    """
    last = 0
    for years in _YEARS.finditer(text):
        found = _BEFORE.search(text, max(last, years.start() - WINDOW), years.start())
        if found and (item := _dated(text, found, years, families)):
            yield item
            last = item.end


def _dated(
    text: str, found: re.Match[str], years: re.Match[str], families: frozenset[str]
) -> AuthorYearMention | None:
    spans = [one.span(1) for one in _NAME.finditer(text, *found.span("names"))]
    joined = not _ANDS.isdisjoint(found["names"].lower().split())
    known = [
        (at, start) for at, span in enumerate(spans) if (start := _known(text, span, families)) >= 0
    ]
    if known:
        first, start = known[0]
    else:
        # 'For English, Lee (2020) ...'
        alone = found["opened"] and not found["others"] and not joined
        first = len(spans) - 1 if alone else 0
        lead = LEADING.match(text, *spans[first])
        start = lead.end() if lead else spans[first][0]
    names = [text[start : spans[first][1]], *(text[a:b] for a, b in spans[first + 1 :])]
    names = list(map(without_possessive, names))
    doubtful = names[0].lower() in _NO_NAMES or years["short"] or found["work"]
    if not names[0] or (doubtful and not known):
        return None
    return AuthorYearMention(
        start=start,
        years_start=years.start(),
        end=years.end(),
        names=tuple(names),
        named=text[start : found.end("others") if found["others"] else found.end("names")],
        years=tuple(_years(years)),
        word=(years["word"] or "").replace("n. d.", UNDATED),
        short=found["short"] or "",
        others=bool(found["others"]),
        joined=joined,
        opened=bool(found["opened"]),
        known=bool(known),
    )


def _known(text: str, span: tuple[int, int], families: frozenset[str]) -> int:
    """Return where the known family at the end of a name begins; -1 where it ends in none."""
    places = [span[0], *(at + 1 for at in range(*span) if text[at].isspace())]
    whole = (at for at in places if title_key(without_possessive(text[at : span[1]])) in families)
    return next(whole, -1)


def _years(printed: re.Match[str]) -> Iterator[tuple[int | None, str]]:
    year: int | None = None
    if short := printed["short"]:  # '98'
        yield int(short) + (1900 if short >= "30" else 2000), printed["letter"]
    elif not printed[1]:  # 'in press'
        yield None, ""
    for found in _ONE_YEAR.finditer(printed[1] or ""):
        year = int(found[1]) if found[1] else year
        yield year, found[2] or found[3] or ""
