"""Find what looks like a citation and is no marker: a reference that a mind has made up.

In a draft a paper is cited by its marker `{P3}` alone. Anything else by which readers know a citation is
foreign, unless the same words stand in the texts at hand: a paper may speak of 'CoNLL (2003)' itself.
"""

import re
from collections.abc import Iterable

from state.writing import MARKER

_NAME = r"(?:(?:van|von|de|der|den|del|di|da|la|le|ter|ten)\s+){0,2}[^\W\d_a-z][\w'’-]+"
_NAMES = rf"{_NAME}(?:(?:,\s+|,?\s+(?:and|&)\s+){_NAME}){{0,4}}(?:,?\s+et\s+al\.?)?"
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_WHEN = rf"(?:{_YEAR}|in\s+press|n\.\s?d\.|forthcoming|to\s+appear|submitted|under\s+review)"
_FORMS = (
    rf"\([^()\[\]{{}}]{{0,200}}?{_NAMES},?\s*{_WHEN}[^()\[\]{{}}]{{0,200}}\)",  # (see Smith, 2020, p. 3)
    rf"{_NAMES}\s*[(\[]{_WHEN}(?:[,;]\s*{_WHEN})*[)\]]",  # Smith and Jones (2020)
    r"\[\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\]",  # [3], [1-4]
    r"\[[^\W\d_]{2,15}\+?\d{2,4}[a-z]?\]",  # [Smith20]
    r"\[?-?@[\w:.-]+\]?",  # [@key]
    r"\\\w*cite\w*\s*(?:\[[^\]]*\])*\{[^}]*\}",  # \cite{key}
    r"[\[({]?\bP\d+\b(?:\s*,\s*P\d+)*[\])}]?",  # P2, [P2], {P2, P3}
    r"\b(?:doi:\s*)?10\.\d{4,9}/\S+",
    r"\bdoi:\s*\S+",
    r"\barXiv:\s*\d{4}\.\d{4,5}",
    r"\b(?:https?://|www\.)\S+",
)
_FOREIGN = re.compile("|".join(f"(?:{form})" for form in _FORMS))
_MOST = 4000
"""Characters of a sentence that are looked at; a longer one is no sentence."""


def invented_citations(sentence: str, sources: Iterable[str]) -> list[str]:
    """Return what looks like a citation beside the markers, each once, in order.

    Args:
        sentence: A sentence of a draft, with markers.
        sources: Texts whose own words are no inventions: the papers' and the researcher's.
    """
    text = MARKER.sub(" ; ", sentence[:_MOST])
    found = [match.group().strip(" .,;") for match in _FOREIGN.finditer(text)]
    if not found:
        return []
    known = " ".join(" ".join(source.split()) for source in sources)
    return list(dict.fromkeys(item for item in found if item not in known))
