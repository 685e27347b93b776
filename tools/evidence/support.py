"""Whether the words of sources bear out what a sentence says; decided by code alone.

The rules are those of the citation check (nodes.write.judge_citation), for a sentence and quotes
instead of a sentence and a paper: no opposite, no number and no name from nowhere, no citation of
its own, and enough common words or meaning.
"""

from collections.abc import Sequence

from state.writing import Support
from tools.evidence.alignment import BEARS_MEANING, BEARS_WORDS, Evidence
from tools.evidence.contradiction import contradicts
from tools.evidence.invented_citations import invented_citations
from tools.evidence.unsupported_entities import unsupported_entities
from tools.evidence.unsupported_numbers import unsupported_numbers

_PLAIN = 0.5
"""Weighed share of a sentence's content words in its quotes from which it is plainly borne out."""
_SURE = 0.9
"""Words and meaning together from which a paraphrase is taken as borne out."""
_CLOSE = 0.65
"""Cosine from which other words are taken to say some of the same."""


def refuted(text: str, quotes: Sequence[str], around: str) -> Support | None:
    """Return what speaks against a sentence whatever its words mean, or None.

    Args:
        text: The sentence.
        quotes: What it rests on.
        around: Everything that it may take numbers, names and citations from.
    """
    if any(contradicts(text, quote) for quote in quotes):
        return "contradicted"
    if unsupported_numbers(text, around) or unsupported_entities(text, around):
        return "not_in_source"
    return "not_in_source" if invented_citations(text, [around]) else None


def weighed(text: str, quotes: Sequence[str], named: str, evidence: Evidence) -> Support:
    """Return how far these quotes say what a sentence says. CPU-bound.

    Words and meaning must both speak for it, unless half of its words stand in the quotes; where
    only one of them does, it is borne out in part.

    Args:
        text: The sentence.
        quotes: What it rests on; at least one.
        named: What it may call the papers that these are from, besides.
        evidence: What weighs the words.
    """
    words = evidence.words(text, " ".join([*quotes, named]))
    if words >= _PLAIN:
        return "supported"
    meaning = max(evidence.measure(text, quote).meaning for quote in [*quotes, " ".join(quotes)])
    if words >= BEARS_WORDS and meaning >= BEARS_MEANING:
        return "supported" if words + meaning >= _SURE else "partly"
    return "partly" if meaning >= _CLOSE else "not_in_source"
