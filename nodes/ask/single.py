"""One statement at a time, whatever a mind sends as one.

Small models copy a whole passage as one claim, and write a whole answer as one sentence. Then a quote
would be as long as the passage, and one bad half would cost the good one. A sentence that leans on the
one before it stays with that.
"""

from collections.abc import Collection, Mapping, Sequence

from state.asking import Claim, DraftSentence
from tools.evidence.quotes import find_quote
from tools.text.self_reference import leans
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
    if span is None:
        return [(claim, quote)]
    said = _statements(span.text)
    return [(item, _narrowed(item, span.text, said)) for item in _statements(claim) or [claim]]


def _statements(text: str) -> list[str]:
    starts: list[tuple[int, int]] = []
    for span in split_sentences(text):
        if starts and leans(span.text):
            starts[-1] = (starts[-1][0], span.end)
        else:
            starts.append((span.start, span.end))
    return [text[start:end] for start, end in starts]


def _narrowed(claim: str, quote: str, said: Sequence[str]) -> str:
    if len(said) < 2:
        return quote
    best = max(said, key=lambda part: coverage(claim, part))
    enough = coverage(claim, best) >= _AS_GOOD * coverage(claim, quote)
    return best if enough and find_quote(best, quote) else quote


def single_sentences(
    drafts: Sequence[DraftSentence], claims: Mapping[int, Claim], whole: Collection[str]
) -> list[DraftSentence]:
    """Return the sentences of an answer one by one, each with those of its claims that bear on it.

    Args:
        drafts: As the mind gave them.
        claims: Those that they rest on, by number.
        whole: Texts that stay as they are: quotes with their source.
    """
    found: list[DraftSentence] = []
    for draft in drafts:
        parts = [item.text for item in split_sentences(draft.text)]
        if len(parts) < 2 or draft.text in whole:
            found.append(draft)
            continue
        for part in parts:
            about = tuple(number for number in draft.claims if _is_about(part, claims[number]))
            found.append(DraftSentence(text=part, claims=about or draft.claims))
    return found


def _is_about(sentence: str, claim: Claim) -> bool:
    return coverage(sentence, f"{claim.text} {claim.quote.text}") >= _TELLS
