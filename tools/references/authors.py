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
_SHAPES = {
    "family_first": re.compile(rf"{_FAMILY}{_LINEAGE}, ?(?:{_INITIAL}[ -]{{0,2}}){{1,4}}{_LINEAGE}"),
    "family_bare": re.compile(rf"{_FAMILY}, {_UP}{{1,3}}(?=[,.;:&]| and\b| &|$)"),
    "initials_first": re.compile(rf"(?:{_INITIAL}[ -]{{0,2}}){{1,4}}{_FAMILY}{_LINEAGE}"),
    "initials_last_dotted": re.compile(rf"{_FAMILY} (?:{_UP}\.[ -]?){{1,3}}(?=[,;:]| and\b| &)"),
    "initials_last": re.compile(rf"{_FAMILY} {_UP}{{1,3}}(?=[,.;:]| and\b| &|$)"),
}  # fmt: skip
_DOTTED_END = re.compile(rf"{_FAMILY} (?:{_UP}\.){{1,3}}(?= )")
_FULL = re.compile(
    rf"{_WORD}(?:[ ](?:{_UP}\.?(?=[ ])|{PARTICLES}|{_WORD})){{0,4}}[ ]{_WORD}{_LINEAGE}"
    r"(?=[.:;]|,|[ ](?:and|&|und|et)\b)"
)
_JOINT = re.compile(
    r"\s{0,2}(?:,?\s{1,2}(?:and|AND|&|und|et(?!\.? al)|y)\s|;\s{0,2}(?:and |& )?|,\s{0,2}(?:& |and )?)"
)
_ET_AL = re.compile(r",?\s{0,2}\b(?:et\.?\s{0,2}al\b\.{0,2}|(?:and|&) others\b\.?)", re.IGNORECASE)
_LAST = re.compile(r"and|AND|&|und|et|y")
_EDITORS = re.compile(
    r",?\s{0,2}(?:[(\[]\s?(?:eds?|editors?|hrsg|ed\. by)\s?\.?\s?[)\]]|\b(?:editors?|eds?\.|hrsg\.))\.?,?\s{0,2}$",
    re.IGNORECASE,
)
_INITIALS = re.compile(rf"(?:(?:{_UP}[a-z]?\.|{_UP}(?![^\W\d_])|{_UP}(?={_UP}))[ -]{{0,2}}){{1,4}}")
_TRAILING = re.compile(rf"(.{{2,80}}?) ({_UP}{{1,3}}|(?:{_UP}\.[ -]?){{1,4}})")
_SPLIT = re.compile(
    r"\s*,\s*(?:and\b|AND\b|&|und\b)\s*|\s*,\s*|\s+(?:and|AND|und|et|y)\s+|\s*&\s*|\s+/\s+"
)
_STOPPED = re.compile(rf"(?<=\w\w\w)\. (?={_INITIAL})")
_LINEAGES = frozenset({"jr", "sr", "ii", "iii", "iv"})
_STARTS = re.compile(rf"{PARTICLES}\b", re.IGNORECASE)


def authors_end(text: str) -> int:
    """Return where the authors at the beginning of an entry end, 0 where it does not begin with any.

    For entries whose authors are not followed by a year or a quotation mark.
    """
    at = end = 0
    kind = ""
    for _ in range(MOST):
        found, kind = _name(text, at, kind)
        if found <= at:
            break
        end = found
        if others := _ET_AL.match(text, end):
            return others.end()
        joint = _JOINT.match(text, end)
        if joint is None:
            break
        at = joint.end()
        if _LAST.search(joint[0]):
            found, kind = _name(text, at, kind)
            end = found if found > at else end
            others = _ET_AL.match(text, end)
            return others.end() if others else end
        if others := _ET_AL.match(text, at):
            return others.end()
    return end


