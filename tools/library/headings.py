"""Headings as filters compare them: '3.2 Results' and 'RESULTS' are one heading."""

import re

_NUMBER = re.compile(
    r"^(?:(?i:section|chapter|appendix|part)\s+(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])[.:)]?"
    r"|\d+(?:\.\d+)*[.:)]?|[IVXLCivxlc]+[.:)]|[A-Z](?:\.\d+)+[.:)]?|[A-Za-z][.:)])\s+"
)


def folded_heading(heading: str) -> str:
    """Return a heading without its number, case, and punctuation at the end; '' if none is left."""
    text = " ".join(heading.split())
    text = _NUMBER.sub("", text, count=1)
    return text.strip(" .:;-–—").casefold()


def folded_section(section: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headings of a section path as filters compare them, each once."""
    return tuple(dict.fromkeys(key for heading in section if (key := folded_heading(heading))))
