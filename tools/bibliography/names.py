"""Names of authors in the parts that bibliographies want: given, family and suffix, or as they are."""

import re
from dataclasses import dataclass

from state.paper import Author

_SUFFIX = re.compile(r"^(?:jr|sr|ii|iii|iv)\.?$", re.IGNORECASE)
_BODY = re.compile(
    r"\b(?:team|group|consortium|collaboration|organi[sz]ation|institute|institution|university|"
    r"laboratory|laboratories|labs?|committee|association|society|foundation|initiative|network|"
    r"council|agency|department|ministry|commission|cent(?:er|re)|inc|ltd|gmbh|corporation)\b\.?$"
    r"|^(?:university|institute|department|ministry|association|society) "
    r"|\b(?:and|for|of the)\b|&",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NameParts:
    """A name; `literal` where it is printed as it stands, and then the others are empty."""

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""


def name_parts(author: Author) -> NameParts:
    """Return the parts of a person's name; an organisation's, or a single word, is literal."""
    if not author.given or not author.family or is_body(author.name):
        return NameParts(literal=author.name)
    family, given, suffix = author.family, author.given, ""
    words = family.split()
    if len(words) > 1 and _SUFFIX.match(words[-1]):
        family, suffix = " ".join(words[:-1]).rstrip(","), words[-1]
    elif "," in given:  # 'King, Martin, Jr.' and 'King, Jr., Martin'
        first, _, second = (part.strip() for part in given.partition(","))
        if _SUFFIX.match(second):
            given, suffix = first, second
        elif _SUFFIX.match(first):
            given, suffix = second, first
    return NameParts(family=family, given=given, suffix=suffix)


def is_body(name: str) -> bool:
    """Whether a name is an organisation's, as far as its words tell."""
    return "," not in name and bool(_BODY.search(name))
