"""One statement at a time, whatever a mind sends as one.

Small models copy a whole passage as one claim, and write a whole answer as one sentence. Then a quote
would be as long as the passage, and one bad half would cost the good one.
"""

from collections.abc import Mapping, Sequence

from state.asking import Claim, DraftSentence
from tools.evidence.quotes import find_quote
from tools.text.sentences import split_sentences
from tools.text.words import coverage

_AS_GOOD = 0.8
"""Share of what a long quote has of a claim from which one sentence of it serves as well."""
_TELLS = 0.4
"""Share of a sentence's content words from which a claim has to do with it."""


def single_claims(claim: str, quote: str, passage: str) -> list[tuple[str, str]]:
    """Return the statements of a claim, each with the words of the quote that say it.

    A quote that does not stand in the passage is returned as it is, for the check to refuse.
    """
    span = find_quote(quote, passage)
    statements = [item.text for item in split_sentences(claim)] or [claim]
    if span is None:
        return [(claim, quote)]
    sentences = [item.text for item in split_sentences(span.text)]
    if len(sentences) < 2:
        return [(item, span.text) for item in statements]
    return [(item, _narrowed(item, span.text, sentences)) for item in statements]


def _narrowed(claim: str, quote: str, sentences: Sequence[str]) -> str:
    best = max(sentences, key=lambda sentence: coverage(claim, sentence))
    enough = coverage(claim, best) >= _AS_GOOD * coverage(claim, quote)
    return best if enough and find_quote(best, quote) else quote


def single_sentences(
    drafts: Sequence[DraftSentence], claims: Mapping[int, Claim]
) -> list[DraftSentence]:
    """Return the sentences of an answer one by one, each with those of its claims that bear on it."""
    found: list[DraftSentence] = []
    for draft in drafts:
        parts = [item.text for item in split_sentences(draft.text)]
        if len(parts) < 2:
            found.append(draft)
            continue
        for part in parts:
            bearing = tuple(number for number in draft.claims if _bears(part, claims[number]))
            found.append(DraftSentence(text=part, claims=bearing or draft.claims))
    return found


def _bears(sentence: str, claim: Claim) -> bool:
    return coverage(sentence, f"{claim.text} {claim.quote.text}") >= _TELLS
