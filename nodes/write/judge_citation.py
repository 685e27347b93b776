"""Judge one citation: what a mind says of it, held against the words of the papers at hand.

The verdict is that of tools.evidence.support, on the clause that code cuts out of the sentence, so that
a restatement can hide nothing; the claim as the mind restates it may be refused besides.
What the clause says of the researcher's own work it may have from the input. Beside that, two things
may refuse what an LLM calls supported: the authors named are not the cited paper's, or another paper
at hand is the one that says it. Without an LLM they are alarms.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from state.paper import Paper, title_key
from state.quote import Quote
from state.writing import INPUT, MARKER, Cause, CitationVerdict, Sentence, Support
from tools.evidence.alignment import Evidence
from tools.evidence.claims import name_fault, of_others
from tools.evidence.quotes import quotable, quote_input, quote_paper
from tools.evidence.support import BAD, Judgement, alarms, judge
from tools.evidence.verbatim import misattributed, own_words, verbatim
from tools.text.words import coverage

MOST_ALARMS = 3
FAR = "the words quoted have little to do with what is said"
_UNCHECKED: Mapping[Cause, str] = {
    "not_verbatim": "no LLM judged it; it is not the paper's own sentence, and comparing words proves nothing",
    "no_abstract": "there is no abstract to hold it against",
}
"""Why nobody could say whether it holds."""
_SAME_WORDS = 0.8
"""Share of a restated claim's words that stand in the clause that it restates."""


class Finding(BaseModel):
    """The mind's verdict on one citation, or on a sentence that rests on several sources."""

    id: str
    claim: str = Field(default="", description="What the sentence says of these sources alone.")
    quotes: list[str] = Field(default=[], description="Words of the sources, verbatim.")
    reasoning: str = Field(default="", description="One sentence.")
    verdict: str = Field(description="supported, partly, contradicted or not_in_source.")


@dataclass(frozen=True)
class Hand:
    """The papers at hand, and what there is to hold a claim against."""

    papers: Mapping[str, Paper]
    evidence: Evidence
    notices: Mapping[str, Cause] = field(default_factory=dict)
    """What stands against papers themselves, by id: retracted, superseded."""
    llm: str = ""
    """The name of the LLM that judges; empty where there is none."""
    own: str = ""
    """The researcher's own text; empty where there is none."""
    cited: frozenset[str] | None = None
    """Keys that the text cites; None where all of the papers count as cited."""
    known: Sequence[Quote] = ()
    """Verified words of the papers' full texts."""

    def is_own(self, sentence: Sentence) -> bool:
        """Whether a sentence that cites nobody is one of the researcher's own text, word for word."""
        mine = not sentence.rests_on or INPUT in sentence.rests_on
        return mine and bool(verbatim(sentence.text, self.own))

    @property
    def called(self) -> str:
        """How the papers at hand may be called."""
        return "\n".join(
            f"{paper.citation} {' '.join(author.name for author in paper.authors)} "
            f"{paper.year or ''} {paper.venue or ''}"
            for paper in self.papers.values()
        )


