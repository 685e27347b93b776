"""Names of authors in the parts that bibliographies want: given, family and suffix, or as they are."""

import re
from collections.abc import Mapping

from state.paper import Author
from tools.bibliography.plain_latex import plain_text

LINEAGES = frozenset({"jr", "sr", "ii", "iii", "iv"})
"""What stands behind a name, in small letters and without a point."""
_BODY = re.compile(
    r"\b(?:team|group|consortium|collaboration|organi[sz]ation|institute|institution|university|"
    r"laboratory|laboratories|labs?|committee|association|society|foundation|initiative|network|"
    r"council|agency|department|ministry|commission|cent(?:er|re)|inc|ltd|gmbh|corporation)\b\.?$"
    r"|^(?:university|institute|department|ministry|association|society) "
    r"|\b(?:and|for|of the)\b|&",
    re.IGNORECASE,
)
_LEGAL_FORMS = frozenset({"inc", "incorporated", "ltd", "limited", "llc", "corp", "gmbh", "plc"})
_NO_FAMILY = frozenset({"and", "for", "of", "&"})


def csl_name(author: Author) -> dict[str, str]:
    """Return the parts of a person's name as CSL calls them; an organisation's, or a single word, is literal."""
    if not author.given or not author.family or is_organisation(author.name):
        return {"literal": author.name}
    family, given, suffix = author.family, author.given, ""
    words = family.split()
    if len(words) > 1 and _is_lineage(words[-1]):
        family, suffix = " ".join(words[:-1]).rstrip(","), words[-1]
    elif "," in given:  # 'King, Martin, Jr.' and 'King, Jr., Martin'
        first, _, second = (part.strip() for part in given.partition(","))
        if _is_lineage(second):
            given, suffix = first, second
        elif _is_lineage(first):
            given, suffix = second, first
    return _named(family, given, None, suffix)


def _is_lineage(word: str) -> bool:
    return word.removesuffix(".").lower() in LINEAGES


def is_organisation(name: str) -> bool:
    """Whether a name is an organisation's, as far as its words tell.

    With a comma it is one where a legal form stands behind, or before it what no family name has: 'Owls and Co, Inc.'.
    """
    first, comma, last = name.rpartition(",")
    if comma:
        legal = last.strip().removesuffix(".").lower() in _LEGAL_FORMS
        return legal or not _NO_FAMILY.isdisjoint(first.partition(",")[0].lower().split())
    return bool(_BODY.search(name))


def in_parts(name: Mapping[str, object]) -> tuple[str, str, str]:
    """Return a CSL name as family and given name, each with its particle, and suffix; empty of a body."""

    def joined(*keys: str) -> str:
        parts = (name.get(key) for key in keys)
        return " ".join(part for part in parts if isinstance(part, str) and part)

    family = joined("non-dropping-particle", "family")
    return family, joined("given", "dropping-particle"), joined("suffix")


def csl_names(value: str) -> list[dict[str, str]]:
    """Return the names of a BibTeX field as CSL has them; what is in braces as a whole is a body."""
    from pybtex.bibtex.utils import split_name_list

    names = (_bibtex_name(name.strip(" ,")) for name in split_name_list(" ".join(value.split())))
    return [name for name in names if name]


def _bibtex_name(name: str) -> dict[str, str]:
    from pybtex.bibtex.utils import split_tex_string
    from pybtex.database import InvalidNameString, Person

    parts = [part.partition("=") for part in split_tex_string(name, ",")]
    said = {key.strip().lower(): plain_text(value) for key, is_named, value in parts if is_named}
    if "family" in said:  # as in BibLaTeX
        return _named(said["family"], said.get("given"), said.get("prefix"), said.get("suffix"))
    if name.lower() in ("others", "et al", "et al."):
        return {"literal": "et al."}
    try:
        person = Person(name)
    except InvalidNameString:  # it has too many commas
        return {"literal": plain_text(name)}
    first, von, last, lineage = (
        plain_text(" ".join(words))
        for words in (
            [*person.first_names, *person.middle_names],
            person.prelast_names,
            person.last_names,
            person.lineage_names,
        )
    )
    if not first and not von:
        return {"literal": last} if last else {}
    return _named(last, first, von, lineage)


def _named(
    family: str, given: str | None, particle: str | None, suffix: str | None
) -> dict[str, str]:
    parts = {"family": family, "given": given, "non-dropping-particle": particle, "suffix": suffix}
    return {name: value for name, value in parts.items() if value}


def without_possessive(name: str) -> str:
    """Return 'Lee' of "Lee's", and 'Jones' of "Jones'"."""
    bare = name[:-1] if name.endswith(("'s", "’s")) else name
    return bare[:-1] if bare.endswith(("'", "’")) else name
