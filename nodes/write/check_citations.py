"""Check: hold every citation of the draft against the paper it cites.

Reads `run`, `request`, `keys`, `drafts` or `final`, `checks`. Writes `final`, `verdicts`, `checks`.
A verdict counts only with words that code found in the paper; a paper without an abstract is "not
checkable", which is shown and is not a pass.
"""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from state.paper import Paper
from state.quote import Quote
from state.request import Request
from state.run import Failure
from state.writing import Cause, CitationVerdict, Draft, Sentence, Support
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.text.claims import claim_of
from tools.text.quotes import quote_paper
from tools.text.sentences import split_sentences
from tools.text.words import coverage

STAGE = "check_citations"
_SUPPORTED, _SUPPORTED_BY_TWO, _PARTLY = 0.6, 0.75, 0.4
"""Shares of a claim's content words that one, two or all of the paper's sentences must have, for the
embedded engine."""
_TELLING = 0.15
"""Share of the claim that a second sentence must add to be quoted beside the first."""

PROMPT = """\
You check citations. For one sentence of a related-work section and each paper that it cites, decide
whether the paper's title and abstract support what the sentence says of that paper:
- supported: they say it;
- partly: they say some of it, or something weaker;
- contradicted: they say the opposite;
- not_in_source: they do not say it.

Copy, letter by letter, the words of that paper on which the verdict rests. What the sentence says
of other papers is not this paper's to support. Judge by the words only, not by what you know.
"""


class Source(BaseModel):
    """A cited paper as the mind sees it, with the part of the sentence that speaks of it."""

    key: str
    claim: str
    title: str
    abstract: str


class Finding(BaseModel):
    """The mind's verdict on one citation."""

    key: str
    verdict: str = Field(description="supported, partly, contradicted or not_in_source.")
    quote: str = Field(default="", description="Words of that paper, verbatim.")
    further: list[str] = Field(
        default=[], description="More such words, where one stretch is not enough."
    )


class Findings(BaseModel):
    """The mind's answer."""

    findings: list[Finding]


def extract(embedder: Embedder, *, sentence: str, sources: Sequence[Source]) -> Findings:
    """Compare the words of each claim with the paper's sentences, up to two of them."""
    return Findings(findings=[_compare(source) for source in sources])


def _compare(source: Source) -> Finding:
    spans = [*(span.text for span in split_sentences(source.abstract)), source.title]
    best = max(spans, key=lambda text: coverage(source.claim, text))
    second = max(spans, key=lambda text: coverage(source.claim, f"{best} {text}"))
    alone, both = coverage(source.claim, best), coverage(source.claim, f"{best} {second}")
    whole = coverage(source.claim, f"{source.title} {source.abstract}")
    verdict = (
        "supported" if alone >= _SUPPORTED or both >= _SUPPORTED_BY_TWO
        else "partly" if whole >= _PARTLY
        else "not_in_source"
    )  # fmt: skip
    further = [second] if both >= alone + _TELLING and second != best else []
    return Finding(key=source.key, verdict=verdict, quote=best, further=further)


TASK = Task(
    name="check_citations", prompt=PROMPT, answer=Findings, tier="strong", extract=extract,
    max_output_tokens=1200,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    keys: dict[str, str]
    drafts: list[Draft]
    final: Draft
    checks: int
    verdicts: list[CitationVerdict]


class Update(TypedDict):
    """What this node writes."""

    final: Draft
    verdicts: list[CitationVerdict]
    checks: int
    failures: list[Failure]


async def check_citations(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Check all sentences at once; later rounds check only what was rewritten."""
    desk = open_desk(runtime, state["run"])
    draft = state["final"] if state["checks"] else state["drafts"][0]
    papers = await desk.shelf.papers(list(state["keys"].values()))
    by_key = {key: papers[paper] for key, paper in state["keys"].items() if paper in papers}
    known = (
        {(item.sentence, item.key): item for item in state["verdicts"]} if state["checks"] else {}
    )
    jobs = [
        _check(desk, number, sentence, by_key, known)
        for number, sentence in enumerate(draft.sentences, start=1)
    ]
    verdicts: list[CitationVerdict] = []
    failures: list[Failure] = []
    for done, result in enumerate(await asyncio.gather(*jobs), start=1):
        verdicts += result[0]
        failures += result[1]
        desk.progress("check", done, len(jobs))
    return {
        "final": draft,
        "verdicts": verdicts,
        "checks": state["checks"] + 1,
        "failures": failures,
    }


async def _check(
    desk: Desk,
    number: int,
    sentence: Sentence,
    papers: dict[str, Paper],
    known: dict[tuple[int, str], CitationVerdict],
) -> tuple[list[CitationVerdict], list[Failure]]:
    kept = [known[number, key] for key in sentence.keys if (number, key) in known]
    if len(kept) == len(sentence.keys):
        return kept, []
    checkable = [key for key in sentence.keys if papers[key].abstract]
    sources = [
        Source(
            key=key, claim=claim_of(sentence.text, key, papers[key].citation),
            title=papers[key].title, abstract=papers[key].abstract or "",
        )
        for key in checkable
    ]  # fmt: skip
    failures: list[Failure] = []
    found: dict[str, Finding] = {}
    if sources:
        try:
            answer = await desk.mind.do(TASK, sentence=sentence.text, sources=sources)
            found = {item.key: item for item in reversed(answer.findings)}
        except (AnswerError, RefusedError) as error:
            failures = [
                Failure(
                    stage=STAGE, subject=f"sentence {number}", cause=str(error),
                    remedy="its citations count as not supported",
                )
            ]  # fmt: skip
    verdicts = [
        _verdict(number, key, papers[key], sentence, found.get(key), desk.mind.name)
        for key in sentence.keys
    ]
    return verdicts, failures


def _verdict(
    number: int, key: str, paper: Paper, sentence: Sentence, finding: Finding | None, by: str
) -> CitationVerdict:
    verdict, cause, quote = judge(paper, sentence, key, finding)
    more = [quote_paper(words, paper) for words in finding.further] if finding and quote else []
    return CitationVerdict(
        sentence=number, key=key, paper=paper.id, verdict=verdict, cause=cause, quote=quote,
        further=tuple(item for item in more if item.verified and item != quote), by=by,
    )  # fmt: skip


def judge(
    paper: Paper, sentence: Sentence, key: str, finding: Finding | None
) -> tuple[Support, Cause, Quote | None]:
    """Turn a finding into a verdict; one whose words are not in the paper does not count.

    Where the words are not there, but the mind finds support and the sentence was written from words
    that are, the verdict is 'partly' at best, on those.
    """
    if not paper.abstract:
        return "not_checkable", "no_abstract", None
    if finding is None:
        return "not_in_source", "no_verified_quote", None
    quote = quote_paper(finding.quote, paper)
    if quote.verified:
        match finding.verdict:
            case "supported" | "partly" as verdict:
                return verdict, "", quote
            case "contradicted":
                return "contradicted", "mis_cited", quote
            case _:
                return "not_in_source", "mis_cited", quote
    written = next((item.quote for item in sentence.citations if item.key == key), None)
    if written and written.verified and finding.verdict in {"supported", "partly"}:
        return "partly", "", written
    return "not_in_source", "no_verified_quote", None
