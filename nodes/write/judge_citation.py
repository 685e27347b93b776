"""Judge one citation: what a mind says of it, held against the words of the papers at hand.

The mind proposes a verdict and a quote. Code decides: a quote must stand in the cited paper and have
to do with the claim, another paper at hand must not be the one that says it, and the authors named
must be the cited paper's. Where the words speak against the mind, the words are believed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from state.paper import Paper, title_key
from state.quote import Quote
from state.writing import Cause, CitationVerdict, Sentence, Support
from tools.evidence.alignment import BESIDE, Evidence
from tools.evidence.claims import name_fault
from tools.evidence.contradiction import contradicts
from tools.evidence.quotes import quote_paper
from tools.evidence.unsupported_numbers import unsupported_numbers
from tools.text.sentences import split_sentences
from tools.text.words import coverage

BAD = frozenset({"contradicted", "not_in_source"})
"""Verdicts with which a citation may not stay."""
_SUPPORTED, _SUPPORTED_BY_TWO, _PARTLY = 0.6, 0.75, 0.4
"""Shares of a claim's content words that one, two or all of the paper's sentences must have, for
words alone to support it."""
_TELLING = 0.15
"""Share of the claim that a second sentence must add to be quoted beside the first."""
_PLAIN = 0.5
"""Share of a claim in a quote from which it is plain that they belong together."""
_NAMED = 0.6
"""Share of a claim that a title must have for the claim to be no more than its mention."""


class Finding(BaseModel):
    """The mind's verdict on one citation."""

    key: str
    verdict: str = Field(description="supported, partly, contradicted or not_in_source.")
    quote: str = Field(default="", description="Words of that paper, verbatim.")
    further: list[str] = Field(
        default=[], description="More such words, where one stretch is not enough."
    )


@dataclass(frozen=True)
class Hand:
    """The papers at hand, and what there is to hold a claim against."""

    papers: Mapping[str, Paper]
    evidence: Evidence
    notices: Mapping[str, Cause] = field(default_factory=dict)
    """What stands against papers themselves, by id: retracted, superseded."""


@dataclass(frozen=True)
class Judged:
    """A verdict with the words that decide it."""

    verdict: Support
    cause: Cause = ""
    quote: Quote | None = None
    further: tuple[Quote, ...] = ()
    better: str | None = None


def compare(key: str, claim: str, title: str, abstract: str) -> Finding:
    """Judge by words alone: how much of the claim one, two or all of the sentences have."""
    spans = [*(span.text for span in split_sentences(abstract)), title]
    best = max(spans, key=lambda text: coverage(claim, text))
    if contradicts(claim, best):
        return Finding(key=key, verdict="contradicted", quote=best)
    second = max(spans, key=lambda text: coverage(claim, f"{best} {text}"))
    alone, both = coverage(claim, best), coverage(claim, f"{best} {second}")
    whole = coverage(claim, f"{title} {abstract}")
    verdict = (
        "supported" if alone >= _SUPPORTED or both >= _SUPPORTED_BY_TWO
        else "partly" if whole >= _PARTLY
        else "not_in_source"
    )  # fmt: skip
    further = [second] if both >= alone + _TELLING and second != best else []
    return Finding(key=key, verdict=verdict, quote=best, further=further)


def judge(
    hand: Hand, sentence: Sentence, key: str, claims: Mapping[str, str], finding: Finding | None
) -> Judged:
    """Turn a finding into a verdict. CPU-bound: call it in a worker thread.

    Args:
        hand: The papers at hand.
        sentence: The sentence that cites.
        key: The key of the paper judged.
        claims: What the sentence says of each paper that it cites.
        finding: What the mind says, if it gave a usable answer.
    """
    paper = hand.papers.get(key)
    if paper is None:
        return Judged("not_in_source", "fabricated")
    claim = claims[key]
    if name_fault(sentence.text, key, paper, hand.papers.values()):
        return Judged("not_in_source", "mis_cited", _nearest(hand, claim, key))
    # A claim may be the whole sentence, for want of words beside the citation.
    beside = [other for other, said in claims.items() if said in claim or claim in said]
    if better := hand.evidence.better(claim, key, beside):
        quote = _nearest(hand, claim, key)
        return Judged("not_in_source", "mis_cited", quote, better=hand.papers[better].id)
    if not paper.abstract:
        named = coverage(claim, paper.title) >= _NAMED
        return Judged(
            "not_checked", "no_abstract", quote_paper(paper.title, paper) if named else None
        )
    if finding is None:
        return Judged("not_in_source", "no_verified_quote")
    return _weigh(hand, paper, sentence, key, claim, finding)


