"""The terms of a query: which of some phrases or keywords it has, and how it is written."""

import re
from collections.abc import Collection, Iterable

from tools.scholar.source import terms
from tools.text.keyphrases import Phrase, phrase_stems, search_words
from tools.text.words import STOP_WORDS

# Sources AND keywords and leave out one more at each of at most three tries: with four a query
# comes down to pairs, with five it still asks for three at once.
MAX_KEYWORDS = 4
"""Terms of a query: 'sepsis' is one, and so is 'literature review'."""
_LONGEST_TERM = 4
"""Words of a term. What is longer is no term that papers share, so its words count one by one."""
_APART = re.compile(r'[",;“”]|\b(?:and|or|not)\b', re.IGNORECASE)


def compose(
    phrases: Iterable[Phrase], *, without: Collection[str] = (), limit: int = MAX_KEYWORDS
) -> list[str]:
    """Return the words of the first phrases that fit whole and repeat no word.

    Args:
        phrases: Best first.
        without: Stems that no word may have.
        limit: How many words at most.
    """
    chosen: list[str] = []
    used = set(without)
    for phrase in phrases:
        words = search_words(phrase.text)
        stems = {item for word in words for item in phrase_stems(word)}
        if words and len(chosen) + len(words) <= limit and not used & set(phrase.stems):
            chosen += words
            used |= stems
    return chosen


def keywords(items: Iterable[str]) -> list[str]:
    """Return what a mind gave as keywords as terms, without operators, and stop words at their ends.

    ['literature review', 'bees AND the landmarks'] -> ['literature review', 'bees', 'landmarks']
    """
    found: list[str] = []
    for part in (part for item in items for part in _APART.split(item)):
        words = [word for term in terms(f'"{part}"') for word in term.split()]
        content = [place for place, word in enumerate(words) if word.lower() not in STOP_WORDS]
        if content and content[-1] - content[0] < _LONGEST_TERM:
            found.append(" ".join(words[content[0] : content[-1] + 1]))
        else:
            found += [words[place] for place in content]
    return found


def in_one_query(items: Iterable[str], without: Collection[frozenset[str]] = ()) -> str:
    """Return the query of some keywords: its first few terms, phrases in quotation marks.

    A term goes where a longer one has all its words, or where it and one of `without` (stems of
    terms) have: 'review' beside 'literature review' asks for nothing more.
    """
    found: dict[frozenset[str], str] = {}
    for term in keywords(items):
        found.setdefault(frozenset(phrase_stems(term)), term)
    kept = [
        term
        for stems, term in found.items()
        if not any(stems < other for other in found)
        and not any(stems <= other or other <= stems for other in without)
    ]
    return " ".join(f'"{term}"' if " " in term else term for term in kept[:MAX_KEYWORDS])


def stems_of(query: str) -> list[frozenset[str]]:
    """Return the stems of each term of a query."""
    return [frozenset(phrase_stems(term)) for term in terms(query)]
