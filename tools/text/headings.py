"""Headings that papers have in common: of the list of references, of the abstract, and of well-known sections."""

import re

_NUMBER = r"(?:(?:appendix\s+)?(?:[A-Z]|\d+|[IVXLC]+)(?:\.\d+)*[.):]?\s+)?"
_REFERENCES = re.compile(
    rf"{_NUMBER}(?:(?:list of )?(?:cited )?references?(?: cited| and notes| list)?|bibliography|"
    r"(?:works|literature) cited|cited works|literature|literatur(?:verzeichnis)?|referencias|bibliograf[ií]a|"
    r"références|bibliographie)\s*[:.]?",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(rf"{_NUMBER}(?:abstract|zusammenfassung|résumé|resumen)\s*[:.—-]?", re.I)
_KNOWN = re.compile(
    r"abstract|summary|preface|introduction|references?|bibliography|literature cited|works cited|"
    r"acknowledge?ments?|conclusions?|discussion|related works?|background|appendix(?: [A-Z])?|appendices|"
    r"(?:materials and )?methods?|methodology|results?|results and discussion|evaluation|experiments?|keywords|"
    r"author keywords|ccs concepts|categories and subject descriptors|general terms|supplementary material|"
    r"limitations|(?:conclusions? and )?future work|ethics statement",
    re.IGNORECASE,
)


def is_references(heading: str) -> bool:
    """Whether a heading announces the list of references."""
    return bool(_REFERENCES.fullmatch(heading.strip()))


def is_abstract(heading: str) -> bool:
    """Whether a heading announces the abstract."""
    return bool(_ABSTRACT.fullmatch(heading.strip()))


def is_known(heading: str) -> bool:
    """Whether a heading, without a number, is one that many papers have."""
    return bool(_KNOWN.fullmatch(heading.rstrip(":. ")))
