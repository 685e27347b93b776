"""Judge one citation: what a mind says of it, held against the words of the papers at hand.

The verdict is that of tools.evidence.support. Beside what that compares, two things may refuse what
an LLM calls supported: the authors named are not the cited paper's, or another paper at hand is the
one that says it. Without an LLM they are alarms.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from state.paper import Paper, title_key
from state.quote import Quote
from state.writing import Cause, CitationVerdict, Support
from tools.evidence.alignment import Evidence
from tools.evidence.claims import name_fault
from tools.evidence.quotes import quote_paper
from tools.evidence.support import BAD, judge
from tools.evidence.verbatim import own_words

_MOST_ALARMS = 3


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
    llm: str = ""
    """The name of the LLM that judges; empty where there is none."""


@dataclass(frozen=True)
class Judged:
    """A verdict with the words that decide it."""

    verdict: Support
    cause: Cause = ""
    quotes: tuple[Quote, ...] = ()
    better: str | None = None
    alarms: tuple[str, ...] = ()
    by: str = ""


def known_for_certain(hand: Hand, sentence: str, key: str) -> Judged | None:
    """Return the verdict where it is a matter of fact and asks for no judge, or None.

    No paper has the key; the sentence is the paper's own; it is another paper's own and not this
    one's; there is no abstract to hold it against.
    """
    paper = hand.papers.get(key)
    if paper is None:
        return Judged("not_in_source", "fabricated", by="code")
    own = own_words(sentence, key, paper)
    if not paper.abstract:
        quotes = _quotes([paper.title], paper) if own else ()
        return Judged("not_checked", "no_abstract", quotes)
    if own:
        part, span = own
        quote = Quote(
            text=span.text, paper=paper.id, part=part, start=span.start, end=span.end, verified=True
        )
        return Judged("supported", "", (quote,), by="code")
    for other in hand.papers.values():
        if other is not paper and own_words(sentence, key, other):
            told = (f"it is word for word what {other.citation} write",)
            return Judged("not_in_source", "mis_cited", (), other.id, told, by="code")
    return None


def judge_citation(
    hand: Hand, sentence: str, key: str, claims: Mapping[str, str], finding: Finding | None
) -> Judged:
    """Turn a finding into a verdict. CPU-bound: call it in a worker thread.

    Args:
        hand: The papers at hand.
        sentence: The sentence that cites, with markers.
        key: The key of the paper judged.
        claims: What the sentence says of each paper that it cites.
        finding: What the mind says, if it gave a usable answer.
    """
    if certain := known_for_certain(hand, sentence, key):
        return certain
    paper, claim = hand.papers[key], claims[key]
    wrong, better = _misplaced(hand, sentence, key, claims)
    quotes = _quotes([finding.quote, *finding.further], paper) if finding else ()
    said = finding.verdict if finding else ""
    shown = (
        [quote.text for quote in quotes] if hand.llm else [hand.evidence.closest(claim, key).text]
    )
    around = "\n".join([paper.text, *(_called(item) for item in hand.papers.values())])
    judged = judge(claim, shown, around, said if hand.llm else None)
    told = tuple([*wrong, *judged.alarms][:_MOST_ALARMS])
    beside = bool(quotes) and not any(
        hand.evidence.measure(claim, quote.text).bears for quote in quotes
    )
    if hand.llm and (wrong or beside):
        return Judged("not_in_source", "mis_cited", quotes, better, told, hand.llm)
    return Judged(judged.verdict, judged.cause, quotes, better, told, hand.llm)


def _misplaced(
    hand: Hand, sentence: str, key: str, claims: Mapping[str, str]
) -> tuple[list[str], str | None]:
    """Return what speaks for another paper, and the id of that paper where it is at hand."""
    wrong: list[str] = []
    if fault := name_fault(sentence, key, hand.papers[key], hand.papers.values()):
        wrong.append(fault)
    claim = claims[key]
    # A claim may be the whole sentence, for want of words beside the citation.
    beside = [other for other, said in claims.items() if said in claim or claim in said]
    better = hand.evidence.better(claim, key, beside)
    if better:
        wrong.append(f"the words are nearer to those of {hand.papers[better].citation}")
    return wrong, hand.papers[better].id if better else None


def _called(paper: Paper) -> str:
    names = " ".join(author.name for author in paper.authors)
    return f"{paper.citation} {names} {paper.year or ''} {paper.venue or ''}"


def _quotes(words: Iterable[str], paper: Paper) -> tuple[Quote, ...]:
    """Return those of these words that stand in the paper, each once."""
    quotes = [quote_paper(item, paper) for item in words if item.strip()]
    return tuple(dict.fromkeys(quote for quote in quotes if quote.verified))


def verdict_of(
    judged: Judged, hand: Hand, number: int, key: str, claims: Mapping[str, str]
) -> CitationVerdict:
    """Return the verdict as it is recorded, with what stands against the paper itself."""
    paper = hand.papers.get(key)
    notice = hand.notices.get(paper.id, "") if paper else ""
    cause: Cause = judged.cause
    if notice and judged.verdict not in BAD and (not cause or notice == "retracted"):
        cause = notice
    return CitationVerdict(
        sentence=number, key=key, paper=paper.id if paper else "", verdict=judged.verdict,
        cause=cause, claim=claims.get(key, ""), quote=next(iter(judged.quotes), None),
        further=judged.quotes[1:], better=judged.better, alarms=judged.alarms, by=judged.by,
    )  # fmt: skip


def notices_on(papers: Collection[Paper]) -> dict[str, Cause]:
    """Return the papers that should not be cited as they are: retracted ones, and old versions.

    A preprint is superseded where another record here is the same work as published, or where its
    own record has the DOI under which it appeared.
    """
    published = {
        title_key(paper.title) for paper in papers if _doi(paper) and not _is_preprint(paper)
    }
    notices: dict[str, Cause] = {
        paper.id: "superseded"
        for paper in papers
        if _is_preprint(paper) and (_doi(paper) or title_key(paper.title) in published)
    }
    return notices | {paper.id: "retracted" for paper in papers if paper.retracted}


def _is_preprint(paper: Paper) -> bool:
    return paper.id.startswith("arxiv:")


def _doi(paper: Paper) -> bool:
    """Whether it has a DOI under which it was published; arXiv's own DOIs do not count."""
    return bool(paper.doi) and not (paper.doi or "").lower().startswith("10.48550/")
