"""The authors of an entry: where they end, and each by itself."""

import re

from state.paper import Author

MOST = 200
"""Most authors read of one entry."""
PARTICLES = (
    r"(?:van|von|vom|zu|zum|zur|de|der|den|del|della|dela|di|da|das|do|dos|du|la|las|le|los|ter|ten|"
    r"te|el|al|bin|ibn|ben|af|av|im|y|e|d['’]|l['’]|’t)"
)
_UP = r"[^\W\d_a-zß-öø-ÿ]"
_WORD = rf"{_UP}[\w'’`´~^-]*"
_INITIAL = rf"{_UP}[a-z]?\."
_FAMILY = rf"(?:{PARTICLES}[ ]?){{0,3}}{_WORD}(?:[ ](?:{PARTICLES}[ ]){{0,2}}{_WORD}){{0,2}}"
_LINEAGE = r"(?:,? (?:Jr|Sr|II|III|IV)\b\.?)?"
_ENDS = r"(?=[,.;:&]| and\b| &|$)"
_NAMES = (
    rf"{_FAMILY}{_LINEAGE}, ?(?:(?:{_INITIAL}[ -]{{0,2}}){{1,4}}|{_UP}{{1,3}}{_ENDS}){_LINEAGE}",
    rf"(?:{_INITIAL}[ -]{{0,2}}){{1,4}}{_FAMILY}{_LINEAGE}",
    rf"{_FAMILY} (?:(?:{_UP}\.[ -]?){{1,3}}(?=[ ,;:&])|{_UP}{{1,3}}{_ENDS})",
    rf"{_WORD}(?:[ ](?:{_UP}\.?(?=[ ])|{PARTICLES}|{_WORD})){{0,4}}[ ]{_WORD}{_LINEAGE}"
    r"(?=[.:;,]|[ ](?:and|&|und|et)\b)",
)
"""'Lee, P.', 'P. Lee', 'Lee P' and 'Ann Lee'; the names of one list are of one kind."""
_JOINT = r"\s{0,2}(?:(?:,?\s{1,2}|(?<=\s))(?:and|AND|&|und|et(?!\.? al)|y)\s|;\s{0,2}(?:and |& )?|,\s{0,2}(?:& |and )?)"
_ET_AL = r",?\s{0,2}\b(?:et\.?\s{0,2}al\b\.{0,2}|(?:and|&) others\b\.?)"
_LISTS = [
    *(re.compile(rf"{name}(?:{_JOINT}{name}){{0,{MOST}}}(?i:{_ET_AL})?") for name in _NAMES),
    re.compile(rf"{_FAMILY}(?:{_JOINT}{_FAMILY})?(?i:{_ET_AL})"),  # 'Lewis et al.'
]
_OTHERS = re.compile(_ET_AL, re.IGNORECASE)
_EDITORS = re.compile(
    r",?\s{0,2}(?:[(\[]\s?(?:eds?|editors?|hrsg|ed\. by)\s?\.?\s?[)\]]|\b(?:editors?|eds?\.|hrsg\.))\.?,?\s{0,2}$",
    re.IGNORECASE,
)
_INITIALS = re.compile(rf"(?:(?:{_UP}[a-z]?\.|{_UP}(?![^\W\d_])|{_UP}(?={_UP}))[ -]{{0,2}}){{1,4}}")
_TRAILING = re.compile(rf"(.{{2,80}}?) ({_UP}{{1,3}}|(?:{_UP}\.[ -]?){{1,4}})")
_SPLIT = re.compile(r"\s*(?:,\s*(?:(?:and|AND|und)\b|&)?|;|\s(?:and|AND|und|et|y)\s|&|\s/\s)\s*")
_STOPPED = re.compile(rf"(?<=\w\w\w)\. (?={_INITIAL})")
_LINEAGES = frozenset({"jr", "sr", "ii", "iii", "iv"})
_APART = re.compile(rf"\b({_UP}[a-z]{{0,8}}) (?=[à-öø-ÿāăąćčďđēęěğīįıłńňōőœřśşšţťūůűųźżž]\w)")
"""A name that the fonts of its accents have parted, as in 'M üller'."""


def authors_end(text: str) -> int:
    """Return where the authors at the beginning of an entry end, 0 where it does not begin with any.

    For entries whose authors are not followed by a year or a quotation mark.
    """
    found = (names.match(text) for names in _LISTS)
    ends = [len(one[0].rstrip(" -")) for one in found if one]
    return max(ends, default=0)


def split_authors(text: str) -> tuple[tuple[Author, ...], bool]:
    """Return the authors that a text names, and whether these are all.

    'Lee, P., Kim, E.', 'P. Lee and E. Kim', 'Lee P, Kim E', 'Lee, Ann and Bo Kim', with particles and
    'Jr.', are understood; a name that stands family first is given as 'Lee, P.'.
    """
    text = _EDITORS.sub("", text.strip(" .,:;("))
    if text.isupper() and ("," in text or " AND " in text):
        text = re.sub(r"[^\W\d_]{2,}", lambda word: word[0].capitalize(), text)
        text = text.replace(" And ", " and ")
    cut = _OTHERS.search(text)
    text = (text[: cut.start()] if cut else text).strip(" ,;:(&")
    text = _APART.sub(r"\1", _STOPPED.sub(", ", text))
    names: list[str] = []
    pieces = [piece for piece in _SPLIT.split(text) if piece.strip(" .")]
    given = False
    for before, piece in zip(["", *pieces], pieces, strict=False):
        if names and piece.rstrip(".").lower() in _LINEAGES:
            names[-1] = f"{names[-1]} {piece}"
        elif names and not given and _is_given(before, piece, first=len(names) == 1):
            names[-1] = f"{names[-1]}, {piece}"
            given = True
        else:
            names.append(piece)
            given = False
    read = [name for piece in names[:MOST] if (name := _tidy(piece))]
    return tuple(Author(name=name) for name in read), cut is None and len(names) <= MOST


def _is_given(piece: str, after: str, *, first: bool) -> bool:
    """Whether `after` is the given name of the family `piece`."""
    if _INITIALS.fullmatch(piece) or len(after.split()) > 3 or not after[0].isupper():
        return False
    if _INITIALS.fullmatch(after):
        return not _TRAILING.fullmatch(piece) and not re.match(_INITIAL, piece)
    family = first or re.match(rf"(?i:{PARTICLES})\b", piece)
    alone = len(piece.split()) == 1 or (len(after.split()) == 1 and family)
    return bool(alone) and "." not in piece


def _tidy(piece: str) -> str:
    """Return one name as Author understands it."""
    name = " ".join(piece.split()).strip(" ,;:()[]")
    name = re.sub(r"^(?:and|und|&|by|the)\s+", "", name)
    turned = _TRAILING.fullmatch(name)
    if not any(map(str.isalpha, name)) or name in {"others", "al"}:
        return ""
    if turned and "," not in name and not _INITIALS.fullmatch(turned[1]):
        return f"{turned[1]}, {turned[2]}"
    return name if re.search(rf"{_UP}\.?$", name) else name.rstrip(". ")
