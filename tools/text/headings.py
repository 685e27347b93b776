"""Headings that papers have in common: of the list of references, of the abstract, and of well-known sections."""

import re
from collections.abc import Set
from string import ascii_lowercase

_NUMBER = re.compile(r"(?:appendix\s+)?(?:[a-z]|\d+|[ivxlc]+)(?:\.\d+)*[.):]?\s+")
_REFERENCES = frozenset(
    (
        "reference", "references", "list of references", "cited references", "references cited", "reference list",
        "references and notes", "bibliography", "works cited", "literature cited", "cited works", "literature",
        "literatur", "literaturverzeichnis", "referencias", "bibliografia", "bibliografía", "références",
        "bibliographie",
    )
)  # fmt: skip
_ABSTRACT = frozenset(("abstract", "zusammenfassung", "résumé", "resumen"))
_KNOWN = frozenset(
    (
        "abstract", "summary", "preface", "introduction", "reference", "references", "bibliography",
        "literature cited", "works cited", "acknowledgment", "acknowledgement", "acknowledgments",
        "acknowledgements", "conclusion", "conclusions", "discussion", "related work", "related works",
        "background", "appendix", "appendices", "materials and methods", "method", "methods", "methodology",
        "result", "results", "results and discussion", "evaluation", "experiment", "experiments", "keywords",
        "author keywords", "ccs concepts", "categories and subject descriptors", "general terms",
        "supplementary material", "limitations", "future work", "conclusion and future work",
        "conclusions and future work", "ethics statement", *(f"appendix {letter}" for letter in ascii_lowercase),
    )
)  # fmt: skip


def is_references(heading: str) -> bool:
    """Whether a heading announces the list of references."""
    return _is_one_of(_REFERENCES, heading)


def is_abstract(heading: str) -> bool:
    """Whether a heading announces the abstract."""
    return _is_one_of(_ABSTRACT, heading)


def _is_one_of(names: Set[str], heading: str) -> bool:
    """Whether a heading, with or without a number before it, is one of these."""
    words = heading.strip().rstrip(" :.—-").casefold()
    number = _NUMBER.match(words)
    return words in names or (number is not None and words[number.end() :] in names)


def is_known(heading: str) -> bool:
    """Whether a heading, without a number, is one that many papers have."""
    return heading.rstrip(":. ").casefold() in _KNOWN