@dataclass(frozen=True)
class Judged:
    """A verdict with the words that decide it."""

    verdict: Support
    cause: Cause = ""
    quotes: tuple[Quote, ...] = ()
    better: str | None = None
    alarms: tuple[str, ...] = ()
    by: str = ""
    finding: Finding | None = None


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
        quotes = quotes_in([paper.title], paper) if own else ()
        return Judged("not_checked", "no_abstract", quotes)
    if own:
        part, span = own
        quote = Quote(
            text=span.text, paper=paper.id, part=part, start=span.start, end=span.end, verified=True
        )
        return Judged("supported", "", (quote,), by="code")
    if noted := misattributed(sentence, key, paper):
        quotes = quotes_in([noted.text], paper)
        told = ("these are words of an annotation, not of the paper's authors",)
        return Judged("not_in_source", "mis_cited", quotes, None, told, by="code")
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
    restated = finding.claim if finding else ""
    wrong, better = _misplaced(hand, sentence, key, claims, restated)
    quotes = quotes_in(finding.quotes, paper, known=hand.known) if finding else ()
    said = finding.verdict if finding else ""
    shown = (
        [quote.text for quote in quotes] if hand.llm else [hand.evidence.closest(claim, key).text]
    )
    around = "\n".join([*quotable(paper, hand.known), hand.called])
    theirs = "\n".join(hand.papers[other].text for other in claims if other != key)
    judged = judge(claim, shown, f"{around}\n{hand.own}", said if hand.llm else None, theirs)
    # What is said of the paper alone may have nothing from the input, whoever cut it out. Of the words in
    # which a judge restates it only what turns it round counts, and what stands nowhere in the paper.
    strange = [
        *(item for item in alarms(restated, shown, around) if item.verdict == "contradicted"),
        *(item for item in alarms(restated, (), around, theirs) if item.verdict in BAD),
        *(item for item in alarms(of_others(claim), shown, around, theirs) if item.verdict in BAD),
    ]
    if finding and strange and judged.verdict not in BAD:
        judged = Judgement(strange[0].verdict, "mis_cited", tuple(item.text for item in strange))
    told = tuple(dict.fromkeys([*wrong, *judged.alarms]))[:MOST_ALARMS]
    plain = of_others(" ".join(MARKER.sub(" ", sentence).split()))
    part = of_others(claim)
    if hand.llm and beside(hand, (part or plain, plain), quotes):
        told = (FAR, *told)[:MOST_ALARMS]
        if part and not _shared(key, claims):
            wrong = [*wrong, FAR]
        elif judged.verdict not in BAD:
            judged = Judgement("partly", "", told)
    if hand.llm and wrong:
        return Judged("not_in_source", "mis_cited", quotes, better, told, hand.llm, finding)
    return Judged(judged.verdict, judged.cause, quotes, better, told, hand.llm, finding)


def _shared(key: str, claims: Mapping[str, str]) -> list[str]:
    """Return the other papers of which a sentence says the same: it may be in words that none of them has."""
    claim = claims[key]
    return [
        other for other, said in claims.items() if other != key and (said in claim or claim in said)
    ]


def beside(hand: Hand, said: Sequence[str], quotes: Sequence[Quote]) -> bool:
    """Whether words are quoted that have nothing to do with what is said, in whole or in part."""
    near = (hand.evidence.measure(text, quote.text) for text in said for quote in quotes)
    return bool(quotes) and not any(item.bears for item in near)


def _misplaced(
    hand: Hand, sentence: str, key: str, claims: Mapping[str, str], restated: str
) -> tuple[list[str], str | None]:
    """Return what speaks for another paper, and the id of that paper where it is at hand.

    One that the sentence cites as well is no rival where the mind, in words of the clause that code has
    cut, restates what is said of this paper alone: the clause may be said of both.
    """
    wrong: list[str] = []
    if fault := name_fault(sentence, key, hand.papers[key], hand.papers.values()):
        wrong.append(fault)
    claim = of_others(claims[key])
    # A claim may be the whole sentence, for want of words beside the citation.
    beside = [key, *_shared(key, claims)]
    better = hand.evidence.better(claim, key, beside)
    if (
        better in claims
        and _narrows(restated, claim)
        and hand.evidence.better(restated, key, beside) != better
    ):
        better = None
    if better:
        wrong.append(f"the words are nearer to those of {hand.papers[better].citation}")
    return wrong, hand.papers[better].id if better else None


def _narrows(restated: str, claim: str) -> bool:
    """Whether a mind restates a clause, or a part of it, in the clause's own words."""
    return bool(restated) and coverage(restated, claim) >= _SAME_WORDS


def quotes_in(
    words: Iterable[str], paper: Paper | None, own: str = "", known: Sequence[Quote] = ()
) -> tuple[Quote, ...]:
    """Return those of these words that stand in the paper, or in the input, each once."""
    given = [item for item in words if item.strip()]
    quotes = [quote_paper(item, paper, known) for item in given] if paper else []
    quotes += [quote_input(item, own) for item in given] if own else []
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
    said = judged.finding
    unchecked = _UNCHECKED.get(judged.cause, "") if judged.verdict == "not_checked" else ""
    return CitationVerdict(
        sentence=number, key=key, paper=paper.id if paper else "", verdict=judged.verdict,
        cause=cause, claim=(said and said.claim) or claims.get(key, ""),
        quote=next(iter(judged.quotes), None), further=judged.quotes[1:],
        reason=said.reasoning if said else unchecked, better=judged.better, alarms=judged.alarms,
        by=judged.by,
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