def _name(text: str, at: int, kind: str) -> tuple[int, str]:
    """Return the end of the name that begins at `at`, or `at`; names of one list are of one kind."""
    if kind != "full":
        for shape, pattern in _SHAPES.items():
            if found := pattern.match(text, at, at + 90):
                return len(text[: found.end()].rstrip(" -")), kind or shape
        if kind == "initials_last_dotted" and (found := _DOTTED_END.match(text, at, at + 90)):
            return found.end(), kind
        if kind:
            return at, kind
    found = _FULL.match(text, at, at + 90)
    return (found.end(), "full") if found else (at, kind)


_APART = re.compile(rf"\b({_UP}[a-z]{{0,8}}) (?=[à-öø-ÿāăąćčďđēęěğīįıłńňōőœřśşšţťūůűųźżž]\w)")
"""A name that the fonts of its accents have parted, as in 'M üller'."""


def split_authors(text: str) -> tuple[tuple[Author, ...], bool]:
    """Return the authors that a text names, and whether these are all.

    'Lee, P., Kim, E.', 'P. Lee and E. Kim', 'Lee P, Kim E', 'Lee, Ann and Bo Kim', with particles and
    'Jr.', are understood; a name that stands family first is given as 'Lee, P.'.
    """
    text = _EDITORS.sub("", text.strip(" .,:;("))
    if text.isupper() and ("," in text or " AND " in text):
        text = re.sub(r"[^\W\d_]{2,}", lambda word: word[0].capitalize(), text)
        text = text.replace(" And ", " and ")
    cut = _ET_AL.search(text)
    complete = cut is None
    text = (text[: cut.start()] if cut else text).strip(" ,;:(&")
    text = _APART.sub(r"\1", _STOPPED.sub(", ", text))
    if ";" in text:
        pieces = [piece for part in text.split(";") for piece in _joined_inverted(part)]
    else:
        pieces = _paired([piece.strip() for piece in _SPLIT.split(text) if piece.strip(" .")])
    names = [name for piece in pieces[:MOST] if (name := _tidy(piece))]
    return tuple(Author(name=name) for name in names), complete and len(pieces) <= MOST


def _joined_inverted(part: str) -> list[str]:
    named = re.sub(r"^\s*(?:and|&|und)\s+", "", part).strip(" .") + (
        "." if part.rstrip().endswith(".") else ""
    )
    if " and " in named or " & " in named or named.count(",") > 2:
        return _paired([piece.strip() for piece in _SPLIT.split(named) if piece.strip(" .")])
    return [named] if named.strip(" .") else []


def _paired(pieces: list[str]) -> list[str]:
    """Put family and given names that a comma parts together again."""
    names: list[str] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        after = pieces[at + 1] if at + 1 < len(pieces) else ""
        if piece.rstrip(".").lower() in _LINEAGES and names:
            names[-1] = f"{names[-1]} {piece}"
        elif after and _is_given(piece, after, first=at == 0):
            names.append(f"{piece}, {after}")
            at += 1
        else:
            names.append(piece)
        at += 1
    return names


def _is_given(piece: str, after: str, *, first: bool) -> bool:
    """Whether `after` is the given name of the family `piece`."""
    if _INITIALS.fullmatch(piece):
        return False
    if _INITIALS.fullmatch(after):
        return not _TRAILING.fullmatch(piece) and not re.match(_INITIAL, piece)
    words = piece.split()
    if len(after.split()) > 3 or after.rstrip(".").lower() in _LINEAGES or not after[0].isupper():
        return False
    if len(words) == 1 and "." not in piece:
        return True
    return len(after.split()) == 1 and (first or bool(_STARTS.match(piece))) and "." not in piece


def _tidy(piece: str) -> str:
    """Return one name as Author understands it."""
    name = " ".join(piece.split()).strip(" ,;:()[]")
    name = re.sub(r"^(?:and|und|&|by|the)\s+", "", name)
    if not any(map(str.isalpha, name)) or name in {"others", "al"}:
        return ""
    if (
        "," not in name
        and (turned := _TRAILING.fullmatch(name))
        and not _INITIALS.fullmatch(turned[1])
    ):
        return f"{turned[1]}, {turned[2]}"
    return name if re.search(rf"{_UP}\.?$", name) else name.rstrip(". ")