def _weigh(
    hand: Hand, paper: Paper, sentence: Sentence, key: str, claim: str, finding: Finding
) -> Judged:
    quotes = verified([finding.quote, *finding.further], paper)
    match _plain(finding.verdict):
        case "supported" | "partly" as verdict:
            if against := next((quote for quote in quotes if contradicts(claim, quote.text)), None):
                return Judged("contradicted", "mis_cited", against)
            if unsupported_numbers(claim, paper.text):
                return Judged("not_in_source", "mis_cited", _nearest(hand, claim, key))
            if quotes and _tells(hand, claim, key, quotes):
                return Judged(verdict, "", quotes[0], tuple(quotes[1:]))
            return _by_words(hand, paper, sentence, key, claim, misled=bool(quotes))
        case "contradicted" if quotes and _tells(hand, claim, key, quotes):
            return Judged("contradicted", "mis_cited", quotes[0], tuple(quotes[1:]))
    cause: Cause = "mis_cited" if quotes else "no_verified_quote"
    return Judged("not_in_source", cause, quotes[0] if quotes else None)


def _plain(verdict: str) -> str:
    """Return a verdict however it is spelt: models write 'Supported' and 'not in source'."""
    return "_".join(verdict.strip(" .").casefold().replace("-", " ").replace("_", " ").split())


def _by_words(
    hand: Hand, paper: Paper, sentence: Sentence, key: str, claim: str, *, misled: bool
) -> Judged:
    """Judge a citation whose support the mind could not show: 'partly' at best, on other words.

    Those are the words it was written from, or else the words of the paper that say it.
    """
    written = next((item.quote for item in sentence.citations if item.key == key), None)
    if written and written.verified and _tells(hand, claim, key, [written]):
        return Judged("partly", "", written)
    found = compare(key, claim, paper.title, paper.abstract or "")
    quotes = verified([found.quote, *found.further], paper)
    if found.verdict in {"supported", "partly"} and quotes:
        return Judged("partly", "", quotes[0], tuple(quotes[1:]))
    return Judged(
        "not_in_source", "mis_cited" if misled else "no_verified_quote", _nearest(hand, claim, key)
    )


def _tells(hand: Hand, claim: str, key: str, quotes: Sequence[Quote]) -> bool:
    """Whether quotes have to do with the claim, and say about as much of it as the paper can."""
    said = " ".join(quote.text for quote in quotes)
    if hand.evidence.words(claim, said) >= _PLAIN:
        return True
    told = hand.evidence.measure(claim, said)
    best = hand.evidence.closest(claim, key)
    beside = best.words - told.words > BESIDE and best.meaning - told.meaning > BESIDE
    return told.bears and not beside


def _nearest(hand: Hand, claim: str, key: str) -> Quote | None:
    quote = quote_paper(hand.evidence.closest(claim, key).text, hand.papers[key])
    return quote if quote.verified else None


def verified(words: Iterable[str], paper: Paper) -> list[Quote]:
    """Return those of these words that stand in the paper, each once."""
    quotes = [quote_paper(item, paper) for item in words if item.strip()]
    return list(dict.fromkeys(quote for quote in quotes if quote.verified))


def verdict_of(
    judged: Judged, hand: Hand, number: int, key: str, claims: Mapping[str, str], by: str
) -> CitationVerdict:
    """Return the verdict as it is recorded, with what stands against the paper itself."""
    paper = hand.papers.get(key)
    notice = hand.notices.get(paper.id, "") if paper else ""
    cause: Cause = judged.cause
    if notice and judged.verdict not in BAD and (not cause or notice == "retracted"):
        cause = notice
    return CitationVerdict(
        sentence=number, key=key, paper=paper.id if paper else "", verdict=judged.verdict,
        cause=cause, claim=claims.get(key, ""), quote=judged.quote, further=judged.further,
        better=judged.better, by=by,
    )  # fmt: skip


def notices_on(papers: Collection[Paper]) -> dict[str, Cause]:
    """Return the papers that should not be cited as they are: retracted ones, and old versions.

    A preprint is superseded where another record here is the same work as published, or where its
    own record has the DOI under which it appeared.
    """
    published = {
        title_key(paper.title) for paper in papers if _doi(paper) and not _is_preprint(paper)
    }
    notices: dict[str, Cause] = {}
    for paper in papers:
        if paper.retracted:
            notices[paper.id] = "retracted"
        elif _is_preprint(paper) and (_doi(paper) or title_key(paper.title) in published):
            notices[paper.id] = "superseded"
    return notices


def _is_preprint(paper: Paper) -> bool:
    return paper.id.startswith("arxiv:")


def _doi(paper: Paper) -> str | None:
    """The DOI under which the paper was published; arXiv's own DOIs do not count."""
    doi = (paper.doi or "").lower()
    return doi if doi and not doi.startswith("10.48550/") else None
