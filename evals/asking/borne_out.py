"""Whether the quotes of a sentence stand in the papers, and bear out what it says; by code alone.

It trusts nothing that the run says of itself: a quote is looked up in its passage and in the text that
the benchmark has of the paper.
"""

from collections.abc import Sequence

from evals.asking.told import Sources, Told
from state.asking import Claim
from state.passage import Passage
from tools.embed.port import Embedder
from tools.evidence.contradiction import contradicts
from tools.evidence.unsupported_numbers import unsupported_numbers
from tools.text.words import coverage, distinct_content_stems

PLAIN, NEAR = 0.5, 0.7
"""Share of a sentence's content words in what it rests on, or cosine to its quotes, from which they
bear it out."""


def stands(claim: Claim, sources: Sources) -> bool:
    """Whether a claim's quote is verified and stands in its passage, and that in its paper."""
    quote, passage = claim.quote, sources.passages.get(claim.passage)
    if not quote.verified or not quote.text.strip() or passage is None:
        return False
    if claim.paper not in {passage.paper} or quote.paper != claim.paper:
        return False
    if passage.text[quote.start : quote.end] != quote.text:
        return False
    return _in_paper(passage, quote.text, sources)


def _in_paper(passage: Passage, words: str, sources: Sources) -> bool:
    if _folded(words) in _folded(sources.texts.get(passage.paper, "")):
        return True
    record = sources.records.get(passage.paper)
    if record is None or passage.start or len(passage.section) != 1:
        return False
    # A record told as a sentence: 'X' is by A and B and appeared in V in 2020.
    names = " ".join(author.name for author in record.authors)
    known = f"{record.title} {names} {record.venue or ''} {record.year or ''} appeared others"
    return distinct_content_stems(words) <= distinct_content_stems(known)


def _folded(text: str) -> str:
    return " ".join(text.split())


def traced(told: Told, sources: Sources) -> bool:
    """Whether a sentence has claims, and each leads to a quote that stands."""
    return bool(told.claims) and all(claim and stands(claim, sources) for claim in told.claims)


def fault(embedder: Embedder, told: Told, sources: Sources) -> str:
    """Return why the quotes do not bear a sentence out; empty if they do."""
    if not traced(told, sources):
        return "a quote does not stand in its paper"
    quotes = [claim.quote.text for claim in told.held]
    if any(contradicts(told.text, quote) for quote in quotes):
        return "a quote says the opposite"
    around = _around(told.held, sources)
    if strange := unsupported_numbers(told.text, " ".join([*quotes, around])):
        return f"no quote has the number {strange[0]}"
    if coverage(told.text, " ".join([*quotes, around])) >= PLAIN:
        return ""
    near = embedder.embed([told.text, " ".join(quotes), *quotes])
    if float((near[1:] @ near[0]).max()) >= NEAR:
        return ""
    return "its words are not those of its quotes"


def _around(claims: Sequence[Claim], sources: Sources) -> str:
    """Return what a sentence may take names from: the papers' records."""
    found: list[str] = []
    for paper in dict.fromkeys(claim.paper for claim in claims):
        if record := sources.records.get(paper):
            names = " ".join(author.name for author in record.authors)
            found.append(f"{record.title} {names} {record.year or ''}")
    return " ".join(found)
